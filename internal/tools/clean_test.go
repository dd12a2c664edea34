package tools

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai/internal/race"
)

// P26, P42: what the model gets is what a person would have seen in the end.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                            "plain\ttext\n",
		"\x1b[1;31mred\x1b[0m é\n":                 "red é\n",
		"a\r\nb\r\n":                               "a\nb\n",
		"10%\r50%\r100%\nok":                       "100%\nok",
		"10%\r50%\r":                               "50%",
		"busy\r\x1b[Kdone\n":                       "done\n",
		"\x1b]0;title\x07text":                     "text",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b(Bx\x1b=y\x1bMz":                      "xyz",
		"\x1bPdata\x1b\\after":                     "after",
		"a\x00b\x07c\x7f\u0085d\u009b31me":         "abcde",
		"\u009d0;title\u009ctext\u0090x\x1b\\y":    "texty",
		"\u009d0;title\x1b[1mtext\u009fx\x07y":     "texty",
		"a\u202eb\u2066c\u200fd":                   "a<U+202E>b<U+2066>c\u200fd",
		"\xc2\x1b[1mx\x9b":                         "\uFFFDx\uFFFD",
		"\x1b\u009b1mx":                            "x",
		"N\bNA\bAM\bME\bE":                         "NAME",
		"\b\bx":                                    "x",
		"_\bé_\b€":                                 "é€",
		"bad \xff\xfe bytes":                       "bad \uFFFD\uFFFD bytes",
		"cut \x1b[3":                               "cut ",
		"cut \x1b":                                 "cut ",
		"\x1b[1\nnext":                             "\nnext",
		"\x1b]never ended\nnext":                   "\nnext",
	} {
		if got := clean([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzClean: the text is UTF-8 without control characters, clean text stays as
// it is, and no line break is lost.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"\u009b1m\u009dx\u009c\u202e", "\xc2\xc2\x9b", "a\r\nb", "\x1b[1;31mx\x1b[0m", "\x1b]0;t\x07", "1\r2\r", "\b\b", "\xff\x1b", "é\n\u009b", "\x1b[\x1b[\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := clean(b)
		bad := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || turnsText(r) }
		if len(got) > 3*len(b) {
			t.Fatalf("%q: %q is too long", b, got)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, bad) {
			t.Fatalf("%q: %q", b, got)
		}
		if again := clean([]byte(got)); again != got {
			t.Fatalf("%q: %q, then %q", b, got, again)
		}
		if strings.Count(got, "\n") != bytes.Count(b, []byte{'\n'}) {
			t.Fatalf("%q: %q", b, got)
		}
	})
}

// P26: what takes quadratic time here takes longer than any test may.
func TestCleanMuch(t *testing.T) {
	for _, piece := range []string{"x", "é", "\xff", "\r", "\b", "x\b", "x\r", "\x1b", "\x1b[", "\x1b]", "\x1bP\u009d", "\u009b1", "\u009d", "\x1b(", "\u202e", "\n"} {
		b := bytes.Repeat([]byte(piece), 5<<20/race.Tenth/len(piece))
		if got := clean(b); len(got) > 3*len(b) {
			t.Errorf("%q: %d bytes", piece, len(got))
		}
	}
}
