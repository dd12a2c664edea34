package transcript

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// Side says what the side interaction of a block is.
type Side struct {
	ikigai.InteractionData
	Title string // in words what it is for
}

// End is the kind of the block behind the last event of a side interaction's
// reply: nothing more comes of it, unless it is asked again. It has the Seq of
// that event, no event of its own, and a Body of type Ended.
const End ikigai.Kind = "end"

// Ended is the body of an End.
type Ended struct {
	Spent
	Turns  int    // rounds of tools
	Answer string // the beginning of what was answered or, if it failed, what failed; a line
	Failed bool   // with an error
	// Stopped says that the error is that it was stopped, by whoever did not want
	// its answer any more.
	Stopped bool
}

// Spent is what a side interaction has used so far.
type Spent struct {
	Requests      int // that were answered
	Input, Output int64
	Cost          *int64 // millionths of a US dollar; nil where none is known
}

// Objective is the body of a goal, an objective and a title.
type Objective struct {
	ikigai.ObjectiveData
	Spent *Spent // by the side interaction that named it; nil for the person's words, and once it was told
}

// Projection is the body of a projection.
type Projection struct {
	ikigai.ProjectionData
	Spent *Spent // by the side interaction that wrote the summary, if one did
}

// side is what is known of a side interaction that is under way, or was the last
// of its purpose.
type side struct {
	Side
	spent     Spent
	answer    string
	calls     bool // the reply under way has calls
	ended     bool
	told      bool // what it used
	began     ikigai.Seq
	statement int // in which it began
}

// begins takes in the first event of a side interaction. What has ended of the
// same purpose is not asked for any more.
func (t *Transcript) begins(b Block) {
	if b.Interaction == ikigai.Main {
		return // of a damaged log: the conversation is no side interaction
	}
	d, _ := b.Body.(ikigai.InteractionData)
	for name, s := range t.sides {
		if s.ended && s.Purpose == d.Purpose {
			t.forget(name)
		}
	}
	if t.sides == nil {
		t.sides = map[string]*side{}
	}
	t.sides[b.Interaction] = &side{Side: Side{d, b.Text}, began: b.Seq, statement: t.statement}
}

// forgetSides forgets, before a new statement, the side interactions that
// nothing comes of any more: those that ended, and those that a process left
// behind.
func (t *Transcript) forgetSides() {
	for name, s := range t.sides {
		if s.ended || s.statement < t.statement {
			t.forget(name)
		}
	}
}

// under reports whether an interaction serves another one, or one that does.
func (t *Transcript) under(interaction, above string) bool {
	for range len(t.sides) { // damaged data may go round in circles
		s := t.sides[interaction]
		if s == nil {
			return false
		}
		if interaction = cmp.Or(s.Parent, ikigai.Main); interaction == above {
			return true
		}
	}
	return false
}

// answers takes in that a call has its result: the side interactions that served
// it are over. It returns the calls that they leave behind.
func (t *Transcript) answers(interaction, callID string) (blocks []Block) {
	for _, name := range slices.Sorted(maps.Keys(t.sides)) {
		if s := t.sides[name]; s.CallID != "" && s.CallID == callID && cmp.Or(s.Parent, ikigai.Main) == interaction {
			blocks = append(blocks, t.abandon(name)...)
			s.ended = true // what is noticed of its files comes later
		}
	}
	return blocks
}

func (t *Transcript) forget(interaction string) {
	delete(t.sides, interaction)
	delete(t.lines, interaction)
}

// beside takes in what happens in a side interaction and returns the End behind
// it, if this is the end.
func (t *Transcript) beside(b Block) (end Block, ended bool) {
	s := t.sides[b.Interaction]
	if s == nil {
		return Block{}, false
	}
	failed, stopped := false, false
	switch d := b.Body.(type) {
	case Call:
		s.calls = true
	case ikigai.UsageData:
		s.spent.add(d)
		ended, s.calls = !s.calls, false
	case ikigai.ErrorData:
		ended, failed, stopped = true, true, d.Kind == ikigai.ErrorCancelled
		s.answer = whatFailed(beginning(b.Text))
	}
	if b.Kind == ikigai.KindAssistant {
		s.answer = beginning(fenced(b.Text))
	}
	if !ended {
		return Block{}, false
	}
	s.ended = true
	return t.end(b, s, failed, stopped), true
}

