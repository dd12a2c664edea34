package tools

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"

	"ikigai"
)

// site serves pages on the loopback interface.
func site(t testing.TB, pages map[string]http.HandlerFunc) string {
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// says answers with a body of a type.
func says(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

// fetch fetches a URL, and returns the result with the members of its output.
func (b *bench) fetch(url string, page int) (ikigai.Result, map[string]any) {
	b.t.Helper()
	r := b.call("web_fetch", fmt.Sprintf(`{"url":%s,"page":%d}`, quoted(url), page))
	out := map[string]any{}
	if err := json.Unmarshal([]byte(r.Output[0].Text), &out); err != nil {
		b.t.Fatalf("%s: %v", url, err)
	}
	return r, out
}

func TestWebFetch(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 20)
	at := site(t, map[string]http.HandlerFunc{
		"/page": says("text/html", `<title>A &amp; B</title><h1>Hi</h1><p>See <a href="/x">this</a>.`),
		"/json": says("application/json", "{\n \"a\": [1, 2]}\n"), "/text": says("text/plain", "  as it is\n"),
		"/made": says("text/html", "<script>document.write('x')</script>"),
		"/zip":  says("application/zip", "PK\x03\x04\x00"), "/what": says("", "\x00\x01"), "/typed": says("application/x-thing", "text after all"),
		"/png": says("image/png", png), "/pdf": says("application/octet-stream", "%PDF-1.7 \x00"), "/svg": says("image/svg+xml", "<svg/>"),
		"/guess": says("application/octet-stream", "<!doctype html><p>found out"),
	})
	b := newBench(t, Config{WebPrivate: true})
	for path, want := range map[string]string{
		"/page":  `{"output":"# Hi\n\nSee [this](` + at + `/x).","title":"A & B"}`,
		"/json":  `{"output":"{\n \"a\": [1, 2]}\n"}`,
		"/text":  `{"output":"  as it is\n"}`,
		"/made":  `{"output":"The page holds no text. It may be made by a script, which is not run."}`,
		"/zip":   `{"output":"Not shown: application/zip, 5 bytes. To look into it, save it with bash (curl -o)."}`,
		"/typed": `{"output":"text after all"}`, "/svg": `{"output":"<svg/>"}`,
		"/png": `{"output":"image/png, 28 bytes"}`, "/pdf": `{"output":"application/pdf, 10 bytes"}`,
		"/guess": `{"output":"found out"}`,
	} {
		r, _ := b.fetch(at+path, 1)
		if diff := cmp.Diff(want, r.Output[0].Text); diff != "" || r.Failed || r.Report == "" {
			t.Errorf("%s, report %q (-want +got):\n%s", path, r.Report, diff)
		}
		if diff := cmp.Diff([]ikigai.Resource{{URI: at + path}}, r.Resources); diff != "" && path != "/guess" {
			t.Error(diff)
		}
	}
	r, _ := b.fetch(at+"/png#x", 1)
	if diff := cmp.Diff([]ikigai.Part{{Type: ikigai.PartImage, Media: "image/png", Name: "png", Bytes: []byte(png)}}, r.Output[1:]); diff != "" {
		t.Error(diff)
	}
	if r, _ := b.fetch(at+"/pdf", 1); r.Output[1].Type != ikigai.PartFile {
		t.Errorf("%+v", r.Output[1])
	}
	r, _ = b.fetch(at+"/page", 1)
	if diff := cmp.Diff([]ikigai.Fact{{Name: "url", Value: at + "/page"}, {Name: "title", Value: "A & B"}}, r.Front); diff != "" { // S1.33
		t.Error(diff)
	}
}

func TestWebPages(t *testing.T) {
	var asked atomic.Int32
	at := site(t, map[string]http.HandlerFunc{"/long": func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		says("text/plain", strings.Repeat(strings.Repeat("word ", 50)+"\n\n", 200))(w, r)
	}})
	b := newBench(t, Config{WebPrivate: true})
	r, out := b.fetch(at+"/long", 1)
	if out["page"] != "1 of 3" || !strings.HasSuffix(out["output"].(string), "\n\n") || !strings.HasPrefix(r.Report, "page 1 of 3, ") {
		t.Errorf("%v, %q", out["page"], r.Report)
	}
	if _, out = b.fetch(at+"/long", 3); out["page"] != "3 of 3" {
		t.Errorf("%v", out)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for three pages", n)
	}
	if r, out = b.fetch(at+"/long", 4); !r.Failed || out["error_code"] != "PAST_END" {
		t.Errorf("%v", out)
	}
	if b.fetch(at+"/long", 1); asked.Load() != 2 { // the first page is fetched anew
		t.Errorf("asked %d times", asked.Load())
	}
}

