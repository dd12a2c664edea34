package export

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// Script writes the conversation of a session as a script that plays it again:
// what was said, and what the model answered and called. docs/scripts.md has the
// form. What a script cannot hold is said in comments.
func Script(w io.Writer, events Events, o Options) error { return script(w, events, o, false) }

// ExpectingScript is Script, with a short part of each result that the tools are
// expected to give again.
func ExpectingScript(w io.Writer, events Events, o Options) error { return script(w, events, o, true) }

func script(w io.Writer, events Events, o Options, expect bool) error {
	branch, side, err := conversationOf(events)
	if err != nil {
		return err
	}
	s := &scripting{o: &o, expect: expect, side: side}
	for _, e := range branch {
		s.add(e)
	}
	p := printer{w: w}
	p.print("# Session ", string(o.Session.ID), ", written by ", o.line(o.By), "\n")
	if s.setUsers() {
		p.print("# Not all of what was said can be written as it was, or it was said twice: say it yourself,\n# statement by statement, with `ikigai run --script FILE --continue`.\n")
	}
	for _, note := range s.notes {
		p.print("# ", o.line(note), "\n")
	}
	p.print("\n", s.script.String())
	return p.err
}

// branch is an event of a conversation and the one before it.
type branch struct {
	event  ikigai.Event
	before int // -1 for none
}

// conversationOf returns the events that the conversation of a session is made
// of, and how many side interactions there were.
func conversationOf(events Events) (way []ikigai.Event, sides int, err error) {
	var steps []branch
	now := -1
	for e, err := range events {
		if err != nil {
			return nil, 0, err
		}
		switch {
		case e.Kind == ikigai.KindInteraction:
			sides++
		case e.Interaction != ikigai.Main:
		case e.Kind == ikigai.KindRewind:
			to := dataOf[ikigai.RewindData](e).To
			now = -1
			for i := range steps {
				if steps[i].event.Seq <= to {
					now = i
				}
			}
		case e.Kind == ikigai.KindClear:
			now = -1
		default:
			steps = append(steps, branch{e, now})
			now = len(steps) - 1
		}
	}
	for ; now >= 0; now = steps[now].before {
		way = append(way, steps[now].event)
	}
	slices.Reverse(way)
	return way, sides, nil
}

// scripting makes a script of events.
type scripting struct {
	o      *Options
	expect bool
	side   int
	script scriptserver.Script
	said   []string // by the person, statement by statement
	reply  *scriptserver.Reply
	ended  bool // the reply is whole: what comes next is another one's
	hopes  []scriptserver.Pattern
	notes  []string
}

func (s *scripting) add(e ikigai.Event) {
	m, _ := e.Message() // of other kinds there is none
	if len(m.Parts) > 0 || m.Result != nil && len(m.Result.Parts) > 0 {
		s.note(e, "images and files that go with it are left out")
	}
	switch e.Kind {
	case ikigai.KindUser:
		s.said = append(s.said, s.o.redact(e.Content))
		s.script.All = append(s.script.All, scriptserver.Statement{})
		s.reply, s.hopes = nil, nil
	case ikigai.KindThinking:
		if r := s.open(len(s.opened().Calls) > 0 || s.opened().Say != ""); r != nil {
			r.Think = quoteText(s.o.redact(e.Content))
		}
	case ikigai.KindAssistant:
		if r := s.open(len(s.opened().Calls) > 0 || s.opened().Say != ""); r != nil {
			r.Say = quoteText(s.o.redact(e.Content))
		}
	case ikigai.KindToolCall:
		if r := s.open(false); r != nil && m.Call != nil {
			r.Calls = append(r.Calls, s.call(e, *m.Call))
		}
	case ikigai.KindToolResult:
		s.ended = true
		if m.Result != nil {
			s.hope(m.Result.Output)
		}
	case ikigai.KindUsage:
		s.usage(dataOf[ikigai.UsageData](e))
	case ikigai.KindInterrupted:
		if r := s.open(true); r != nil {
			r.Think, r.Say = quoteText(dataOf[ikigai.InterruptedData](e).Thinking), quoteText(s.o.redact(e.Content))
			r.Faults = []scriptserver.Fault{{Kind: scriptserver.FaultCut}}
		}
	case ikigai.KindError:
		s.failed(e, dataOf[ikigai.ErrorData](e))
	}
}

// note says what of an event is not in the script.
func (s *scripting) note(e ikigai.Event, what string) {
	s.notes = append(s.notes, fmt.Sprintf("Statement %d, event %d: %s.", len(s.said), e.Seq, what))
}

// opened returns the reply that may go on; an empty one if there is none.
func (s *scripting) opened() *scriptserver.Reply {
	if s.reply == nil || s.ended {
		return &scriptserver.Reply{}
	}
	return s.reply
}

// open returns the reply that the next piece belongs to, a new one if anew is
// true; nil where nobody has said anything yet.
func (s *scripting) open(anew bool) *scriptserver.Reply {
	if len(s.script.All) == 0 {
		return nil
	}
	st := &s.script.All[len(s.script.All)-1]
	if s.reply == nil || s.ended || anew {
		st.Replies = append(st.Replies, scriptserver.Reply{Expect: s.hopes})
		s.ended, s.hopes = false, nil
	}
	s.reply = &st.Replies[len(st.Replies)-1]
	return s.reply
}

func (s *scripting) call(e ikigai.Event, c ikigai.ToolCall) scriptserver.Call {
	name := strings.Join(strings.Fields(c.Name), "_")
	if name == "" {
		name = "unnamed"
	}
	arguments, exact := quoteArguments(s.o.redact(c.Arguments))
	if name != c.Name || !exact {
		s.note(e, "the call cannot be written as it was")
	}
	return scriptserver.Call{Name: name, Arguments: arguments}
}

