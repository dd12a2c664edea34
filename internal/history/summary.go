package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ikigai"
)

// Most entries of each list in a summary.
const (
	maxOpen      = 12
	maxResources = 30
	maxEntry     = 300 // bytes of an entry
)

// maxSaid is how many bytes of the last answer stay: its end, since that is where
// a model asks, and what the person's next words are about.
const maxSaid = 1000

// summary writes what stands in the place of the conversation's beginning: first
// what the log knows, which does not depend on any model, then the model's words
// or, where it has none, those that the statements begin with.
func (p *plan) summary(ctx context.Context) *ikigai.SummaryData {
	d := &ikigai.SummaryData{To: p.to()}
	size := p.textSize()
	known := p.known(size / 2)
	rest := min(size-len(known), int(max(p.quota, minSummary)))
	var words string
	if p.Summarise != nil {
		words, d.Interaction = p.Summarise(ctx, p.toSummarise(), rest)
		words = strings.TrimSpace(ikigai.CleanText(words))
	}
	if words == "" {
		words, d.Interaction = p.mechanical(rest), ""
	}
	d.Text = known + "\n\n## What was done\n" + cutText(words, rest)
	return d
}

// known returns what the log knows, in about size bytes.
func (p *plan) known(size int) string {
	all := p.line.exchanges()
	s := &sections{left: size}
	s.add("[The beginning of this conversation is sent in fewer words. It was about this.]")
	if p.cut > p.current && len(all) > 0 {
		asks := all[len(all)-1].asks
		s.left += len(asks) // it always stays
		s.add("## The statement that you are working on\n" + asks)
	}
	s.addEnd("## What you said last, its end", p.saidLast(all), maxSaid)
	if p.Known.Goal != "" {
		s.add("## Goal\n" + p.Known.Goal)
	}
	var open, unanswered, files, read []string
	objectives := map[ikigai.Seq]string{}
	for _, o := range p.Known.Objectives {
		if o.By != ByStatement { // that is said in the statement's own words
			objectives[o.Statement] = o.Text
		}
	}
	for i, x := range slices.Backward(all) {
		if x.answer() != "" {
			continue
		}
		open = append(open, objectives[x.statement])
		if i < len(all)-1 { // the last is being worked on
			unanswered = append(unanswered, x.asks)
		}
	}
	for _, u := range newestFirst(p.Known.Resources) {
		switch {
		case u.Changed > 0:
			files = append(files, u.URI)
		case strings.Contains(u.URI, "://"):
			read = append(read, u.URI)
		}
	}
	s.list("## Open objectives, the newest first", open, maxOpen)
	s.list("## Not answered yet, the newest first", unanswered, maxOpen)
	s.list("## Files changed, the last first", files, maxResources)
	s.list("## Pages read, the last first", read, maxOpen)
	return s.text()
}

// saidLast returns the last answer, if the summary stands for it: the statement
// behind it may be the reply to what it asks. That to the last statement stays as
// it is.
func (p *plan) saidLast(all []exchange) string {
	for i, x := range slices.Backward(all) {
		switch answer := x.answer(); {
		case answer == "":
		case i == len(all)-1 || x.statement > p.to():
			return ""
		default:
			return answer
		}
	}
	return ""
}

func newestFirst(uses []Use) []Use {
	uses = slices.Clone(uses)
	slices.SortStableFunc(uses, func(a, b Use) int { return int(b.Last - a.Last) })
	return uses
}

// sections is a text under headings that stays within a number of bytes.
type sections struct {
	all  []string
	left int
}

func (s *sections) text() string { return ikigai.CleanText(strings.Join(s.all, "\n\n")) }

func (s *sections) add(section string) {
	section = cutText(section, max(s.left, minSection))
	s.all = append(s.all, section)
	s.left -= len(section)
}

// addEnd adds a text of which the end stays, at most so many bytes, and no more
// than a quarter of the room.
func (s *sections) addEnd(heading, text string, most int) {
	if text == "" {
		return
	}
	most = min(most, max(s.left/4, minSection-len(heading)-len("\n…")))
	if len(text) > most {
		text = "…" + tailOf(text, most)
	}
	s.add(heading + "\n" + text)
}

