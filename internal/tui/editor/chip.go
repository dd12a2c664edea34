package editor

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// chip is what one character in the text stands for.
type chip struct {
	label string // how it is shown; "" if nothing has this place
	text  string // of a paste
	path  string // of an image
	n     int    // in its label
}

// What is longer than this becomes a chip when it is pasted.
const (
	mostLines      = 10
	mostCharacters = 1000
)

func long(text string) bool {
	return strings.Count(text, "\n") >= mostLines && strings.Count(strings.TrimSuffix(text, "\n"), "\n") >= mostLines ||
		len(text) > mostCharacters && utf8.RuneCountInString(text) > mostCharacters
}

// pasteChip returns the character for a long text, and false if there are too many
// chips.
func (e *Editor) pasteChip(text string) (string, bool) {
	n := e.chipNumber(false)
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	unit := "lines"
	if lines == 1 {
		unit = "line"
	}
	label := fmt.Sprintf("[paste %d: %d %s, %s]", n, lines, unit, size(len(text)))
	return e.newChip(chip{label: label, text: text, n: n})
}

// imageChip is pasteChip for the path of an image, which is shown by a name.
func (e *Editor) imageChip(path, name string) (string, bool) {
	n := e.chipNumber(true)
	name = strings.NewReplacer("\n", "␊", "\t", "␉").Replace(clean(name))
	return e.newChip(chip{label: fmt.Sprintf("[image %d: %s]", n, name), path: path, n: n})
}

// chipNumber returns the number of the next chip: one more than the highest in
// the text.
func (e *Editor) chipNumber(image bool) int {
	n := 0
	for _, at := range chipsIn(e.text) {
		if c := e.chipAt(at); (c.path != "") == image {
			n = max(n, c.n)
		}
	}
	return n + 1
}

// newChip finds a place for c.
func (e *Editor) newChip(c chip) (string, bool) {
	for i := range e.chips {
		if e.chips[i].label == "" {
			e.chips[i] = c
			return string(rune(firstChip + i)), true
		}
	}
	if len(e.chips) == mostChips {
		return "", false
	}
	e.chips = append(e.chips, c)
	return string(rune(firstChip + len(e.chips) - 1)), true
}

// chipAt returns the chip of which s is the character, or begins with it.
func (e *Editor) chipAt(s string) *chip {
	r, _ := utf8.DecodeRuneInString(s)
	return &e.chips[r-firstChip]
}

// chipsIn returns the characters of chips in text, in their order.
func chipsIn(text string) (all []string) {
	for {
		i := strings.Index(text, chipLead)
		if i < 0 {
			return all
		}
		all = append(all, text[i:i+chipSize])
		text = text[i+chipSize:]
	}
}

// expand returns text with what as returns in place of each chip.
func (e *Editor) expand(text string, as func(*chip) string) string {
	if !strings.Contains(text, chipLead) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, chipLead)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		b.WriteString(as(e.chipAt(text[i:])))
		text = text[i+chipSize:]
	}
}

// sent is what a chip is in a text that is sent.
func (c *chip) sent() string {
	if c.path != "" {
		return c.label
	}
	return c.text
}

// spelled is what a chip is where it can be edited.
func (c *chip) spelled() string {
	if c.path != "" {
		return clean(quote(c.path))
	}
	return c.text
}

// openChip turns the chip after the cursor, or else before it, into its text.
func (e *Editor) openChip() {
	from := e.cursor
	if !strings.HasPrefix(e.text[from:], chipLead) {
		from = previous(e.text, from)
	}
	if strings.HasPrefix(e.text[from:], chipLead) {
		e.edit(from, from+chipSize, e.chipAt(e.text[from:]).spelled())
	}
}

// freeChips drops the chips that stand in none of the texts that are kept.
func (e *Editor) freeChips() {
	used := make(map[string]bool)
	for _, text := range append([]string{e.text, e.vi.register}, e.ring.texts...) {
		for _, c := range chipsIn(text) {
			used[c] = true
		}
	}
	last := 0
	for i := range e.chips {
		if used[string(rune(firstChip+i))] {
			last = i + 1
		} else {
			e.chips[i] = chip{}
		}
	}
	e.chips = e.chips[:last]
}

// size returns n bytes as people read them.
func size(n int) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000<<10:
		return fmt.Sprintf("%d KB", (n+512)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
