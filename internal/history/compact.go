package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ikigai"
)

// How full a context may get. Between the two marks the conversation grows
// without a change of what was sent before, so that vendors' caches hold.
const (
	highWater = 0.80 // of the budget: from here on there is to be less
	lowWater  = 0.45 // of the budget: so much is to be left
)

// Compaction says how a conversation is to be put in fewer words.
type Compaction struct {
	Model  string // vendor/model that it is to fit
	Reason string // ikigai.FitBudget, FitRefused or FitPerson
	Budget int64  // tokens that it may take; 0 where nobody knows
	Known  Known

	// Keep stores what a tool has said and is not sent any more, and returns the
	// name of the file; "" where that is not possible. It may be nil.
	Keep func(seq ikigai.Seq, text string) string
	// Summarise has a model put a text into at most size bytes. It returns what
	// the model has said, and the interaction in which it did; "" where nothing
	// came of it. It may be nil. A text has at most MaxText bytes; 0 for any.
	Summarise func(ctx context.Context, text string, size int) (summary, interaction string)
	MaxText   int
}

// Known is what the log knows of a session, beside the conversation, and a
// summary repeats.
type Known struct {
	Goal       string
	Objectives []Objective
	Resources  []Use
}

// Compact returns the event from which on the conversation takes fewer tokens,
// and false if it would not take noticeably fewer, or if ctx has ended. Old
// results of tools go first, then whole statements, of which the newest stay as
// they are, and only then what belongs to the statement that is being worked on;
// the words of the latter always stay. Compact is called between requests, and
// nothing else of the conversation may be recorded meanwhile.
func (l *Line) Compact(ctx context.Context, how Compaction) (ikigai.Event, bool) {
	if len(l.now.messages) == 0 {
		return ikigai.Event{}, false
	}
	before := l.Tokens()
	p := l.newPlan(before, how)
	p.make()
	if !p.worthwhile() {
		return ikigai.Event{}, false
	}
	d := ikigai.ProjectionData{Model: how.Model, Reason: how.Reason, Budget: p.budget, Before: before}
	statements := 0
	if p.cut > 0 {
		statements = len(p.summed())
		d.Summary = p.summary(ctx)
	}
	if ctx.Err() != nil { // who stops a model at its summary has not asked for a worse one
		return ikigai.Event{}, false
	}
	d.Trimmed = p.kept()
	then := l.now.copied()
	then.project(step{seq: p.never(), projection: &d})
	d.After = max(1, before-l.inTokens(weightOf(l.now.messages)-weightOf(then.messages)))
	e := ikigai.NewEvent(ikigai.KindProjection, told(d, statements), d)
	e.Interaction = l.interaction
	return e, true
}

// told says in words what a projection does.
func told(d ikigai.ProjectionData, statements int) string {
	var what []string
	if len(d.Trimmed) > 0 {
		what = append(what, "older tool results")
	}
	switch {
	case d.Summary == nil:
	case statements == 1:
		what = append(what, "an older statement")
	case statements > 1:
		what = append(what, fmt.Sprintf("%d older statements", statements))
	default:
		what = append(what, "earlier rounds of tools")
	}
	s := strings.Join(what, " and ")
	verb := " are"
	if s == "an older statement" {
		verb = " is"
	}
	return strings.ToUpper(s[:1]) + s[1:] + verb + " sent in fewer words from here on: about " +
		thousands(d.Before) + " to " + thousands(d.After) + " tokens. The log keeps all of it."
}

// thousands writes n as people read it: 27,800.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plan is what is to be left out of a conversation, found by trying it.
type plan struct {
	Compaction
	line   *Line
	budget int64 // tokens
	before int64 // weight of the messages as they are sent now
	goal   int64 // weight of the messages that is aimed at
	most   int64 // weight that still fits
	quota  int64 // weight of an eighth of the budget

	first   int // the first message that no summary stands for
	current int // the statement that is being worked on, or the summary that holds it
	recent  int // its last rounds begin here

	trims []ikigai.TrimmedResult
	cut   int   // what is before this message is summed up; 0 if nothing is
	after int64 // weight of what the plan leaves
}

