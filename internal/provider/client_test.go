package provider

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ikigai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs handler on connections in memory, so that it works with the time
// of synctest, and returns a client of it.
func serve(t *testing.T, cfg Config, handler http.HandlerFunc) *Client {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // until then a server does not notice that its client is gone
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.Header().Set("Content-Type", "text/event-stream")
		handler(w, r)
	})}
	go server.Serve(l)
	cfg.Name, cfg.Model, cfg.BaseURL = "acme/large", "large-1", "http://acme.test/v1?api-version=2"
	if cfg.Dial == nil {
		cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) }
	}
	c := NewClient(cfg)
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		server.Close()
	})
	return c
}

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// lines yields each line of a reply as text; a reply that does not end with
// the line "end" was cut off.
func lines(reply *Reply, yield func(ikigai.Delta) bool) error {
	var raw []byte
	buf := make([]byte, 100)
	for {
		n, err := reply.Read(buf)
		raw = append(raw, buf[:n]...)
		for {
			line, rest, ok := bytes.Cut(raw, []byte("\n"))
			if !ok {
				break
			}
			if raw = rest; string(line) == "end" {
				if !yield(ikigai.Delta{Stop: ikigai.StopEnd}) {
					return ErrStopped
				}
				reply.Drain()
				return nil
			}
			if !yield(ikigai.Delta{Text: string(line)}) {
				return ErrStopped
			}
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
}

// outcome is what a stream came to.
type outcome struct {
	text    string
	retries []ikigai.Retry
	stop    ikigai.StopReason
	err     *ikigai.Error
}

func run(t *testing.T, ctx context.Context, c *Client) outcome {
	t.Helper()
	var o outcome
	body := Body{[]byte("one "), nil, []byte("two "), []byte("three")}
	for d, err := range c.Stream(ctx, "chat/completions", body, lines) {
		if o.err != nil || o.stop != "" {
			t.Fatalf("more after the end: %+v, %v", d, err)
		}
		if err != nil {
			o.err = err.(*ikigai.Error)
			continue
		}
		if d.Retry != nil {
			o.retries = append(o.retries, *d.Retry)
		}
		o.text += d.Text
		o.stop = d.Stop
	}
	if (o.err == nil) == (o.stop == "") {
		t.Fatalf("no end: %+v", o)
	}
	return o
}

func answer(w http.ResponseWriter, pieces ...string) {
	for _, p := range pieces {
		io.WriteString(w, p)
		w.(http.Flusher).Flush()
	}
}

func TestRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Key: " sk-key-of-acme\n", Organization: "org", Header: map[string]string{"X-Title": "t", "user-agent": "u"}}
		requests := 0
		c := serve(t, cfg, func(w http.ResponseWriter, r *http.Request) {
			requests++
			body, _ := io.ReadAll(r.Body)
			if string(body) != "one two three" || r.ContentLength != 13 {
				t.Errorf("body %q, length %d", body, r.ContentLength)
			}
			if r.Method != "POST" || r.URL.String() != "/v1/chat/completions?api-version=2" || r.Host != "acme.test" {
				t.Errorf("%s %s at %s", r.Method, r.URL, r.Host)
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer sk-key-of-acme", "Content-Type": "application/json", "Accept": "text/event-stream",
				"Openai-Organization": "org", "X-Title": "t", "User-Agent": "u", "Accept-Encoding": "",
			} {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			answer(w, "hi\n", "end\n")
		})
		for range 2 {
			if o := run(t, t.Context(), c); o.text != "hi" || o.stop != ikigai.StopEnd {
				t.Errorf("%+v", o)
			}
		}
		c.cfg.Quirks.KeyHeader = "api-key"
		h := http.Header{}
		if c.setHeader(h); h.Get("Api-Key") != "sk-key-of-acme" || h.Get("Authorization") != "" {
			t.Error(h)
		}
	})
}

// One connection serves requests that follow each other, as long as replies
// are read to their end.
func TestConnectionIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remotes := map[string]bool{}
		dials := 0
		c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			remotes[r.RemoteAddr] = true
			answer(w, "hi\n", "end\n", "\n")
		})
		dial := c.http.Transport.(*http.Transport).DialContext
		c.http.Transport.(*http.Transport).DialContext = func(ctx context.Context, n, a string) (net.Conn, error) {
			dials++
			return dial(ctx, n, a)
		}
		for range 3 {
			run(t, t.Context(), c)
			synctest.Wait()
		}
		if dials != 1 {
			t.Errorf("%d connections", dials)
		}
	})
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

