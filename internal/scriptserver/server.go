package scriptserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai/internal/crash"
)

// Keep says what a server keeps of the requests it gets.
type Keep int

const (
	KeepNothing Keep = iota
	KeepHeads        // all but the bodies
	KeepAll
)

// Options are what a test or a benchmark may want beside a script. The zero
// value is what Start uses.
type Options struct {
	Keep Keep // for Requests

	// Received, if not nil, is called with each request once it is read and its
	// answer chosen, but nothing of it sent; the answer waits for the call.
	// Several calls may run at once.
	Received func(Request)

	// Unchecked takes requests as they are: streamed, valid, compact JSON with
	// tool choice auto. It is for benchmarks, where the server must cost next to
	// nothing, and has an effect only on scripts with a single statement, for
	// any text, that expects nothing and quotes nothing from the request.
	Unchecked bool
}

// Request is a request for a completion as a server got it.
type Request struct {
	Method   string
	Path     string
	Header   http.Header // without credentials
	HasKey   bool        // there were credentials
	Body     []byte      // nil in Requests, unless KeepAll
	Received time.Time   // when the body was read
	Answered time.Time   // when the last of the answer went out; zero before
}

// Server is a scripted model behind HTTP.
type Server struct {
	// URL is the base URL that clients are given. It ends in /v1.
	URL string

	plan    *plan
	options Options
	http    *http.Server
	done    chan struct{} // closed by Close
	served  chan struct{} // closed when no connection is accepted any more
	close   func() error

	mu       sync.Mutex
	requests []Request
	received int
	changed  chan struct{} // closed when received grows
	refused  []error
	attempts map[attemptKey]int
	fresh    map[net.Conn]bool // connections without a request so far
}

// Start serves s on a free port of 127.0.0.1 until Close. s must not change
// while it is served. The error is an *Error if s is at fault.
func Start(s *Script) (*Server, error) { return Options{}.Start(s) }

// Start is like the function Start.
func (o Options) Start(s *Script) (*Server, error) {
	p, err := compile(s)
	if err != nil {
		return nil, err
	}
	p.render()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("scripted model: %w", err)
	}
	srv := &Server{
		URL:      "http://" + l.Addr().String() + "/v1",
		plan:     p,
		options:  o,
		done:     make(chan struct{}),
		served:   make(chan struct{}),
		changed:  make(chan struct{}),
		attempts: make(map[attemptKey]int),
		fresh:    make(map[net.Conn]bool),
	}
	srv.http = &http.Server{
		Handler:           srv.handler(),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnState:         srv.connState,
	}
	srv.close = sync.OnceValue(srv.shutdown)
	go func() {
		defer close(srv.served)
		defer crash.Guard()
		_ = srv.http.Serve(l) // ErrServerClosed, after Close
	}()
	return srv, nil
}

// Close ends all replies, those that hang or wait included, and the server.
// It returns when nothing of it runs any more.
func (s *Server) Close() error { return s.close() }

// shutdown gives what is being written a moment to reach the client.
func (s *Server) shutdown() error {
	const patience = 2 * time.Second
	close(s.done)
	s.closeFresh()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.served
	return err
}

// connState notes which connections have had no request: Shutdown would wait
// for them for seconds.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.fresh[c] = true
		return
	}
	delete(s.fresh, c)
}

func (s *Server) closeFresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.fresh {
		_ = c.Close()
	}
}

// Requests returns the requests so far, as far as they are kept.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Refused returns why requests were refused: they were not valid, the script
// has no reply for them, or they did not hold what it expects. A test that
// expects none proves that all its requests were fine. At most 100 are kept.
func (s *Server) Refused() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Await returns when n requests for a completion have been received since the
// start, or with the error of ctx.
func (s *Server) Await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		received, changed := s.received, s.changed
		s.mu.Unlock()
		if received >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await request %d, received %d: %w", n, received, ctx.Err())
		}
	}
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, new(anthropic)) })
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, new(responses)) })
	mux.HandleFunc("POST /v1/models/{call...}", s.generate)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{model...}", s.models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, http.StatusNotFound, refuse("", "Unknown request URL: %s %s. Use POST /v1/chat/completions.", r.Method, r.URL.Path))
	})
	return mux
}

// generate answers Gemini's requests, whose path names the model and what it is
// to do.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	model, call, _ := strings.Cut(r.PathValue("call"), ":")
	d := &gemini{model: model}
	if call != "streamGenerateContent" || r.URL.Query().Get("alt") != "sse" {
		s.refuseIn(d, w, http.StatusNotFound, refuse("", "The scripted model streams its replies. Use POST /v1/models/%s:streamGenerateContent?alt=sse.", model))
		return
	}
	s.serve(w, r, d)
}

