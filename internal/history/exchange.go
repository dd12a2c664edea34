package history

import (
	"slices"
	"sort"
	"strings"

	"ikigai"
)

// isStatement reports whether e is a statement of whoever the interaction serves,
// and not the loop's.
func isStatement(e ikigai.Event) bool {
	e.Interaction = ikigai.Main
	return e.IsStatement()
}

// exchange is a statement of the person with what became of it.
type exchange struct {
	statement ikigai.Seq
	asks      string
	steps     []step // that followed the statement
}

// answer returns the text with which the model has answered; "" if it has not.
func (x exchange) answer() string {
	for _, s := range slices.Backward(x.steps) {
		switch s.message.Kind {
		case ikigai.KindAssistant:
			if s.broken {
				return ""
			}
			return strings.TrimSpace(s.message.Content)
		case ikigai.KindToolCall, ikigai.KindToolResult:
			return ""
		}
	}
	return ""
}

// exchanges returns those of the branch that the conversation is on, since it was
// last cleared, in order.
func (l *Line) exchanges() []exchange {
	var all []exchange
	for _, i := range l.branch() {
		s := l.steps[i]
		switch {
		case s.message.Kind == ikigai.KindClear:
			all = nil
		case s.statement:
			all = append(all, exchange{statement: s.seq, asks: strings.TrimSpace(s.message.Content[s.told:])})
		case len(all) > 0:
			x := &all[len(all)-1]
			x.steps = append(x.steps, s)
		}
	}
	return all
}

// branch returns the steps that lead to where the conversation is, in order.
func (l *Line) branch() []int {
	var way []int
	for i := l.at; i >= 0; i = l.steps[i].before {
		way = append(way, i)
	}
	slices.Reverse(way)
	return way
}

// stepOf returns the step that event seq is.
func (l *Line) stepOf(seq ikigai.Seq) (step, bool) {
	i := sort.Search(len(l.steps), func(i int) bool { return l.steps[i].seq >= seq })
	if i == len(l.steps) || l.steps[i].seq != seq {
		return step{}, false
	}
	return l.steps[i], true
}