// minSection is what every section may have, even where there is no room.
const minSection = 200

// list adds a list of those entries that are not blank, each once, as many as
// there is room for.
func (s *sections) list(heading string, entries []string, most int) {
	room := max(s.left/2, minSection) // the other half is for the lists to come
	var lines []string
	seen := map[string]bool{}
	left := 0
	for _, entry := range entries {
		entry = cutText(strings.Join(strings.Fields(entry), " "), maxEntry)
		if entry == "" || seen[entry] {
			continue
		}
		seen[entry] = true
		if len(lines) > 0 && (len(lines) >= most || room < len(entry)) {
			left++
			continue
		}
		lines = append(lines, "- "+entry)
		room -= len(entry)
	}
	if len(lines) == 0 {
		return
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", left))
	}
	s.all = append(s.all, heading+"\n"+strings.Join(lines, "\n"))
	s.left -= len(s.all[len(s.all)-1])
}

// mechanical returns what statements and answers begin with, the newest first,
// in size bytes.
func (p *plan) mechanical(size int) string {
	var lines []string
	all := p.line.exchanges()
	to := p.to()
	for i, x := range slices.Backward(all) {
		if x.statement > to {
			continue
		}
		line := fmt.Sprintf("%d. %s", i+1, firstSentence(x.asks))
		if answer := x.answer(); answer != "" {
			line += " → " + firstSentence(answer)
		}
		switch n := x.calls(); {
		case n == 1:
			line += " (1 tool call)"
		case n > 1:
			line += fmt.Sprintf(" (%d tool calls)", n)
		}
		if size -= len(line) + 1; size < 0 && len(lines) > 0 {
			before := "… and a statement before"
			if i > 0 {
				before = fmt.Sprintf("… and %d statements before", i+1)
			}
			lines = append(lines, before)
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// calls returns the number of tool calls.
func (x exchange) calls() (n int) {
	for _, s := range x.steps {
		if s.message.Kind == ikigai.KindToolCall {
			n++
		}
	}
	return n
}

// toSummarise returns what a model is given to put in fewer words: the earlier
// summary, and what it is to stand for now. Texts are cut in their middle, all at
// the same length, so that the whole is not longer than the model takes.
func (p *plan) toSummarise() string {
	c := p.allTrimmed()
	messages := c.messages[p.first-p.summaries() : p.cut]
	most := int(4 * p.quota) // half of the budget
	if p.MaxText > 0 {
		most = min(most, p.MaxText)
	}
	for each := 4000; ; each /= 2 {
		var b strings.Builder
		for _, m := range messages {
			b.WriteString(line(m, each))
		}
		if text := b.String(); len(text) <= most || each < 50 {
			return headAndTail(text, most, "\n[…]\n")
		}
	}
}

// allTrimmed returns the conversation with all results trimmed that can be.
func (p *plan) allTrimmed() conversation {
	c := p.line.now.copied()
	for i := p.first; i < p.cut; i++ {
		if _, ok := p.gain(i, 0); ok {
			c.messages[i] = shortened(c.messages[i], ikigai.TrimmedResult{Seq: c.origins[i]}, trimmable(c.messages[i]))
		}
	}
	return c
}

// line tells of a message in a text for a model that is to sum it up.
func line(m ikigai.Message, each int) string {
	short := func(s string) string { return headAndTail(strings.TrimSpace(s), each, " […] ") }
	switch m.Kind {
	case ikigai.KindUser:
		return "\nPERSON: " + short(m.Content) + "\n"
	case ikigai.KindAssistant:
		return "ASSISTANT: " + short(m.Content) + "\n"
	case ikigai.KindToolCall:
		return "CALL " + m.Call.Name + " " + headAndTail(m.Call.Arguments, min(each, 300), " […] ") + "\n"
	case ikigai.KindToolResult:
		return "RESULT " + headAndTail(m.Result.Output, min(each, 400), " […] ") + "\n"
	}
	return ""
}

// cutText returns s, or its beginning where it has more than size bytes.
func cutText(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return cutTo(s, max(size-len("…"), 0)) + "…"
}
