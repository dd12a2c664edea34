package scriptserver

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"ikigai"
)

// plan is a script made ready to be played.
type plan struct {
	script     *Script
	statements []*plannedStatement                    // the first of each text
	sides      map[ikigai.Purpose][]*plannedStatement // those of side interactions
	steers     bool                                   // replies know of what the person adds
	added      map[string]bool                        // texts that they know of
}

type plannedStatement struct {
	line    int
	user    Pattern
	said    string // the text of user; "" if it is not literal
	fits    func(text string) bool
	replies []*plannedReply
	again   []*plannedStatement // those of the same text below it
}

// all returns the statements of the same text.
func (s *plannedStatement) all() []*plannedStatement {
	return append([]*plannedStatement{s}, s.again...)
}

type plannedReply struct {
	*Reply
	id        string // of the response
	think     text
	say       text
	arguments []text // of the calls
	expect    []func(string) bool
	expectNot []func(string) bool
	feedback  []func(string) bool
	steer     []func(string) bool
	chunk     int
	delay     Delay
	finish    string
	ready     *rendering // nil unless it is the same for every request
}

// refuse returns the answer to a request that the script has no reply for.
func (p *plan) refuse(line int, what, do string) *refusal {
	return &refusal{code: "script", message: scriptError(p.script.Name, line, what, do).Error()}
}

// compile checks s and makes it ready, but for the parts of the streams that
// are rendered in advance. Errors are *Error.
func compile(s *Script) (*plan, error) {
	if len(s.All) == 0 {
		return nil, scriptError(s.Name, 0, "The script has no statement", "Write a user: line and a say: line")
	}
	p := &plan{script: s, sides: make(map[ikigai.Purpose][]*plannedStatement), added: make(map[string]bool)}
	type key struct {
		side ikigai.Purpose
		said string
		user Pattern // "" where it is literal
	}
	known := make(map[key]*plannedStatement)
	for i := range s.All {
		st := &s.All[i]
		planned, err := p.statement(i, st)
		if err != nil {
			return nil, err
		}
		k := key{st.Side, planned.said, st.User}
		if k.said != "" {
			k.user = ""
		}
		first := known[k]
		switch {
		case first == nil:
			known[k] = planned
		case st.Side != "":
			return nil, scriptError(s.Name, st.Line, "A side: above is for the same", "Join the two or change one")
		default:
			first.again = append(first.again, planned)
			continue
		}
		if st.Side != "" {
			p.sides[st.Side] = append(p.sides[st.Side], planned)
		} else {
			p.statements = append(p.statements, planned)
		}
	}
	return p, nil
}

func (p *plan) statement(i int, st *Statement) (*plannedStatement, error) {
	fits, said, err := st.User.compileSaid()
	if err != nil {
		return nil, p.invalid(st.Line, err)
	}
	planned := &plannedStatement{line: st.Line, user: st.User, said: said, fits: fits}
	if len(st.Replies) == 0 {
		return nil, scriptError(p.script.Name, st.Line, "The statement has no reply", "Give it one")
	}
	for j := range st.Replies {
		r, err := p.reply(fmt.Sprintf("chatcmpl-%d-%d", i+1, j+1), &st.Replies[j])
		if err != nil {
			return nil, err
		}
		planned.replies = append(planned.replies, r)
	}
	return planned, nil
}

func (p *plan) reply(id string, r *Reply) (*plannedReply, error) {
	planned := &plannedReply{Reply: r, id: id, chunk: p.script.chunk(r), delay: p.script.delay(r), finish: finish(r)}
	for _, e := range []struct {
		from []Pattern
		to   *[]func(string) bool
	}{{r.Expect, &planned.expect}, {r.ExpectNot, &planned.expectNot}, {r.ExpectFeedback, &planned.feedback}} {
		for _, pattern := range e.from {
			fits, err := pattern.compile()
			if err != nil {
				return nil, p.invalid(r.Line, err)
			}
			*e.to = append(*e.to, fits)
		}
	}
	for _, pattern := range r.Steer {
		fits, said, err := pattern.compileSaid()
		if err != nil {
			return nil, p.invalid(r.Line, err)
		}
		planned.steer = append(planned.steer, fits)
		p.added[said] = true
	}
	for _, f := range r.Faults {
		if err := f.check(); err != nil {
			return nil, p.invalid(r.Line, err)
		}
	}
	p.steers = p.steers || len(planned.steer) > 0
	return planned, p.texts(planned)
}

func (p *plan) texts(r *plannedReply) (err error) {
	if r.think, err = parseText(r.Think, false); err != nil {
		return p.invalid(r.Line, err)
	}
	if r.say, err = parseText(r.Say, false); err != nil {
		return p.invalid(r.Line, err)
	}
	for _, c := range r.Calls {
		t, err := parseText(c.Arguments, true)
		if err != nil {
			return p.invalid(r.Line, err)
		}
		r.arguments = append(r.arguments, t)
	}
	return nil
}

func (p *plan) invalid(line int, err error) error {
	return scriptError(p.script.Name, line, "In the part that begins here: "+err.Error(), "See docs/scripts.md for the format")
}

// finish returns the finish reason of r.
func finish(r *Reply) string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// check reports what does not fit together in f.
func (f Fault) check() error {
	switch f.Kind {
	case FaultStatus:
		if f.Status < 200 || f.Status > 599 || f.After != 0 {
			return fmt.Errorf("a fault with status %d; write one from 200 to 599, without after", f.Status)
		}
		return nil
	case FaultCut, FaultDrop, FaultHang:
		if f.Detail != "" {
			return fmt.Errorf("a fault %s with lines below it; remove them", f.Kind)
		}
	case FaultError, FaultErrorField:
	default:
		return fmt.Errorf("%q is no fault; use status, cut, drop, hang, error or error-field", f.Kind)
	}
	if f.Status != 0 || f.After < 0 || f.Times < 0 {
		return fmt.Errorf("a fault %s with numbers that do not fit it", f.Kind)
	}
	return nil
}

// split returns the headers and the body that f, a FaultStatus, answers with.
func (f Fault) split() (http.Header, string) {
	header := make(http.Header)
	rest := f.Detail
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(name, " \t\"{<") {
			break
		}
		header.Add(textproto.TrimString(name), textproto.TrimString(value))
		rest = after
	}
	return header, strings.TrimPrefix(rest, "\n")
}
