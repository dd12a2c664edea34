package textmode

import (
	"bytes"
	"encoding/json"
	"strings"

	"ikigai"
)

// parser finds the calls in a reply while it comes in. They stand at its end:
// calls that prose follows were only quoted. So what it holds back is white space
// at the start of a line, what may be a call, and calls until the reply ends.
type parser struct {
	known  map[string]bool // names of tools; nil takes nothing for a call
	answer bool            // the answer is to be JSON, too

	buf   []byte // what is held back
	mode  mode
	fence bool // inside a fence
	bare  bool // the mark that began it was left out, so that its end is, too
	told  bool // of text
	trim  bool // white space is left out before what comes next
	json  scan // of what may be a call, in buf

	calls  found  // what the end of the reply makes of held
	held   []byte // from the first call on
	madeUp bool   // results stand behind the calls
}

// mode is where in a reply a parser is.
type mode int

const (
	modeStart mode = iota // at the start of a line, behind white space
	modeThink             // in thinking that stands in front of the reply
	modeText              // further on in a line
	modeCall              // in JSON that may be a call
	modeValue             // in JSON that is none
	modeAfter             // behind a call, where others may follow
	modeProse             // behind calls that prose followed
)

func newParser(req ikigai.Request) *parser {
	p := &parser{answer: req.Format != nil}
	for _, t := range req.Tools {
		if p.known == nil {
			p.known = map[string]bool{}
		}
		p.known[t.Name] = true
	}
	return p
}

// feed takes in some text. It returns what it comes to: text, and calls without
// number and ID.
func (p *parser) feed(text string) []ikigai.Delta {
	var out found
	if p.known == nil {
		out.text([]byte(text))
		return out
	}
	p.buf = append(p.buf, text...)
	for p.step(&out) {
	}
	return out
}

// end returns what the end of the reply makes of what was held back. JSON that
// would have become a call is one: whoever runs it finds that it is not whole.
func (p *parser) end() []ikigai.Delta {
	var out found
	switch p.mode {
	case modeThink:
		out.thinking(p.buf)
		p.buf = nil
	case modeAfter:
		if isFence := bytes.HasPrefix(p.buf, []byte("```")); isFence && isJSONInfo(strings.TrimSpace(strings.TrimLeft(string(p.buf), "`"))) {
			p.buf = nil
		}
	case modeCall:
		switch raw := p.buf[p.json.start:]; {
		case p.json.after && beginsResult(raw):
			p.buf = nil
		case !p.madeUp && p.wouldBeCall(raw):
			p.calls.call(broken(raw))
			p.buf = nil
		}
	}
	if len(p.buf) > 0 {
		p.prose(&out)
	}
	return append(out, p.calls...)
}

// rest returns the text among what was held back of a reply that broke off.
func (p *parser) rest() string {
	var text strings.Builder
	for _, d := range p.end() {
		text.WriteString(d.Text)
	}
	return text.String()
}

// wouldBeCall reports whether JSON that is cut or faulty was meant as a call.
func (p *parser) wouldBeCall(raw []byte) bool {
	return p.json.key == "reasoning" && !p.answer || looksLikeCall(raw, p.known)
}

// step goes on by a step. It reports whether there may be another one before
// more text comes.
func (p *parser) step(out *found) bool {
	switch p.mode {
	case modeStart:
		return p.startOfLine(out)
	case modeThink:
		return p.thinking(out)
	case modeText:
		return p.text(out)
	case modeCall:
		return p.candidate(out)
	case modeValue:
		return p.value(out)
	case modeAfter:
		return p.after(out)
	}
	out.text(p.buf)
	p.buf = nil
	return false
}

