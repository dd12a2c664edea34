package ikigai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// plain reads data in the very form in which this package writes it, several
// times as fast as package encoding/json: when a session is restored, most of
// the time goes into that. Where data has another form, failed is set, and
// what was read counts for nothing.
type plain struct {
	rest   []byte
	failed bool
}

// toolCall reads the data of a tool_call event without vendor state.
func (p *plain) toolCall() (d ToolCallData) {
	p.literal(`{"id":`)
	d.ID = p.text()
	p.literal(`,"type":`)
	d.Type = p.text()
	p.literal(`,"function":{"name":`)
	d.Function.Name = p.text()
	p.literal(`,"arguments":`)
	d.Function.Arguments = p.text()
	p.literal(`}}`)
	p.end()
	return d
}

// toolResult reads what a message needs of the data of a tool_result event
// without parts.
func (p *plain) toolResult() (d ToolResultData) {
	p.literal(`{"tool_call_id":`)
	d.ToolCallID = p.text()
	p.literal(`,"name":`)
	d.Name = p.text()
	p.literal(`,"output":`)
	d.Output = p.text()
	p.literal(`,"success":`)
	if d.Success = p.next(`true`); !d.Success {
		p.literal(`false`)
	}
	if p.next(`,"note":`) {
		d.Note = p.text()
	}
	if p.next(`,"report":`) {
		d.Report = p.text()
	}
	for _, name := range []string{`,"executed":`, `,"resources":`} {
		if p.next(name) {
			p.pass()
		}
	}
	p.literal(`,"ms":`)
	p.pass()
	p.literal(`}`)
	p.end()
	return d
}

// pass passes over a value.
func (p *plain) pass() {
	depth, i := 0, 0
	for ; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			s := plain{rest: p.rest[i+1:]}
			end, _ := s.closing()
			if end < 0 {
				p.failed = true
				return
			}
			i += end + 1
		}
		if depth < 0 || depth == 0 && p.rest[i] == ',' {
			break // the end of the object around it, or the next member
		}
	}
	if !json.Valid(p.rest[:i]) {
		p.failed = true
		return
	}
	p.rest = p.rest[i:]
}

// next takes s if it comes next.
func (p *plain) next(s string) bool {
	if p.failed || len(p.rest) < len(s) || string(p.rest[:len(s)]) != s {
		return false
	}
	p.rest = p.rest[len(s):]
	return true
}

func (p *plain) literal(s string) {
	if !p.next(s) {
		p.failed = true
	}
}

func (p *plain) end() { p.failed = p.failed || len(p.rest) > 0 }

// text takes a string.
func (p *plain) text() string {
	if !p.next(`"`) {
		p.failed = true
		return ""
	}
	end, escapes := p.closing()
	if end < 0 || !utf8.Valid(p.rest[:end]) {
		p.failed = true
		return ""
	}
	raw := p.rest[:end]
	p.rest = p.rest[end+1:]
	if escapes == 0 {
		return string(raw)
	}
	return p.unescape(raw, len(raw)-escapes)
}

// closing returns where the string that rest begins with ends, or -1, and how
// many escapes it holds.
func (p *plain) closing() (end, escapes int) {
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			return i, escapes
		case c == '\\':
			escapes++
			i++
		case c < ' ':
			return -1, 0
		}
	}
	return -1, 0
}

// unescape returns raw, a text of about size bytes, without its escapes.
func (p *plain) unescape(raw []byte, size int) string {
	var text strings.Builder
	text.Grow(size)
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			text.Write(raw)
			return text.String()
		}
		text.Write(raw[:i])
		// Escapes with a number are rare, and have their own rules.
		c := strings.IndexByte(`"\/bfnrt`, raw[i+1])
		if c < 0 {
			p.failed = true
			return ""
		}
		text.WriteByte("\"\\/\b\f\n\r\t"[c])
		raw = raw[i+2:]
	}
}
