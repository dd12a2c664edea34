package render

import (
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/safetext"
)

// Hit returns an event that a search found: a line that says where it stands,
// and below it what it says. found are the places in text, from byte to byte
// and in order, of the words that were looked for.
func (s Style) Hit(hit ikigai.Hit, text string, found [][2]int) string {
	e := hit.Event
	where := s.paint(accent, line(string(e.Session))) + " " + s.paint(faint, s.join("#"+strconv.FormatInt(int64(e.Seq), 10), line(string(e.Kind)),
		s.in(e.Time.Time()).Format("2006-01-02 15:04"))) + s.paint(faint, s.glyph(separator)) + line(hit.Title)
	var b strings.Builder
	from := 0
	for _, place := range found {
		b.WriteString(safetext.Terminal(text[from:place[0]]))
		b.WriteString(s.paint(match, safetext.Terminal(text[place[0]:place[1]])))
		from = place[1]
	}
	b.WriteString(safetext.Terminal(text[from:]))
	return where + "\n  " + strings.ReplaceAll(b.String(), "\n", " ") + "\n"
}
