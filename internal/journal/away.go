package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"ikigai"
)

// AwayError is the error of a store that could not be opened: the journals are all
// there is of it on this machine.
type AwayError struct{ Err error }

// Error returns why the store could not be opened.
func (e *AwayError) Error() string { return e.Err.Error() }

// Unwrap returns why the store could not be opened.
func (e *AwayError) Unwrap() error { return e.Err }

// IsAway reports whether an error is, or wraps, an AwayError.
func IsAway(err error) bool { return errors.As(err, new(*AwayError)) }

// away returns the error of a log that could not be opened, or nil. Such a log has
// an Away method, and nothing is delivered to it: it may read from the journals
// itself.
func away(log ikigai.Log) error {
	if l, ok := log.(interface{ Away() error }); ok {
		return l.Away()
	}
	return nil
}

// Whole returns all events of a session that the journals of dirs hold from its
// first one on, with none missing, and the right under which they were written, to
// go on under. What another writer left aside is no part of it. The error is
// ikigai.ErrNotFound if there is no such session in them, or only its end.
func Whole(session ikigai.ID, dirs ...string) ([]ikigai.Event, ikigai.Grant, error) {
	events, grant, err := readWhole(session, dirs)
	if err != nil {
		return nil, ikigai.Grant{}, fmt.Errorf("read the journal of session %s: %w", session, err)
	}
	return events, grant, nil
}

func readWhole(session ikigai.ID, dirs []string) (events []ikigai.Event, grant ikigai.Grant, err error) {
	all, err := openAll(session, dirs, os.Open)
	defer all.close()
	if err != nil {
		return nil, grant, err
	}
	m := slices.DeleteFunc(slices.Clone(all), func(w *waitingFile) bool { return w.aside })
	for next := m.first(); next != nil; next = m.first() {
		r := next.record
		if len(events) > 0 && r.Grant != grant || !follows(events, r) {
			return nil, grant, ikigai.ErrNotFound
		}
		grant = r.Grant
		for _, e := range r.Events {
			if e.Seq > ikigai.Seq(len(events)) {
				events = append(events, e)
			}
		}
		next.advance()
	}
	if len(events) == 0 && m.err() == nil {
		return nil, grant, ikigai.ErrNotFound
	}
	return events, grant, m.err()
}

// follows reports whether a record goes on with events, the first ones of a session,
// or repeats the last of them.
func follows(events []ikigai.Event, r Record) bool {
	if r.After > ikigai.Seq(len(events)) || r.After > 0 && r.AfterID != "" && events[r.After-1].ID != r.AfterID {
		return false
	}
	for i, e := range r.Events {
		at := int(r.After) + i
		if e.Seq != ikigai.Seq(at+1) || at < len(events) && events[at].ID != e.ID {
			return false
		}
	}
	return true
}