// fullRounds is how many rounds of tools at the end keep their results.
const fullRounds = 2

func (l *Line) newPlan(tokens int64, how Compaction) *plan {
	p := &plan{Compaction: how, line: l, budget: how.Budget, before: weightOf(l.now.messages)}
	switch {
	case how.Reason == ikigai.FitRefused: // it is less than was thought
		if refused := tokens * 19 / 20; p.budget == 0 || refused < p.budget {
			p.budget = refused
		}
	case p.budget == 0:
		p.budget = tokens
	}
	bytes := func(tokens float64) int64 { return int64(tokens * l.gauge.PerToken()) }
	low := lowWater * float64(p.budget)
	if how.Reason == ikigai.FitPerson {
		low = min(low, float64(tokens)/2)
	}
	p.goal = p.before - bytes(float64(tokens)-low)
	p.most = p.before - bytes(float64(tokens)-highWater*float64(p.budget))
	p.quota = bytes(float64(p.budget) / 8)
	c := &l.now
	p.first = c.first()
	p.current = p.first - 1 // where a summary holds it
	for i := p.first; i < len(c.messages); i++ {
		if l.isStatement(c.origins[i]) {
			p.current = i
		}
	}
	p.recent = p.lastRounds(fullRounds)
	return p
}

// lastRounds returns where the last n replies to the current statement begin.
func (p *plan) lastRounds(n int) int {
	messages := p.line.now.messages
	i := len(messages)
	for n > 0 && i > p.current+1 {
		i--
		if k := messages[i].Kind; k != ikigai.KindToolResult && !ikigai.Joins(messages, i) {
			n--
		}
	}
	return i
}

// make finds what to leave out: the least of these steps that is enough.
func (p *plan) make() {
	p.trimUntil(p.first, p.recent, p.goal)
	if p.after <= p.goal {
		return
	}
	if cut := p.oldStatements(); cut > p.first {
		p.sumUp(cut)
	}
	if p.after > p.most {
		p.recent = p.lastRounds(1)
		p.trimUntil(max(p.first, p.cut), p.recent, p.goal)
	}
	if p.after > p.most && p.recent > p.current+1 {
		p.sumUp(p.recent)
	}
	if p.after > p.most {
		p.showInPart()
	}
}

// trimUntil trims messages from one place to another, the oldest first, until
// what is left weighs no more than goal.
func (p *plan) trimUntil(from, to int, goal int64) {
	p.trims = nil
	p.try()
	saved := int64(0)
	for i := from; i < to && p.after-saved > goal; i++ {
		if gain, ok := p.gain(i, 0); ok {
			saved += gain
			p.trims = append(p.trims, ikigai.TrimmedResult{Seq: p.line.now.origins[i], File: p.placeholder(i)})
		}
	}
	p.try()
}

// minGain is the least weight for which a message is trimmed.
const minGain = 1 << 10

// gain returns the weight that message i loses when keep bytes of it stay, and
// whether that is worth it.
func (p *plan) gain(i, keep int) (int64, bool) {
	c := &p.line.now
	m, seq := c.messages[i], c.origins[i]
	if before, done := c.trimmed[seq]; seq == 0 || done && (before.Keep == 0 || keep > 0) {
		return 0, false
	}
	gain := weight(m) - weight(shortened(m, ikigai.TrimmedResult{Seq: seq, Keep: keep, File: p.placeholder(i)}, trimmable(m)))
	return gain, gain >= minGain
}

// placeholder stands for the name of a file that is not written yet.
func (p *plan) placeholder(i int) string {
	if p.Keep == nil || p.line.now.messages[i].Kind != ikigai.KindToolResult {
		return ""
	}
	return strings.Repeat("x", 100)
}

