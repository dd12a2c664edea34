package scriptserver

import (
	"fmt"
	"slices"
	"strings"

	"ikigai"
)

// purposes are what a side: may be for.
var purposes = []ikigai.Purpose{ikigai.PurposeObjective, ikigai.PurposeSummary, ikigai.PurposeCommit, ikigai.PurposeTask}

func knownPurposes() string {
	var names []string
	for _, p := range purposes {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Plays reports whether a script can have replies for side interactions of a
// purpose.
func Plays(p ikigai.Purpose) bool { return slices.Contains(purposes, p) }

// HasSide reports whether s has replies for side interactions of a purpose.
func (s *Script) HasSide(p ikigai.Purpose) bool {
	return slices.ContainsFunc(s.All, func(st Statement) bool { return st.Side == p })
}

// side returns what a side interaction is for, by its system prompt. It is ""
// for another conversation.
func (r *request) side() ikigai.Purpose {
	rest, ok := strings.CutPrefix(r.system, ikigai.SidePrompt)
	name, _, ended := strings.Cut(rest, ".")
	if !ok || !ended {
		return ""
	}
	return ikigai.Purpose(name)
}

// chooseSide returns the part for a side interaction, by what is said there. The
// error is a *refusal.
func (p *plan) chooseSide(purpose ikigai.Purpose, said string) (*plannedStatement, error) {
	st, _ := fitting(p.sides[purpose], []string{said})
	switch {
	case st != nil:
		return st, nil
	case len(p.sides[purpose]) > 0:
		return nil, p.refuse(0, fmt.Sprintf("no side: %s is for %s", purpose, excerpt(said)), fmt.Sprintf("Add side: %s without a text", purpose))
	}
	return nil, p.refuse(0, fmt.Sprintf("the script has no side: %s", purpose), "Add one, or do without")
}
