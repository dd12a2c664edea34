package history

import (
	"bytes"

	"ikigai"
)

// What a message is taken to weigh beside its text, in bytes of text that costs
// as many tokens.
const (
	messageWeight = 50   // its names and brackets
	imageWeight   = 6000 // of an image, or a page; vendors count 700 to 1,600 tokens
	pageBytes     = 50_000
)

// weight returns how many bytes m takes of a request, about: what is no text
// counts as much as text of the same number of tokens.
func weight(m ikigai.Message) int64 {
	n := messageWeight
	switch {
	case m.Call != nil:
		n += len(m.Call.ID) + len(m.Call.Name) + len(m.Call.Arguments)
	case m.Result != nil:
		n += len(m.Result.CallID) + len(m.Result.Output) + len(m.Result.Note) + len(m.Result.Feedback)
	default:
		n += len(m.Content)
	}
	for _, state := range m.Vendor {
		n += len(state)
	}
	for _, p := range partsOf(m) {
		switch p.Type {
		case ikigai.PartImage:
			n += imageWeight
		case ikigai.PartFile:
			n += imageWeight * int(1+max(p.Size, 0)/pageBytes)
		default:
			n += len(p.Text)
		}
	}
	return int64(n)
}

// weightOf returns the weight of several messages.
func weightOf(messages []ikigai.Message) (n int64) {
	for _, m := range messages {
		n += weight(m)
	}
	return n
}

// Tokens returns how many tokens the next Request is likely to have.
func (l *Line) Tokens() int64 {
	if l.uncounted {
		return l.inTokens(l.weightNow())
	}
	return l.gauge.Tokens()
}

// measure takes in what an event tells of the size of requests.
func (l *Line) measure(e ikigai.Event) {
	l.gauge.Add(e)
	switch e.Kind {
	case ikigai.KindUsage:
		l.uncounted = bytes.Contains(e.Data, []byte(`"input":0,`)) // decoding each takes long in a long session
	case ikigai.KindRewind, ikigai.KindClear:
		l.uncounted = true
	case ikigai.KindProjection:
		var d ikigai.ProjectionData
		if e.DecodeData(&d) != nil {
			return
		}
		l.uncounted = false
		if d.Reason == ikigai.FitRefused {
			if l.refused == nil {
				l.refused = map[string]int64{}
			}
			l.refused[d.Model] = d.Budget
		}
	}
}

// inTokens returns how many tokens so many bytes have, about.
func (l *Line) inTokens(bytes int64) int64 { return int64(float64(bytes) / l.gauge.PerToken()) }

// weightNow returns the weight of the conversation with its tools.
func (l *Line) weightNow() int64 {
	n := weightOf(l.now.messages)
	for _, m := range l.now.round.calls {
		n += weight(m)
	}
	for _, m := range l.now.round.results {
		if m != nil {
			n += weight(*m)
		}
	}
	return n + l.toolsWeight()
}

func (l *Line) toolsWeight() (n int64) {
	for _, t := range l.tools {
		n += int64(messageWeight + len(t.Name) + len(t.Description) + len(t.Schema))
	}
	return n
}

// Full reports whether the conversation has come so near to a budget, in tokens,
// that it is to be sent in fewer words.
func (l *Line) Full(budget int64) bool { return float64(l.Tokens()) > highWater*float64(budget) }

// Refused returns the budget to which the conversation was last brought down
// because a model's vendor refused it, 0 if that never happened. It is the best
// that is known of a model whose context nobody has told.
func (l *Line) Refused(model string) int64 { return l.refused[model] }

// Shape is what the next Request is made of. Bytes are those of the texts, about;
// what is no text counts as much as text of the same number of tokens.
type Shape struct {
	Tokens     int64   // of the request, estimated
	PerToken   float64 // bytes that a token has, as far as vendors have told
	System     int64   // bytes of the system prompt
	Tools      int64   // bytes of the tools
	Summary    SummaryShape
	Statements []StatementShape // that are sent, in order
}

// SummaryShape is what stands in the place of the conversation's beginning. It
// is zero where nothing does.
type SummaryShape struct {
	Seq        ikigai.Seq // of the projection that made it
	Text       string
	Bytes      int64
	Statements int // that it stands for
}

// StatementShape is a statement with all that was done for it.
type StatementShape struct {
	// Seq is the statement's event; 0 where a summary stands for it and only
	// what followed it is sent, or part of that.
	Seq      ikigai.Seq
	Messages int
	Bytes    int64
	Tokens   int64                  // estimated
	Trimmed  []ikigai.TrimmedResult // of which less is sent than the log holds
}

// Shape returns what the next Request is made of.
func (l *Line) Shape() Shape {
	s := Shape{Tokens: l.Tokens(), PerToken: l.gauge.PerToken(), Tools: l.toolsWeight()}
	c := &l.now
	if c.hasSystem {
		s.System = weight(c.messages[0])
	}
	first := c.first()
	if c.summary > 0 {
		m := c.messages[first-1]
		s.Summary = SummaryShape{Seq: c.summary, Text: m.Content, Bytes: weight(m)}
	}
	for i, m := range c.messages[first:] {
		if seq := c.origins[first+i]; l.isStatement(seq) || len(s.Statements) == 0 {
			if !l.isStatement(seq) {
				seq = 0
			}
			s.Statements = append(s.Statements, StatementShape{Seq: seq})
		}
		last := &s.Statements[len(s.Statements)-1]
		last.Messages++
		last.Bytes += weight(m)
		if t, ok := c.trimmed[c.origins[first+i]]; ok {
			last.Trimmed = append(last.Trimmed, t.TrimmedResult)
		}
	}
	whole := 0
	for i := range s.Statements {
		s.Statements[i].Tokens = l.inTokens(s.Statements[i].Bytes)
		if s.Statements[i].Seq > 0 {
			whole++
		}
	}
	if c.summary > 0 {
		s.Summary.Statements = len(l.exchanges()) - whole
	}
	return s
}

// isStatement reports whether event seq is a statement of the person.
func (l *Line) isStatement(seq ikigai.Seq) bool {
	s, ok := l.stepOf(seq)
	return ok && s.statement
}