// P28: retries are announced, bounded, as far apart as the vendor asks, and
// only made where they can help.
func TestRetries(t *testing.T) {
	type reply func(w http.ResponseWriter)
	status := func(code int, header, body string) reply {
		return func(w http.ResponseWriter) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	ok := func(w http.ResponseWriter) { answer(w, "hi\n", "end\n") }
	drop := func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }
	cut := func(w http.ResponseWriter) { answer(w, "hi\n"); panic(http.ErrAbortHandler) }
	silent := func(w http.ResponseWriter) { answer(w, "") }
	tests := []struct {
		name    string
		replies []reply // the last one repeats
		tries   int
		kind    ikigai.ErrorKind
		text    string
		waits   [][2]time.Duration
	}{
		{name: "once", replies: []reply{ok}, tries: 1, text: "hi"},
		{name: "500", replies: []reply{status(500, "", ""), status(502, "", ""), ok}, tries: 3, text: "hi",
			waits: [][2]time.Duration{{500 * time.Millisecond, 750 * time.Millisecond}, {time.Second, 1500 * time.Millisecond}}},
		{name: "always", replies: []reply{status(503, "", "")}, tries: 4, kind: ikigai.ErrorOverloaded},
		{name: "Retry-After", replies: []reply{status(429, "Retry-After: 7", ""), ok}, tries: 2, text: "hi", waits: [][2]time.Duration{{7 * time.Second, 8750 * time.Millisecond}}},
		{name: "retry-after-ms", replies: []reply{status(429, "retry-after-ms: 40", ""), ok}, tries: 2, text: "hi", waits: [][2]time.Duration{{40 * time.Millisecond, 50 * time.Millisecond}}},
		{name: "as long as may be waited", replies: []reply{status(429, "Retry-After: 120", ""), ok}, tries: 2, text: "hi", waits: [][2]time.Duration{{2 * time.Minute, 2 * time.Minute}}},
		{name: "RetryInfo", replies: []reply{status(429, "", `{"error":{"details":[{"retryDelay":"34.07s"}]}}`), ok}, tries: 2, text: "hi", waits: [][2]time.Duration{{34070 * time.Millisecond, 36070 * time.Millisecond}}},
		{name: "too long to wait", replies: []reply{status(429, "Retry-After: 3600", ""), ok}, tries: 1, kind: ikigai.ErrorRateLimit},
		{name: "too long in all", replies: []reply{status(429, "Retry-After: 70", "")}, tries: 2, kind: ikigai.ErrorRateLimit},
		{name: "408", replies: []reply{status(408, "", ""), ok}, tries: 2, text: "hi"},
		{name: "409", replies: []reply{status(409, "", ""), ok}, tries: 2, text: "hi"},
		{name: "529", replies: []reply{status(529, "", ""), ok}, tries: 2, text: "hi"},
		{name: "connection lost", replies: []reply{drop, ok}, tries: 2, text: "hi"},
		{name: "nothing came", replies: []reply{silent, ok}, tries: 2, text: "hi"},
		{name: "cut after text", replies: []reply{cut, ok}, tries: 1, kind: ikigai.ErrorIncomplete, text: "hi"},
		{name: "quota", replies: []reply{status(429, "", `{"error":{"code":"insufficient_quota"}}`), ok}, tries: 1, kind: ikigai.ErrorQuota},
		{name: "auth", replies: []reply{status(401, "", ""), ok}, tries: 1, kind: ikigai.ErrorAuth},
		{name: "bad request", replies: []reply{status(400, "", ""), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
		{name: "context", replies: []reply{status(400, "", `{"error":{"code":"context_length_exceeded"}}`), ok}, tries: 1, kind: ikigai.ErrorContext},
		{name: "too large", replies: []reply{status(413, "", ""), ok}, tries: 1, kind: ikigai.ErrorTooLarge},
		{name: "model", replies: []reply{status(404, "", `{"error":"no such model"}`), ok}, tries: 1, kind: ikigai.ErrorModel},
		{name: "request too large", replies: []reply{status(429, "Retry-After: 1", `{"error":{"message":"Request too large for x on tokens per min","code":"rate_limit_exceeded"}}`), ok}, tries: 1, kind: ikigai.ErrorTooLarge},
		{name: "too little memory", replies: []reply{status(500, "", `{"error":"model requires more system memory (5 GiB) than is available"}`), ok}, tries: 1, kind: ikigai.ErrorModel},
		{name: "vendor says yes", replies: []reply{status(421, "X-Should-Retry: true", ""), ok}, tries: 2, text: "hi"},
		{name: "vendor says yes to a wrong key", replies: []reply{status(401, "X-Should-Retry: true", ""), ok}, tries: 1, kind: ikigai.ErrorAuth},
		{name: "vendor says no", replies: []reply{status(500, "X-Should-Retry: false", ""), ok}, tries: 1, kind: ikigai.ErrorServer},
		{name: "web page", replies: []reply{status(200, "Content-Type: text/html; charset=utf-8", "Welcome"), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
		{name: "web page by its looks", replies: []reply{status(200, "Content-Type: application/json", "\n <!DOCTYPE html>"), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
		{name: "a reply that is called HTML", replies: []reply{status(200, "Content-Type: text/html", "data: hi\nend\n")}, tries: 1, text: "data: hi"},
		{name: "words", replies: []reply{status(200, "Content-Type: text/plain", "upstream connect error"), ok}, tries: 2, text: "hi"},
		{name: "a reply that is called words", replies: []reply{status(200, "Content-Type: text/plain", "data: hi\nend\n")}, tries: 1, text: "data: hi"},
		{name: "compressed", replies: []reply{status(200, "Content-Encoding: gzip", zipped("hi\nend\n"))}, tries: 1, text: "hi"},
		{name: "badly compressed", replies: []reply{status(200, "Content-Encoding: gzip", "hi\nend\n"), ok}, tries: 2, text: "hi"},
		{name: "a compressed error", replies: []reply{status(500, "Content-Encoding: gzip", zipped(`{"error":{"code":"insufficient_quota"}}`)), ok}, tries: 1, kind: ikigai.ErrorQuota},
		{name: "unreadable", replies: []reply{status(200, "Content-Encoding: br", "\x8b\x02"), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
		{name: "an unreadable error", replies: []reply{status(503, "Content-Encoding: br", "\x8b\x02"), ok}, tries: 2, text: "hi"},
		{name: "empty", replies: []reply{status(200, "", " \n"), ok}, tries: 2, text: "hi"},
		{name: "nothing there", replies: []reply{status(404, "", "404 page not found"), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
		{name: "redirect", replies: []reply{status(307, "Location: http://elsewhere.test/", ""), ok}, tries: 1, kind: ikigai.ErrorBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					if body, _ := io.ReadAll(r.Body); string(body) != "one two three" {
						t.Errorf("attempt %d sends %q", tries+1, body)
					}
					tries++
					tt.replies[min(tries, len(tt.replies))-1](w)
				})
				start := time.Now()
				o := run(t, t.Context(), c)
				if tries != tt.tries || len(o.retries) != tt.tries-1 || o.text != tt.text {
					t.Errorf("%d attempts, %d retries told, text %q", tries, len(o.retries), o.text)
				}
				if o.err != nil != (tt.kind != "") || o.err != nil && o.err.Kind != tt.kind {
					t.Errorf("error %v", o.err)
				}
				var waited time.Duration
				for i, r := range o.retries {
					waited += r.After
					if r.Attempt != i+1 || r.Of != 4 || ikigai.KindOf(r.Err) == ikigai.ErrorInternal {
						t.Errorf("told of %+v", r)
					}
					if i < len(tt.waits) && (r.After < tt.waits[i][0] || r.After > tt.waits[i][1]) {
						t.Errorf("retry %d after %v", i+1, r.After)
					}
				}
				if slept := time.Since(start); slept != waited || waited > 2*time.Minute {
					t.Errorf("%v went by, %v were told", slept, waited)
				}
			})
		})
	}
}

func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration
		text  string
		serve func(w http.ResponseWriter, r *http.Request)
	}{
		{"no answer", 5 * time.Minute, "", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"header alone", 5 * time.Minute, "", func(w http.ResponseWriter, r *http.Request) { answer(w, ""); <-r.Context().Done() }},
		{"an error that does not end", 10 * time.Second, "", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusGatewayTimeout)
			answer(w, "late")
			<-r.Context().Done()
		}},
		{"silence", 5 * time.Minute, "a", func(w http.ResponseWriter, r *http.Request) { answer(w, "a\n"); <-r.Context().Done() }},
		{"silence after signs of life", 5*time.Minute + 10*100*time.Second, "a", func(w http.ResponseWriter, r *http.Request) {
			answer(w, "a\n")
			for range 10 { // a byte of a comment, time and again
				time.Sleep(100 * time.Second)
				answer(w, ":")
			}
			<-r.Context().Done()
		}},
		{"comments for ever", 30*time.Minute + 20*time.Second, "a", func(w http.ResponseWriter, r *http.Request) {
			answer(w, "a\n")
			for tick := time.Tick(20 * time.Second); ; {
				select {
				case <-tick:
					answer(w, ":")
				case <-r.Context().Done():
					return
				}
			}
		}},
		{"a line that goes on for an hour", 65 * time.Minute, "a", func(w http.ResponseWriter, r *http.Request) {
			answer(w, "a\n")
			for range 60 {
				time.Sleep(time.Minute)
				answer(w, "b")
			}
			<-r.Context().Done()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := serve(t, Config{MaxAttempts: 1}, tt.serve)
				start := time.Now()
				o := run(t, t.Context(), c)
				if o.err == nil || o.err.Kind != ikigai.ErrorTimeout || o.text != tt.text || time.Since(start) != tt.after {
					t.Errorf("after %v: %+v", time.Since(start), o)
				}
			})
		})
	}
}

