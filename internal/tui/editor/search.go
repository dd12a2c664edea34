package editor

import (
	"strings"
	"unicode"

	"ikigai/internal/tty"
)

// search is an incremental search of the history.
type search struct {
	on      bool
	query   string
	failing bool // nothing, or nothing more, is found
	entries []string
	at      int    // of entries; their number before something is found
	text    string // of the entry that is found
	found   int    // where the query stands in it
}

func (e *Editor) beginSearch() Event {
	e.list = list{}
	entries := e.config.History.Entries()
	e.search = search{on: true, entries: entries, at: len(entries), text: e.text, found: e.cursor}
	return Changed
}

// searchKey does what a key means while the history is searched. It is not done
// with those that mean to others what they mean.
func (e *Editor) searchKey(k tty.Key) (event Event, done bool) {
	s := &e.search
	switch {
	case k.Ctrl('r'), k.Is(tty.KeyUp, 0):
		s.next(-1)
	case k.Ctrl('s'), k.Is(tty.KeyDown, 0):
		s.next(1)
	case k.Printable():
		s.extend(string(k.Rune))
	case k.Code == tty.KeyPaste:
		s.extend(k.Text)
	case k.Is(tty.KeyBackspace, 0), k.Ctrl('h'):
		s.query = s.query[:previous(s.query, len(s.query))]
		s.again()
	case k.Ctrl('g'), k.Ctrl('c'):
		e.search = search{}
	case k.Is(tty.KeyEscape, 0), k.Is(tty.KeyTab, 0):
		e.takeFound()
	default:
		e.takeFound()
		return Nothing, false
	}
	return Changed, true
}

// takeFound puts the entry that is found into the input.
func (e *Editor) takeFound() {
	s := e.search
	e.search = search{}
	if s.at == len(s.entries) {
		return
	}
	e.changes.next()
	e.edit(0, len(e.text), e.entry(s.entries[s.at]))
	e.cursor = align(e.text, min(s.found, len(e.text)))
	e.past = past{}
}

// extend looks for more: the first line of what was typed.
func (s *search) extend(typed string) {
	first, _, _ := strings.Cut(clean(typed), "\n")
	s.query += strings.ReplaceAll(first, "\t", " ")
	s.again()
}

// again looks for the query from the newest entry on.
func (s *search) again() {
	s.at, s.failing = len(s.entries), false
	if s.query != "" {
		s.next(-1)
	}
}

// next goes to the next entry in a direction that has the query, and says
// something else.
func (s *search) next(direction int) {
	for i := s.at + direction; i >= 0 && i < len(s.entries); i += direction {
		if s.at < len(s.entries) && s.entries[i] == s.entries[s.at] || find(s.entries[i], s.query) < 0 {
			continue
		}
		text := clean(s.entries[i])
		s.at, s.text, s.failing = i, text, false
		s.found = align(text, max(0, find(text, s.query)))
		return
	}
	s.failing = true
}

// find returns where query stands in text, or -1. Case counts if query has a
// letter in upper case.
func find(text, query string) int {
	text = text[:min(len(text), mostEntry)]
	if !strings.ContainsFunc(query, unicode.IsUpper) {
		text = strings.ToLower(text)
	}
	return strings.Index(text, query)
}
