package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai"
	"ikigai/internal/transcript"
)

// What a line about something beside the conversation takes at most.
const (
	maxAside = 200 // columns, where there is no terminal
	maxLabel = 24  // columns of a task's title before what it does
	minAside = 24  // columns of what a line says, before what it cost gives way
)

// side shows a block of a side interaction in a line.
func (s Style) side(b transcript.Block) string {
	switch d := b.Body.(type) {
	case transcript.Result:
		return s.did(b, d)
	case transcript.Call:
		return s.aside(s.task(b)+s.paint(warn, s.glyph(alertMark))+" "+s.callLine(d, b.Text), "  no result: it may have run")
	case transcript.Change:
		return s.aside(s.task(b)+s.paint(faint, noticed(d.ChangeData, line(cmp.Or(d.Path, b.Text)))), "")
	}
	return s.body(b)
}

// did shows a call of a task with what came of it.
func (s Style) did(b transcript.Block, r transcript.Result) string {
	mark := s.paint(good, s.glyph(okMark))
	if !r.Success {
		mark = s.paint(bad, s.glyph(failMark))
	}
	summary, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
	took := ""
	if r.Millis > 0 {
		took = Duration(time.Duration(r.Millis) * time.Millisecond)
	}
	return s.aside(s.task(b)+mark+" "+s.answered(r, ""), s.join(line(summary), took))
}

// task names the task that does something.
func (s Style) task(b transcript.Block) string {
	width := maxLabel
	if s.Width > 0 {
		width = min(width, s.Width/3)
	}
	return "  " + s.paint(faint, ansi.Truncate(line(sideTitle(b)), width, s.glyph(ellipsis))+":") + " "
}

// begins shows what a side interaction is for.
func (s Style) begins(b transcript.Block) string {
	d, _ := b.Body.(ikigai.InteractionData)
	about := s.join(line(b.Interaction), line(d.Model))
	return s.aside(s.paint(accent, s.glyph(sideMark))+" "+s.paint(strong, line(sideTitle(b))), about)
}

// ends shows what came of a side interaction, and what it used.
func (s Style) ends(b transcript.Block) string {
	d, _ := b.Body.(transcript.Ended)
	said := line(d.Answer)
	switch {
	case d.Stopped && purpose(b) == string(ikigai.PurposeObjective): // it was late
		said = "given up"
	case d.Stopped:
		said = "stopped"
	case !b.Folded && d.Failed: // what was said stands above
		said = "failed"
	case !b.Folded:
		said = "done"
	case d.Failed:
		said = "failed: " + said
	}
	if b.Side == nil || b.Side.Purpose != ikigai.PurposeTask {
		return s.remark(purpose(b), said, &d.Spent)
	}
	turns := ""
	if d.Turns > 0 {
		turns = count(d.Turns, "turn")
	}
	mark := s.paint(accent, s.glyph(sideMark))
	if d.Failed {
		mark = s.paint(bad, s.glyph(failMark))
	} else {
		said = "done"
	}
	return s.aside(mark+" "+s.paint(strong, line(sideTitle(b)))+"  "+said, s.join(turns, usedTokens(d.Spent), usedCost(d.Spent)))
}

// objective shows a title, a goal or an objective.
func (s Style) objective(b transcript.Block) string {
	d, _ := b.Body.(transcript.Objective)
	return s.remark(string(b.Kind), line(b.Text), d.Spent)
}

// remark says what is told by the way, and what a side interaction used for it.
func (s Style) remark(what, text string, used *transcript.Spent) string {
	about := ""
	if used != nil && used.Requests > 0 {
		about = "(" + comma(requests(used.Requests), usedTokens(*used), usedCost(*used)) + ")"
	}
	return s.aside(s.paint(faint, strings.TrimSpace(s.glyph(separator))+" "+line(what)+": "+text), about)
}

// aside returns a line with what there is to say about it at its end. Where
// there is no room for both, the first counts.
func (s Style) aside(text, about string) string {
	width := cmp.Or(s.Width, maxAside)
	text = strings.NewReplacer("\t", " ", "\n", " ").Replace(text)
	if about != "" {
		about = "  " + strings.ReplaceAll(about, "\t", " ")
	}
	room := width - ansi.StringWidth(about)
	if room < minAside {
		room, about = width, ""
	}
	text = ansi.Truncate(text, room, s.glyph(ellipsis))
	return text + s.paint(faint, about) + "\n"
}

// sideTitle returns what a side interaction is for.
func sideTitle(b transcript.Block) string {
	if b.Side == nil {
		return b.Interaction
	}
	return cmp.Or(b.Side.Title, b.Interaction)
}

func purpose(b transcript.Block) string {
	if b.Side == nil {
		return b.Interaction
	}
	return cmp.Or(string(b.Side.Purpose), b.Interaction)
}

func requests(n int) string {
	if n == 1 {
		return "side request"
	}
	return count(n, "side request")
}

func usedTokens(u transcript.Spent) string {
	if u.Input+u.Output == 0 {
		return ""
	}
	return Tokens(u.Input+u.Output) + " tokens"
}

func usedCost(u transcript.Spent) string {
	if u.Cost == nil {
		return ""
	}
	return Dollars(*u.Cost)
}

// comma joins those of the words that are not empty.
func comma(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