// What fell silent is asked for once more at most: each attempt is paid for.
func TestSilence(t *testing.T) {
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }
	silent := func(w http.ResponseWriter, r *http.Request) { answer(w, "part of a line"); <-r.Context().Done() }
	never := func(w http.ResponseWriter, r *http.Request) { answer(w, ""); <-r.Context().Done() }
	for name, tt := range map[string]struct {
		replies []http.HandlerFunc // the last one repeats
		of      []int              // of how many attempts each is told to be
	}{
		"always":            {[]http.HandlerFunc{silent}, []int{2}},
		"after refusals":    {[]http.HandlerFunc{refuse, silent, refuse, silent}, []int{4, 3, 4}},
		"in the end":        {[]http.HandlerFunc{refuse, refuse, refuse, silent}, []int{4, 4, 4}},
		"without any of it": {[]http.HandlerFunc{never}, []int{4, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					tries++
					tt.replies[min(tries, len(tt.replies))-1](w, r)
				})
				o := run(t, t.Context(), c)
				var of []int
				for _, r := range o.retries {
					of = append(of, r.Of)
				}
				if o.err == nil || o.err.Kind != ikigai.ErrorTimeout || !slices.Equal(of, tt.of) || tries != len(of)+1 {
					t.Errorf("%d attempts, told of as %v: %v", tries, of, o.err)
				}
			})
		})
	}
}

