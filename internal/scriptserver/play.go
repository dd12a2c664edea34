package scriptserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// rendering is a reply made ready to be sent, but for the ids of its calls.
type rendering struct {
	content
	segments []segment
}

// render makes ready what is the same for every request.
func (p *plan) render() {
	for _, first := range slices.Concat(append(slices.Collect(maps.Values(p.sides)), p.statements)...) {
		for _, st := range first.all() {
			for _, r := range st.replies {
				p.renderReply(r)
			}
		}
	}
}

func (p *plan) renderReply(r *plannedReply) {
	if !r.fixed() {
		return
	}
	if c, err := r.content(&moment{}); err == nil {
		r.ready = &rendering{content: c, segments: r.stream(p.script.model(), c)}
	}
}

// count finds the moment of a request by counting roles in its body, without
// decoding it. It returns nil if it cannot.
func (p *plan) count(body []byte) *moment {
	if len(p.script.All) != 1 || p.statements[0].user != "*" {
		return nil
	}
	st := p.statements[0]
	last := bytes.LastIndex(body, []byte(`"role":"user"`))
	if last < 0 {
		return nil
	}
	place := bytes.Count(body[last:], []byte(`"role":"assistant"`))
	m := &moment{statement: st, place: place, nextCall: 1 + bytes.Count(body, []byte(`"tool_call_id":`))}
	for _, r := range st.replies {
		if place < r.count() {
			m.reply, m.repetition = r, place+1
			break
		}
		place -= r.count()
	}
	if m.reply == nil || !m.reply.counted() {
		return nil
	}
	return m
}

// counted reports whether r needs nothing of the request but its place.
func (r *plannedReply) counted() bool {
	return r.ready != nil && len(r.expect)+len(r.expectNot)+len(r.feedback) == 0
}

// attemptKey names a reply whose faults are counted.
type attemptKey struct {
	reply      *plannedReply
	repetition int
}

// fault returns what goes wrong with this attempt at the reply of m, or nil.
func (s *Server) fault(m *moment) *Fault {
	if len(m.reply.Faults) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := attemptKey{m.reply, m.repetition}
	attempt := s.attempts[key]
	s.attempts[key]++
	for i := range m.reply.Faults {
		f := &m.reply.Faults[i]
		if f.Times == 0 || attempt < f.Times {
			return f
		}
		attempt -= f.Times
	}
	return nil
}

// rendering returns the reply of m. The error is a *refusal.
func (p *plan) rendering(m *moment) (*rendering, error) {
	if m.reply.ready != nil {
		return m.reply.ready, nil
	}
	c, err := m.reply.content(m)
	if err != nil {
		return nil, p.refuse(m.reply.Line, err.Error(), "Change what the reply quotes")
	}
	return &rendering{content: c, segments: m.reply.stream(p.script.model(), c)}, nil
}

// act is how a request is answered.
type act struct {
	moment       *moment
	reply        *rendering
	fault        *Fault // nil for none
	stream       bool
	includeUsage bool // in a stream
	size         int  // of the request
}

// play answers a request.
func (s *Server) play(w http.ResponseWriter, r *http.Request, a *act) {
	m := a.moment
	out := &output{w: w, gone: r.Context().Done(), closed: s.done, between: m.reply.delay.Between, left: -1, problem: chat{}}
	if !out.wait(m.reply.delay.First) {
		panic(http.ErrAbortHandler)
	}
	usage := m.reply.usage(a.size, a.reply.content)
	model := s.plan.script.model()
	switch {
	case a.fault != nil && a.fault.Kind == FaultStatus:
		out.status(a.fault)
	case a.fault != nil && a.fault.Kind == FaultHang && a.fault.After == 0:
		out.hang()
	case !a.stream:
		out.whole(a.fault, m.reply.completion(model, m, a.reply.content, usage))
	default:
		if !a.includeUsage {
			usage = nil
		}
		out.stream(a.fault, m.segments(model, a.reply), m.reply.end(model, usage))
	}
}

// segments returns what is streamed at m, but for the end.
func (m *moment) segments(model string, r *rendering) []segment {
	all := r.segments[:1:1]
	for i, arguments := range r.segments[1:] {
		all = append(all, m.reply.callStart(model, m.callID(i), i), arguments)
	}
	return all
}

// output writes an answer, slowly or badly where it is told to.
type output struct {
	w       http.ResponseWriter
	gone    <-chan struct{} // the client
	closed  <-chan struct{} // the server
	between time.Duration
	left    int // deltas before a fault; negative for no such
	problem
}

