package faultserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// got is what a client makes of an answer.
type got struct {
	status int
	header http.Header
	body   string
	err    error         // of the request or, where there is a status, of reading the body
	after  time.Duration // in all
}

// ask posts body to s and reads the answer.
func ask(ctx context.Context, s *Server, body string) got {
	transport := &http.Transport{DialContext: s.Dial, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/x?a=b", strings.NewReader(body))
	if err != nil {
		return got{err: err}
	}
	resp, err := client.Do(req)
	if err != nil {
		return got{err: err, after: time.Since(start)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return got{status: resp.StatusCode, header: resp.Header, body: string(raw), err: err, after: time.Since(start)}
}

// Every way to send an answer arrives as it says.
func TestAnswers(t *testing.T) {
	const body = "0123456789"
	const limit = time.Hour // of the client, in the time of the test
	for _, tt := range []struct {
		name   string
		answer Answer
		status int // 0 is no answer
		body   string
		fails  bool
		after  time.Duration
	}{
		{"whole", Stream(body), 200, body, false, 0},
		{"in pieces", Stream(body).Drip(3), 200, body, false, 0},
		{"slow", Stream(body).Slow(4, time.Second), 200, body, false, 2 * time.Second},
		{"late", Stream(body).After(time.Minute), 200, body, false, time.Minute},
		{"cut", Stream(body).Cut(4), 200, "0123", false, 0},
		{"cut after all", Stream(body).Cut(40), 200, body, false, 0},
		{"lost", Stream(body).Lose(4), 200, "0123", true, 0},
		{"lost after the header", Stream(body).Lose(0), 200, "", true, 0},
		{"shorter than announced", Answer{Body: "0123", Length: 10, End: Lost}, 200, "0123", true, 0},
		{"stalled", Stream(body).Stall(4), 200, "0123", true, limit},
		{"kept alive", Stream(body).Keep(":", limit*3/5), 200, body + ":", true, limit},
		{"repeated", Stream(body).Repeat(2, 5), 200, "0123423456789", false, 0},
		{"corrupted", Stream(body).Corrupt(8, "xyz"), 200, "01234567xyz", false, 0},
		{"more", Stream(body).Cut(2).Then("!"), 200, "01!", false, 0},
		{"hung up", HangUp(), 0, "", true, 0},
		{"garbage", Garbage(), 0, "", true, 0},
		{"redirect", Redirect("http://elsewhere.test/"), 307, "", false, 0},
		{"page", Page(502), 502, "<html><body>Bad Gateway</body></html>", false, 0},
		{"recording", Answer{Status: 429, Header: http.Header{"Retry-After": {"3"}, "Content-Length": {"7"}, "Transfer-Encoding": {"x"}}, Body: body}, 429, body, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := InMemory(tt.answer)
				defer s.Close()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				g := ask(ctx, s, "hello")
				if g.status != tt.status || g.body != tt.body || (g.err != nil) != tt.fails || g.after != tt.after {
					t.Errorf("%+v", g)
				}
				if r := s.Requests(); len(r) != 1 || string(r[0].Body) != "hello" || r[0].Path != "/v1/x?a=b" {
					t.Errorf("requests %+v", r)
				}
			})
		})
	}
}

// Answers are given in order, the last one for ever, on a real network as well.
func TestSequence(t *testing.T) {
	s := New(Refusal(OpenAIChat, 503), Stream("a"))
	defer s.Close()
	next := func(status int, body string) {
		t.Helper()
		if g := ask(t.Context(), s, ""); g.status != status || !strings.Contains(g.body, body) || g.err != nil {
			t.Errorf("%+v", g)
		}
	}
	next(503, "overloaded")
	next(200, "a")
	next(200, "a")
	s.Play(Stream("b"), Stream("c"))
	next(200, "b")
	next(200, "c")
	s.Play()
	next(418, "no answer")
	if n := len(s.Requests()); n != 6 {
		t.Errorf("%d requests", n)
	}
}

// A server that is closed lets go of a client that waits, and takes no other.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := InMemory(Stream("a").Stall(1))
		time.AfterFunc(time.Second, s.Close)
		if g := ask(t.Context(), s, ""); g.body != "a" || g.err == nil || g.after != time.Second {
			t.Errorf("%+v", g)
		}
		if g := ask(t.Context(), s, ""); !errors.Is(g.err, net.ErrClosed) {
			t.Errorf("%+v", g)
		}
		s.Close()
	})
}

// A refusal has its status, and what the vendor says is JSON with its own words.
func TestRefusals(t *testing.T) {
	words := map[API]string{OpenAIChat: "rate_limit_exceeded", OpenAIResponses: "rate_limit_exceeded", Anthropic: "rate_limit_error", Gemini: "retryDelay"}
	for _, api := range APIs() {
		for status := range troubles {
			a := Refusal(api, status)
			if a.Status != status || !json.Valid([]byte(a.Body)) {
				t.Errorf("%s %d: %+v", api, status, a)
			}
			_, data, _ := strings.Cut(ErrorInReply(api, status), "data: ")
			if !json.Valid([]byte(data)) {
				t.Errorf("%s %d: in a reply %q", api, status, data)
			}
		}
		if a := Refusal(api, 429); !strings.Contains(a.Body, words[api]) || (a.Header.Get("Retry-After") == "2") == (api == Gemini) {
			t.Errorf("%s: %+v", api, a)
		}
		for _, a := range []Answer{ContextFull(api), NoQuota(api), TooMuchAtOnce(api)} {
			if a.Status < 400 || !json.Valid([]byte(a.Body)) {
				t.Errorf("%s: %+v", api, a)
			}
		}
	}
	if a := Refusal(Gemini, 599); a.Status != 599 || a.Body != "" {
		t.Errorf("%+v", a)
	}
}
