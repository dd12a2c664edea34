package markdown

import "strings"

// line is a line taken apart.
type line struct {
	source string
	marks  []mark // of quotes and list items, from the left
	indent string // between them and the text
	text   string // without spaces at its end
}

// mark is a mark of a quote or a list item, with the spaces around it.
type mark struct{ before, sign, after string }

// maxMarks bounds how deep quotes and lists are.
const maxMarks = 16

// parse takes a line apart. In a list marks may be indented as far as they like.
func parse(source string, list bool) line {
	l := line{source: source}
	rest := source
	for len(l.marks) < maxMarks {
		text := strings.TrimLeft(rest, " \t")
		indent := rest[:len(rest)-len(text)]
		sign := markOf(text)
		if sign == "" || !list && len(l.marks) == 0 && columns(indent) >= 4 {
			break
		}
		m := mark{before: indent, sign: sign}
		rest = text[len(sign):]
		if rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
			m.after, rest = rest[:1], rest[1:]
		}
		l.marks = append(l.marks, m)
	}
	rest = strings.TrimRight(rest, " \t")
	l.text = strings.TrimLeft(rest, " \t")
	l.indent = rest[:len(rest)-len(l.text)]
	return l
}

// markOf returns the mark of a quote or a list item that text begins with.
func markOf(text string) string {
	if text == "" {
		return ""
	}
	n := 1
	switch c := text[0]; {
	case c == '>':
		return ">"
	case c == '-' || c == '*' || c == '+':
	case '0' <= c && c <= '9':
		for n < min(len(text), 10) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		if n == len(text) || text[n] != '.' && text[n] != ')' {
			return ""
		}
		n++
	default:
		return ""
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' || isRule(text) {
		return ""
	}
	return text[:n]
}

// hasItem reports whether a list item begins in the line.
func (l line) hasItem() bool { return l.quotes() < len(l.marks) }

// quotes returns how many quotes the line is in.
func (l line) quotes() int {
	n := 0
	for _, m := range l.marks {
		if m.sign == ">" {
			n++
		}
	}
	return n
}

// columns returns how wide spaces and tabs are.
func columns(spaces string) int {
	n := 0
	for i := range len(spaces) {
		if spaces[i] == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}

// heading returns the level of a heading that text is, and what it says; 0 if it
// is none.
func heading(text string) (level int, title string) {
	for level < len(text) && text[level] == '#' {
		level++
	}
	rest := text[level:]
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.Trim(rest, " \t")
	if open := strings.TrimRight(title, "#"); open == "" || strings.HasSuffix(open, " ") {
		title = strings.TrimRight(open, " ")
	}
	return level, title
}

// underline returns the level of the heading that text makes of the line above
// it; 0 if it is none.
func underline(text string) int {
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// isRule reports whether text is a line across the page.
func isRule(text string) bool {
	if len(text) < 3 || text[0] != '-' && text[0] != '*' && text[0] != '_' {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// isTask reports whether the text of a list item begins with a box to tick.
func isTask(text string) bool {
	return len(text) > 3 && text[0] == '[' && strings.IndexByte(" xX", text[1]) >= 0 && text[2] == ']' && text[3] == ' '
}

// isHTML reports whether text is a line of HTML, from its first tag to its last.
func isHTML(text string) bool {
	if len(text) < 3 || text[0] != '<' || text[len(text)-1] != '>' {
		return false
	}
	if text[1] == '!' || text[1] == '?' {
		return true
	}
	name := strings.TrimPrefix(text[1:], "/")
	end := strings.IndexAny(name, " \t/>")
	if end <= 0 {
		return false
	}
	for _, c := range []byte(name[:end]) {
		if !isAlnum(c) && c != '-' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isPunct reports whether c is punctuation, of ASCII alone: with that of other
// scripts, which stands without spaces, emphasis next to it would be missed.
func isPunct(c rune) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
