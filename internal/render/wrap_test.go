package render_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		width             int
		text, indent, out string
	}{
		{0, "a b c d e f", "  ", "a b c d e f"},
		{10, "one two three four\nfive", "  ", "one two\n  three\n  four\nfive"},
		{10, "ok    a    bcdef\n", "      ", "ok    a\n      bcdef\n"},
		{10, "  at /a/very/long/path here", "    ", "  at\n    /a/very/long/path\n    here"},
		{20, "Do this: `ikigai log x`, or not.", "", "Do this:\n`ikigai log x`, or\nnot."},
		{8, "odd ` mark and more", "", "odd `\nmark and\nmore"},
		{6, "日本 日本 日本", "", "日本\n日本\n日本"},
		{5, "a b  ", "", "a b  "},
		{5, "a b       ", "", "a b"},
		{1, "a b", "  ", "a\n  b"},
	} {
		if got := (render.Style{Width: c.width}).Wrap(c.text, c.indent); got != c.out {
			t.Errorf("%d columns, %q:\n got %q\nwant %q", c.width, c.text, got, c.out)
		}
	}
}

// FuzzWrap holds that wrapped text has the words of the text in their order,
// that no line with several of them is too wide, and that what is wrapped stays
// as it is.
func FuzzWrap(f *testing.F) {
	f.Add("one two three `four five` six", 12)
	f.Add("  日本 ` x\n\n  y  z ", 3)
	f.Add("``a b`` `", 1)
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = safetext.Terminal(text)
		s := render.Style{Width: max(1, width%100)}
		got := s.Wrap(text, "")
		if want := strings.Fields(text); strings.Join(strings.Fields(got), " ") != strings.Join(want, " ") {
			t.Errorf("%q has become %q", text, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if strings.Contains(strings.Trim(line, " "), " ") && !strings.Contains(line, "`") && ansi.StringWidth(strings.TrimRight(line, " ")) > s.Width {
				t.Errorf("%d columns in %d: %q", ansi.StringWidth(line), s.Width, line)
			}
		}
		if again := s.Wrap(got, ""); again != got && !strings.Contains(text, "`") {
			t.Errorf("%q wrapped again is %q", got, again)
		}
	})
}
