package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
)

// overHTTP starts a server, and a client of it.
func overHTTP(t *testing.T, handler http.Handler, change func(*Config, *Server)) (*started, *httptest.Server) {
	server := httptest.NewServer(handler)
	s := start(t, "", func(c *Config, target *Server) {
		*target = Server{URL: server.URL + "/mcp"}
		if change != nil {
			change(c, target)
		}
	})
	t.Cleanup(func() { s.Close(); server.Close() })
	return s, server
}

func streamable() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer() }, nil)
}

// Headers of the settings go to the server; where it leads to is not asked.
func TestHeaders(t *testing.T) {
	var leaked, sent atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer elsewhere.Close()
	inner := streamable()
	s, _ := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") == "secret" {
			sent.Store(true)
		}
		if r.Method == http.MethodGet {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	}), func(_ *Config, server *Server) { server.Headers = map[string]string{"X-Key": "secret"} })
	s.Await(s.ctx)
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	if !sent.Load() || leaked.Load() {
		t.Errorf("sent %v, leaked %v", sent.Load(), leaked.Load())
	}
}

// A server cannot have calls sent to what only this machine reaches, whichever
// form of the protocol it speaks.
func TestServerLeadsElsewhere(t *testing.T) {
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inside.Close()
	for name, handler := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
		},
		"endpoint": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: "+inside.URL+"/latest/meta-data\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	} {
		s, _ := overHTTP(t, handler, func(_ *Config, server *Server) { server.SSE = name == "endpoint" })
		s.Await(s.ctx)
		want := "it leads to " + strings.TrimPrefix(inside.URL, "http://") + ", and only its own address is asked"
		if told := strings.Join(s.notices(), ""); asked.Load() > 0 || !strings.Contains(told, want) {
			t.Errorf("%s: %d requests elsewhere, told %q", name, asked.Load(), told)
		}
	}
}

func TestHome(t *testing.T) {
	place := func(text string) *url.URL {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, c := range []struct {
		place, to string
		want      bool
	}{
		{"https://a.test/mcp", "https://a.test/other", true},
		{"http://a.test/mcp", "https://a.test/mcp", true},
		{"http://a.test:80/mcp", "https://a.test:8443/mcp", true},
		{"https://a.test/mcp", "http://a.test/mcp", false},
		{"https://a.test/mcp", "https://b.a.test/mcp", false},
		{"http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp", false},
		{"http://a.test/mcp", "http://169.254.169.254/latest", false},
	} {
		if got := (&home{place: place(c.place)}).has(place(c.to)); got != c.want {
			t.Errorf("%s may lead to %s: %v", c.place, c.to, got)
		}
	}
}

// A server that has been started anew, and has forgotten the session, is asked
// again.
func TestForgottenSession(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	renew := func() {
		server := newServer()
		var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
		handler.Store(&h)
		t.Cleanup(func() {
			for session := range server.Sessions() {
				_ = session.Close() // nobody has said good-bye to it
			}
		})
	}
	renew()
	begun := 0
	s, _ := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			return
		case strings.Contains(string(body), "server/discover"): // newer forms of the protocol have no sessions
			http.Error(w, "What?", http.StatusBadRequest)
			return
		case strings.Contains(string(body), `"initialize"`):
			begun++
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		(*handler.Load()).ServeHTTP(w, r)
	}), nil)
	s.Await(s.ctx)
	renew()
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` || begun != 2 {
		t.Error(got, begun)
	}
}

// The older form of the protocol works, too.
func TestSSE(t *testing.T) {
	s, _ := overHTTP(t, sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return newServer() }, nil),
		func(_ *Config, server *Server) { server.SSE = true })
	s.Await(s.ctx)
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` {
		t.Error(got)
	}
}