func FuzzPaginate(f *testing.F) {
	f.Add("one\n\ntwo three\nfour éééé", 8)
	f.Add(strings.Repeat("é", 100), 7)
	f.Add("", 5)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 4 + most&0xff
		text = ikigai.CleanText(text)
		pages := paginate(text, most)
		if strings.Join(pages, "") != text {
			t.Error("something is lost")
		}
		for _, p := range pages {
			if len(p) > most || ikigai.CleanText(p) != p || p == "" && text != "" {
				t.Errorf("page %q", p)
			}
		}
	})
}

func TestWebCacheIsBounded(t *testing.T) {
	var c webCache
	for i := range 10 {
		c.put(fmt.Sprint(i), &webDocument{pages: []string{strings.Repeat("x", 10<<20), "y"}})
	}
	c.put("short", &webDocument{pages: []string{"x"}})
	if c.size > webCacheMost || len(c.byURL) != len(c.order) || c.get("9") == nil || c.get("0") != nil || c.get("short") != nil {
		t.Errorf("%d bytes, %v", c.size, c.order)
	}
}

func TestWebRedirects(t *testing.T) {
	other := site(t, map[string]http.HandlerFunc{"/end": says("text/plain", "there")})
	to := func(url string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", url)
			w.WriteHeader(http.StatusFound)
		}
	}
	var rounds atomic.Int32
	at := site(t, map[string]http.HandlerFunc{
		"/near": to("/end#part"), "/end": says("text/plain", "here"), "/far": to(other + "/end"), "/loop": func(w http.ResponseWriter, r *http.Request) {
			rounds.Add(1)
			to("/loop")(w, r)
		},
		"/file": to("file:///etc/passwd"), "/keys": to("http://user:secret@" + strings.TrimPrefix(other, "http://") + "/end"),
	})
	b := newBench(t, Config{WebPrivate: true})
	for path, want := range map[string]string{
		"/near": `{"output":"here","url":"` + at + `/end"}`,
		"/far":  `{"output":"there","url":"` + other + `/end"}`,
		"/loop": `{"error":"` + at + `/loop redirects more than 10 times. Use another URL.","error_code":"BAD_URL"}`,
		"/file": `{"error":"` + at + `/file redirects elsewhere. Only http and https are fetched, not file:. Use bash with a program for it.","error_code":"BAD_URL"}`,
		"/keys": `{"error":"` + at + `/keys redirects elsewhere. The URL of ` + strings.TrimPrefix(other, "http://") +
			` holds credentials. Leave them out; ask the person how to sign in.","error_code":"BAD_URL"}`,
	} {
		r, _ := b.fetch(at+path, 1)
		if diff := cmp.Diff(want, r.Output[0].Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if told := strings.Contains(r.Note, "redirects to another host: "+strings.TrimPrefix(other, "http://")); told != (path == "/far") {
			t.Errorf("%s: note %q", path, r.Note)
		}
	}
	if n := rounds.Load(); n != maxRedirects+1 {
		t.Errorf("%d requests in a loop", n)
	}
}

