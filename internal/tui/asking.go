package tui

import (
	"slices"
	"time"

	"ikigai/internal/tty"
	"ikigai/internal/tui/overlay"
)

// A key is the answer to a question only where it stands alone: what somebody is
// about to say must not answer, least of all allow something.
const (
	pause  = 700 * time.Millisecond // without a key before it that was for something else
	alone  = 400 * time.Millisecond // without a key after it, if it allows something
	stalls = 50 * time.Millisecond  // later than that, nobody has looked for keys in time
)

// asked is a question that waits for its answer.
type asked struct {
	q      Question
	answer chan Answer
	widget *overlay.Question // nil until it is this question's turn
	guess  *guess            // nil unless a key has been typed that may be the answer
	since  time.Time         // it is its turn
	rang   bool              // the person was called
	took   time.Time         // it was given a key, last
}

// guess is a key that is the answer if no other one follows.
type guess struct {
	key   tty.Key
	label string
	due   time.Time // when it is
	late  bool      // that has been put off
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
	text := l.about(a.q)
	if text != "" && text == a.q.Text {
		l.gap()
	}
	l.print(text)
	l.summon(a)
}

// summon calls the person to a question whose turn it is.
func (l *loop) summon(a *asked) {
	a.since, a.rang = time.Now(), l.ring(a.summons())
}

func (a *asked) summons() string { return "ikigai asks: " + safe(a.q.Prompt) }

// remind calls the person to a question that has waited for long enough.
func (l *loop) remind(now time.Time) {
	if due := l.reminder(); !due.IsZero() && !now.Before(due) {
		a := l.waits()
		a.rang = true
		l.term.Ring(a.summons())
	}
}

// reminder returns when the person is called to a question that they were not called to
// yet, zero if they are not to be. What they type puts it off, unless something is open
// over the question: then they may not know of it.
func (l *loop) reminder() time.Time {
	a, after := l.waits(), l.config.NotifyAfter
	switch {
	case a == nil || a.rang || after <= 0:
		return time.Time{}
	case l.open() == nil && l.keyAt.After(a.since):
		return l.keyAt.Add(after)
	}
	return a.since.Add(after)
}

// waits returns the question whose turn it is, nil if there is none.
func (l *loop) waits() *asked {
	if l.plain != nil {
		return l.plain.question()
	}
	return l.question()
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

// answers gives a key to the question, if it is for that. quiet is how long no key
// was for something else before it.
func (l *loop) answers(k tty.Key, quiet time.Duration) bool {
	a := l.question()
	switch {
	case a == nil || k.Ctrl('c') || !l.input.Empty():
		return false
	case a.widget.Asking():
		l.answer(k)
		return true
	case k.Is(tty.KeyEscape, 0):
		l.halt()
		l.answer(k)
		return true
	}
	i := a.widget.Chosen(k)
	switch {
	case i < 0 || quiet < pause:
		return false
	case a.q.Choices[i].Allows:
		a.guess = &guess{key: k, label: safe(a.q.Choices[i].Label), due: time.Now().Add(alone)}
	default:
		l.answer(k)
	}
	return true
}

// follows takes in that a key follows one that may have been the answer: that was
// the beginning of something else, and is typed.
func (l *loop) follows(k tty.Key) {
	a := l.question()
	if a == nil || a.guess == nil {
		return
	}
	began := a.guess.key
	if a.guess = nil; !k.Is(tty.KeyEscape, 0) {
		l.edit(began)
	}
}

// decide takes the key for the answer after which no other one has come. It is
// called when there is no key, and reports whether it has done anything.
func (l *loop) decide() bool {
	a, now := l.question(), time.Now()
	if a == nil || a.guess == nil || l.away > 0 || now.Before(a.guess.due) {
		return false
	}
	l.dirty, l.urgent = true, true
	g := a.guess
	if now.Sub(g.due) > stalls && !g.late { // what was typed since may not have been read
		g.due, g.late = now.Add(alone), true
		return true
	}
	a.guess = nil
	l.answer(g.key)
	return true
}

// untilAnswered returns how long it is until a key counts as the answer, or can.
func (s *state) untilAnswered(now time.Time) time.Duration {
	switch a := s.question(); {
	case a == nil:
		return 0
	case a.guess != nil:
		return a.guess.due.Sub(now)
	}
	return pause - s.quiet(now)
}

// quiet returns how long no key has come that was for something else than the question.
func (s *state) quiet(now time.Time) time.Duration {
	if a := s.question(); a != nil && a.took.Equal(s.keyAt) {
		return pause
	}
	return now.Sub(s.keyAt)
}

// unanswerable returns what stands in place of the choices, which no key is for now.
func (s *state) unanswerable() string {
	switch a := s.question(); {
	case a.guess != nil:
		return a.guess.label + s.glyph(" …", " ...")
	case !s.input.Empty():
		return "finish or clear what you type, then answer"
	case s.quiet(s.now) < pause:
		return "you were typing: a moment, then answer"
	}
	return ""
}

// answer gives a key to the question.
func (l *loop) answer(k tty.Key) {
	a := l.question()
	a.took = l.keyAt
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
