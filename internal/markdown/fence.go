package markdown

import "strings"

// fence is code between fences.
type fence struct {
	sign   string // of the first line, as long as it is; "" if none is open
	quotes int    // it is in
	indent string
	code   code
}

func (f fence) open() bool { return f.sign != "" }

// opens reports whether l begins code, and enters it.
func (w *writer) opens(l line) bool {
	sign := fenceSign(l.text)
	info := strings.TrimSpace(l.text[len(sign):])
	if sign == "" || sign[0] == '`' && strings.Contains(info, "`") {
		return false
	}
	w.fence = fence{sign: sign, quotes: l.quotes(), indent: l.indent}
	if w.looks != nil {
		w.fence.code = codeOf(info)
	}
	for _, m := range l.marks { // what follows in a list item stands below its text
		if m.sign != ">" {
			w.fence.indent = strings.Repeat(" ", len(m.before+m.sign+m.after)) + w.fence.indent
		}
	}
	return true
}

// fenceSign returns the backquotes or tildes that text begins with, if they are
// enough for a fence.
func fenceSign(text string) string {
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return ""
	}
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

// code renders a line of code. It returns false if the code has ended before the
// line, with the quote that it is in.
func (w *writer) code(source string) bool {
	var marks []mark
	rest := source
	for range w.fence.quotes {
		text := strings.TrimLeft(rest, " ")
		after, ok := strings.CutPrefix(text, ">")
		if !ok {
			w.fence = fence{}
			return false
		}
		m := mark{before: rest[:len(rest)-len(text)], sign: ">"}
		if spaced, ok := strings.CutPrefix(after, " "); ok {
			m.after, after = " ", spaced
		}
		marks, rest = append(marks, m), after
	}
	indent := rest[:common(rest, w.fence.indent)]
	text := rest[len(indent):]
	l := line{source: source, marks: marks, indent: indent}
	if w.fence.closedBy(rest) {
		w.fence = fence{}
		w.draw(l, func() { w.put(text, Faint) })
		return true
	}
	if w.looks != nil {
		w.draw(l, func() { w.fence.code.line(&w.ink, text) })
	} else {
		w.lines = append(w.lines, source)
	}
	return true
}

// closedBy reports whether a line ends the code.
func (f fence) closedBy(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= len(f.sign) && strings.Trim(text, f.sign[:1]) == ""
}

// common returns how many bytes two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