// startOfLine decides what a line is, once its first characters are there.
func (p *parser) startOfLine(out *found) bool {
	lead := len(p.buf) - len(bytes.TrimLeft(p.buf, " \t\r\n"))
	if p.trim {
		p.buf, lead = p.buf[lead:], 0
	}
	line := p.buf[lead:]
	switch {
	case len(line) == 0:
		return false
	case !p.told && bytes.HasPrefix(line, []byte(thinkBegins)):
		p.buf, p.trim = line[len(thinkBegins):], true
		return p.turn(modeThink)
	case !p.told && bytes.HasPrefix([]byte(thinkBegins), line):
		return false
	case line[0] == '`':
		return p.fenceAt(out, lead)
	case !p.fence && (line[0] == '{' || line[0] == '['):
		return p.begin(lead, false)
	}
	return p.restOfLine(out, lead)
}

// Marks of thinking that a server has left in the text. Calls in it are only
// thought of.
const (
	thinkBegins = "<think>"
	thinkEnds   = "</think>"
)

// thinking passes on thinking, up to its end.
func (p *parser) thinking(out *found) bool {
	thinking, rest, ended := bytes.Cut(p.buf, []byte(thinkEnds))
	if ended {
		out.thinking(thinking)
		p.buf = rest
		return p.turn(modeStart)
	}
	n := len(p.buf)
	for i := max(0, n-len(thinkEnds)+1); i < n; i++ {
		if strings.HasPrefix(thinkEnds, string(p.buf[i:])) {
			n = i
			break
		}
	}
	out.thinking(p.buf[:n])
	p.buf = p.buf[n:]
	return false
}

// restOfLine goes on with a line whose first n bytes, white space included, are
// known to be text.
func (p *parser) restOfLine(out *found, n int) bool {
	p.pass(out, n)
	return p.turn(modeText)
}

// fenceAt looks at back quotes that begin a line: the end of a fence, or the
// start of one, which may hold a call.
func (p *parser) fenceAt(out *found, lead int) bool {
	line := p.buf[lead:]
	quotes := len(line) - len(bytes.TrimLeft(line, "`"))
	if quotes == len(line) && quotes < 3 {
		return false
	}
	if quotes < 3 {
		return p.restOfLine(out, lead)
	}
	if p.fence {
		if p.bare {
			p.buf, lead = line[quotes:], 0
		}
		p.fence, p.bare = false, false
		return p.restOfLine(out, lead)
	}
	info, size, whole := fenceInfo(line)
	inside := bytes.TrimLeft(line[size:], " \t\r\n")
	if !whole || isJSONInfo(info) && len(inside) == 0 {
		return false
	}
	p.fence = !strings.Contains(info, "`")
	if isJSONInfo(info) && (inside[0] == '{' || inside[0] == '[') {
		return p.begin(len(p.buf)-len(inside), false)
	}
	return p.restOfLine(out, lead)
}

func (p *parser) turn(to mode) bool {
	p.mode = to
	return true
}

// begin looks at the JSON that begins at start.
func (p *parser) begin(start int, after bool) bool {
	p.json = scan{start: start, pos: start, after: after}
	return p.turn(modeCall)
}

// text passes on the rest of a line. The line feed is held back: a call may
// follow it.
func (p *parser) text(out *found) bool {
	end := bytes.IndexByte(p.buf, '\n')
	if end < 0 {
		p.pass(out, len(p.buf))
		return false
	}
	p.pass(out, end)
	return p.turn(modeStart)
}

func (p *parser) pass(out *found, n int) {
	out.text(p.buf[:n])
	p.told = p.told || n > 0
	p.trim = p.trim && n == 0
	p.buf = p.buf[n:]
}

