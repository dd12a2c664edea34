package safetext_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai/internal/safetext"
)

var terminalCases = []struct{ name, in, want string }{
	{"empty", "", ""},
	{"plain", "total 48\n\tmain.c\n", "total 48\n\tmain.c\n"},
	{"wide, combining, right to left, emoji", "日本 e\u0301 שלום \u200f! 👩\u200d💻 ❤\ufe0f", "日本 e\u0301 שלום \u200f! 👩\u200d💻 ❤\ufe0f"},
	{"colour", "\x1b[1;31merror\x1b[0m: \x1b[38:2::1:2:3mx\x1b[m", "error: x"},
	{"erase and move", "a\x1b[2K\x1b[1Gb\x1b[?25l\x1b[10;20Hc\x1b[ q", "abc"},
	{"character set", "\x1b(Ba\x1b)0b", "ab"},
	{"window title", "\x1b]0;owned\x07x", "␛]0;owned␇x"},
	{"clipboard, ended by ST", "\x1b]52;c;bHM=\x1b\\x", "␛]52;c;bHM=␛\\x"},
	{"device control", "\x1bP+q544e\x1b\\", "␛P+q544e␛\\"},
	{"application command", "\x1b_Gi=1\x1b\\", "␛_Gi=1␛\\"},
	{"reset", "\x1bc\x1b7\x1b=", "␛c␛7␛="},
	{"C1 as characters", "\u009b31m\u009d0;t\u009c\u0085", "<U+009B>31m<U+009D>0;t<U+009C><U+0085>"},
	{"C1 as bytes", "\x9b31m\x90x", "\uFFFD31m\uFFFDx"},
	{"sequence that never ends", "\x1b[12", "␛[12"},
	{"sequence cut by a newline", "\x1b[12\nx", "␛[12\nx"},
	{"sequence longer than any", "\x1b[" + strings.Repeat("1", 100) + "m", "␛[" + strings.Repeat("1", 100) + "m"},
	{"escape twice", "\x1b\x1b[m[31mx", "␛[31mx"},
	{"escape at the end", "x\x1b", "x␛"},
	{"other controls", "\x00\a\b\v\f\x0e\x7f", "␀␇␈␋␌␎␡"},
	{"line ends", "a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"},
	{"progress bar", "10%\r20%\r100%\n", "10%\n20%\n100%\n"},
	{"no UTF-8", "a\xff\xc3(\xe2\x82", "a\uFFFD\uFFFD(\uFFFD\uFFFD"},
	{"bidirectional override", "access\u202e\u2066// admin\u2069\u202c", "access<U+202E><U+2066>// admin<U+2069><U+202C>"},
	{"invisible", "a\u200bb\u2060c\ufeffd\u2028e\u3164f", "a<U+200B>b<U+2060>c<U+FEFF>d<U+2028>e<U+3164>f"},
	{"tags", "hi\U000E0068\U000E0069", "hi<U+E0068><U+E0069>"},
	{"replacement character", "\uFFFD", "\uFFFD"},
}

// P26, P36, P42
func TestTerminal(t *testing.T) {
	for _, c := range terminalCases {
		t.Run(c.name, func(t *testing.T) {
			if got := safetext.Terminal(c.in); got != c.want {
				t.Errorf("Terminal(%+q)\n got %+q\nwant %+q", c.in, got, c.want)
			}
		})
	}
}

// P42
func FuzzTerminalIsSafeHoweverItIsCut(f *testing.F) {
	for i, c := range terminalCases {
		f.Add(c.in, i, 1+i%3)
	}
	f.Fuzz(func(t *testing.T, in string, a, b int) {
		whole := safetext.Terminal(in)
		if !utf8.ValidString(whole) {
			t.Errorf("Terminal(%+q) = %+q: not UTF-8", in, whole)
		}
		for _, r := range whole {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r <= 0x9F {
				t.Errorf("Terminal(%+q) = %+q: holds a control", in, whole)
			}
		}
		if again := safetext.Terminal(whole); again != whole {
			t.Errorf("Terminal(%+q) = %+q, and of that %+q", in, whole, again)
		}
		pieces := [][]string{cut(in, a, b), strings.Split(in, "")}
		if len(in) < 1000 {
			pieces = append(pieces, everyByte(in))
		}
		for _, p := range pieces {
			if got := filtered(p); got != whole {
				t.Errorf("pieces %+q give %+q, the whole %+q", p, got, whole)
			}
			if got := written(t, p); got != whole {
				t.Errorf("writes %+q give %+q, the whole %+q", p, got, whole)
			}
		}
	})
}

func cut(s string, a, b int) []string {
	a, b = int(uint(a)%uint(len(s)+1)), int(uint(b)%uint(len(s)+1))
	a, b = min(a, b), max(a, b)
	return []string{s[:a], s[a:b], s[b:]}
}

func everyByte(s string) (pieces []string) {
	for i := range len(s) {
		pieces = append(pieces, s[i:i+1])
	}
	return pieces
}

func filtered(pieces []string) string {
	var f safetext.Filter
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(f.Text(p))
	}
	return b.String() + f.End()
}

func written(t *testing.T, pieces []string) string {
	var b bytes.Buffer
	w := safetext.NewWriter(&b)
	for _, p := range pieces {
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCleanTextCostsNothing(t *testing.T) {
	s := strings.Repeat("plain text, 日本語\n\tand more\n", 100)
	if n := testing.AllocsPerRun(10, func() { _ = safetext.Terminal(s) }); n != 0 {
		t.Errorf("Terminal of clean text allocates %v times", n)
	}
	var f safetext.Filter
	if n := testing.AllocsPerRun(10, func() { _ = f.Text(s) }); n != 0 {
		t.Errorf("Filter.Text of clean text allocates %v times", n)
	}
}

func BenchmarkTerminal(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("0123456789 plain text of a source file\n", 25_000),
		"unicode": strings.Repeat("日本語のテキスト\n", 40_000),
		"colour":  strings.Repeat("\x1b[31mred\x1b[0m and plain again\n", 30_000),
		"binary":  strings.Repeat("\x00\x01\xfe\xff\x7fELF", 100_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				safetext.Terminal(s)
			}
		})
	}
}
