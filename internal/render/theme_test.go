package render

import (
	"slices"
	"strings"
	"testing"

	"ikigai/internal/markdown"
)

// Every theme shows everything in some way, at every depth, and sets no ground: it
// would stand out on a terminal that has another. The terminal's own theme uses no
// colour beyond its sixteen, and mono none at all.
func TestThemes(t *testing.T) {
	for _, theme := range []Theme{"", ThemeTerminal, ThemeDark, ThemeLight, ThemeMono} {
		for _, depth := range []Depth{Depth16, Depth256, TrueColor} {
			look := Style{Theme: theme, Depth: depth}.look()
			for i, how := range slices.Concat(look.roles[strong:], look.markdown[markdown.Plain+1:]) {
				mono := theme == ThemeMono && int(roles)-1 <= i // some of code is plain
				if how == "" && !mono {
					t.Errorf("%q at depth %d shows role %d as plain text", theme, depth, i)
				}
				checkLook(t, theme, depth, how)
			}
		}
	}
}

func checkLook(t *testing.T, theme Theme, depth Depth, how string) {
	t.Helper()
	codes := strings.Split(how, ";")
	for i := 0; i < len(codes) && how != ""; i++ {
		c := codes[i]
		switch {
		case c == "38" && codes[i+1] == "5" && depth == Depth256 && theme != ThemeMono && theme != ThemeTerminal && theme != "":
			i += 2
		case c == "38" && codes[i+1] == "2" && depth == TrueColor && theme != ThemeMono && theme != ThemeTerminal && theme != "":
			i += 4
		case len(c) == 1: // bold and the like
		case len(c) == 2 && c[0] == '3' && c != "38" && theme != ThemeMono:
		default:
			t.Errorf("%q at depth %d has %q", theme, depth, how)
		}
	}
}
