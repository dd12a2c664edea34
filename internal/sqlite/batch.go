package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// checkEvents returns an error, a fault of the program, if the events cannot be
// what follows after in the session of g.
func checkEvents(g ikigai.Grant, after ikigai.Seq, events []ikigai.Event) error {
	if !validID(g.Session) {
		return refuse("a session cannot have the ID %q", g.Session)
	}
	if after == 0 && events[0].Kind != ikigai.KindSession {
		return refuse("the first event is a %s", events[0].Kind)
	}
	for i, e := range events {
		switch {
		case e.Session != g.Session:
			return refuse("an event belongs to session %q", e.Session)
		case e.Seq != after+1+ikigai.Seq(i):
			return refuse("event %d stands at place %d", e.Seq, after+1+ikigai.Seq(i))
		case e.ID == "" || e.Kind == "" || e.Interaction == "":
			return refuse("event %d lacks its ID, kind or interaction", e.Seq)
		}
		if err := checkText(e); err != nil {
			return err
		}
	}
	return nil
}

func checkText(e ikigai.Event) error {
	for _, field := range []struct{ name, text string }{
		{"ID", string(e.ID)}, {"interaction", e.Interaction}, {"kind", string(e.Kind)}, {"content", e.Content},
	} {
		if !utf8.ValidString(field.text) || strings.IndexByte(field.text, 0) >= 0 {
			return refuse("the %s of event %d is not UTF-8 without NUL", field.name, e.Seq)
		}
	}
	if e.Data != nil && (!utf8.Valid(e.Data) || !json.Valid(e.Data)) {
		return refuse("the data of event %d is not JSON in UTF-8", e.Seq)
	}
	return nil
}

func refuse(format string, args ...any) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorInternal,
		What: "An event cannot be stored: " + fmt.Sprintf(format, args...),
		Do:   "This is a fault of ikigai; please report it",
	}
}

// validID reports whether id may name a session. It becomes part of file names.
func validID(id ikigai.ID) bool {
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return 0 < len(id) && len(id) <= 64
}

// summary is what the row of a session takes from events.
type summary struct {
	updated    ikigai.Micros
	statements int
	title      string // "" if no statement among the events has one
}

func summarize(events []ikigai.Event) summary {
	var s summary
	for _, e := range events {
		s.updated = max(s.updated, e.Time)
		if e.Kind != ikigai.KindUser || e.Interaction != ikigai.Main {
			continue
		}
		s.statements++
		if s.title == "" {
			s.title = title(e.Content)
		}
	}
	return s
}

const titleRunes = 80

// title returns the first line of text that is not blank, cut to titleRunes.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	n := 0
	for i := range line {
		if n == titleRunes {
			return line[:i]
		}
		n++
	}
	return line
}