// models answers with the one model there is.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	type object = map[string]any
	name := s.plan.script.model()
	var answer any = object{"id": name, "object": "model", "created": created, "owned_by": "script"}
	switch r.PathValue("model") {
	case "":
		answer = object{"object": "list", "data": []any{answer}}
	case name:
	default:
		s.refuse(w, http.StatusNotFound, &refusal{param: "model", code: "model_not_found",
			message: fmt.Sprintf("The model %q does not exist. Use %q.", r.PathValue("model"), name)})
		return
	}
	writeJSON(w, http.StatusOK, appendJSON(nil, answer))
}

// maxBody bounds the body of a request.
const maxBody = 256 << 20

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r)
	if err != nil {
		s.refuse(w, http.StatusRequestEntityTooLarge, refuse("", "The body cannot be read: %v. Send at most %d bytes.", err, maxBody))
		return
	}
	at := time.Now()
	a, err := s.act(body)
	// Only now, so that attempts count in the order in which tests see requests.
	defer s.answered(s.receive(r, body, at))
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	s.play(w, r, a)
}

// act decides how to answer a request. The error is a *refusal or a *fullError.
func (s *Server) act(body []byte) (a *act, err error) {
	a = &act{size: len(body)}
	full := s.plan.full(len(body))
	if s.options.Unchecked && full == nil {
		a.moment = s.plan.count(body)
		a.stream, a.includeUsage = true, bytes.Contains(body, []byte(`"include_usage":true`))
	}
	if a.moment == nil {
		r, err := parseRequest(body)
		if err != nil {
			return nil, err
		}
		if full != nil {
			return nil, full
		}
		a.stream, a.includeUsage = r.stream, r.includeUsage
		if a.moment, err = s.plan.moment(r); err != nil {
			return nil, err
		}
		if err := s.plan.checkExpectations(a.moment); err != nil {
			return nil, err
		}
	}
	if a.reply, err = s.plan.rendering(a.moment); err != nil {
		return nil, err
	}
	a.fault = s.fault(a.moment)
	return a, nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	in := http.MaxBytesReader(w, r.Body, maxBody)
	if r.ContentLength > maxBody {
		return nil, fmt.Errorf("it has %d bytes", r.ContentLength)
	}
	if r.ContentLength < 0 {
		return io.ReadAll(in)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(in, body)
	return body, err
}

// receive notes a request and returns its index among those kept, or -1.
func (s *Server) receive(r *http.Request, body []byte, at time.Time) int {
	req := Request{Method: r.Method, Path: r.URL.Path, Body: body, Received: at}
	index := -1
	if s.options.Keep != KeepNothing || s.options.Received != nil {
		req.Header, req.HasKey = withoutKey(r.Header)
	}
	s.mu.Lock()
	if s.options.Keep != KeepNothing {
		index = len(s.requests)
		kept := req
		if s.options.Keep == KeepHeads {
			kept.Body = nil
		}
		s.requests = append(s.requests, kept)
	}
	s.received++
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if s.options.Received != nil {
		s.options.Received(req)
	}
	return index
}

func (s *Server) answered(index int) {
	if index < 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[index].Answered = time.Now()
}

// withoutKey returns a copy of h without credentials, and whether it had any.
func withoutKey(h http.Header) (http.Header, bool) {
	h = h.Clone()
	had := false
	for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "Cookie"} {
		had = had || h.Get(name) != ""
		h.Del(name)
	}
	return h, had
}

// refuse answers with an error in the vendor's form and notes it, unless it is
// that the context is full.
func (s *Server) refuse(w http.ResponseWriter, status int, err error) {
	var full *fullError
	if errors.As(err, &full) {
		writeJSON(w, status, chat{}.full(full))
		return
	}
	s.note(err)
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{code: "script", message: err.Error()}
	}
	writeJSON(w, status, errorBody(r.message, "invalid_request_error", r.param, r.code))
}

// note keeps why a request was refused.
func (s *Server) note(err error) {
	const most = 100
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refused) < most {
		s.refused = append(s.refused, err)
	}
}

// errorBody returns an error in the vendor's form. Empty strings become null.
func errorBody(message, kind, param, code string) []byte {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	type fields struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Param   any    `json:"param"`
		Code    any    `json:"code"`
	}
	return appendJSON(nil, map[string]fields{"error": {message, kind, orNull(param), orNull(code)}})
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}
