package markdown_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/markdown"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]+m")

// looks names each role, so that the tests can read what is in which.
var looks = func() *markdown.Looks {
	var l markdown.Looks
	for r := markdown.Plain + 1; r < markdown.Roles; r++ {
		l[r] = string(rune('0'+r/10)) + string(rune('0'+r%10))
	}
	return &l
}()

var styles = []markdown.Style{{}, {Width: 30}, {Looks: looks, Width: 40}, {Looks: looks, Width: 8}, {Looks: looks, ASCII: true}}

func render(style markdown.Style, text string) []string {
	s := markdown.NewStream(style)
	return append(s.Write(text), s.End()...)
}

// FuzzStream holds that pieces do not matter, that nothing but SGR sequences can
// act on a terminal, that no word is lost or out of order, and that what is written
// and the tail after each piece are what comes of the text so far.
func FuzzStream(f *testing.F) {
	for _, text := range seeds {
		f.Add(text, uint64(1))
	}
	for _, text := range wideTables {
		f.Add(text, uint64(1))
	}
	f.Add("| a | b |\n|--|-:|\n"+strings.Repeat("| x | 1 |\n", 250)+"| longer than the others | 2 |\n", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		for _, style := range styles {
			want := render(style, text)
			s, random := markdown.NewStream(style), rand.New(rand.NewPCG(seed, 0))
			var got []string
			for rest, came := text, ""; rest != ""; {
				n := 1 + random.IntN(min(12, len(rest)))
				got = append(got, s.Write(rest[:n])...)
				came, rest = came+rest[:n], rest[n:]
				if len(text) < 200 {
					if diff := cmp.Diff(render(style, came), append(slices.Clip(got), s.Tail()...)); diff != "" {
						t.Fatalf("%q (-whole +with its tail):\n%s", came, diff)
					}
				}
			}
			got = append(got, s.End()...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-in one +in pieces):\n%s", diff)
			}
			checkSafe(t, want)
			checkWords(t, style, text, strings.Join(want, "\n"))
		}
	})
}

func checkSafe(t *testing.T, lines []string) {
	t.Helper()
	for _, l := range lines {
		for _, r := range sgr.ReplaceAllString(l, "") {
			if unicode.IsControl(r) && r != '\t' || !utf8.ValidString(l) {
				t.Fatalf("%q holds %q", l, r)
			}
		}
	}
}

// checkWords holds that the letters and digits of the text come out in their
// order. Where a link's text is its target it stands there once; cells that are broken
// over several lines stand beside one another, and in a list behind the names of
// their columns.
func checkWords(t *testing.T, style markdown.Style, text, shown string) {
	t.Helper()
	if strings.Contains(text, "](") || strings.Contains(text, "&") && strings.Contains(text, ";") {
		return
	}
	want, got := letters(text), letters(sgr.ReplaceAllString(shown, ""))
	if style.Width > 0 && strings.Contains(text, "|") {
		for r, n := range tally(want) {
			if tally(got)[r] < n {
				t.Fatalf("%q of %q is missing in %q", r, want, got)
			}
		}
		return
	}
	if got != want {
		t.Fatalf("letters %q have become %q", want, got)
	}
}

// tally returns how often each character is there.
func tally(text string) map[rune]int {
	all := map[rune]int{}
	for _, r := range text {
		all[r]++
	}
	return all
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// FuzzCode holds that code in a fence comes out as it is, whatever its language.
func FuzzCode(f *testing.F) {
	for _, lang := range fences {
		f.Add(lang, samples)
		f.Add(lang, "'\"`\n/* { <!-- \"\"\" <<EOF\n${ $( @x #[ R\"( r#\"\n# x: \\")
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		if strings.ContainsAny(lang, "\n`") || strings.Contains(text, "~~~") || !utf8.ValidString(lang) || !utf8.ValidString(text) || strings.ContainsFunc(lang+text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\t' && r != '\n'
		}) {
			return
		}
		got := render(markdown.Style{Looks: looks}, "~~~"+lang+"\n"+text+"\n~~~")
		want := strings.Split(strings.TrimRight("~~~"+lang, " \t")+"\n"+text+"\n~~~", "\n")
		for i := range got {
			got[i] = sgr.ReplaceAllString(got[i], "")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// What is held of a table is bounded, and so is what is looked at of a line.
func TestBounds(t *testing.T) {
	s := markdown.NewStream(markdown.Style{Looks: looks})
	for _, piece := range []string{"| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 1000), "| a | b |\n|---|---|\n| " + strings.Repeat("x", 100_000) + " | 1 |\n| 1 | 2 |\n"} {
		if lines, rows := s.Write(piece), strings.Count(piece, "\n"); len(lines) != rows || len(s.Tail()) != 0 {
			t.Errorf("%d of %d rows are final, %d are not", len(lines), rows, len(s.Tail()))
		}
		s.Write("\n")
	}
	s.Write(strings.Repeat("日本", 100_000))
	if tail := s.Tail(); len(tail) != 1 || len(tail[0]) < 10_000 || len(tail[0]) > 17_000 || !utf8.ValidString(tail[0]) {
		t.Errorf("the tail has %d lines, the first of %d bytes", len(tail), len(tail[0]))
	}
}

func BenchmarkProse(b *testing.B) { benchmark(b, strings.Join(seeds[:6], "\n")+"\n\n") }

func BenchmarkCode(b *testing.B) { benchmark(b, "~~~go\n"+samples+"\n~~~\n\n") }

// One line of a megabyte, of code and of all that may begin something in a text.
func BenchmarkLongLine(b *testing.B) {
	for name, text := range map[string]string{
		"code": "~~~js\n" + strings.Repeat("x = f(\"a\") + 1; ", 1<<20/16), "stars": strings.Repeat("*a **b ", 1<<20/7), "brackets": strings.Repeat("[a](", 1<<20/4),
		"backquotes": strings.Repeat("`a``b```c", 1<<20/9), "angles": strings.Repeat("<a ", 1<<20/3), "addresses": strings.Repeat("ab://", 1<<20/5),
		"dollars": "~~~sh\n" + strings.Repeat("${", 1<<19), "marks": strings.Repeat("- ", 1<<19), "pipes": strings.Repeat("|-", 1<<19), "closed": "*" + strings.Repeat("a_b* ", 1<<20/5),
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, text) })
	}
}

func benchmark(b *testing.B, text string) {
	text = strings.Repeat(text, 1+(1<<18)/len(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		render(markdown.Style{Looks: looks, Width: 80}, text)
	}
}
