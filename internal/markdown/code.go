package markdown

import "strings"

// code highlights the lines of one text in a programming language. The zero code
// leaves them as they are.
type code struct {
	language *language
	words    map[string]Role // of the language
	starts   *[256]bool      // bytes that a comment or a quote begins with

	close  *quote // what ends the comment or quote that the line before left open; nil if none is
	depth  int    // of comments within comments
	until  string // the word that ends a here-document; "" if none is open
	tagged bool   // in a tag of HTML
}

// codeOf returns what highlights code that a fence calls by a name, or the zero
// code if nobody knows it.
func codeOf(info string) code {
	name, _, _ := strings.Cut(info, " ")
	name, _, _ = strings.Cut(name, ",")
	name = strings.ToLower(strings.Trim(name, "{}."))
	l := languageOf(name)
	if l == nil {
		return code{}
	}
	c := code{language: l, words: make(map[string]Role, 96), starts: new([256]bool)}
	for w := range strings.FieldsSeq(l.keywords) {
		c.words[w] = Keyword
	}
	for w := range strings.FieldsSeq(l.types) {
		c.words[w] = Type
	}
	for i := range l.quotes {
		c.starts[l.quotes[i].open[0]] = true
	}
	return c
}

// line writes the next line of the code. What it writes is the line itself, with
// looks.
func (c *code) line(k *ink, text string) {
	switch {
	case c.language == nil:
		k.put(text)
	case c.language.lines != nil:
		c.language.lines(c, k, text)
	default:
		l := lexer{code: c, ink: k, text: text, left: len(text) - len(strings.TrimLeft(text, " \t"))}
		l.line()
	}
}