// A reply has a bound, compressed or not, and is not asked for once more.
func TestReplyWithoutEnd(t *testing.T) {
	line := strings.Repeat("x", 1<<16-1) + "\n"
	for name, writer := range map[string]func(w http.ResponseWriter) io.WriteCloser{
		"as it is": func(w http.ResponseWriter) io.WriteCloser { return nopCloser{w} },
		"compressed": func(w http.ResponseWriter) io.WriteCloser {
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			return z
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			out := writer(w)
			for r.Context().Err() == nil {
				io.WriteString(out, line)
			}
			out.Close()
		}))
		c := NewClient(Config{Name: "acme/large", BaseURL: server.URL})
		read := int64(0)
		var last error
		for d, err := range c.Stream(t.Context(), "x", Body{}, func(reply *Reply, _ func(ikigai.Delta) bool) (err error) {
			read, err = io.Copy(io.Discard, reply)
			return err
		}) {
			if last = err; d.Retry != nil {
				t.Errorf("%s: tried again after %v", name, d.Retry.Err)
				break
			}
		}
		if want := "The reply of acme/large is longer than 64 MiB. Try again."; last == nil || last.Error() != want || read>>20 != 64 {
			t.Errorf("%s: after %d bytes: %v", name, read, last)
		}
		c.http.CloseIdleConnections()
		server.Close()
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// A reply that is whole does not wait for a server that keeps it open.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) { answer(w, "end\n"); <-r.Context().Done() })
		start := time.Now()
		if o := run(t, t.Context(), c); o.err != nil || time.Since(start) > 100*time.Millisecond {
			t.Errorf("after %v: %+v", time.Since(start), o)
		}
	})
}

