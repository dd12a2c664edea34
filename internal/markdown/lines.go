package markdown

import "strings"

// difference writes a line of a difference.
func (c *code) difference(k *ink, text string) {
	role := Plain
	switch {
	case strings.HasPrefix(text, "+++ "), strings.HasPrefix(text, "--- "):
		role = Strong
	case strings.HasPrefix(text, "+"), strings.HasPrefix(text, ">"):
		role = Added
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "<"):
		role = Removed
	case strings.HasPrefix(text, "@@"):
		role = Meta
	case strings.HasPrefix(text, "diff "), strings.HasPrefix(text, "index "), strings.HasPrefix(text, `\ `):
		role = Comment
	}
	k.put(text, role)
}

// markdown writes a line of Markdown as it was written.
func (c *code) markdown(k *ink, text string) {
	l := parse(text, true)
	level, _ := heading(l.text)
	body := text[len(text)-len(strings.TrimLeft(text, " \t")):]
	switch {
	case fenceSign(body) != "":
		k.put(text, Faint)
	case level > 0 && len(l.marks) == 0:
		k.put(text, Name)
	case isRule(body):
		k.put(text, Faint)
	default:
		rest := text
		for _, m := range l.marks {
			k.put(m.before)
			k.put(m.sign, Marker)
			k.put(m.after)
			rest = rest[len(m.before)+len(m.sign)+len(m.after):]
		}
		k.put(rest)
	}
}

// Comments and values of HTML.
var (
	markupComment = quote{open: "<!--", close: "-->", role: Comment, lines: true}
	doubleValue   = quote{open: `"`, close: `"`, role: String, lines: true}
	singleValue   = quote{open: "'", close: "'", role: String, lines: true}
)

// markup writes a line of HTML or XML.
func (c *code) markup(k *ink, text string) {
	l := lexer{code: c, ink: k, text: text}
	if c.close != nil {
		l.quoted(c.close, 0, 0)
	}
	for l.at < len(text) {
		rest := text[l.at:]
		switch {
		case c.tagged:
			l.inTag(rest)
		case strings.HasPrefix(rest, markupComment.open):
			l.quoted(&markupComment, l.at, l.at+len(markupComment.open))
		case rest[0] == '<' && len(rest) > 1 && (isLetter(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0):
			end := 2
			for end < len(rest) && (isAlnum(rest[end]) || strings.IndexByte("-:._", rest[end]) >= 0) {
				end++
			}
			l.emit(l.at, l.at+end, Keyword)
			c.tagged = true
		default:
			l.at++
		}
	}
	k.put(text[l.from:])
}

// inTag takes in the next part of a tag.
func (l *lexer) inTag(rest string) {
	switch c := rest[0]; {
	case c == '>':
		l.emit(l.at, l.at+1, Keyword)
		l.tagged = false
	case c == '"':
		l.quoted(&doubleValue, l.at, l.at+1)
	case c == '\'':
		l.quoted(&singleValue, l.at, l.at+1)
	case isLetter(c):
		end := 1
		for end < len(rest) && (isAlnum(rest[end]) || strings.IndexByte("-:._", rest[end]) >= 0) {
			end++
		}
		l.emit(l.at, l.at+end, Name)
	default:
		l.at++
	}
}
