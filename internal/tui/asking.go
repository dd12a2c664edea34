package tui

import (
	"slices"
	"time"

	"ikigai/internal/tty"
	"ikigai/internal/tui/overlay"
)

// pause is how long somebody who is typing must have stopped before a key
// answers a question: what they were about to say must not.
const pause = 700 * time.Millisecond

// asked is a question that waits for its answer.
type asked struct {
	q      Question
	answer chan Answer
	widget *overlay.Question // nil until it is this question's turn
	heard  bool              // a key has been taken
}

func newAsked(q Question) *asked { return &asked{q: q, answer: make(chan Answer, 1)} }

// ask takes in a question.
func (l *loop) ask(a *asked) {
	if l.plain != nil {
		l.plain.begins(l, newPlainQuestion(a))
		return
	}
	l.asked = append(l.asked, a)
	if len(l.asked) == 1 {
		l.askNext()
	}
}

// askNext asks the question whose turn it is.
func (l *loop) askNext() {
	a := l.question()
	if a == nil {
		return
	}
	choices := make([]overlay.Choice, len(a.q.Choices))
	for i, c := range a.q.Choices {
		choices[i] = overlay.Choice{Key: c.Key, Label: safe(c.Label), Words: c.Words, With: c.With}
	}
	a.widget = overlay.NewQuestion(l.look(), safe(a.q.Prompt), choices)
	l.print(l.about(a.q))
	l.ring("ikigai asks: " + safe(a.q.Prompt))
}

// about returns what is printed above a question: of what it is about, what does
// not stand on the screen yet.
func (s *state) about(q Question) string {
	if last := len(s.atEnd) - 1; last >= 0 && s.atEnd[last] == q.Call || q.Named && slices.Contains(s.atEnd, q.Call) {
		return q.Rest
	}
	return q.Text
}

// question returns the question that is asked, nil if there is none.
func (s *state) question() *asked {
	if len(s.asked) == 0 {
		return nil
	}
	return s.asked[0]
}

// takes reports whether a key is for the question. sinceTyped is how long ago
// something was typed into the input.
func (a *asked) takes(k tty.Key, sinceTyped time.Duration) bool {
	return !k.Ctrl('c') && (a.heard || sinceTyped >= pause || k.Is(tty.KeyEscape, 0))
}

// answer gives a key to the question.
func (l *loop) answer(k tty.Key) {
	a := l.question()
	a.heard = true
	if a.widget.Handle(k) {
		choice, words := a.widget.Answer()
		a.answer <- Answer{Choice: choice, Words: words}
		l.withdraw(a)
	}
}

// withdraw takes a question away.
func (l *loop) withdraw(a *asked) {
	if l.plain != nil {
		l.plain.withdraw(l, a)
		return
	}
	i := slices.Index(l.asked, a)
	if i < 0 {
		return
	}
	l.asked = slices.Delete(l.asked, i, i+1)
	if i == 0 {
		l.askNext()
	}
}
