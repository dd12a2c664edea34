package render

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/safetext"
)

// clearLine goes to the beginning of the line and clears it.
const clearLine = "\r\x1b[K"

// maxLast bounds what is kept, and looked at, of what a tool prints.
const maxLast = 4 << 10

// status is the line below everything else that says what is being waited for.
// It overwrites itself and is gone before anything else is written.
type status struct {
	what    string
	elapsed time.Duration
	call    string          // the call that printed last
	filter  safetext.Filter // of what it prints
	last    string          // the last line that it printed, cut
	ended   bool            // last has its newline
	shown   string          // what stands on the terminal, "" if nothing does
}

// Tick says that the program still waits, and for what, such as "waiting for
// local/any". It is to be called about once a second as long as nothing else
// happens.
func (l *Live) Tick(elapsed time.Duration, what string) []Piece {
	l.status.elapsed, l.status.what = elapsed, strings.ReplaceAll(line(what), "\t", " ")
	return l.showStatus()
}

// Progress takes in what a running tool has printed, in any pieces. The person
// sees its last line; the whole comes with the result. Each call may cost a
// write to the terminal, so several pieces a second are better joined; more
// than their last 4 KiB is not looked at.
func (l *Live) Progress(callID string, p []byte) []Piece {
	if !l.Terminal {
		return nil
	}
	l.status.progress(callID, p)
	return l.showStatus()
}

// showStatus returns the status line in the place of the one before. In the
// middle of a line there is no place for it.
func (l *Live) showStatus() []Piece {
	s := &l.status
	if !l.Terminal || l.answer.open || l.thinking.indent.open {
		return nil
	}
	text := cutNarrow(s.text(l.Style), l.Style.Width-1)
	if text == s.shown {
		return nil
	}
	s.shown = text
	return []Piece{{Text: "\r" + l.Style.paint(faint, text) + "\x1b[K"}}
}

// clearStatus removes the status line. What is written next is news: the time
// counts from there.
func (l *Live) clearStatus() {
	if l.status.shown != "" {
		l.out = append(l.out, Piece{Text: clearLine})
	}
	l.status.shown, l.status.elapsed = "", 0
}

func (s *status) text(style Style) string {
	elapsed := ""
	if s.elapsed >= time.Second {
		elapsed = Duration(s.elapsed.Truncate(time.Second))
	}
	switch mark := "  " + style.glyph(ellipsis) + " "; {
	case s.last != "" && elapsed != "":
		return mark + elapsed + "  " + s.last
	case s.last != "":
		return mark + s.last
	case elapsed != "":
		return mark + s.what + ", " + elapsed + " (Ctrl-C stops)"
	default:
		return mark + s.what + " (Ctrl-C stops)"
	}
}

// progress takes in what a call printed.
func (s *status) progress(callID string, p []byte) {
	if s.call != callID {
		s.forget(s.call)
		s.call = callID
	}
	if len(p) > maxLast {
		s.filter, s.last, s.ended = safetext.Filter{}, "", false
		p = p[len(p)-maxLast:]
	}
	for l := range strings.Lines(s.filter.Text(string(p))) {
		text, ended := strings.CutSuffix(l, "\n")
		text = strings.ReplaceAll(text, "\t", " ")
		switch {
		case !s.ended:
			s.last += text
		case strings.TrimSpace(text) == "" && ended:
			continue // an empty line says nothing
		default:
			s.last = text
		}
		s.ended = ended
	}
	s.last = s.last[:min(len(s.last), maxLast)]
}

// forget drops what the call printed; "" stands for any call.
func (s *status) forget(callID string) {
	if callID == "" || callID == s.call {
		s.call, s.filter, s.last, s.ended = "", safetext.Filter{}, "", false
	}
}

// StatusLine returns text as it can stand on a line of a terminal that is
// written over: whatever it holds, it takes no more than width and does
// nothing to the terminal.
func StatusLine(text string, width int) string {
	return cutNarrow(strings.ReplaceAll(line(text), "\t", " "), width)
}

// cutNarrow cuts text to a width that no terminal exceeds, whether it joins
// characters or shows each for itself: a line that wraps could not be cleared.
func cutNarrow(text string, width int) string {
	sum := 0
	for i, r := range text {
		sum += narrow(r)
		if sum > width {
			return text[:i]
		}
	}
	return text
}

// narrow is the most columns that any terminal shows r in.
func narrow(r rune) int {
	if ' ' <= r && r <= '~' {
		return 1
	}
	return max(1, ansi.StringWidthWc(string(r)))
}