// P41: what Authorize gives a request is in no error either.
func TestAuthorize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		cfg := Config{MaxAttempts: 2, Authorize: func(_ context.Context, r *http.Request, body Body) error {
			asked++
			if body.Size() != 13 || r.Header.Get("User-Agent") == "" {
				t.Errorf("asked for a request of %d bytes with %v", body.Size(), r.Header)
			}
			r.Header.Set("Authorization", "Bearer ya29.secret-of-the-cloud")
			r.Header.Set("X-Amz-Security-Token", "token+of/the=cloud")
			return nil
		}}
		c := serve(t, cfg, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(503)
			fmt.Fprintf(w, `{"error":{"message":"%s and %s, /?t=token%%2Bof%%2Fthe%%3Dcloud"}}`, r.Header.Get("Authorization"), r.Header.Get("X-Amz-Security-Token"))
		})
		o := run(t, t.Context(), c)
		if want := "acme has no capacity now: Bearer [key] and [key], /?t=[key]. Wait a little and try again."; o.err.Error() != want || asked != 2 {
			t.Errorf("asked %d times: %v", asked, o.err)
		}
	})
}

// Credentials that do not come are waited for no longer than an answer.
func TestAuthorizeHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{MaxAttempts: 1, Authorize: func(ctx context.Context, _ *http.Request, _ Body) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		c := serve(t, cfg, nil)
		start := time.Now()
		if o := run(t, t.Context(), c); o.err == nil || o.err.Kind != ikigai.ErrorTimeout || time.Since(start) != 5*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), o.err)
		}
	})
}

// The person can stop at any moment.
func TestCancel(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"before the answer": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the answer":     func(w http.ResponseWriter, r *http.Request) { answer(w, "a\n"); <-r.Context().Done() },
		"between attempts":  func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "60"); w.WriteHeader(503) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := serve(t, Config{}, handler)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				start := time.Now()
				o := run(t, ctx, c)
				if o.err == nil || o.err.Kind != ikigai.ErrorCancelled || !errors.Is(o.err, context.Canceled) || time.Since(start) != time.Second {
					t.Errorf("after %v: %+v", time.Since(start), o)
				}
			})
		})
	}
}

// A consumer that stops ends the request.
func TestBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			answer(w, "a\n")
			<-r.Context().Done()
			close(gone)
		})
		for range c.Stream(t.Context(), "x", Body{}, lines) {
			break
		}
		<-gone
	})
}

