package dbschema

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// CheckEvents returns an error, a fault of the program, if the events cannot be
// what follows after in the session of g.
func CheckEvents(g ikigai.Grant, after ikigai.Seq, events []ikigai.Event) error {
	if err := CheckSession(g.Session); err != nil {
		return err
	}
	if after == 0 && events[0].Kind != ikigai.KindSession {
		return Refuse("the first event is a %s", events[0].Kind)
	}
	for i, e := range events {
		switch {
		case e.Session != g.Session:
			return Refuse("an event belongs to session %q", e.Session)
		case e.Seq != after+1+ikigai.Seq(i):
			return Refuse("event %d stands at place %d", e.Seq, after+1+ikigai.Seq(i))
		case e.ID == "" || e.Kind == "" || e.Interaction == "":
			return Refuse("event %d lacks its ID, kind or interaction", e.Seq)
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
			return Refuse("the %s of event %d is not UTF-8 without NUL", field.name, e.Seq)
		}
	}
	if e.Data != nil && (!utf8.Valid(e.Data) || !json.Valid(e.Data)) {
		return Refuse("the data of event %d is not JSON in UTF-8", e.Seq)
	}
	if text := string(e.Data); ikigai.CleanJSON(text) != text {
		return Refuse("the data of event %d has escapes of NUL or of half a character", e.Seq)
	}
	return nil
}

// Refuse returns the error of an event that no store may hold.
func Refuse(format string, args ...any) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorInternal,
		What: "An event cannot be stored: " + fmt.Sprintf(format, args...),
		Do:   "This is a fault of ikigai; please report it",
	}
}

// CheckSession returns an error if id may not name a session. It becomes part
// of file names.
func CheckSession(id ikigai.ID) error {
	if !validID(id) {
		return Refuse("a session cannot have the ID %q", id)
	}
	return nil
}

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

// Summary is what the row of a session takes from events.
type Summary struct {
	Updated    ikigai.Micros
	Statements int
	Title      string // that the events give the session; "" if they give none
	TitleBy    Titler // whose it is
	Size       int64  // bytes of content and data
	Cost       int64  // millionths of a US dollar
}

// Titler says where a title comes from. A later one takes the place of an
// earlier one unless that counts for more.
type Titler int

const (
	ByStatement Titler = iota // the first line of the first statement: until there is another
	ByModel                   // a title event
	ByPerson                  // a title event with the person's own words
)

// Summarize returns what the events add to the row of their session.
func Summarize(events []ikigai.Event) Summary {
	var s Summary
	for _, e := range events {
		s.Updated = max(s.Updated, e.Time)
		s.Size += int64(len(e.Content) + len(e.Data))
		switch {
		case e.Kind == ikigai.KindUsage:
			var d ikigai.UsageData
			if e.DecodeData(&d) == nil && d.Cost != nil {
				s.Cost += *d.Cost
			}
		case e.IsStatement():
			s.Statements++
			if s.Title == "" {
				s.Title = title(e.Content)
			}
		case e.Kind == ikigai.KindTitle:
			s.name(e)
		}
	}
	return s
}

// name takes in a title event. One without words names nothing.
func (s *Summary) name(e ikigai.Event) {
	by := ByModel
	var d ikigai.ObjectiveData
	if e.DecodeData(&d) == nil && d.By == ikigai.ByPerson {
		by = ByPerson
	}
	if text := title(e.Content); text != "" && by >= s.TitleBy {
		s.Title, s.TitleBy = text, by
	}
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
