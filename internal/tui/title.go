package tui

import "time"

// told takes in what the status line tells.
func (l *loop) told(s Status) { l.status = s }

// setTitle sets the terminal's title if it has changed.
func (l *loop) setTitle() {
	if title := l.subject(); title != l.title {
		l.title = title
		l.term.Title(title)
	}
}

// subject says which session this is.
func (s *state) subject() string {
	if title := safe(s.status.Title); title != "" {
		return title
	}
	return "ikigai"
}

// ring calls the person, who may look elsewhere, if what is under way has taken
// long enough. It reports whether it has.
func (l *loop) ring(text string) bool {
	after := l.config.NotifyAfter
	long := after > 0 && l.work.busy && time.Since(l.work.since) >= after
	if long {
		l.term.Ring(text)
	}
	return long
}
