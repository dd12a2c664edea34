package overlay

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/tty"
)

// Choice is an answer to a Question.
type Choice struct {
	Key   rune // lower case
	Label string
	Words bool   // the person says something with it
	With  string // which begins as this
}

// Question is asked below what it is about, and answered by a key. Neither Enter
// nor a paste chooses anything.
type Question struct {
	look    Look
	prompt  string
	choices []Choice
	choice  int
	asking  bool   // for the words that go with the choice
	instead string // of the choices
	field   field
}

// NewQuestion returns a Question.
func NewQuestion(look Look, prompt string, choices []Choice) *Question {
	return &Question{look: look, prompt: prompt, choices: choices, choice: -1}
}

// Handle takes in a key. It reports whether the question is answered, or the
// person has gone away from it.
func (q *Question) Handle(k tty.Key) (done bool) {
	if q.asking {
		return q.handleWords(k)
	}
	if k.Is(tty.KeyEscape, 0) || k.Ctrl('c') {
		return true
	}
	i := q.Chosen(k)
	if i < 0 {
		return false
	}
	c := q.choices[i]
	q.choice, q.asking = i, c.Words
	q.field = newField(c.With)
	return !c.Words
}

// Chosen returns which of the choices a key is for, -1 if it is for none.
func (q *Question) Chosen(k tty.Key) int {
	return slices.IndexFunc(q.choices, func(c Choice) bool { return k.Printable() && unicode.ToLower(k.Rune) == c.Key })
}

// Asking reports whether the words are typed that go with a choice.
func (q *Question) Asking() bool { return q.asking }

// Show has View show a text where the choices stand, which no key is for now; ""
// shows the choices.
func (q *Question) Show(instead string) { q.instead = instead }

// handleWords takes in a key while words are typed. Escape goes back to the
// choices.
func (q *Question) handleWords(k tty.Key) (done bool) {
	switch {
	case k.Is(tty.KeyEnter, 0):
		return true
	case k.Is(tty.KeyEscape, 0), k.Ctrl('c'), k.Ctrl('g'):
		q.choice, q.asking = -1, false
	default:
		q.field.handle(k)
	}
	return false
}

// Answer returns which of the choices was made, -1 if none was, and the words said
// with it.
func (q *Question) Answer() (choice int, words string) {
	if q.choice < 0 || !q.choices[q.choice].Words {
		return q.choice, ""
	}
	return q.choice, q.field.text
}

// View returns the prompt and the choices, or the line in which words are typed.
func (q *Question) View(width, height int) (lines []string, row, col int) {
	if width <= 0 || height <= 0 {
		return nil, -1, 0
	}
	if q.asking {
		return q.viewWords(width, height)
	}
	for line := range strings.SplitSeq(ansi.Wrap(q.prompt, width, ""), "\n") {
		lines = append(lines, q.look.cut(line, width))
	}
	choices := q.flow(width, max(1, height-len(lines)))
	if q.instead != "" {
		choices = strings.Split(ansi.Wrap(q.look.paint(dim, q.instead), width, ""), "\n")
	}
	lines = lines[:min(len(lines), max(1, height-len(choices)))]
	lines = append(lines, choices...)
	return lines[:min(len(lines), height)], -1, 0
}

// flow returns the choices, as many in a line as it has room for. One that is wider
// than a line goes on in the next ones. Where that takes more than room lines, such
// are cut, and where that does, too, the keys stand alone: they say little to one who
// does not see what is asked.
func (q *Question) flow(columns, room int) []string {
	if lines := q.flowed(columns, q.broken); len(lines) <= room {
		return lines
	}
	lines := q.flowed(columns, func(key, label string, columns int) []string {
		return []string{q.look.paint(bold, key) + q.look.cut(" "+label, columns-width(key))}
	})
	if len(lines) <= room {
		return lines
	}
	var keys []string
	for _, pair := range q.pairs() {
		keys = append(keys, q.look.paint(bold, pair[0]))
	}
	return strings.Split(ansi.Wrap(strings.Join(keys, " "), columns, ""), "\n")
}

// flowed is flow where wide makes lines of a choice that is wider than one.
func (q *Question) flowed(columns int, wide func(key, label string, columns int) []string) (lines []string) {
	line, used := "", 0
	end := func() {
		if used > 0 {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	between := q.look.mark(" · ", " - ")
	for _, pair := range q.pairs() {
		key, label := q.look.cut(pair[0], columns), pair[1]
		size := width(key) + 1 + width(label)
		if used > 0 && used+3+size > columns {
			end()
		}
		if size > columns {
			lines = append(lines, wide(key, label, columns)...)
			continue
		}
		if used > 0 {
			line += q.look.paint(dim, between)
			used += 3
		}
		line += q.look.paint(bold, key) + " " + label
		used += size
	}
	end()
	return lines
}

// maxLabel is the most columns that a label takes.
const maxLabel = 1000

// pairs returns the keys and what they stand for.
func (q *Question) pairs() (pairs [][2]string) {
	for _, c := range q.choices {
		pairs = append(pairs, [2]string{string(c.Key), q.look.cut(c.Label, maxLabel)})
	}
	return append(pairs, [2]string{"Esc", "stops"})
}

// broken returns a choice in as many lines as it takes, the label beside the key.
func (q *Question) broken(key, label string, columns int) []string {
	indent := width(key) + 1
	lines := strings.Split(ansi.Wrap(label, max(1, columns-indent), ""), "\n")
	for i, l := range lines {
		if lines[i] = q.look.cut(strings.Repeat(" ", indent)+l, columns); i == 0 {
			lines[i] = q.look.paint(bold, key) + q.look.cut(" "+l, columns-width(key))
		}
	}
	return lines
}

// viewWords returns the line in which words are typed, below what they are for.
func (q *Question) viewWords(width, height int) (lines []string, row, col int) {
	keys := strings.Join([]string{q.choices[q.choice].Label, "Enter agrees", "Esc back"}, q.look.mark(" · ", " - "))
	if height > 1 {
		lines = append(lines, q.look.paint(dim, q.look.cut(keys, width)))
	}
	text, col := q.field.view(max(1, width-3))
	lines = append(lines, q.look.cut(q.look.mark("› ", "> ")+text, width))
	return lines, len(lines) - 1, min(col+2, width-1)
}