// wait waits, and reports whether anyone is left to hear the rest.
func (o *output) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-o.gone:
	case <-o.closed:
	}
	return false
}

// hang sends what was written and then nothing until someone gives up.
func (o *output) hang() {
	o.flush()
	select {
	case <-o.gone:
	case <-o.closed:
	}
	panic(http.ErrAbortHandler)
}

// flush sends what was written, if anything was.
func (o *output) flush() {
	if o.w.Header().Get("Content-Type") != "" {
		_ = http.NewResponseController(o.w).Flush() // the client may have left
	}
}

// stream sends events and the end of the reply or, with a fault, that instead.
func (o *output) stream(fault *Fault, segments []segment, end segment) {
	o.w.Header().Set("Content-Type", "text/event-stream")
	if fault != nil && fault.After > 0 {
		o.left = fault.After
	}
	for _, s := range segments {
		if o.send(s) {
			continue
		}
		if fault == nil {
			panic(http.ErrAbortHandler) // an end now would make it look whole
		}
		break
	}
	if fault == nil {
		o.send(end)
		return
	}
	o.breakOff(fault)
}

// send writes events, one by one where it matters. It reports whether to go on.
func (o *output) send(s segment) bool {
	if o.between <= 0 && o.left < 0 {
		_, err := o.w.Write(s.data)
		return err == nil
	}
	start := 0
	for _, end := range s.ends {
		if o.left == 0 {
			return false
		}
		if _, err := o.w.Write(s.data[start:end]); err != nil {
			return false
		}
		start = end
		o.left = max(o.left-1, -1)
		if o.between > 0 {
			o.flush()
		}
		if !o.wait(o.between) {
			return false
		}
	}
	return true
}

// breakOff ends a stream that has a fault.
func (o *output) breakOff(fault *Fault) {
	var s segment
	switch fault.Kind {
	case FaultDrop:
		o.flush()
		panic(http.ErrAbortHandler)
	case FaultHang:
		o.hang()
	case FaultError:
		before, data := o.broken(fault.error())
		s.raw(before + "data: " + string(data))
	case FaultErrorField:
		_, data := o.broken(fault.error())
		s.raw("error: " + string(data))
	}
	_, _ = o.w.Write(s.data) // the client may have left
}

// status answers with an HTTP error.
func (o *output) status(fault *Fault) {
	header, body := fault.split()
	for name, values := range header {
		o.w.Header()[name] = values
	}
	if body != "" {
		if header.Get("Content-Type") == "" && json.Valid([]byte(body)) {
			o.w.Header().Set("Content-Type", "application/json")
		}
		o.w.WriteHeader(fault.Status)
		_, _ = o.w.Write([]byte(body)) // the client may have left
		return
	}
	writeJSON(o.w, fault.Status, o.refusal(fault.Status, answers(fault.Status)))
}

// whole answers a request that wants no stream.
func (o *output) whole(fault *Fault, body []byte) {
	if fault == nil {
		writeJSON(o.w, http.StatusOK, body)
		return
	}
	switch fault.Kind {
	case FaultError, FaultErrorField:
		_, data := o.broken(fault.error())
		writeJSON(o.w, http.StatusInternalServerError, data)
		return
	}
	writeJSON(o.w, http.StatusOK, body[:len(body)/2])
	o.breakOff(fault)
}

// error returns what f says went wrong: a message, or an error object.
func (f *Fault) error() (message string, detail map[string]json.RawMessage) {
	if f.Detail == "" {
		return answers(http.StatusInternalServerError), nil
	}
	if json.Unmarshal([]byte(f.Detail), &detail) != nil {
		return f.Detail, nil
	}
	return "", detail
}

func answers(status int) string {
	return fmt.Sprintf("The script answers with status %d (%s).", status, http.StatusText(status))
}

// chat tells of errors as Chat Completions does.
type chat struct{}

// refusal implements problem.
func (chat) refusal(status int, message string) []byte {
	kind, code := "invalid_request_error", ""
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	return errorBody(message, kind, "", code)
}

// broken implements problem.
func (c chat) broken(message string, detail map[string]json.RawMessage) (before string, data []byte) {
	return "", orDetail(c.refusal(http.StatusInternalServerError, message), detail)
}

// orDetail returns an error object as the body of an error, or body if it is nil.
func orDetail(body []byte, detail map[string]json.RawMessage) []byte {
	switch {
	case detail == nil:
		return body
	case detail["error"] == nil:
		return appendJSON(nil, members{"error": detail})
	}
	return appendJSON(nil, detail)
}
