package wirecheck

import (
	"slices"
	"strings"
)

// isName reports whether s is of letters, digits, _ and -, 1 to most of them.
func isName(s string, most int) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return 0 < len(s) && len(s) <= most
}

// known refuses the members of an object that its vendor does not know, with a
// format for their name.
func (r *report) known(at string, v *value, names []string, format string) {
	if v == nil || r.first != nil {
		return
	}
	for _, name := range v.names {
		if !slices.Contains(names, name) {
			r.refuse(at, format, name)
		}
	}
}

// words splits a list of names.
func words(s string) []string { return strings.Fields(s) }

// blank reports whether there is nothing in s to read.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