// candidate reads JSON as long as it may be a call, and takes it in if it is.
func (p *parser) candidate(out *found) bool {
	if p.json.key == "" {
		key, begins := firstKey(p.buf[p.json.start:])
		switch p.json.key = key; {
		case p.json.after && (!begins || key != "" && !callKeys[key]):
			return p.prose(out)
		case !begins:
			return p.restOfLine(out, p.json.start)
		case key == "":
			return false
		case !callKeys[key]:
			return p.turn(modeValue)
		}
	}
	if !p.json.toEnd(p.buf) {
		return false
	}
	raw := p.buf[p.json.start:p.json.pos]
	reply, ok := decode(raw, p.known)
	if !ok && !json.Valid(raw) && p.wouldBeCall(raw) {
		reply, ok = calling{calls: []call{broken(raw)}}, true
	}
	switch {
	case p.json.after && isResult(raw):
		p.madeUp = true
		p.hold(p.json.pos)
		return p.turn(modeAfter)
	case p.json.after && (!ok || p.madeUp || len(reply.calls) == 0):
		return p.prose(out)
	case !ok:
		p.pass(out, p.json.pos)
		return p.turn(modeText)
	case len(reply.calls) == 0:
		p.say(out, reply.reasoning)
		p.buf, p.bare = p.buf[p.json.pos:], p.fence
		return p.turn(modeText)
	}
	p.say(&p.calls, reply.reasoning)
	for _, call := range reply.calls {
		p.calls.call(call)
	}
	p.hold(p.json.pos)
	return p.turn(modeAfter)
}

// say adds the words on a call, a paragraph of their own.
func (p *parser) say(out *found, reasoning string) {
	if reasoning != "" && p.told {
		out.text([]byte("\n\n"))
	}
	out.text([]byte(reasoning))
	p.told = p.told || reasoning != ""
}

// hold keeps the next n bytes for the case that they are text after all.
func (p *parser) hold(n int) {
	p.held = append(p.held, p.buf[:n]...)
	p.buf = p.buf[n:]
}

// prose takes everything from the first call on for the text that it is when
// more than calls and results stands there, and all that comes too.
func (p *parser) prose(out *found) bool {
	out.text(p.held)
	out.text(p.buf)
	p.calls, p.held, p.buf = nil, nil, nil
	p.mode = modeProse
	return false
}

// isResult reports whether JSON has the form that results have. No model is to
// write one, but some do, behind their calls.
func isResult(raw []byte) bool {
	if !json.Valid(raw) {
		raw = escapeControls(raw)
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || len(o) != 2 {
		return false
	}
	_, named := stringOf(o["tool"])
	_, told := o["result"]
	return named && told
}

// beginsResult reports whether JSON that is cut would have become a result.
func beginsResult(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	var tokens [4]json.Token
	for i := range tokens {
		tokens[i], _ = d.Token() // nil where it is cut
	}
	_, named := tokens[2].(string)
	return tokens[1] == "tool" && named && tokens[3] == "result"
}

// value passes JSON on to its end. What looks like a call inside it is none.
func (p *parser) value(out *found) bool {
	whole := p.json.toEnd(p.buf)
	n := p.json.pos
	p.pass(out, n)
	p.json.start, p.json.pos = 0, 0
	if !whole {
		return false
	}
	return p.turn(modeText)
}

// after looks for the next call behind one. Between them there may be white
// space, commas, brackets too many and marks that other dialects put around
// calls.
func (p *parser) after(out *found) bool {
	if bytes.ContainsAny(p.held[len(p.held)-1:], "]}") {
		p.hold(len(p.buf) - len(bytes.TrimLeft(p.buf, "]}")))
	}
	p.hold(len(p.buf) - len(bytes.TrimLeft(p.buf, " \t\r\n,;")))
	if len(p.buf) == 0 {
		return false
	}
	if p.buf[0] == '{' || p.buf[0] == '[' {
		return p.begin(0, true)
	}
	for _, mark := range []string{"<tool_call>", "</tool_call>", "```"} {
		switch n := min(len(p.buf), len(mark)); {
		case string(p.buf[:n]) != mark[:n]:
		case n < len(mark):
			return false
		case mark != "```":
			p.hold(n)
			return true
		default:
			info, size, whole := fenceInfo(p.buf)
			if whole && isJSONInfo(info) {
				p.hold(size)
				return true
			}
			return whole && p.prose(out)
		}
	}
	return p.prose(out)
}
