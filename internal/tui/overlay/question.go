package overlay

import "ikigai/internal/tty"

// Choice is an answer to a Question.
type Choice struct {
	Key   rune // lower case
	Label string
	Words bool   // the person says something with it
	With  string // which begins as this
}

// Question is asked below what it is about, and answered by a key. Neither Enter
// nor a paste chooses anything.
type Question struct{}

// NewQuestion returns a Question.
func NewQuestion(look Look, prompt string, choices []Choice) *Question { return &Question{} }

// Handle takes in a key. It reports whether the question is answered, or the
// person has gone away from it.
func (q *Question) Handle(k tty.Key) (done bool) { return true }

// Answer returns which of the choices was made, -1 if none was, and the words said
// with it.
func (q *Question) Answer() (choice int, words string) { return -1, "" }

// View returns the prompt and the choices, or the line in which words are typed.
func (q *Question) View(width, height int) (lines []string, row, col int) { return nil, -1, 0 }
