package faultserver

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Server gives its answers one after the other, and the last one for ever. It is
// safe for use by several goroutines. Close must be called.
type Server struct {
	// URL is the server's address, without a path.
	URL string
	// Dial makes connections to a server in memory. It is nil for one on the
	// loopback.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	http http.Server

	mu          sync.Mutex
	answers     []Answer
	requests    []Request
	connections int
}

// Request is a request that has come in.
type Request struct {
	Path   string // with the query
	Header http.Header
	Body   []byte
}

// New returns a server on the loopback. It panics if there is none.
func New(answers ...Answer) *Server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("faultserver: " + err.Error())
	}
	return start(l, "http://"+l.Addr().String(), answers)
}

// InMemory returns a server to which Dial alone leads. Started and used in a
// bubble of testing/synctest, it lives in the time of that.
func InMemory(answers ...Answer) *Server {
	l := newMemory()
	s := start(l, "http://vendor.test", answers)
	s.Dial = l.dial
	return s
}

func start(l net.Listener, url string, answers []Answer) *Server {
	s := &Server{URL: url, answers: answers}
	s.http.Handler = s
	s.http.ConnState = s.count
	go func() { _ = s.http.Serve(l) }() // it ends with Close
	return s
}

// Close ends all connections.
func (s *Server) Close() { _ = s.http.Close() }

// Play replaces the answers that are still to be given.
func (s *Server) Play(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = answers
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Connections returns how many connections were made so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.connections++
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // until then a server does not notice that its client is gone
	if err != nil {
		return
	}
	a := s.next(Request{Path: r.URL.RequestURI(), Header: r.Header, Body: body})
	if !wait(r.Context(), a.Delay) {
		return
	}
	if a.Bare {
		sendBare(w, a.Body)
		return
	}
	sendHeader(w, a)
	if !sendBody(r.Context(), w, a) {
		return
	}
	switch a.End {
	case Lost:
		panic(http.ErrAbortHandler)
	case Silent:
		<-r.Context().Done()
	case Alive:
		for wait(r.Context(), a.Pause) {
			_, _ = io.WriteString(w, a.Sign) // the client may have left
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// next takes down a request and returns the answer to it.
func (s *Server) next(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.answers) == 0 {
		return Answer{Status: http.StatusTeapot, Body: "no answer was given to the server"}
	}
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return a
}

func sendBare(w http.ResponseWriter, body string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic("faultserver: " + err.Error())
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, body) // the client may have left
}

func sendHeader(w http.ResponseWriter, a Answer) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	maps.Copy(h, a.Header)
	for _, name := range []string{"Content-Length", "Transfer-Encoding", "Connection"} { // of a recording
		h.Del(name)
	}
	if a.Length > 0 {
		h.Set("Content-Length", strconv.Itoa(a.Length))
	}
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_ = http.NewResponseController(w).Flush()
}

// sendBody reports whether the client has stayed.
func sendBody(ctx context.Context, w http.ResponseWriter, a Answer) bool {
	for rest := a.Body; rest != ""; {
		n := len(rest)
		if a.Piece > 0 {
			n = min(n, a.Piece)
		}
		if _, err := io.WriteString(w, rest[:n]); err != nil {
			return false
		}
		_ = http.NewResponseController(w).Flush()
		if rest = rest[n:]; rest != "" && !wait(ctx, a.Pause) {
			return false
		}
	}
	return true
}

// wait waits for d, and reports whether ctx has not ended.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
