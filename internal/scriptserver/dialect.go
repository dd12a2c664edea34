package scriptserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ikigai"
)

// dialect is a vendor's interface beside Chat Completions, spoken to one model.
// Its replies are always streamed.
type dialect interface {
	// read checks a request, signatures of this server's own included, and returns
	// what the server needs of it. The error is what the vendor would refuse it with.
	read(body []byte) (*request, error)

	// write returns the events of a reply, all but its end, and those that end it.
	// usage may be nil. The error is one of the script.
	write(m *moment, c content, usage *ikigai.Usage) (reply, end segment, err error)

	problem
}

// problem is how a vendor tells of what went wrong.
type problem interface {
	// refusal returns the body of an HTTP error.
	refusal(status int, message string) []byte
	// full returns the body of the error that a request is too long for the context.
	full(e *fullError) []byte
	// broken returns the data of an error in the middle of a stream, and the lines
	// before it. detail is an error object in place of message, or nil.
	broken(message string, detail map[string]json.RawMessage) (before string, data []byte)
}

// serve answers the requests of a dialect.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, d dialect) {
	body, err := readBody(w, r)
	if err != nil {
		s.refuseIn(d, w, http.StatusRequestEntityTooLarge, fmt.Errorf("the body cannot be read: %w. Send at most %d bytes", err, maxBody))
		return
	}
	at := time.Now()
	a, err := s.decide(d, body)
	defer s.answered(s.receive(r, body, at))
	if err != nil {
		s.refuseIn(d, w, http.StatusBadRequest, err)
		return
	}
	s.playIn(d, w, r, a)
}

// decide is act for a dialect.
func (s *Server) decide(d dialect, body []byte) (*act, error) {
	r, err := d.read(body)
	if err != nil {
		return nil, err
	}
	if err := s.plan.full(len(body)); err != nil {
		return nil, err
	}
	m, err := s.plan.moment(r)
	if err != nil {
		return nil, err
	}
	m.nextCall = nextNumber(r.messages)
	if err := s.plan.checkExpectations(m); err != nil {
		return nil, err
	}
	c, err := m.reply.content(m)
	if err != nil {
		return nil, s.plan.refuse(m.reply.Line, err.Error(), "Change what the reply quotes")
	}
	a := &act{moment: m, size: len(body), stream: true}
	segments := make([]segment, 2)
	if segments[0], segments[1], err = d.write(m, c, m.reply.usage(len(body), c)); err != nil {
		return nil, s.plan.refuse(m.reply.Line, err.Error(), "Change the reply, or ask another vendor")
	}
	a.reply = &rendering{content: c, segments: segments}
	a.fault = s.fault(m)
	return a, nil
}

// playIn is play for a dialect.
func (s *Server) playIn(d dialect, w http.ResponseWriter, r *http.Request, a *act) {
	m := a.moment
	out := &output{w: w, gone: r.Context().Done(), closed: s.done, between: m.reply.delay.Between, left: -1, problem: d}
	if !out.wait(m.reply.delay.First) {
		panic(http.ErrAbortHandler)
	}
	switch {
	case a.fault != nil && a.fault.Kind == FaultStatus:
		out.status(a.fault)
	case a.fault != nil && a.fault.Kind == FaultHang && a.fault.After == 0:
		out.hang()
	default:
		out.stream(a.fault, a.reply.segments[:1], a.reply.segments[1])
	}
}

// refuseIn is refuse for a dialect.
func (s *Server) refuseIn(d dialect, w http.ResponseWriter, status int, err error) {
	var full *fullError
	if errors.As(err, &full) {
		writeJSON(w, status, d.full(full))
		return
	}
	s.note(err)
	writeJSON(w, status, d.refusal(status, err.Error()))
}

// event writes a named event.
func (e *segment) event(name string, data any) {
	e.raw(fmt.Sprintf("event: %s\ndata: %s", name, appendJSON(nil, data)))
}

// pieces calls add with s in pieces of at most size bytes, but of whole characters.
func pieces(s string, size int, add func(string)) {
	for len(s) > 0 {
		n := cut(s, size)
		add(s[:n])
		s = s[n:]
	}
}

// members is a JSON object that is written.
type members = map[string]any

// ownCall is what the ID of a call tells of a call that this server has made:
// for which model, and whether that thought first.
type ownCall struct {
	model   string
	thought bool
}

// id returns the ID of the call with the given number.
func (o ownCall) id(n int) string { return o.prefix() + strconv.Itoa(n) }

func (o ownCall) prefix() string {
	kind := "a"
	if o.thought {
		kind = "t"
	}
	return "call_" + seal("model", o.model)[:8] + kind + "_"
}

// made reports whether id is that of a call like o.
func (o ownCall) made(id string) bool { return strings.HasPrefix(id, o.prefix()) }

// thoughtful reports whether the calls of a reply must come back with what the
// model thought: not those whose arguments are wrong on purpose, for clients
// correct them.
func thoughtful(c content) bool {
	for _, a := range c.arguments {
		if !strings.HasPrefix(strings.TrimSpace(a), "{") || !json.Valid([]byte(a)) {
			return false
		}
	}
	return c.think != ""
}

// nextNumber returns a number above those at the end of the IDs of calls, and
// above how many there are.
func nextNumber(messages []message) int {
	next, calls := 1, 0
	for _, m := range messages {
		for _, id := range m.calls {
			calls++
			n, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
			if err == nil && n < 1<<40 {
				next = max(next, n+1)
			}
		}
	}
	return max(next, calls+1)
}