func TestUnreachable(t *testing.T) {
	refused := httptest.NewServer(nil)
	refused.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	noHost := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "acme.test", IsNotFound: true}
	}
	unable := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	hangUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangUp.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for c, err := other.Accept(); err == nil; c, err = other.Accept() {
			// An answer before the whole request is no answer to it.
			in := bufio.NewReader(c)
			if first, err := in.Peek(1); err == nil && first[0] != 0x16 { // which begins TLS
				if r, err := http.ReadRequest(in); err == nil {
					io.Copy(io.Discard, r.Body)
				}
			}
			io.WriteString(c, "220 mail.test ESMTP\r\n")
			go io.Copy(io.Discard, c) // until the client hangs up
		}
	}()
	host := func(s string) string { return s[strings.LastIndex(s, "/")+1:] }
	proxy := func(*http.Request) (*url.URL, error) { return url.Parse(refused.URL) }
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	away := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}
	away2 := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	const again = " Check the network and vendors.acme.base_url, then try again."
	for _, tt := range []struct {
		name, url string
		cfg       Config
		kind      ikigai.ErrorKind
		retries   int
		text      string
	}{
		{"refused", refused.URL, Config{}, ikigai.ErrorNetwork, 1,
			"Nothing answers at " + host(refused.URL) + ": connection refused. Start the server, or check vendors.acme.base_url."},
		{"refused elsewhere", "http://acme.test:81", Config{Dial: unable(away2)}, ikigai.ErrorNetwork, 3, "Nothing answers at acme.test:81: connection refused." + again},
		{"reset", "http://acme.test", Config{Dial: unable(reset)}, ikigai.ErrorNetwork, 3,
			"acme.test closed the connection without an answer. Try again, or see what the server says of it."},
		{"hung up", hangUp.URL, Config{MaxAttempts: 1}, ikigai.ErrorNetwork, 0,
			host(hangUp.URL) + " closed the connection without an answer. Try again, or see what the server says of it."},
		{"no way", "http://acme.test", Config{Dial: unable(away)}, ikigai.ErrorNetwork, 3, "acme.test cannot be reached: no route to host." + again},
		{"no connection", "http://acme.test", Config{Dial: unable(os.ErrDeadlineExceeded)}, ikigai.ErrorNetwork, 3, "Nothing answers at acme.test: no connection within 10 s." + again},
		{"proxy", "http://acme.test", Config{Proxy: proxy, MaxAttempts: 1}, ikigai.ErrorNetwork, 0,
			"The proxy on the way to acme.test cannot be used: connection refused. Check the variables HTTPS_PROXY and HTTP_PROXY."},
		{"certificate", secure.URL, Config{}, ikigai.ErrorNetwork, 0, "The certificate of " + host(secure.URL) +
			" cannot be trusted: nobody whom this machine knows has signed it. Check vendors.acme.base_url, and which certificates this machine trusts."},
		{"https to http", "https" + strings.TrimPrefix(plain.URL, "http"), Config{}, ikigai.ErrorNetwork, 0,
			host(plain.URL) + " speaks http, not https. Write http:// in vendors.acme.base_url, or another address."},
		{"https to another protocol", "https://" + other.Addr().String(), Config{}, ikigai.ErrorNetwork, 0,
			other.Addr().String() + " does not speak https. Check vendors.acme.base_url."},
		{"http to another protocol", "http://" + other.Addr().String(), Config{}, ikigai.ErrorNetwork, 0,
			other.Addr().String() + " does not speak http. Check vendors.acme.base_url."},
		{"no host", "http://acme.test", Config{Dial: noHost}, ikigai.ErrorNetwork, 0, "There is no machine with the name acme.test." + again},
		{"no address", "acme.test/v1", Config{}, ikigai.ErrorUsage, 0, "The base URL of acme/large is no http or https address. Correct base_url in the settings."},
		{"bad key", refused.URL, Config{Key: "sk-\x00secret-key"}, ikigai.ErrorAuth, 0, "The key of acme holds control characters. Check the key of acme."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Name, tt.cfg.BaseURL = "acme/large", tt.url+"?key=sk-in-address"
			c := NewClient(tt.cfg)
			o := outcome{}
			if tt.retries > 1 { // which nobody waits for in reality
				synctest.Test(t, func(t *testing.T) { o = run(t, t.Context(), c) })
			} else {
				o = run(t, t.Context(), c)
				c.http.CloseIdleConnections()
			}
			if o.err == nil || o.err.Kind != tt.kind || len(o.retries) != tt.retries || o.err.Error() != tt.text {
				t.Errorf("%d retries, error %v\nwant %s", len(o.retries), o.err, tt.text)
			}
			for _, r := range o.retries {
				if r.Of != tt.retries+1 || tt.retries == 1 && r.After > 200*time.Millisecond {
					t.Errorf("told of %+v", r)
				}
			}
			if s := o.err.Error(); strings.Contains(s, "sk-") { // P41
				t.Error(s)
			}
		})
	}
}

// What is no reply is told apart from one that is cut off.
func TestNoReply(t *testing.T) {
	for body, want := range map[string]string{
		"no healthy upstream.\n": "http://acme.test/v1/chat/completions answered with words, not with a model's reply: no healthy upstream. Check vendors.acme.base_url.",
		"":                       "The reply of acme/large is empty, and its status says that all is well. Try again; if it stays so, check vendors.acme.base_url.",
		"<html>":                 "http://acme.test/v1/chat/completions answered with a web page, not with a model's reply. Check vendors.acme.base_url.",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := serve(t, Config{MaxAttempts: 1}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain; charset=utf-8")
				answer(w, body)
			})
			if o := run(t, t.Context(), c); o.err == nil || o.err.Error() != want {
				t.Errorf("%q: %v", body, o.err)
			}
		})
	}
}

func TestBody(t *testing.T) {
	b := Body{nil, []byte("ab"), {}, []byte("c"), []byte("def")}
	for size := 1; size < 8; size++ {
		var got []byte
		r := b.Reader()
		for p := make([]byte, size); ; {
			n, err := r.Read(p)
			got = append(got, p[:n]...)
			if err != nil {
				break
			}
		}
		if string(got) != "abcdef" || b.Size() != 6 {
			t.Errorf("%d at a time: %q", size, got)
		}
	}
}