// oldStatements returns the place of the first statement that stays as it is: so
// many of the newest as take no more than a quarter of the budget, and leave room
// for a summary below the goal.
func (p *plan) oldStatements() int {
	c := p.tried()
	summary := p.quota * 3 / 2
	room := min(2*p.quota, p.goal-summary-weightOf(c.messages[:p.first-p.summaries()])-weightOf(c.messages[max(p.current, 0):]))
	cut, sum := p.current, int64(0)
	for i := p.current - 1; i >= p.first; i-- {
		if sum += weight(c.messages[i]); sum > room {
			break
		}
		if p.line.isStatement(c.origins[i]) {
			cut = i
		}
	}
	return cut
}

// sumUp puts a summary in the place of what is before a message, and trims of
// the rest what is still too much.
func (p *plan) sumUp(cut int) {
	p.cut = cut
	p.trimUntil(cut, max(cut, p.recent), p.goal)
}

// showInPart leaves of the last results what there is room for.
func (p *plan) showInPart() {
	c := &p.line.now
	var last []int
	room := p.most - p.after
	for i := max(p.recent, p.cut); i < len(c.messages); i++ {
		if gain, ok := p.gain(i, minTrimmed); ok {
			last = append(last, i)
			room += gain
		}
	}
	if len(last) == 0 {
		return
	}
	keep := max(int(room)/len(last), minTrimmed)
	for _, i := range last {
		if _, ok := p.gain(i, keep); ok {
			p.trims = append(p.trims, ikigai.TrimmedResult{Seq: c.origins[i], Keep: keep, File: p.placeholder(i)})
		}
	}
	p.try()
}

// tried returns the conversation as the plan leaves it, with a text of the
// greatest length for the summary.
func (p *plan) tried() conversation {
	c := p.line.now.copied()
	d := ikigai.ProjectionData{Trimmed: p.trims}
	if p.cut > 0 {
		d.Summary = &ikigai.SummaryData{To: p.to(), Text: strings.Repeat("x", p.textSize())}
	}
	c.project(step{seq: p.never(), projection: &d})
	return c
}

func (p *plan) try() { p.after = weightOf(p.tried().messages) }

// to returns the last event that the summary stands for.
func (p *plan) to() ikigai.Seq {
	if c := &p.line.now; p.cut < len(c.messages) {
		return c.origins[p.cut] - 1
	}
	return p.never() - 1
}

// never is behind all events that there are.
func (p *plan) never() ikigai.Seq {
	return p.line.steps[len(p.line.steps)-1].seq + 1
}

// textSize returns the most bytes that a summary is to have: no more than a
// quarter of the budget, and fewer than what it stands for.
func (p *plan) textSize() int {
	return int(max(minSummary, min(2*p.quota, weightOf(p.line.now.messages[p.first-p.summaries():p.cut])/2)))
}

// summaries returns how many messages of the conversation are a summary.
func (p *plan) summaries() int {
	if p.line.now.summary > 0 {
		return 1
	}
	return 0
}

// minSummary is the length that a summary may have even where there is no room.
const minSummary = 1 << 10

// worthwhile reports whether the plan leaves noticeably less.
func (p *plan) worthwhile() bool {
	return (len(p.trims) > 0 || p.cut > 0) && p.after < p.before-max(minGain, p.before/20)
}

// kept returns what is trimmed, with the files that hold it whole.
func (p *plan) kept() []ikigai.TrimmedResult {
	for i, t := range p.trims {
		p.trims[i].File = ""
		if text, ok := p.line.Output(t.Seq); ok && p.Keep != nil {
			p.trims[i].File = p.Keep(t.Seq, text)
		}
	}
	return p.trims
}

// summed returns the statements that the summary stands for and no summary stood
// for before.
func (p *plan) summed() (all []exchange) {
	c := &p.line.now
	sent := map[ikigai.Seq]bool{}
	for _, seq := range c.origins[p.first:p.cut] {
		sent[seq] = true
	}
	for _, x := range p.line.exchanges() {
		if sent[x.statement] {
			all = append(all, x)
		}
	}
	return all
}

// copied returns a conversation that can be changed while c stays.
func (c conversation) copied() conversation {
	c.messages, c.origins = slices.Clone(c.messages), slices.Clone(c.origins)
	c.trimmed, c.media.media = maps.Clone(c.trimmed), slices.Clone(c.media.media)
	return c
}
