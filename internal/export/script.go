package export

import (
	"encoding/json"
	"fmt"
	"io"
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
	branch, sides, err := conversationOf(events)
	if err != nil {
		return err
	}
	s := &scripting{o: &o, expect: expect}
	for _, e := range branch {
		s.add(e)
	}
	s.end()
	p := printer{w: w}
	p.print("# Session ", string(o.Session.ID), ", written by ", o.line(o.By), "\n")
	if s.setUsers() {
		p.print("# What was said without a text stands as *: say it yourself, statement by\n# statement, with `ikigai run --script FILE --continue`.\n")
	}
	s.addSides(sides)
	for _, note := range s.notes {
		p.print("# ", o.line(note), "\n")
	}
	p.print("\n", s.script.String())
	return p.err
}

// scripting makes a script of events.
type scripting struct {
	o      *Options
	expect bool
	side   string // the interaction; "" for the conversation itself
	script scriptserver.Script
	said   []string // by the person, statement by statement
	reply  *scriptserver.Reply
	ended  bool // the reply is whole: what comes next is another one's
	waits  bool // results have not been answered
	cuts   int  // replies that broke off before their text, and were asked for again
	hopes  []scriptserver.Pattern
	steers []scriptserver.Pattern // what the person adds before the next reply
	notes  []string
}

func (s *scripting) add(e ikigai.Event) {
	m, _ := e.Message() // of other kinds there is none
	if len(m.Parts) > 0 || m.Result != nil && len(m.Result.Parts) > 0 {
		s.note(e, "images and files that go with it are left out")
	}
	switch e.Kind {
	case ikigai.KindUser:
		switch by := dataOf[ikigai.MessageData](e).By; {
		case by == ikigai.BySteer && s.waits:
			s.steer(s.o.redact(e.Content))
			return
		case by == ikigai.ByShell:
			s.note(e, "what came of a command that the person had typed is left out")
			return
		}
		s.end()
		s.said = append(s.said, s.o.redact(e.Content))
		s.script.All = append(s.script.All, scriptserver.Statement{})
		s.reply, s.hopes, s.steers = nil, nil, nil
	case ikigai.KindThinking:
		s.think(e)
	case ikigai.KindAssistant:
		if r := s.open(len(s.opened().Calls) > 0 || s.opened().Say != ""); r != nil {
			r.Say = quoteText(s.o.redact(e.Content))
		}
	case ikigai.KindToolCall:
		if r := s.open(false); r != nil && m.Call != nil {
			r.Calls = append(r.Calls, s.call(e, *m.Call))
		}
	case ikigai.KindToolResult:
		s.ended, s.waits = true, true
		if m.Result != nil {
			s.hope(m.Result.Output)
		}
	case ikigai.KindUsage:
		s.usage(dataOf[ikigai.UsageData](e))
	case ikigai.KindInterrupted:
		s.cutOff(e)
	case ikigai.KindError:
		s.failed(e, dataOf[ikigai.ErrorData](e))
	}
}

// steer has the next reply know of what the person adds to the statement.
func (s *scripting) steer(text string) {
	s.steers = append(s.steers, patternOf(text))
}

// end ends a statement. Where the model has not answered it, its reply breaks off.
func (s *scripting) end() {
	if n := len(s.script.All); n > 0 && (s.waits || s.cuts > 0 || len(s.script.All[n-1].Replies) == 0) {
		s.cuts = 0
		s.open(true).Faults = []scriptserver.Fault{{Kind: scriptserver.FaultCut}}
	}
}

// note says what of an event is not in the script.
func (s *scripting) note(e ikigai.Event, what string) {
	where := fmt.Sprintf("Statement %d", len(s.said))
	if s.side != ikigai.Main {
		where = s.side
	}
	s.notes = append(s.notes, fmt.Sprintf("%s, event %d: %s.", where, e.Seq, what))
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
		st.Replies = append(st.Replies, scriptserver.Reply{Expect: s.hopes, Steer: s.steers})
		s.ended, s.waits, s.hopes, s.steers, s.cuts = false, false, nil, nil, 0
	}
	s.reply = &st.Replies[len(st.Replies)-1]
	return s.reply
}

// think adds what the model thought. Where that had broken off before, it does so
// again; without a thought nobody could tell that it had begun.
func (s *scripting) think(e ikigai.Event) {
	cuts := s.cuts
	r := s.open(len(s.opened().Calls) > 0 || s.opened().Say != "")
	if r == nil {
		return
	}
	r.Think = quoteText(s.o.redact(e.Content))
	if cuts > 0 {
		const role, thought = 1, 1 // deltas
		r.Faults = []scriptserver.Fault{{Kind: scriptserver.FaultCut, After: role + thought, Times: cuts}}
	}
}

// cutOff adds a reply that broke off. One without text may be asked for again.
func (s *scripting) cutOff(e ikigai.Event) {
	if e.Content == "" {
		s.cuts++
		s.ended = true
		return
	}
	if r := s.open(true); r != nil {
		r.Think, r.Say = quoteText(s.o.redact(dataOf[ikigai.InterruptedData](e).Thinking)), quoteText(s.o.redact(e.Content))
		r.Faults = append(r.Faults, scriptserver.Fault{Kind: scriptserver.FaultCut})
		s.ended = true
	}
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
		if s.cuts == 0 && (s.reply == nil || len(s.reply.Faults) == 0) {
			s.note(e, "it ended with: "+s.o.line(e.Content))
		}
		return
	}
	if r := s.open(true); r != nil {
		r.Faults = append(r.Faults, scriptserver.Fault{Kind: scriptserver.FaultStatus, Status: d.Status})
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
			s.hopes = append(s.hopes, patternOf(line))
			return
		}
	}
}

// setUsers sets what is said in each statement. It reports whether there is one
// without a text to find it by, which is for any.
func (s *scripting) setUsers() (any bool) {
	for i, text := range s.said {
		s.script.All[i].User = patternOf(text)
		any = any || s.script.All[i].User == "*"
	}
	return any
}

// patternOf returns the pattern that is a text, or * where that is blank.
func patternOf(text string) scriptserver.Pattern {
	if strings.TrimSpace(text) == "" {
		return "*"
	}
	quoted := quoteText(text)
	if quoted == "*" || quoted[0] == '/' && quoted[len(quoted)-1] == '/' { // that would be another pattern
		first, rest, more := strings.Cut(quoted, "\n")
		if quoted = "{{" + encoded(first) + "}}"; more {
			quoted += "\n" + rest
		}
	}
	return scriptserver.Pattern(quoted)
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

// quoteText returns a text for user:, say: and think:, in which lines stand in quotes
// that would not come out as they are.
func quoteText(text string) string {
	lines := strings.Split(ikigai.CleanText(text), "\n")
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
