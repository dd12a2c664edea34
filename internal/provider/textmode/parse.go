package textmode

import (
	"bytes"
	"encoding/json"
	"strings"

	"ikigai"
)

// parser finds the calls in a reply while it comes in. What it holds back is
// white space at the start of a line, and what may be a call.
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
	modeDone              // behind the last call
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
	case modeAfter, modeDone:
	case modeThink:
		out.thinking(p.buf)
	case modeCall:
		if raw := p.buf[p.json.start:]; p.wouldBeCall(raw) {
			out.call(broken(raw))
		} else if !p.json.after {
			out.text(p.buf)
		}
	default:
		out.text(p.buf)
	}
	p.buf = nil
	return out
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
		return p.after()
	}
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
			return p.turn(modeDone)
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
	switch reply, ok := decode(raw, p.known); {
	case ok:
		p.take(out, reply)
	case !json.Valid(raw) && p.wouldBeCall(raw):
		p.take(out, calling{calls: []call{broken(raw)}})
	case p.json.after:
		p.mode = modeDone
	default:
		p.pass(out, p.json.pos)
		p.mode = modeText
	}
	return true
}

// take takes in what was said in JSON, which ends the text unless there is no
// call in it.
func (p *parser) take(out *found, c calling) {
	p.buf = p.buf[p.json.pos:]
	if c.reasoning != "" && p.told {
		out.text([]byte("\n\n"))
	}
	out.text([]byte(c.reasoning))
	p.told = p.told || c.reasoning != ""
	for _, call := range c.calls {
		out.call(call)
	}
	if p.mode = modeAfter; len(c.calls) == 0 && !p.json.after {
		p.mode, p.bare = modeText, p.fence
	}
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
// space, commas and the marks of fences.
func (p *parser) after() bool {
	p.buf = bytes.TrimLeft(p.buf, " \t\r\n,;")
	switch {
	case len(p.buf) == 0:
		return false
	case p.buf[0] == '{' || p.buf[0] == '[':
		return p.begin(0, true)
	case bytes.HasPrefix([]byte("```"), p.buf[:min(3, len(p.buf))]):
		if len(p.buf) < 3 {
			return false
		}
		info, size, whole := fenceInfo(p.buf)
		if !whole {
			return false
		}
		if isJSONInfo(info) {
			p.buf = p.buf[size:]
			return true
		}
	}
	return p.turn(modeDone)
}
