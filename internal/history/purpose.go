package history

import (
	"slices"
	"sync"

	"ikigai"
)

// Purpose is what a session is for, on two levels: its goal, and the objective
// of each statement, as a projection of the log. It may be used by several
// goroutines at once. Make one with NewPurpose.
//
// There are always as many objectives as the conversation has statements: until
// an event says better, the first sentence of a statement is its objective, and
// that of the first statement the goal. After a rewind all is as it was then.
// After a clear the conversation begins anew, with no objective and no goal; the
// log keeps those there were.
type Purpose struct {
	mu    sync.Mutex
	trail trail[aim]
	now   aims // what the trail makes
}

// Objective is what a statement is to reach.
type Objective struct {
	Statement ikigai.Seq `json:"statement"` // its event
	Text      string     `json:"text"`
	By        string     `json:"by"` // ikigai.ByModel, ikigai.ByPerson or ByStatement
}

// ByStatement tells that a goal or an objective is the first sentence of a
// statement.
const ByStatement = "statement"

// NewPurpose returns the purpose of a session before its first event.
func NewPurpose() *Purpose { return &Purpose{} }

// Goal returns what the session is for; "" if nothing was said yet.
func (p *Purpose) Goal() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.aim().Text
}

// GoalBy returns whose words the goal is in, as in an Objective; "" if there is
// none.
func (p *Purpose) GoalBy() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.aim().By
}

// Objective returns what the last statement is to reach; "" if there is none.
func (p *Purpose) Objective() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.now.objectives); n > 0 {
		return p.now.objectives[n-1].Text
	}
	return ""
}

// Objectives returns what the statements of the conversation are to reach, one
// for each, in order: the last is the current one.
func (p *Purpose) Objectives() []Objective {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.now.objectives)
}

// Add takes in the next event of the session.
func (p *Purpose) Add(e ikigai.Event) {
	if e.Interaction != ikigai.Main {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := aimOf(e); ok {
		p.trail.add(e.Seq, a)
		p.now.take(a)
	} else if p.trail.turn(e) {
		p.now = aims{}
		for _, a := range p.trail.way() {
			p.now.take(a)
		}
	}
}

// aim is a statement, in its first sentence, or an event of a goal or of an
// objective.
type aim struct {
	kind ikigai.Kind
	Objective
}

// aimOf returns what e says of the purpose, if it says anything.
func aimOf(e ikigai.Event) (aim, bool) {
	if e.IsStatement() {
		return aim{e.Kind, Objective{Statement: e.Seq, Text: firstSentence(e.Content), By: ByStatement}}, true
	}
	if e.Kind != ikigai.KindGoal && e.Kind != ikigai.KindObjective {
		return aim{}, false
	}
	var d ikigai.ObjectiveData
	if e.DecodeData(&d) != nil || d.By == "" || e.Content == "" {
		return aim{}, false
	}
	return aim{e.Kind, Objective{Statement: d.Statement, Text: e.Content, By: d.By}}, true
}

// aims is what some events make, one after the other.
type aims struct {
	first      string    // sentence of the first statement
	goal       Objective // of the events of goals
	objectives []Objective
}

// aim returns the goal.
func (s *aims) aim() Objective {
	if s.goal.By == "" && len(s.objectives) > 0 {
		return Objective{Text: s.first, By: ByStatement}
	}
	return s.goal
}

// take takes in the next. What a person says no model puts aside.
func (s *aims) take(a aim) {
	better := func(before Objective) bool { return a.By == ikigai.ByPerson || before.By != ikigai.ByPerson }
	switch a.kind {
	case ikigai.KindUser:
		if len(s.objectives) == 0 {
			s.first = a.Text
		}
		s.objectives = append(s.objectives, a.Objective)
	case ikigai.KindGoal:
		if better(s.goal) {
			s.goal = a.Objective
		}
	case ikigai.KindObjective:
		i, ok := slices.BinarySearchFunc(s.objectives, a.Statement, func(o Objective, seq ikigai.Seq) int { return int(o.Statement - seq) })
		if ok && better(s.objectives[i]) {
			s.objectives[i] = a.Objective
		}
	}
}