func (s *scripting) usage(d ikigai.UsageData) {
	s.ended = true
	if s.reply == nil {
		return
	}
	if d.Usage != (ikigai.Usage{}) {
		s.reply.Usage = &ikigai.Usage{Input: d.Input, Output: d.Output, CacheRead: d.CacheRead, Reasoning: d.Reasoning}
	}
	switch d.Stop {
	case ikigai.StopLength:
		s.reply.Finish = "length"
	case ikigai.StopFilter:
		s.reply.Finish = "content_filter"
	}
}

// failed adds how a request failed, as far as a script can.
func (s *scripting) failed(e ikigai.Event, d ikigai.ErrorData) {
	if d.Status < 400 || d.Status > 599 {
		if s.reply == nil || len(s.reply.Faults) == 0 {
			s.note(e, "it ended with: "+s.o.line(e.Content))
		}
		return
	}
	if r := s.open(true); r != nil {
		r.Faults = []scriptserver.Fault{{Kind: scriptserver.FaultStatus, Status: d.Status}}
	}
}

// hope has the next reply expect a line of a result: the first that is short and
// has no numbers, which may be others the next time.
func (s *scripting) hope(output string) {
	if !s.expect {
		return
	}
	const most = 80
	for line := range strings.SplitSeq(readableOutput(output), "\n") {
		line = strings.TrimSpace(line)
		odd := strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.IsDigit(r) })
		if line != "" && len(line) <= most && !odd && line != "*" && line[0] != '/' && s.o.redact(line) == line {
			s.hopes = append(s.hopes, scriptserver.Pattern(line))
			return
		}
	}
}

// setUsers sets what is said in each statement. Where that cannot be written so
// that it is found, all are for any text, in their order, and it reports true.
func (s *scripting) setUsers() (any bool) {
	for i, text := range s.said {
		if len(s.script.All[i].Replies) == 0 {
			s.script.All[i].Replies = []scriptserver.Reply{{Faults: []scriptserver.Fault{{Kind: scriptserver.FaultCut}}}}
		}
		if !sayable(text) || slices.Contains(s.said[:i], text) {
			any = true
		}
		s.script.All[i].User = scriptserver.Pattern(text)
	}
	if any {
		for i := range s.script.All {
			s.script.All[i].User = "*"
		}
	}
	if s.side > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d side interactions are left out; their results are in the conversation.", s.side))
	}
	return any
}

// sayable reports whether a text can be the value of user: as it is.
func sayable(text string) bool {
	pattern := len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/'
	return text != "" && text != "*" && !pattern && !slices.ContainsFunc(oddLines(text), func(odd bool) bool { return odd })
}

// oddLines tells of each line of a text whether a script would lose something of
// it.
func oddLines(text string) []bool {
	lines := strings.Split(text, "\n")
	odd := make([]bool, len(lines))
	for i, line := range lines {
		edge := i == 0 || i == len(lines)-1
		odd[i] = strings.TrimRight(line, " \t\r") != line || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) ||
			edge && line == "" && len(lines) > 1 || i == 0 && strings.TrimLeft(line, " \t") != line
	}
	return odd
}

// quoteText returns a text for say: and think:, in which lines stand in quotes
// that would not come out as they are.
func quoteText(text string) string {
	lines := strings.Split(text, "\n")
	for i, odd := range oddLines(text) {
		if odd || strings.Contains(lines[i], "{{") {
			lines[i] = "{{" + encoded(lines[i]) + "}}"
		}
	}
	return strings.Join(lines, "\n")
}

// quoteArguments returns the arguments of a call for call:, and whether they come
// out as they are. A quote in them stands within a JSON string.
func quoteArguments(text string) (quoted string, exact bool) {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	exact = true
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		edge := i == 0 || i == len(lines)-1
		exact = exact && !strings.ContainsAny(line, "\r") && !strings.HasSuffix(line, "\t") && (!edge || line != "" || len(lines) == 1) &&
			(i > 0 || !strings.HasPrefix(line, "\t"))
		rest := line
		if i == 0 {
			rest = strings.TrimLeft(line, " ")
			if n := len(line) - len(rest); n > 0 {
				b.WriteString(`{{"` + line[:n] + `"}}`)
			}
		}
		head := strings.TrimRight(rest, " ")
		tail := rest[len(head):]
		if tail != "" {
			head = strings.TrimRight(head, "{")
			tail = rest[len(head):]
		}
		for head != "" {
			at := strings.Index(head, "{{")
			if at < 0 {
				b.WriteString(head)
				break
			}
			end := at
			for end < len(head) && head[end] == '{' {
				end++
			}
			b.WriteString(head[:at] + `{{"` + head[at:end] + `"}}`)
			head = head[end:]
		}
		if tail != "" {
			b.WriteString(`{{"` + tail + `"}}`)
		}
	}
	return b.String(), exact
}

// readableOutput returns what a tool printed.
func readableOutput(output string) string {
	var d struct{ Output, Stdout *string }
	if json.Unmarshal([]byte(output), &d) == nil {
		for _, text := range []*string{d.Output, d.Stdout} {
			if text != nil {
				return *text
			}
		}
		return ""
	}
	return output
}

// dataOf returns the data of an event, as far as it can be read.
func dataOf[T any](e ikigai.Event) (d T) {
	_ = e.DecodeData(&d) // what cannot be read stays empty
	return d
}
