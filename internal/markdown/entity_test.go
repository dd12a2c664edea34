package markdown_test

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai/internal/markdown"
	"ikigai/internal/safetext"
)

// FuzzEntity holds that what is written as entities comes out as it is, safe, and that
// nothing of it acts as Markdown.
func FuzzEntity(f *testing.F) {
	f.Add("*a* `b` [c](d) | <e> & \\ # - 日本 é &amp;")
	f.Add("\x1b[2J\x00\a\r\n\t\u202e\u200b\u009b")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Trim(text, " \t\r\n") == "" {
			return
		}
		var source, want strings.Builder
		for i, r := range text {
			fmt.Fprintf(&source, []string{"&#%d;", "&#x%X;"}[i%2], r)
			want.WriteString(safetext.Terminal(strings.Map(func(r rune) rune {
				if strings.ContainsRune("\r\n\t", r) {
					return ' '
				}
				return r
			}, html.UnescapeString(fmt.Sprintf("&#%d;", r)))))
		}
		checkSafe(t, render(markdown.Style{Looks: looks}, source.String()))
		got := sgr.ReplaceAllString(strings.Join(render(markdown.Style{Looks: looks, Safe: safetext.Terminal}, source.String()), "\n"), "")
		if got != want.String() {
			t.Errorf("%q has become %q, not %q", source.String(), got, want.String())
		}
	})
}