// An answer without end is not read into memory.
func TestEndlessBody(t *testing.T) {
	inner := streamable()
	s, _ := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !strings.Contains(string(body), "tools/call") {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			inner.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":3,"result":"`)
		_, _ = io.Copy(w, endless('x')) // until the client has had enough
	}), nil)
	s.Await(s.ctx)
	if r := s.run("echo", `{}`); !r.Failed || !strings.Contains(text(r), "larger than 16 MiB") {
		t.Errorf("%.300s", text(r))
	}
}

// Addresses that are none of HTTP are refused, and servers that are not there
// told of.
func TestUnreachable(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://example.org/x":    "its address is none of http or https",
		"http://127.0.0.1:1/mcp": "connection refused",
	} {
		s := start(t, "", func(_ *Config, server *Server) { *server = Server{URL: address} })
		s.Await(s.ctx)
		if told := strings.Join(s.notices(), ""); !strings.Contains(told, want) {
			t.Errorf("%s: %q", address, told)
		}
	}
}

// authority is a server that demands tokens, and one that gives them out.
type authority struct {
	*httptest.Server
	valid     atomic.Value // the token that is taken
	refreshed atomic.Int32
	refuse    atomic.Bool // refresh tokens
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.valid.Store("first")
	mux := http.NewServeMux()
	inner := streamable()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+a.valid.Load().(string) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	answer := func(path string, of func(*http.Request) any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(of(r)); err != nil {
				t.Error(err)
			}
		})
	}
	answer("/.well-known/oauth-protected-resource/mcp", func(*http.Request) any {
		return map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}}
	})
	answer("/.well-known/oauth-authorization-server", func(*http.Request) any {
		return map[string]any{"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token",
			"registration_endpoint": a.URL + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}}
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"client_id":"me","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" {
			http.Error(w, "PKCE is missing", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=42&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.FormValue("grant_type") == "refresh_token" {
			if a.refuse.Load() {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
				return
			}
			a.refreshed.Add(1)
			a.valid.Store("renewed")
		}
		_, _ = io.WriteString(w, `{"access_token":"`+a.valid.Load().(string)+`","token_type":"Bearer","refresh_token":"again","expires_in":3600}`)
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// A server that demands a login is told of, with what to do. After the login it
// works, tokens are renewed, and when that ends the person is told again.
func TestLogin(t *testing.T) {
	a, keys := newAuthority(t), &memoryKeys{}
	use := func() *started {
		s := start(t, "", func(c *Config, server *Server) {
			*server = Server{URL: a.URL + "/mcp"}
			c.Keys = keys
		})
		s.Await(s.ctx)
		return s
	}
	before := use()
	if told := strings.Join(before.notices(), ""); told != "The MCP server test demands a login. Run `ikigai mcp login test`." {
		t.Errorf("%q", told)
	}
	cfg := Config{Servers: map[string]Server{"test": {URL: a.URL + "/mcp"}}, Keys: keys, Browse: visit}
	if demanded, err := Login(t.Context(), cfg, "test"); !demanded || err != nil {
		t.Fatal(demanded, err)
	}
	s := use()
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	a.valid.Store("another") // the server has ended the token before its time
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` || a.refreshed.Load() != 1 {
		t.Error(got, a.refreshed.Load())
	}
	if kept := strings.Join(keys.all(), ""); !strings.Contains(kept, `"renewed"`) {
		t.Errorf("the new token is not kept: %s", kept)
	}
	// Another process has renewed the token: what it has kept is used.
	a.refuse.Store(true)
	a.valid.Store("theirs")
	kept, err := keys.Get(t.Context(), KeyName(a.URL+"/mcp"))
	if err != nil || keys.Set(t.Context(), KeyName(a.URL+"/mcp"), strings.Replace(kept, "renewed", "theirs", 1)) != nil {
		t.Fatal(err)
	}
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	s.Close()
	a.valid.Store("another")
	last := use()
	if told := strings.Join(last.notices(), ""); !strings.Contains(told, "demands a login: the last one has ended. Run `ikigai mcp login test`") {
		t.Errorf("%q", told)
	}
	if demanded, err := Login(t.Context(), cfg, "test"); !demanded || err != nil {
		t.Error(demanded, err)
	}
}

// P41: a login is kept for an address, not for a name that a project may give to
// another.
func TestLoginOfAnotherAddress(t *testing.T) {
	a, other, keys := newAuthority(t), newAuthority(t), &memoryKeys{}
	cfg := Config{Servers: map[string]Server{"test": {URL: a.URL + "/mcp"}}, Keys: keys, Browse: visit}
	if _, err := Login(t.Context(), cfg, "test"); err != nil {
		t.Fatal(err)
	}
	s := start(t, "", func(c *Config, server *Server) {
		*server = Server{URL: other.URL + "/mcp"}
		c.Keys = keys
	})
	s.Await(s.ctx)
	if told := strings.Join(s.notices(), ""); !strings.Contains(told, "demands a login") {
		t.Errorf("the login was used elsewhere: %q", told)
	}
}

// P41: where a token is renewed cannot be moved: nobody else gets what renews it.
func TestTokenIsNotRedirected(t *testing.T) {
	var leaked atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer elsewhere.Close()
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	a, keys := newAuthority(t), &memoryKeys{}
	kept := `{"client_id":"me","client_secret":"s","token_url":"` + moved.URL + `","token":{"access_token":"old","refresh_token":"r","expiry":"2001-01-01T00:00:00Z"}}`
	if err := keys.Set(t.Context(), KeyName(a.URL+"/mcp"), kept); err != nil {
		t.Fatal(err)
	}
	s := start(t, "", func(c *Config, server *Server) {
		*server = Server{URL: a.URL + "/mcp"}
		c.Keys = keys
	})
	s.Await(s.ctx)
	if told := strings.Join(s.notices(), ""); leaked.Load() || told == "" {
		t.Errorf("leaked %v, told %q", leaked.Load(), told)
	}
}

// Only who knows the state of a login can end it; a refusal is told.
func TestWayBack(t *testing.T) {
	back, err := openWayBack()
	if err != nil {
		t.Fatal(err)
	}
	defer back.close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	visits := 0
	got, err := back.fetch(ctx, "http://login.test/?state=right", func(ctx context.Context, _ string) error {
		for _, query := range []string{"?code=1&state=wrong", "?code=2", "?code=3&state=right", "?code=4&state=right"} {
			visits++
			if err := visit(ctx, back.address+query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || got.Code != "3" || visits != 4 {
		t.Error(got, err, visits)
	}
	_, err = back.fetch(ctx, "http://login.test/?state=s", func(ctx context.Context, _ string) error {
		return visit(ctx, back.address+"?error=access_denied&state=s")
	})
	if err == nil || !strings.Contains(err.Error(), "access_denied") {
		t.Error(err)
	}
	cancel()
	if _, err := back.fetch(ctx, "http://login.test/?state=s", func(context.Context, string) error { return nil }); err == nil {
		t.Error("it goes on waiting")
	}
	_, err = Login(t.Context(), Config{Servers: map[string]Server{"a": {Command: "x"}}}, "a")
	if e := (*ikigai.Error)(nil); !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage {
		t.Error(err)
	}
}
