package scriptserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// moment is a place in a conversation: where the scripted model has to answer.
type moment struct {
	statement  *plannedStatement
	reply      *plannedReply
	repetition int      // of the reply, from 1
	place      int      // replies of the statement before this one
	user       string   // the last user message
	results    []string // of the tool calls of the statement
	round      []string // those of the last round
	feedback   string   // that goes with them
	nextCall   int      // the number in the id of the next call
}

// moment finds the reply to r. The error is a *refusal.
func (p *plan) moment(r *request) (*moment, error) {
	r.messages = p.apart(r.messages)
	p.findAdded(r)
	last := -1
	for i, m := range r.messages {
		if m.role == "user" && !m.added && !carries(r.messages, i) {
			last = i
		}
	}
	if last < 0 {
		return nil, p.refuse(0, "the request has no user message", "Send one")
	}
	m := &moment{user: r.messages[last].text, nextCall: nextCall(r.messages)}
	if err := p.setStatement(m, r, r.messages[:last+1]); err != nil {
		return nil, err
	}
	for _, msg := range r.messages[last+1:] {
		switch msg.role {
		case "assistant":
			m.place++
			m.round, m.feedback = nil, ""
		case "tool":
			m.results = append(m.results, msg.text)
			m.round = append(m.round, msg.text)
			m.feedback += msg.feedback
		}
	}
	return m, p.setReply(m, r)
}

// setStatement sets the statement of m, the last of said. The error is a
// *refusal.
func (p *plan) setStatement(m *moment, r *request, said []message) (err error) {
	if purpose := r.side(); purpose != "" {
		m.statement, err = p.chooseSide(purpose, m.user)
		return err
	}
	if m.statement = p.choose(said); m.statement == nil {
		return p.refuse(0, "no statement is for "+excerpt(m.user), "Add a user: line that fits, or user: *")
	}
	return nil
}

// carries reports whether message i holds the images of the results before it,
// for which results themselves have no place on some wires, rather than what a
// person said.
func carries(messages []message, i int) bool {
	return i > 0 && messages[i-1].role == "tool" && strings.HasPrefix(messages[i].text, "From the result of ")
}

// summaryHead begins the user message that stands in the place of a
// conversation's beginning.
const summaryHead = "[The beginning of this conversation is sent in fewer words."

// choose returns the statement for the last of messages, a user message: of
// those of the text that fits, the first for the first message that it fits, the
// second for the second, the last for all that follow, and where the beginning
// is a summary, which does not tell how many there were. It returns nil if no
// text fits.
func (p *plan) choose(messages []message) *plannedStatement {
	last := messages[len(messages)-1].blocks
	first, at := fitting(p.statements, last)
	if first == nil || len(first.again) == 0 {
		return first
	}
	var before []string
	for i, m := range messages[:len(messages)-1] {
		if m.role == "user" && !m.added && !carries(messages, i) {
			before = append(before, m.blocks...)
		}
	}
	all := first.all()
	for _, text := range append(before, last[:at]...) {
		if strings.HasPrefix(text, summaryHead) {
			return all[len(all)-1]
		}
		if st, _ := fitting(p.statements, []string{text}); st == first && len(all) > 1 {
			all = all[1:]
		}
	}
	return all[0]
}

// fitting returns the first of statements whose text fits, and which of the
// texts that is: the same, else the first that is found in one, else any. What
// was said last comes first: some vendors are sent as one message what was said
// before and never answered.
func fitting(statements []*plannedStatement, texts []string) (st *plannedStatement, at int) {
	last := len(texts) - 1
	for _, fits := range []func(st *plannedStatement, text string) bool{
		func(st *plannedStatement, text string) bool { return st.said != "" && st.said == bare(text) },
		func(st *plannedStatement, text string) bool { return st.user != "*" && st.fits(bare(text)) },
		func(st *plannedStatement, _ string) bool { return st.user == "*" },
	} {
		for at := last; at >= 0; at-- {
			for _, st := range statements {
				if fits(st, texts[at]) {
					return st, at
				}
			}
		}
	}
	return nil, last
}

// setReply sets the reply of m by its place. Where the request allows no calls
// the next reply without any is taken, as a model would answer then.
func (p *plan) setReply(m *moment, r *request) error {
	place := m.place
	replies := m.statement.replies
	for i := range replies {
		reply := replies[i]
		n := reply.count()
		if place >= n {
			place -= n
			continue
		}
		if r.choice == "none" && len(reply.Calls) > 0 {
			place = 0
			continue
		}
		m.reply, m.repetition = reply, place+1
		return p.checkChoice(m, r)
	}
	if r.choice == "none" {
		return p.refuse(m.statement.line, "the request allows no calls, and no reply without calls is left in this statement",
			"Add a reply: with nothing but text")
	}
	return p.refuse(m.statement.line, fmt.Sprintf("the statement has no reply number %d", m.place+1), "Add a reply: to it")
}

// checkChoice reports a reply without the call that the request demands.
func (p *plan) checkChoice(m *moment, r *request) error {
	calls := func(c Call) bool { return !r.named || c.Name == r.choice }
	if (r.named || r.choice == "required") && !slices.ContainsFunc(m.reply.Calls, calls) {
		return p.refuse(m.reply.Line, fmt.Sprintf("the request demands a call (tool_choice %s), and the reply has none", r.choice),
			"Add a call: to it")
	}
	return nil
}

