package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// writer renders lines.
type writer struct {
	ink
	state
	style Style
	lines []string // rendered
}

// state is what the lines so far mean for the next.
type state struct {
	fence   fence // the code that is open
	table   table // that is open
	held    line  // if holding: a line that may be a heading or the head of a table, or whose end tells of the next one
	holding bool
	first   bool // the held line is the first of its paragraph
	text    bool // the line before belongs to a paragraph
	list    bool // in a list, where four spaces do not make code
}

// line takes in the next line.
func (w *writer) line(source string) {
	if w.fence.open() && w.code(source) {
		return
	}
	l := parse(source, w.list)
	if w.table.open() {
		if w.table.takes(l) {
			w.addRow(l)
			return
		}
		w.endTable()
	}
	if w.holding && w.decides(l) {
		return
	}
	w.begin(l)
}

// end ends what waits for further lines.
func (w *writer) end() {
	w.endTable()
	w.release()
}

// release renders the held line as what it is if nothing more comes.
func (w *writer) release() {
	if w.holding {
		w.holding = false
		w.paragraph(w.held)
	}
}

// breaks reports whether text ends with a backslash, which breaks the line if another
// one follows.
func breaks(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// decides takes in the line after a held one, and reports whether both were one
// thing.
func (w *writer) decides(l line) bool {
	level := underline(l.text)
	switch {
	case w.held.hasItem() || l.hasItem() || w.held.quotes() != l.quotes():
	case w.first && level > 0:
		w.holding, w.text = false, false
		w.prose(w.held, func() { w.spans(w.held.text, headingRole(level)) })
		if w.looks == nil {
			w.lines = append(w.lines, l.source)
		}
		return true
	case w.beginTable(w.held, l):
		w.holding, w.text = false, false
		return true
	}
	if l.text != "" && !l.hasItem() && l.quotes() <= w.held.quotes() && breaks(w.held.text) {
		w.held.text = strings.TrimRight(strings.TrimSuffix(w.held.text, `\`), " \t")
	}
	w.release()
	return false
}

// begin renders a line that does not go on with what was held, or holds it back.
func (w *writer) begin(l line) {
	after := w.text
	w.text = false
	if l.hasItem() {
		w.list = true
	} else if !after && l.indent == "" && l.text != "" {
		w.list = false
	}
	level, title := heading(l.text)
	switch {
	case l.text == "":
		w.draw(l, func() {})
	case !after && !w.list && len(l.marks) == 0 && columns(l.indent) >= 4:
		w.draw(l, func() { w.put(l.text, Code) })
	case isRule(l.text):
		w.draw(l, func() { w.put(strings.Repeat(w.glyph("─", "-"), w.ruleWidth()), Faint) })
	case level > 0:
		w.prose(l, func() { w.spans(title, headingRole(level)) })
	case w.opens(l):
		w.draw(l, func() { w.put(l.text, Faint) })
	case isHTML(l.text):
		w.text = true
		w.draw(l, func() { w.put(l.text) })
	case after && !l.hasItem() && !strings.Contains(l.text, "|") && !breaks(l.text):
		w.text = true
		w.paragraph(l)
	default:
		w.text, w.holding, w.held, w.first = true, true, l, !after
	}
}

func (w *writer) paragraph(l line) {
	base := Plain
	if l.quotes() > 0 {
		base = Quote
	}
	w.prose(l, func() {
		text := l.text
		if l.hasItem() && isTask(text) {
			w.put(text[:3], Marker)
			text = text[3:]
		}
		w.spans(text, base)
	})
}

// draw writes a line: what stands before its text, then what body puts. Without
// looks it stays as it was written.
func (w *writer) draw(l line, body func()) {
	before, text := w.parts(l, body)
	w.lines = append(w.lines, before+text)
}

// prose is draw for text that is read: what is wider than the terminal goes on in the
// next line, below the beginning of the text.
func (w *writer) prose(l line, body func()) {
	before, text := w.parts(l, body)
	room := w.style.Width - 1 - width(before) // what is not final yet is shown in that much
	if w.style.Width <= 0 || room < minProse || width(text) <= room {
		w.lines = append(w.lines, before+text)
		return
	}
	rows := breakProse(text, room)
	w.lines = append(w.lines, before+rows[0])
	for _, m := range l.marks {
		w.below(m)
	}
	w.put(l.indent)
	below := w.taken()
	for _, row := range rows[1:] {
		w.lines = append(w.lines, below+row)
	}
}

// minProse is how much room text needs to be broken at words.
const minProse = 12

// parts returns what stands before the text of a line, and the text as body puts it.
// Without looks both are as they were written.
func (w *writer) parts(l line, body func()) (before, text string) {
	if w.looks == nil {
		at := len(strings.TrimRight(l.source, " \t")) - len(l.text)
		return l.source[:at], l.source[at:]
	}
	w.prefix(l.marks)
	w.put(l.indent)
	before = w.taken()
	body()
	return before, w.taken()
}

// prefix writes the marks before the text of a line.
func (w *writer) prefix(marks []mark) {
	for _, m := range marks {
		w.put(m.before)
		w.put(w.sign(m), Marker)
		w.put(m.after)
	}
}

// below writes what stands below a mark where its line goes on.
func (w *writer) below(m mark) {
	w.put(m.before)
	if sign := w.sign(m); m.sign == ">" {
		w.put(sign, Marker)
	} else {
		w.put(strings.Repeat(" ", width(sign)))
	}
	w.put(m.after)
}

// sign is how a mark looks.
func (w *writer) sign(m mark) string {
	switch {
	case w.looks == nil:
	case m.sign == ">":
		return w.glyph("│", ">")
	case m.sign == "-" || m.sign == "*" || m.sign == "+":
		return w.glyph("•", "-")
	}
	return m.sign
}

func (w *writer) glyph(mark, ascii string) string {
	if w.style.ASCII {
		return ascii
	}
	return mark
}

// ruleWidth is how wide a rule is: not so wide that it would be in the way.
func (w *writer) ruleWidth() int {
	if w.style.Width <= 0 {
		return 24
	}
	return max(3, min(24, w.style.Width-1))
}

func headingRole(level int) Role {
	switch level {
	case 1:
		return Title
	case 2:
		return Heading
	}
	return Subheading
}

// width is how many columns of a terminal text takes.
func width(text string) int {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return ansi.StringWidth(text)
		}
	}
	return len(text)
}