// S1.26, P41: what is not fetched, and what to do instead. No answer repeats credentials.
func TestWebFailures(t *testing.T) {
	status := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	at := site(t, map[string]http.HandlerFunc{
		"/404": status(404, "text/html", "<title>no</title><p>There is no <b>such</b> page"), "/500": status(500, "text/plain", strings.Repeat("x", 5000)),
		"/403": status(403, "image/png", "\x89PNG"), "/broken": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		},
	})
	b := newBench(t, Config{WebPrivate: true, webTimeout: time.Minute})
	closed := httptest.NewServer(nil)
	closed.Close()
	for url, want := range map[string]string{
		at + "/404": "HTTP_ERROR HTTP 404 Not Found: " + at + "/404. Check the URL.", at + "/500": "HTTP_ERROR HTTP 500 Internal Server Error: ",
		at + "/403": "HTTP_ERROR HTTP 403 Forbidden: " + at + "/403. Use another source, or ask the person.",
		closed.URL:  "NETWORK_ERROR Cannot fetch " + closed.URL + ": dial tcp", at + "/broken": "NETWORK_ERROR Cannot fetch " + at + "/broken: the connection broke off after 4 bytes. Check the URL.",
		"file:///etc/passwd": "BAD_URL A file is not fetched from the web: /etc/passwd. Use file_read for files.",
		"/etc/passwd":        "BAD_URL This is a path, not a URL: /etc/passwd. Use file_read for files.",
		"ftp://example.org":  "BAD_URL Only http and https are fetched, not ftp:. Use bash with a program for it.", "javascript:x": "BAD_URL Only http and https",
		"https://user:secret@example.org/": "BAD_URL The URL of example.org holds credentials. Leave them out; ask the person how to sign in.",
		"user:secret@example.org":          "BAD_URL ", "http://user:secret%zz@h/": "BAD_URL Invalid URL. ", "": "BAD_URL The URL names no host", "http:///x": "BAD_URL The URL names no host",
	} {
		r, out := b.fetch(url, 1)
		if got := fmt.Sprint(out["error_code"], " ", out["error"]); !r.Failed || !strings.HasPrefix(got, want) ||
			strings.Contains(r.Output[0].Text+r.Report, "secret") || !twoSentences.MatchString(out["error"].(string)) {
			t.Errorf("%s: %s", url, r.Output[0].Text)
		}
	}
	_, out := b.fetch(at+"/404", 1)
	if out["status"] != 404.0 || out["output"] != "There is no **such** page" {
		t.Errorf("%v", out)
	}
	if _, out = b.fetch(at+"/500", 1); len(out["output"].(string)) > maxErrorText+5 {
		t.Errorf("%d bytes of an error", len(out["output"].(string)))
	}
}

// What never ends, or is far more than it seems, costs a bounded time and
// amount of memory.
func TestWebLimits(t *testing.T) {
	gone, sent := make(chan struct{}), make(chan int, 1)
	at := site(t, map[string]http.HandlerFunc{
		"/bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for line := []byte(strings.Repeat("0", 1<<20)); ; {
				if _, err := z.Write(line); err != nil {
					return
				}
			}
		},
		"/endless": func(w http.ResponseWriter, _ *http.Request) {
			for n := 0; ; n += 50_000 {
				if _, err := io.WriteString(w, strings.Repeat("line\n", 10_000)); err != nil {
					sent <- n
					return
				}
			}
		},
		"/drip": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(gone)
		},
	})
	b := newBench(t, Config{WebPrivate: true})
	for _, path := range []string{"/bomb", "/endless"} {
		r, out := b.fetch(at+path, 1)
		if r.Failed || out["truncated"] != true || !strings.HasPrefix(fmt.Sprint(out["page"]), "1 of 5") {
			t.Errorf("%s: %.200s", path, r.Output[0].Text)
		}
	}
	if n := <-sent; n > 3*webMost { // the rest was on its way
		t.Errorf("%d bytes were taken", n)
	}
	short := newBench(t, Config{WebPrivate: true, webTimeout: 50 * time.Millisecond})
	if r, out := short.fetch(at+"/drip", 1); !r.Failed || out["error_code"] != "TOOL_TIMEOUT" {
		t.Errorf("%v", out)
	}
	<-gone
}

