package tui

import (
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

const (
	maxRunning  = 4    // calls that are shown
	maxLast     = 3    // lines of what each has printed
	maxLastLine = 1024 // bytes of such a line that are kept
)

// running is a call that has no result yet.
type running struct {
	call   transcript.Call
	line   string // that shows it
	since  time.Time
	filter safetext.Filter
	last   []string // lines that it printed last, safe and cut
	open   bool     // the last of them has not ended
}

// called takes in that a call begins.
func (l *loop) called(b transcript.Block, c transcript.Call) {
	if b.Interaction != ikigai.Main || c.MayHaveRun {
		return
	}
	line, _, _ := strings.Cut(l.live.Style.Block(b), "\n")
	l.running = append(l.running, &running{call: c, line: line, since: time.Now()})
}

// answered takes in that a call has its result.
func (l *loop) answered(r transcript.Result) {
	l.running = slices.DeleteFunc(l.running, func(c *running) bool { return c.call.ID == r.ToolCallID })
}

// progress takes in what a call has printed.
func (l *loop) progress(callID string, p []byte) {
	for _, r := range l.running {
		if r.call.ID == callID {
			r.prints(p)
			return
		}
	}
}

// prints takes in what the call has printed, of which the last lines are kept.
func (r *running) prints(p []byte) {
	for line := range strings.Lines(r.filter.Text(string(p))) {
		text, ended := strings.CutSuffix(line, "\n")
		text = strings.ReplaceAll(text, "\t", "    ")
		switch {
		case r.open && len(r.last) > 0:
			text = r.last[len(r.last)-1] + text
			r.last = r.last[:len(r.last)-1]
		case strings.TrimSpace(text) == "":
			continue // an empty line says nothing
		}
		r.open = !ended
		r.last = append(r.last, strings.ToValidUTF8(text[:min(len(text), maxLastLine)], ""))
		if n := len(r.last) - maxLast; n > 0 {
			r.last = slices.Delete(r.last, 0, n)
		}
	}
}

// runningLines shows the calls that run, the one that began last at the end.
func (s *state) runningLines() (lines []string) {
	calls := s.running
	if n := len(calls) - maxRunning; n > 0 {
		lines = append(lines, s.live.Style.Faint(s.cut(s.glyph("…", "...")+" "+render.Count(n, "more call"), s.width-1)))
		calls = calls[n:]
	}
	for _, r := range calls {
		took := elapsed(s.now.Sub(r.since))
		lines = append(lines, s.cut(r.line, s.width-1-len(took))+s.live.Style.Faint(took))
		for _, text := range r.last {
			lines = append(lines, s.live.Style.Faint(s.cut("  "+text, s.width-1)))
		}
	}
	return lines
}
