package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// field is a part of the status line.
type field struct {
	text  string
	short string // in its place where there is less room; "" leaves the text
	rank  int    // the one with the highest goes first where there is less room still
	paint func(string) string
}

// statusLines tells of the session: how it stands, and what it is for.
func (s *state) statusLines() (lines []string) {
	if s.hint.text != "" && s.now.Before(s.hint.until) {
		lines = append(lines, s.live.Style.Faint(s.cut("  "+s.hint.text, s.width-1)))
	} else if line := s.standing(); line != "" {
		lines = append(lines, line)
	}
	if line := s.purpose(); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// standing is the line that says how the session stands.
func (s *state) standing() string {
	width, dot := s.width-1-2, s.glyph(" · ", " - ")
	fields := s.fields()
	for wide(fields, dot) > width {
		if !shorten(fields) && !drop(&fields) {
			break
		}
	}
	if len(fields) == 0 {
		return ""
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.paint(f.text)
	}
	return s.cut("  "+strings.Join(parts, s.live.Style.Faint(dot)), s.width-1)
}

// fields returns the parts of the line in their order.
func (s *state) fields() []field {
	t, style := s.status, s.live.Style
	_, name, ok := strings.Cut(safe(t.Model), "/")
	if !ok {
		name = ""
	}
	all := []field{
		{safe(t.Model), name, 2, style.Faint},
		{s.context(), "", 3, style.Faint},
		{safe(t.Cost), "", 5, style.Faint},
		{turn(t), "", 4, style.Faint},
		{s.tools(), "", 6, style.Faint},
		{safe(t.Mode), "", 1, style.Accent},
		{safe(t.Store), "", 0, style.Warn},
		{s.mode(), "", 7, style.Faint},
	}
	return slices.DeleteFunc(all, func(f field) bool { return f.text == "" })
}

// mode tells how vi's keys stand.
func (s *state) mode() string { return s.input.Mode() }

// context tells how much of the context is used.
func (s *state) context() string {
	t := s.status
	switch {
	case t.Context <= 0:
		return ""
	case t.Of > 0:
		return fmt.Sprintf("ctx %d%%", min(999, 100*t.Context/t.Of))
	}
	return "ctx " + tokens(t.Context)
}

func tokens(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}

func turn(t Status) string {
	switch {
	case t.Turn <= 0:
		return ""
	case t.Max <= 0, t.Turn > t.Max: // it was begun with another limit
		return fmt.Sprintf("turn %d", t.Turn)
	}
	return fmt.Sprintf("turn %d/%d", t.Turn, t.Max)
}

// tools tells how many calls succeeded and failed.
func (s *state) tools() string {
	t := s.status
	var parts []string
	if t.OK > 0 {
		parts = append(parts, fmt.Sprintf("%s%d", s.glyph("✓", "+"), t.OK))
	}
	if t.Bad > 0 {
		parts = append(parts, fmt.Sprintf("%s%d", s.glyph("✗", "x"), t.Bad))
	}
	return strings.Join(parts, " ")
}

// wide returns how many columns the fields take.
func wide(fields []field, dot string) int {
	sum := 0
	for i, f := range fields {
		if i > 0 {
			sum += ansi.StringWidth(dot)
		}
		sum += ansi.StringWidth(f.text)
	}
	return sum
}

// shorten puts the short text in the place of a field's. It reports whether there
// was one.
func shorten(fields []field) bool {
	for i, f := range fields {
		if f.short != "" {
			fields[i].text, fields[i].short = f.short, ""
			return true
		}
	}
	return false
}

// drop takes away the field that matters least, unless it is the last.
func drop(fields *[]field) bool {
	if len(*fields) < 2 {
		return false
	}
	least := 0
	for i, f := range *fields {
		if f.rank > (*fields)[least].rank {
			least = i
		}
	}
	*fields = slices.Delete(*fields, least, least+1)
	return true
}

// purpose is the line that says what the session, and the statement, are for.
func (s *state) purpose() string {
	goal, objective := safe(s.status.Goal), safe(s.status.Objective)
	width := s.width - 1 - 2
	if goal == objective {
		goal = ""
	}
	text := objective
	switch {
	case goal == "" && objective == "":
		return ""
	case objective == "":
		text = "goal: " + goal
	case goal != "" && width >= 60:
		text = s.cut("goal: "+goal, width/2) + s.glyph(" · ", " - ") + objective
	}
	return s.live.Style.Faint("  " + s.cut(text, width))
}
