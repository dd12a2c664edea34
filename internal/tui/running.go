package tui

import (
	"slices"
	"strings"
	"time"

	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

const (
	maxRunning  = 4    // calls that are shown
	maxLast     = 3    // lines of what each has printed
	maxLastLine = 1024 // bytes of such a line that are kept
)

// call is a call that has no result yet.
type call struct {
	id, interaction string
	name            string
	line            string    // that shows it
	since           time.Time // when it began to run; zero before that
	filter          safetext.Filter
	last            []string // lines that it printed last, safe and cut
	open            bool     // the last of them has not ended
	parted          bool     // something that is not of the session stands below it
}

// called shows a call, which has yet to begin.
func (l *loop) called(b transcript.Block, c transcript.Call) {
	style := l.live.Style
	text := style.Block(b)
	before, pieces := l.atEnd, l.live.Block(b)
	l.write(pieces)
	if c.MayHaveRun {
		return
	}
	line, _, _ := strings.Cut(text, "\n")
	l.calls = append(l.calls, &call{id: c.ID, interaction: b.Interaction, name: c.Name, line: line})
	if style.Compact = false; style.Block(b) != text {
		return // it is folded
	}
	if len(pieces) != 1 || pieces[0].Text != text { // something else came in between
		before = nil
	}
	l.atEnd = append(before, c.ID)
}

// answered takes in that a call has its result, and returns that. Where something else
// stands between the two, it is to say which call it is.
func (l *loop) answered(interaction string, r transcript.Result) transcript.Result {
	l.calls = slices.DeleteFunc(l.calls, func(c *call) bool {
		is := c.id == r.ToolCallID && c.interaction == interaction
		r.Follows = r.Follows && !(is && c.parted)
		return is
	})
	return r
}

// parts takes in that something is printed which is not of the session.
func (l *loop) parts() {
	for _, c := range l.calls {
		c.parted = true
	}
}

// progress takes in that a call runs, and what it has printed.
func (l *loop) progress(callID string, p []byte) {
	i := slices.IndexFunc(l.calls, func(c *call) bool { return c.id == callID })
	if i < 0 {
		return
	}
	c := l.calls[i]
	if c.since.IsZero() {
		c.since = time.Now()
		l.calls = append(slices.Delete(l.calls, i, i+1), c)
	}
	c.prints(p)
}

// running returns the calls that run, the one that began last at the end.
func (s *state) running() (calls []*call) {
	for _, c := range s.calls {
		if !c.since.IsZero() {
			calls = append(calls, c)
		}
	}
	return calls
}

// prints takes in what the call has printed, of which the last lines are kept.
func (c *call) prints(p []byte) {
	for line := range strings.Lines(c.filter.Text(string(p))) {
		text, ended := strings.CutSuffix(line, "\n")
		text = strings.ReplaceAll(text, "\t", "    ")
		switch {
		case c.open && len(c.last) > 0:
			text = c.last[len(c.last)-1] + text
			c.last = c.last[:len(c.last)-1]
		case strings.TrimSpace(text) == "":
			continue // an empty line says nothing
		}
		c.open = !ended
		c.last = append(c.last, strings.ToValidUTF8(text[:min(len(text), maxLastLine)], ""))
		if n := len(c.last) - maxLast; n > 0 {
			c.last = slices.Delete(c.last, 0, n)
		}
	}
}

// under returns the call that runs, where it runs alone and stands right above the
// live region; else nil.
func (s *state) under() *call {
	calls, last := s.running(), len(s.atEnd)-1
	if len(calls) != 1 || last < 0 || s.atEnd[last] != calls[0].id {
		return nil
	}
	return calls[0]
}

// runningLines shows the calls that run and what they printed last, the one that
// began last at the end.
func (s *state) runningLines() (lines []string) {
	if c := s.under(); c != nil {
		return s.lastLines(c)
	}
	calls := s.running()
	if n := len(calls) - maxRunning; n > 0 {
		lines = append(lines, s.live.Style.Faint(s.cut(s.glyph("…", "...")+" "+render.Count(n, "more call"), s.width-1)))
		calls = calls[n:]
	}
	for _, c := range calls {
		took := elapsed(s.now.Sub(c.since))
		if took != "" {
			took = s.glyph(" ·", " -") + took
		}
		lines = append(lines, s.cut(c.line, s.width-1-len(took))+s.live.Style.Faint(took))
		lines = append(lines, s.lastLines(c)...)
	}
	return lines
}

// lastLines shows what a call has printed last.
func (s *state) lastLines(c *call) (lines []string) {
	for _, text := range c.last {
		lines = append(lines, s.live.Style.Faint(s.cut("  "+text, s.width-1)))
	}
	return lines
}