// checkExpectations compares what m.reply expects with the results of the last
// round or, in a first reply, with what the person said.
func (p *plan) checkExpectations(m *moment) error {
	texts := []string{m.user}
	what := "the statement"
	if m.place > 0 {
		what = "the results"
		texts = nil
		for _, r := range m.round {
			texts = append(texts, r, readable(r))
		}
	}
	found := func(fits func(string) bool) bool { return slices.ContainsFunc(texts, fits) }
	for i, fits := range m.reply.expect {
		if !found(fits) {
			return p.refuse(m.reply.Line, fmt.Sprintf("expected in %s but not found: %s. There is %s",
				what, m.reply.Expect[i], excerpt(strings.Join(m.seen(), "\n"))), "Look at the request, or change the line expect")
		}
	}
	for i, fits := range m.reply.expectNot {
		if found(fits) {
			return p.refuse(m.reply.Line, fmt.Sprintf("not expected in %s but found: %s. There is %s",
				what, m.reply.ExpectNot[i], excerpt(strings.Join(m.seen(), "\n"))), "Look at the request, or change the line expect-not")
		}
	}
	for i, fits := range m.reply.feedback {
		if !fits(m.feedback) {
			return p.refuse(m.reply.Line, fmt.Sprintf("expected in the feedback but not found: %s. There is %s",
				m.reply.ExpectFeedback[i], excerpt(m.feedback)), "Look at the request, or change the line expect-feedback")
		}
	}
	return nil
}

// seen returns what expectations are about.
func (m *moment) seen() []string {
	if m.place == 0 {
		return []string{m.user}
	}
	return m.round
}

// nextCall returns a number above those in all call ids of the form call_N.
func nextCall(messages []message) int {
	next := 1
	for _, m := range messages {
		for _, id := range m.calls {
			digits, ok := strings.CutPrefix(id, "call_")
			if n, err := strconv.Atoi(digits); ok && err == nil && n < 1<<40 {
				next = max(next, n+1)
			}
		}
	}
	return next
}

// callID returns the id of call i of the reply at m.
func (m *moment) callID(i int) string { return fmt.Sprintf("call_%d", m.nextCall+i) }

// result returns a tool result of the statement, counted from 1; 0 is the last.
func (m *moment) result(index int) (string, error) {
	switch {
	case len(m.results) == 0:
		return "", errors.New("a result is quoted, and the statement has none yet")
	case index > len(m.results):
		return "", fmt.Errorf("result %d is quoted, and the statement has %d", index, len(m.results))
	case index == 0:
		index = len(m.results)
	}
	return m.results[index-1], nil
}

// quoteFeedback returns the feedback that goes with the last results.
func (m *moment) quoteFeedback() (string, error) {
	if m.feedback == "" {
		return "", errors.New("the feedback is quoted, and there is none")
	}
	return m.feedback, nil
}

// field returns a field of the JSON object in a result, strings as they are and
// other values as JSON; the whole result if path is empty.
func (m *moment) field(index int, path []string) (string, error) {
	s, err := m.result(index)
	if err != nil || len(path) == 0 {
		return s, err
	}
	value := object(s)
	for _, name := range path {
		fields, _ := value.(map[string]any)
		var ok bool
		if value, ok = fields[name]; !ok {
			return "", fmt.Errorf("no field %s in the result %s", strings.Join(path, "."), excerpt(s))
		}
	}
	if text, ok := value.(string); ok {
		return text, nil
	}
	return string(appendJSON(nil, value)), nil
}

// output returns what a tool printed, without the line ends at its end.
func (m *moment) output(index int) (string, error) {
	s, err := m.result(index)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(readable(s), "\n"), nil
}

// readable returns the part of a tool result that is for reading: output, else
// stdout and stderr, else the error, else all of it.
func readable(result string) string {
	fields, _ := object(result).(map[string]any)
	for _, names := range [][]string{{"output"}, {"stdout", "stderr"}, {"error"}} {
		text, found := "", false
		for _, name := range names {
			if s, ok := fields[name].(string); ok {
				text, found = text+s, true
			}
		}
		if found {
			return text
		}
	}
	return result
}

// object returns the JSON object that s is or that begins one of its lines;
// other text, such as feedback to the model, may stand around it. It is nil if
// there is none.
func object(s string) any {
	for start := 0; ; {
		if strings.HasPrefix(s[start:], "{") {
			dec := json.NewDecoder(strings.NewReader(s[start:]))
			dec.UseNumber()
			var v map[string]any
			if dec.Decode(&v) == nil {
				return v
			}
		}
		next := strings.Index(s[start:], "\n{")
		if next < 0 {
			return nil
		}
		start += next + 1
	}
}

// excerpt returns s quoted, cut to what an error message can bear.
func excerpt(s string) string {
	const most = 200
	if len(s) <= most {
		return strconv.Quote(s)
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%q and %d bytes more", s[:end], len(s)-end)
}
