package markdown_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/markdown"
)

// FuzzProse: broken text has all of its words, in lines that the terminal does not
// break, unless a word alone is wider.
func FuzzProse(f *testing.F) {
	f.Add("a paragraph of words, some of which are incomprehensibilities, and others are not", 20, "> - ")
	f.Add("日本語の文章は、空白なしで書かれる。 And some words, 👩‍👩‍👧 e\u0301", 14, "12. ")
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", 13, "")
	f.Fuzz(func(t *testing.T, text string, width int, mark string) {
		if strings.ContainsFunc(text, func(r rune) bool {
			return r != ' ' && !unicode.IsLetter(r) && !unicode.IsMark(r) && r != ',' && r != '。'
		}) || strings.TrimSpace(text) == "" || width < 1 || width > 300 {
			return
		}
		switch mark {
		case "> ", "- ", "12. ", "> - ":
		default:
			mark = ""
		}
		got := render(markdown.Style{Looks: looks, Width: width}, mark+text)
		broken := ""
		for _, l := range got {
			l = strings.TrimLeft(sgr.ReplaceAllString(l, ""), "│•12. ")
			broken += l
			if room := width - 1 - len(mark); room >= 12 && ansi.StringWidth(l) > room && strings.Contains(strings.TrimSpace(l), " ") {
				t.Errorf("%q is wider than %d", l, room)
			}
		}
		if bare := strings.NewReplacer(" ", ""); bare.Replace(broken) != bare.Replace(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
