package wirecheck

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// kind says what a JSON value is.
type kind string

const (
	object  kind = "an object"
	array   kind = "an array"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "a boolean"
	null    kind = "null"
)

// value is a JSON value. All methods take nil for a value that is not there.
type value struct {
	kind  kind
	text  string   // of a string; of a number or boolean as it was written
	names []string // of the members of an object
	items []value  // of an array; values of the members of an object
}

// get returns a member of an object, nil where it is missing or null: vendors
// make no difference.
func (v *value) get(name string) *value {
	if v == nil || v.kind != object {
		return nil
	}
	if i := slices.Index(v.names, name); i >= 0 && v.items[i].kind != null {
		return &v.items[i]
	}
	return nil
}

// str returns the string that a member is, "" where it is none.
func (v *value) str(name string) string { return v.get(name).string() }

// string returns the string that v is, "" where it is none.
func (v *value) string() string {
	if v == nil || v.kind != text {
		return ""
	}
	return v.text
}

// list returns the items of an array.
func (v *value) list() []value {
	if v == nil || v.kind != array {
		return nil
	}
	return v.items
}

// is reports whether v is there and of kind k.
func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// String describes v for people.
func (v *value) String() string {
	switch {
	case v == nil:
		return "nothing"
	case v.kind == text:
		const most = 80
		s, more := v.text, ""
		if len(s) > most {
			s, more = s[:most], "…"
		}
		return `"` + s + more + `"`
	case v.kind == number || v.kind == boolean:
		return v.text
	}
	return string(v.kind)
}

// parse reads a body. It refuses what no vendor takes, whatever stands where:
// bytes that are no UTF-8, NUL, surrogates without their other half, and objects
// with two members of one name.
//
// depth is the deepest nesting that is taken; 0 takes any.
func parse(body []byte, depth int) (*value, *Error) {
	switch {
	case !utf8.Valid(body):
		return nil, &Error{Message: "The body is not valid UTF-8. Send clean text."}
	case !json.Valid(body):
		return nil, &Error{Message: "The body is not valid JSON."}
	}
	p := parser{rest: body, size: len(body), depth: depth}
	v := p.value(0)
	return &v, p.wrong
}

// parser reads JSON that is known to be valid.
type parser struct {
	rest  []byte
	size  int
	depth int    // the deepest nesting; 0 for any
	wrong *Error // the first
}

func (p *parser) refuse(format string, args ...any) {
	r := report{p.wrong}
	r.refuse("", format, args...)
	p.wrong = r.first
}

// skip drops white space and the given byte, if it comes next.
func (p *parser) skip(c byte) bool {
	for len(p.rest) > 0 && p.rest[0] <= ' ' {
		p.rest = p.rest[1:]
	}
	if len(p.rest) > 0 && p.rest[0] == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

func (p *parser) value(depth int) value {
	if p.depth > 0 && depth > p.depth {
		p.refuse("The body is nested deeper than %d.", p.depth)
	}
	p.skip(0)
	switch p.rest[0] {
	case '{':
		return p.object(depth)
	case '[':
		v := value{kind: array}
		for p.skip('['); !p.skip(']'); p.skip(',') {
			v.items = append(v.items, p.value(depth+1))
		}
		return v
	case '"':
		return value{kind: text, text: p.string()}
	}
	return p.literal()
}

func (p *parser) object(depth int) value {
	v := value{kind: object}
	for p.skip('{'); !p.skip('}'); p.skip(',') {
		p.skip(0)
		name := p.string()
		if slices.Contains(v.names, name) {
			p.refuse("An object has two members named %q.", name)
		}
		p.skip(':')
		v.names = append(v.names, name)
		v.items = append(v.items, p.value(depth+1))
	}
	return v
}

func (p *parser) literal() value {
	n := 0
	for n < len(p.rest) && p.rest[n] > ' ' && p.rest[n] != ',' && p.rest[n] != ']' && p.rest[n] != '}' {
		n++
	}
	v := value{kind: number, text: string(p.rest[:n])}
	switch v.text {
	case "null":
		v.kind = null
	case "true", "false":
		v.kind = boolean
	}
	p.rest = p.rest[n:]
	return v
}

// string reads a string, which begins here.
func (p *parser) string() string {
	n, plain := 1, true
	for p.rest[n] != '"' {
		if p.rest[n] != '\\' {
			n++
			continue
		}
		n += p.escape(p.rest[n:])
		plain = false
	}
	raw := p.rest[:n+1]
	p.rest = p.rest[n+1:]
	if plain {
		return string(raw[1:n])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}

// escape returns the length of the escape that b begins with, of both where two
// are a pair, and refuses one that stands for no character.
func (p *parser) escape(b []byte) int {
	switch r := unit(b); {
	case r < 0:
		return 2
	case r == 0:
		p.refuse(`The body holds \u0000 at byte %d. Leave NUL out.`, p.size-len(b))
	case r >= 0xd800 && r < 0xdc00 && isLow(unit(b[6:])):
		return 12
	case r >= 0xd800 && r < 0xe000:
		p.refuse(`The body holds the lone surrogate %s at byte %d. Replace it with U+FFFD.`, b[:6], p.size-len(b))
	}
	return 6
}

func isLow(r int) bool { return r >= 0xdc00 && r < 0xe000 }

// unit returns the code unit of an escape such as \u00e9 that b begins with, -1
// if it begins with none.
func unit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	r := 0
	for _, c := range b[2:6] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | int(c)
	}
	return r
}
