package overlay

import (
	"fmt"
	"strings"

	"ikigai/internal/tty"
)

// Pager shows a long text, a screen at a time, with the keys of less.
type Pager struct {
	look  Look
	title string
	text  string

	width, height int // of the last View
	top           int // byte at which the first row begins, or lately began
	atEnd         bool

	prompt  byte   // '/' or '?' while a search is typed
	field   field  // what is typed
	needle  needle // that is searched for
	upwards bool   // "?"
	hit     int    // byte at which the last find begins, -1 without one
	said    string // about the last key, for the status
	asks    bool   // a question waits behind it
}

// NewPager returns a Pager of text, at its end if end is set. The text is not
// copied, and read no further than what is shown.
func NewPager(look Look, title, text string, end bool) *Pager {
	text = strings.TrimSuffix(text, "\n")
	return &Pager{look: look, title: title, text: text, width: 80, height: 24, atEnd: end, hit: -1}
}

// Handle takes in a key. It reports whether the person closes the pager.
func (p *Pager) Handle(k tty.Key) (done bool) {
	p.said = ""
	if p.prompt != 0 {
		p.handleSearch(k)
		return false
	}
	switch {
	case k.Is(tty.KeyEscape, 0), k.Ctrl('o'), k.Ctrl('c'), typedRune(k, "qQ"):
		return true
	case typedRune(k, "/?"):
		p.prompt, p.field = byte(k.Rune), field{}
	case typedRune(k, "n"):
		p.find(p.upwards)
	case typedRune(k, "N"):
		p.find(!p.upwards)
	default:
		p.scroll(k)
	}
	return false
}

// typedRune reports whether k types one of the characters.
func typedRune(k tty.Key, chars string) bool {
	return k.Printable() && strings.ContainsRune(chars, k.Rune)
}

// scroll moves through the text, if k is a key for that.
func (p *Pager) scroll(k tty.Key) {
	page := max(1, p.rows()-1)
	switch {
	case k.Is(tty.KeyDown, 0), k.Is(tty.KeyEnter, 0), k.Ctrl('n'), k.Ctrl('e'), typedRune(k, "je"):
		p.move(1)
	case k.Is(tty.KeyUp, 0), k.Ctrl('p'), k.Ctrl('y'), typedRune(k, "ky"):
		p.move(-1)
	case k.Is(tty.KeyPageDown, 0), k.Ctrl('f'), k.Ctrl('v'), typedRune(k, " f"):
		p.move(page)
	case k.Is(tty.KeyPageUp, 0), k.Ctrl('b'), k.Alt('v'), typedRune(k, "b"):
		p.move(-page)
	case k.Ctrl('d'), typedRune(k, "d"):
		p.move(max(1, page/2))
	case k.Ctrl('u'), typedRune(k, "u"):
		p.move(-max(1, page/2))
	case k.Code == tty.KeyHome, typedRune(k, "g<"):
		p.top, p.atEnd = 0, false
	case k.Code == tty.KeyEnd, typedRune(k, "G>"):
		p.atEnd = true
	}
}

// rows returns how many rows of the screen show text.
func (p *Pager) rows() int { return max(1, p.height-1) }

// move goes n rows on, or back.
func (p *Pager) move(n int) {
	pl := p.first()
	for ; n > 0 && p.down(&pl); n-- {
	}
	for ; n < 0 && p.up(&pl); n++ {
	}
	p.top, p.atEnd = pl.start(), false
}

// first returns the first row that is shown: the last rows fill the screen.
func (p *Pager) first() place {
	last := p.placeOf(len(p.text))
	for n := p.rows() - 1; n > 0 && p.up(&last); n-- {
	}
	if p.atEnd || p.top >= last.start() {
		return last
	}
	return p.placeOf(p.top)
}

// Asks has View tell whether a question waits to be answered that the pager hides.
func (p *Pager) Asks(waits bool) { p.asks = waits }

// View returns the screen, as many lines as height.
func (p *Pager) View(width, height int) (lines []string, row, col int) {
	if width <= 0 || height <= 0 {
		return nil, -1, 0
	}
	p.width, p.height = width, height
	pl := p.first()
	lines = make([]string, 0, height)
	from, marks := -1, []span(nil)
	more := true
	for len(lines) < p.rows() {
		if !more {
			lines = append(lines, "")
			continue
		}
		if pl.from != from {
			from, marks = pl.from, p.needle.in(p.text[pl.from:pl.to])
		}
		lines = append(lines, draw(p.text[pl.from:pl.to], pl.rows[pl.i], width, marks))
		more = p.down(&pl)
	}
	shown := len(p.text)
	if more {
		shown = pl.start()
	}
	if height == 1 && p.prompt == 0 {
		return lines, -1, 0
	}
	status, col := p.status(shown)
	lines = append(lines[:height-1], status)
	if p.prompt == 0 {
		return lines, -1, 0
	}
	return lines, height - 1, col
}

// status returns the last line of the screen, and the cursor's column where a
// search is typed.
func (p *Pager) status(shown int) (line string, col int) {
	if p.prompt != 0 {
		text, col := p.field.view(p.width - 1)
		return p.look.cut(string(p.prompt)+text, p.width), min(col+1, p.width-1)
	}
	per := 100
	if shown < len(p.text) {
		per = min(99, shown*100/len(p.text))
	}
	parts := []string{p.title, fmt.Sprintf("%d %%", per), "q close", "/ search"}
	if p.needle.text != "" {
		parts[3] = "n next, N back"
	}
	if p.said != "" {
		parts = []string{p.said, fmt.Sprintf("%d %%", per)}
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	if p.asks {
		parts = append([]string{"ikigai asks: q to answer"}, parts...)
	}
	return p.look.bar(strings.Join(parts, p.look.mark(" · ", " - ")), p.width), 0
}

// bar returns text as a line that stands out.
func (l Look) bar(text string, width int) string {
	return reverse + l.cut(" "+text+" ", width) + reset
}
