package export

import (
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// addSides adds what was said beside the conversation.
func (s *scripting) addSides(sides []*sideEvents) {
	var all []scriptserver.Statement
	var said []string
	for _, side := range sides {
		if !scriptserver.Plays(side.purpose) {
			continue
		}
		t := scripting{o: s.o, expect: s.expect, side: side.name}
		for _, e := range side.events {
			t.add(e)
		}
		t.end()
		for i := range t.script.All {
			t.script.All[i].Side = side.purpose
		}
		all, said, s.notes = append(all, t.script.All...), append(said, t.said...), append(s.notes, t.notes...)
	}
	if left := s.tellApart(all, said); left > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s left out, in which the same was said as in others.", counting(left, "side interaction", "side interactions")))
	}
}

// tellApart adds those statements of side interactions that can be told apart by
// what was said in them, and returns how many cannot.
func (s *scripting) tellApart(all []scriptserver.Statement, said []string) (left int) {
	byPurpose := map[ikigai.Purpose][]string{}
	for i, st := range all {
		byPurpose[st.Side] = append(byPurpose[st.Side], said[i])
	}
	type key struct {
		purpose ikigai.Purpose
		user    scriptserver.Pattern
	}
	known := map[key]bool{}
	for i, st := range all {
		st.User = patternOf(sideText(st.Side, said[i], byPurpose[st.Side]))
		if k := (key{st.Side, st.User}); known[k] {
			left++
			continue
		} else {
			known[k] = true
		}
		s.script.All = append(s.script.All, st)
	}
	return left
}

// sideText returns by what a text that was said in a side interaction is found
// among all those of its purpose: a paragraph where that suffices, which stays
// the same when what is told around it does not, or else all of it.
func sideText(purpose ikigai.Purpose, text string, all []string) string {
	text = strings.TrimSpace(text)
	paragraphs := strings.Split(text, "\n\n")
	part := paragraphs[len(paragraphs)-1]
	if purpose == ikigai.PurposeTask {
		part = paragraphs[0] // its title
	}
	found := 0
	for _, other := range all {
		other = strings.TrimSpace(other)
		if strings.Contains(other, part) {
			found++
		}
		if other != text && strings.Contains(text, other) {
			found++
		}
	}
	if found > 1 {
		return text
	}
	return part
}