func (t *Transcript) end(b Block, s *side, failed, stopped bool) Block {
	b.Kind, b.Text, b.ID, b.Damage, b.Round = End, s.Title, "", "", 0
	b.Body = Ended{s.spent, t.line(b.Interaction).rounds, s.answer, failed, stopped}
	return b
}

func (s *Spent) add(d ikigai.UsageData) {
	s.Requests++
	s.Input += d.Input
	s.Output += d.Output
	if d.Cost != nil {
		sum := *d.Cost
		if s.Cost != nil {
			sum += *s.Cost
		}
		s.Cost = &sum
	}
}

// named returns the body of what was named. What the side interaction used that
// named it is told once, with the objective.
func (t *Transcript) named(b Block) Objective {
	o := Objective{ObjectiveData: b.Body.(ikigai.ObjectiveData)}
	if o.By != ikigai.ByModel || b.Kind != ikigai.KindObjective {
		return o
	}
	var first *side
	for _, s := range t.sides {
		if s.Purpose == ikigai.PurposeObjective && s.ended && !s.told && (first == nil || s.began < first.began) {
			first = s
		}
	}
	if first != nil {
		o.Spent = first.tell()
	}
	return o
}

// Later reports whether b tells, beside the conversation, what a model was asked by the
// way about a statement: what it is for. It is to be shown once the statement has ended,
// so as not to part what belongs together.
func (b Block) Later() bool {
	switch b.Body.(type) {
	case Objective:
		return b.Folded
	case Ended:
		return b.Folded && b.Side.Purpose == ikigai.PurposeObjective
	}
	return false
}

// projected returns the body of a projection.
func (t *Transcript) projected(b Block) Projection {
	p := Projection{ProjectionData: b.Body.(ikigai.ProjectionData)}
	if p.Summary == nil {
		return p
	}
	if s := t.sides[p.Summary.Interaction]; s != nil && !s.told {
		p.Spent = s.tell()
	}
	return p
}

// tell returns what the interaction has used so far.
func (s *side) tell() *Spent {
	s.told = true
	spent := s.spent
	return &spent
}

// quiet reports whether a live view is spared the block: what a model names is
// told by the objective, that a side interaction but a task came to nothing is told,
// where it matters, by whoever wanted something of it, and that changes are not
// recorded by a notice.
func quiet(b Block) bool {
	switch d := b.Body.(type) {
	case Ended:
		return d.Failed && b.Side.Purpose != ikigai.PurposeTask
	case Objective:
		return d.By == ikigai.ByModel && b.Kind != ikigai.KindObjective
	case Change:
		return d.Unrecorded != ""
	}
	return false
}

// told reports whether an event of the main interaction tells what a side
// interaction of this purpose came to.
func told(p ikigai.Purpose) bool {
	return p == ikigai.PurposeObjective || p == ikigai.PurposeSummary
}

// inside reports whether b is left out where a side interaction is folded. What
// is shown of a task is what it did: whose tools worked on what is of interest
// to the person in any case.
func inside(b Block) bool {
	if b.Side == nil {
		d, begins := b.Body.(ikigai.InteractionData)
		return begins && d.Purpose == ikigai.PurposeShell
	}
	switch d := b.Body.(type) {
	case Ended:
		return !d.Failed && told(b.Side.Purpose)
	case ikigai.InteractionData, Result:
		return b.Side.Purpose != ikigai.PurposeTask
	case Call:
		return !d.MayHaveRun
	case Change:
		return !d.Noticed && d.NotKept == ""
	}
	return true
}

// fenced returns text without the line that opens a fence at its beginning.
func fenced(text string) string {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "```") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// whatFailed returns the first of an error's two sentences. The second says what
// the person can do, who has not asked in a side interaction.
func whatFailed(text string) string {
	what, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(what, ".")
}

// maxAnswer is how much is kept of an answer, in bytes.
const maxAnswer = 200

// beginning returns the first line of text, cut.
func beginning(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) <= maxAnswer {
		return line
	}
	end := maxAnswer
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}
