package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap returns text with its lines broken at spaces where they are wider than
// the terminal; what comes after a break stands behind indent. A word that is
// wider, and a command in backquotes, stay whole, so that they can be copied.
// If s has no width, text is returned as it is.
//
// It is for sentences of the program.
func (s Style) Wrap(text, indent string) string {
	if s.Width <= 0 {
		return text
	}
	return wrap(text, s.Width, indent)
}

// prose is behind for sentences of the program. The prefixes are equally wide.
func (s Style) prose(first, rest string, how role, text string) string {
	if s.Width > 0 {
		text = wrap(text, s.Width-ansi.StringWidth(rest), "")
	}
	return s.behind(first, rest, how, text)
}

// read returns safe text that stands behind two columns, as a statement and thinking
// do, with its lines broken at words where they are wider than the terminal, except
// those that begin with a space: they may be code.
func (s Style) read(text string) string {
	if !s.Markdown || s.Width <= 0 {
		return text
	}
	width := max(s.Width-3, 1) // what is not final yet is shown in that much
	var b strings.Builder
	for l := range strings.Lines(text) {
		if line, ended := strings.CutSuffix(l, "\n"); line == "" || line[0] == ' ' || line[0] == '\t' {
			b.WriteString(l)
		} else {
			wrapLine(&b, line, width, "")
			if ended {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

func wrap(text string, width int, indent string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		l, ended := strings.CutSuffix(l, "\n")
		wrapLine(&b, l, width, indent)
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func wrapLine(b *strings.Builder, text string, width int, indent string) {
	if ansi.StringWidth(text) <= width {
		b.WriteString(text)
		return
	}
	column, begun := 0, false // begun: the line holds a word
	for text != "" {
		var space, word string
		space, word, text = cutWord(text)
		w := ansi.StringWidth(word)
		switch {
		case word == "": // spaces at the end
			return
		case begun && column+len(space)+w > width:
			b.WriteString("\n" + indent)
			column = ansi.StringWidth(indent)
		default:
			b.WriteString(space)
			column += len(space)
		}
		b.WriteString(word)
		column += w
		begun = true
	}
}

// cutWord returns the spaces that text begins with, the word after them and
// the rest. Text in backquotes is one word.
func cutWord(text string) (space, word, rest string) {
	space = text[:len(text)-len(strings.TrimLeft(text, " "))]
	text = text[len(space):]
	for end := 0; end < len(text); end++ {
		switch text[end] {
		case ' ':
			return space, text[:end], text[end:]
		case '`':
			end += 1 + strings.IndexByte(text[end+1:], '`') // stays if there is no other
		}
	}
	return space, text, ""
}
