package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// first returns what text with looks begins with, and how wide that is: a character
// with what combines with it, or a sequence of the looks.
func first(text string) (part string, wide int) {
	c := text[0]
	switch {
	case c == '\x1b':
		return text[:strings.IndexByte(text, 'm')+1], 0
	case ' ' <= c && c <= '~' && (len(text) == 1 || text[1] < utf8.RuneSelf):
		return text[:1], 1
	}
	return ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
}

// longWord is how wide a word is that is long, mostly an address. It may be broken,
// and makes no column wider than others.
const longWord = 16

// measure returns how wide a cell is, and the widest word in it that is not long. Wide
// characters are of scripts without spaces, or pictures: each is a word.
func measure(cell string) (whole, word int) {
	run := 0
	for cell != "" {
		part, wide := first(cell)
		cell = cell[len(part):]
		whole += wide
		if part != " " && wide < 2 {
			run += wide
			continue
		}
		word, run = widest(word, run), 0
	}
	return whole, widest(word, run)
}

// widest returns the wider one of two words, if it is not long.
func widest(word, other int) int {
	if other >= longWord {
		return word
	}
	return max(word, other)
}

// reset ends what a sequence of the looks has begun.
const reset = "\x1b[0m"

// breaker breaks a cell, or prose, over several lines.
type breaker struct {
	cell  string
	width int  // of the lines
	whole bool // a word that is wider stays whole
	lines []string

	begun bool   // something that is no space was taken in
	look  string // the sequence in force
	end   int    // of what was taken in last, spaces left out
	gap   bool   // spaces come after it
	last  bool   // it was a wide character
	open  bool   // it was a bracket that opens

	from, column int    // where the line begins, and how wide it is so far
	fromLook     string // the sequence in force there

	// The last place where the line may be broken: what comes before it, and where,
	// how far into the line and in which look it goes on.
	before, after, afterColumn int
	afterLook                  string
}

// breakCell returns a cell in lines of that width, broken at spaces, which are left
// out, or beside wide characters. A longer word is broken anywhere. Looks end with
// their line and begin anew in the next.
func breakCell(cell string, width int) []string {
	b := breaker{cell: cell, width: width}
	b.all()
	return b.lines
}

// breakProse is breakCell for text that may go beyond the width: there a longer word
// stays whole, so that an address can be copied.
func breakProse(text string, width int) []string {
	b := breaker{cell: text, width: width, whole: true}
	b.all()
	return b.lines
}

// all takes in the whole cell.
func (b *breaker) all() {
	cell := b.cell
	for at := 0; at < len(cell); {
		part, wide := first(cell[at:])
		switch {
		case part == reset:
			b.look = ""
		case part[0] == '\x1b':
			b.look = part
		case part == " ":
			b.gap = true
			if b.begun {
				b.column++
			}
		default:
			b.take(at, wide)
			b.open = strings.Contains("（「『【〔〈《([{", part)
			b.end = at + len(part)
		}
		at += len(part)
	}
	b.cut(b.end)
}

// take takes in a character.
func (b *breaker) take(at, wide int) {
	switch {
	case !b.begun:
		b.begun = true
		b.begin(at, 0, b.look)
	case wide > 0 && (b.gap || (wide > 1 || b.last) && !b.open && !closes(b.cell[at:])):
		b.before, b.after, b.afterColumn, b.afterLook = b.end, at, b.column, b.look
	}
	if b.column+wide > b.width && b.before > b.from {
		b.cut(b.before)
		b.begin(b.after, b.column-b.afterColumn, b.afterLook)
	}
	if b.column+wide > b.width && b.column > 0 && !b.whole {
		b.cut(b.end)
		b.begin(at, 0, b.look)
	}
	b.column += wide
	b.gap = false
	b.last = wide > 1 || wide == 0 && b.last
}

// closes reports whether text begins with what may not begin a line in scripts that
// are broken anywhere.
func closes(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("、。，．）」』】〉》！？：；ー,.!?:;)]}", r)
}

// begin begins a line at from, of which so much is taken in.
func (b *breaker) begin(from, column int, look string) {
	b.from, b.column, b.fromLook = from, column, look
}

// cut ends a line.
func (b *breaker) cut(end int) {
	if end <= b.from {
		return
	}
	text := b.fromLook + b.cell[b.from:end]
	if at := strings.LastIndexByte(text, '\x1b'); at >= 0 && !strings.HasPrefix(text[at:], reset) {
		text += reset
	}
	b.lines = append(b.lines, text)
}
