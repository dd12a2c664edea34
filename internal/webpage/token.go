package webpage

import (
	"html"
	"strings"
)

type tokenKind int

const (
	endOfText tokenKind = iota
	plainText
	startTag
	endTag
)

// token is a piece of markup.
type token struct {
	kind  tokenKind
	name  string // of a tag, in lower case
	text  string // of a text: as it is read
	raw   string // of a script and its like: what stands between its tags
	empty bool   // of a start tag: it ends with />
	attrs []attr
}

type attr struct{ name, value string }

// attr returns the value of an attribute, "" if it is not there.
func (t token) attr(name string) string {
	for _, a := range t.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (t token) has(name string) bool {
	for _, a := range t.attrs {
		if a.name == name {
			return true
		}
	}
	return false
}

// tokenizer cuts HTML into tokens. It reads on whatever comes, as browsers do.
type tokenizer struct {
	s string // the rest
}

// next returns the next token. Comments and declarations are passed over.
func (z *tokenizer) next() token {
	for z.s != "" {
		switch {
		case z.s[0] != '<':
			n := strings.IndexByte(z.s, '<')
			if n < 0 {
				n = len(z.s)
			}
			return z.text(n)
		case strings.HasPrefix(z.s, "<!--"):
			z.after(z.s[len("<!"):], "-->")
		case strings.HasPrefix(z.s, "<!"), strings.HasPrefix(z.s, "<?"):
			z.after(z.s, ">")
		case len(z.s) > 2 && z.s[1] == '/' && isLetter(z.s[2]):
			return z.endTag()
		case strings.HasPrefix(z.s, "</"):
			z.after(z.s, ">")
		case len(z.s) > 1 && isLetter(z.s[1]):
			if t, ok := z.startTag(); ok {
				return t
			}
		default:
			return z.text(1)
		}
	}
	return token{}
}

// text takes n bytes as text.
func (z *tokenizer) text(n int) token {
	t := token{kind: plainText, text: html.UnescapeString(z.s[:n])}
	z.s = z.s[n:]
	return t
}

// after goes on behind the first end in s, a rest of the text.
func (z *tokenizer) after(s, end string) {
	_, z.s, _ = strings.Cut(s, end)
}

func (z *tokenizer) endTag() token {
	z.s = z.s[len("</"):]
	t := token{kind: endTag, name: z.name()}
	z.after(z.s, ">")
	return t
}

// startTag takes a start tag, and what stands in an element without markup. It
// returns false for a tag without an end.
func (z *tokenizer) startTag() (token, bool) {
	z.s = z.s[1:]
	t := token{kind: startTag, name: z.name()}
	for {
		z.s = strings.TrimLeft(z.s, " \t\r\n\f")
		t.empty = strings.HasPrefix(z.s, "/>")
		z.s = strings.TrimLeft(z.s, " \t\r\n\f/")
		if z.s == "" {
			return token{}, false
		}
		if z.s[0] == '>' {
			break
		}
		a := z.attribute()
		if useful(a.name) && len(t.attrs) < maxAttrs {
			t.attrs = append(t.attrs, a)
		}
	}
	z.s = z.s[1:]
	switch t.name {
	case "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp":
		t.raw = z.until(t.name)
	}
	return t, true
}

// maxAttrs is how many attributes of a tag are kept.
const maxAttrs = 16

// useful reports whether an attribute says something of what a reader sees.
func useful(name string) bool {
	switch name {
	case "href", "src", "alt", "class", "role", "hidden", "style", "colspan", "rowspan", "aria-hidden", "start", "open",
		"charset", "http-equiv", "content":
		return true
	}
	return false
}

// name takes the name of a tag.
func (z *tokenizer) name() string {
	n := strings.IndexAny(z.s, " \t\r\n\f/>")
	if n < 0 {
		n = len(z.s)
	}
	name := z.s[:n]
	z.s = z.s[n:]
	return strings.ToLower(name)
}

// attribute takes an attribute.
func (z *tokenizer) attribute() attr {
	n := strings.IndexAny(z.s[1:], " \t\r\n\f/>=") + 1
	if n == 0 {
		n = len(z.s)
	}
	a := attr{name: strings.ToLower(z.s[:n])}
	z.s = z.s[n:]
	rest := strings.TrimLeft(z.s, " \t\r\n\f")
	if !strings.HasPrefix(rest, "=") {
		return a
	}
	z.s = strings.TrimLeft(rest[1:], " \t\r\n\f")
	if z.s == "" {
		return a
	}
	if quote := z.s[0]; quote == '"' || quote == '\'' {
		a.value, z.s, _ = strings.Cut(z.s[1:], string(quote))
	} else {
		n := strings.IndexAny(z.s, " \t\r\n\f>")
		if n < 0 {
			n = len(z.s)
		}
		a.value, z.s = z.s[:n], z.s[n:]
	}
	if useful(a.name) {
		a.value = html.UnescapeString(a.value)
	}
	return a
}

// until takes what stands before the end tag of that name, and the end tag.
func (z *tokenizer) until(name string) string {
	s := z.s
	for at := 0; ; {
		n := strings.Index(s[at:], "</")
		if n < 0 {
			z.s = ""
			return s
		}
		at += n + len("</")
		rest := s[at:]
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) && (len(rest) == len(name) || !isLetter(rest[len(name)])) {
			z.after(rest, ">")
			return s[:at-len("</")]
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|' ' && c|' ' <= 'z' }