// The person's interrupt ends a fetch. // P22
func TestWebCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	at := site(t, map[string]http.HandlerFunc{"/": func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	b := newBench(t, Config{WebPrivate: true})
	r := b.callWith(ctx, "web_fetch", `{"url":"`+at+`"}`, ikigai.Call{})
	if field(t, r, "error_code") != "CANCELLED" {
		t.Error(r.Output[0].Text)
	}
}

// names is a DNS server that gives every name the address 127.0.0.1.
func names(t *testing.T) *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buf := make([]byte, 512); ; {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
			}
			if answer, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// Where private addresses are not allowed, no name, form of an address or
// redirect leads to one: what counts is the address of the connection.
func TestWebPrivate(t *testing.T) {
	var reached atomic.Int32
	at := site(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		says("text/plain", "inside")(w, r)
	}})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	resolver := names(t)
	hosts := []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]", "rebind.example"}
	b := newBench(t, Config{webResolver: resolver})
	for _, host := range hosts {
		r, out := b.fetch("http://"+host+":"+port+"/", 1)
		if !r.Failed || out["error_code"] != "DENIED" || !strings.Contains(r.Output[0].Text, "web_private_addresses") {
			t.Errorf("%s: %s", host, r.Output[0].Text)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("reached %d times", n)
	}
	allowed := newBench(t, Config{webResolver: resolver, WebPrivate: true})
	if _, out := allowed.fetch("http://rebind.example:"+port+"/", 1); out["output"] != "inside" {
		t.Errorf("the name leads elsewhere: %v", out)
	}
}

func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:4700::1111": true, "64:ff9b::101:101": true, "2002:101:101::1": true,
		"10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "127.9.9.9": false, "169.254.169.254": false, "100.64.1.1": false,
		"0.1.2.3": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false, "198.18.0.1": false, "::": false, "::1": false,
		"::ffff:10.0.0.1": false, "::127.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fec0::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false, "2002:c0a8:101::1": false, "2001:db8::1": false, "64:ff9b:1:7f00:0:1::": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public %v", address, got)
		}
	}
}

// Proxies are those of the tools' environment, and may be private.
func TestWebProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		says("text/plain", "for "+r.URL.String()+" as "+r.UserAgent())(w, r)
	}))
	t.Cleanup(proxy.Close)
	b := newBench(t, Config{Version: "1.2", Env: []string{"HTTP_PROXY=" + proxy.URL, "no_proxy=direct.example"}, webResolver: names(t)})
	if _, out := b.fetch("http://far.example/x", 1); out["output"] != "for http://far.example/x as ikigai/1.2" {
		t.Errorf("%v", out)
	}
	for _, url := range []string{"http://10.0.0.1/", "http://direct.example/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
		"http://localhost./", "http://LOCALHOST/", "http://a.localhost/", "http://127.0.0.1./", "http://[::ffff:127.0.0.1]/"} {
		if _, out := b.fetch(url, 1); out["error_code"] != "DENIED" {
			t.Errorf("%s: %v", url, out)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"example.org": "https://example.org", "example.org:8080/x?y#z": "https://example.org:8080/x?y", " http://h/ ": "http://h/",
		"localhost:3000/a": "http://localhost:3000/a", "HTTP://H/x": "http://H/x", "host:80": "https://host:80",
	} {
		if u, failure := parseAddress(text); failure != nil || u.String() != want {
			t.Errorf("%s: %v, %v", text, u, failure)
		}
	}
}
