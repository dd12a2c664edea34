package overlay

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// SGR sequences of the package.
const (
	reset   = "\x1b[0m"
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	reverse = "\x1b[7m"
)

// paint styles text that holds no newline, if colours are wanted.
func (l Look) paint(how, text string) string {
	if !l.Color || text == "" {
		return text
	}
	return how + text + reset
}

// mark returns mark, or its stand-in where only ASCII can be shown.
func (l Look) mark(mark, ascii string) string {
	if l.ASCII {
		return ascii
	}
	return mark
}

// cell is what comes next of a text: a character with all that combines with it,
// a style, or something that is not shown.
type cell struct {
	size  int    // bytes that it takes of the text
	width int    // columns that it takes of the screen
	show  string // what is written for it
	style bool   // it is an SGR sequence
}

const tab = 8 // columns

// next returns the first cell of text, which is not empty and is to be shown at
// column col of a row of width columns. At column 0 it is no wider than the row; a
// tab takes no more than what is left of it, a column at least.
func next(text string, col, width int) cell {
	c := text[0]
	switch {
	case c == '\t':
		return cell{size: 1, width: 1, show: " "}.widened(min(tab-col%tab, width-col))
	case c == '\x1b':
		return sequence(text)
	case c < ' ' || c == 0x7f:
		return cell{size: 1}
	case c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf):
		return cell{size: 1, width: 1, show: text[:1]}
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError:
		return cell{size: size, width: 1, show: "\uFFFD"}
	case unicode.IsControl(r):
		return cell{size: size}
	}
	together, w := cluster(text)
	if w > width {
		return cell{size: len(together), width: 1, show: "?"}
	}
	return cell{size: len(together), width: w, show: together}
}

// cluster returns the first character of text with all that combines with it, and
// how many columns it takes. It holds neither control characters nor, behind its
// first character, what is no UTF-8.
func cluster(text string) (string, int) {
	together, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if !utf8.ValidString(together) || strings.ContainsFunc(together, unicode.IsControl) {
		_, size := utf8.DecodeRuneInString(text)
		return text[:size], ansi.StringWidth(text[:size])
	}
	return together, w
}

// widened returns c, a space, as width spaces.
func (c cell) widened(width int) cell {
	if width > 1 {
		c.width, c.show = width, "        "[:width]
	}
	return c
}

// sequence returns the cell of an escape sequence, of which only SGR has an
// effect.
func sequence(text string) cell {
	if n := styleSize(text); n > 0 {
		return cell{n, 0, text[:n], true}
	}
	_, _, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
	return cell{size: max(n, 1)}
}

// styleSize returns how long the SGR sequence is that text begins with, or 0.
func styleSize(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

const mostStyle = 256 // bytes of styles that are carried on to the next row

// restyle returns the style that holds after sequence, an SGR sequence, in that
// of style. Where very many follow each other without a reset, the oldest are
// forgotten.
func restyle(style, sequence string) string {
	switch sequence {
	case "\x1b[m", reset:
		return ""
	}
	if style += sequence; len(style) <= mostStyle {
		return style
	}
	i := strings.IndexByte(style[len(style)-mostStyle:], '\x1b')
	return style[len(style)-mostStyle+max(i, 0):]
}

// row is a part of a text that fits into a row of the screen.
type row struct {
	from, to int    // bytes of the text
	style    string // that holds where it begins
}

// fill returns the row of text that begins at byte from, as far as it fits into
// width columns, and the style that holds behind it. A row takes in at least one
// character.
func fill(text string, from, width int, style string) (r row, after string) {
	r = row{from: from, style: style}
	at, col := from, 0
	for at < len(text) {
		c := next(text[at:], col, width)
		if col+c.width > width && col > 0 {
			break
		}
		at += c.size
		col += c.width
		if c.style {
			style = restyle(style, c.show)
		}
	}
	r.to = at
	return r, style
}

// wrap breaks text, which holds no newline, into rows of width columns, one at
// least: behind a space where a row has one behind a word. A space that does not fit
// in is not shown.
func wrap(text string, width int) []row {
	rows := make([]row, 0, 1+len(text)/width)
	isPlain, style := plain(text), ""
	for from := 0; from < len(text) || from == 0; {
		r, after := row{from: from, to: min(from+width, len(text))}, ""
		if !isPlain {
			r, after = fill(text, from, width, style)
		}
		if to := wordEnd(text, r); to > r.to {
			r.to = to
		} else if to < r.to {
			r.to = to
			after = styleBehind(text[from:to], style)
		}
		rows = append(rows, r)
		from, style = max(r.to, 1), after
	}
	return rows
}

// wordEnd returns where a row of text that is as long as it can be ends behind a
// space, or where it does without one.
func wordEnd(text string, r row) int {
	if r.to == len(text) {
		return r.to
	}
	if text[r.to] == ' ' {
		return r.to + 1
	}
	word := r.from // the first one
	for n := 1; n > 0; word += n {
		if n = styleSize(text[word:r.to]); n == 0 && strings.HasPrefix(text[word:r.to], " ") {
			n = 1
		}
	}
	if i := strings.LastIndexByte(text[word:r.to], ' '); i >= 0 {
		return word + i + 1
	}
	return r.to
}

// styleBehind returns the style that holds behind text where it began with style.
func styleBehind(text, style string) string {
	for {
		i := strings.IndexByte(text, '\x1b')
		if i < 0 {
			return style
		}
		c := sequence(text[i:])
		if c.style {
			style = restyle(style, c.show)
		}
		text = text[i+c.size:]
	}
}

// plain reports whether each byte of text takes a column.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// draw returns a row of text as it is shown in width columns, with what is marked
// in reverse video. Marks are in order and apart.
func draw(text string, r row, width int, marks []span) string {
	if len(marks) == 0 && r.style == "" && plain(text[r.from:r.to]) {
		return text[r.from:min(r.to, r.from+width)]
	}
	var b strings.Builder
	b.WriteString(r.style)
	style, marked, col := r.style, false, 0
	for at := r.from; at < r.to; {
		for len(marks) > 0 && marks[0].to <= at {
			marks = marks[1:]
		}
		c := next(text[at:], col, width)
		if col+c.width > width {
			break // the space that does not fit in
		}
		if c.style {
			style = restyle(style, c.show)
		}
		in := len(marks) > 0 && marks[0].from <= at
		if marked && !in {
			b.WriteString(reset + style)
		}
		if in && !marked {
			b.WriteString(reverse)
		}
		b.WriteString(c.show)
		if in && c.style {
			b.WriteString(reverse)
		}
		marked = in
		at += c.size
		col += c.width
	}
	if style != "" || marked {
		b.WriteString(reset)
	}
	return b.String()
}

// cut returns as much of text as fits into width columns, with a mark at its end
// if that is not all.
func (l Look) cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	whole, _ := fill(text, 0, width, "")
	if whole.to == len(text) {
		return draw(text, whole, width, nil)
	}
	more := l.mark("…", ">")
	if width == 1 {
		return more
	}
	r, _ := fill(text, 0, width-1, "")
	return draw(text, r, width-1, nil) + more
}

// width returns how many columns text takes, from column 0 on.
func width(text string) int {
	col := 0
	for text != "" {
		c := next(text, col, math.MaxInt)
		text = text[c.size:]
		col += c.width
	}
	return col
}

// pad returns text with spaces behind it, so that it takes columns columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}
