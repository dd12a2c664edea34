package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// find returns the lines of text that match.
func find(t testing.TB, pattern string, ignoreCase bool, text string) []Line {
	t.Helper()
	p, err := Compile(pattern, ignoreCase)
	if err != nil {
		t.Fatal(err)
	}
	return all(p, text)
}

func all(p *Pattern, text string) (found []Line) {
	lines := p.Lines(nil)
	lines.Reset([]byte(text))
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		found = append(found, line)
	}
	return found
}

// What every match of a pattern contains.
func TestNeedles(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		want    string // texts, each with its byte that is looked for
	}{
		{`TODO`, "TODO:O"},
		{`func \(.*\) ServeHTTP`, ") ServeHTTP:H"},
		{`(?i)deadlock`, "deadloc:d deadloc:D"},
		{`(?i)ünder`, "nder:d nder:D"},
		{`[A-Z][a-z]+Error\b`, "Error:E"},
		{`\b(read|write)_[a-z]+\(`, "read_:_ write_:w"},
		{`(TODO|FIXME)\(`, "FIXME(:F TODO(:O"},
		{`gr[ae]y`, "gray:y grey:y"},
		{`[Tt]odo`, "todo:d todo:D"},
		{`colou?r:`, "color::: colour:::"},
		{`x{3}y`, "xxxy:y"},
		{`(abc)+d`, "abc:b"},
		{`\w+ := \w+`, " := ::"},
		{`é+ü`, "é:\xc3"},
		{`a|b|c|d|e|f|g|h|i`, ""},
		{`e`, ""},
		{`\d+`, ""},
		{`(foo)*`, ""},
		{`(foo|\d)`, ""},
		{`(?i)kiss`, ""},
	} {
		p, err := Compile(tc.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.needles {
			got = append(got, n.text+":"+string([]byte{n.byte}))
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.pattern, diff)
		}
	}
}

func TestLines(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          []Line
	}{
		{"abc", "abc\nxabc\n\nab\nabcabc", []Line{{0, 3, 0}, {4, 8, 5}, {13, 19, 13}}},
		{"(?i)abc", "ABC\nxaBc\n", []Line{{0, 3, 3}, {4, 8, 8}}},
		{"(?i)kelvin", "\u212Aelvin\nKELVIN\n", []Line{{0, 8, 8}, {9, 15, 15}}},
		{"(?i)strasse", "ſtraſSe\n", []Line{{0, 9, 9}}},
		{"(?i:ab)C", "abc\nABC\n", []Line{{4, 7, 7}}},
		{"^$", "\n\r\nx\n", []Line{{0, 0, 0}, {1, 2, 2}}},
		{`\b$`, "x\n\ny", []Line{{0, 1, 1}, {3, 4, 4}}},
		{"x*", "a\n\nb", []Line{{0, 1, 0}, {2, 2, 2}, {3, 4, 3}}},
		{"x*", "a\n", []Line{{0, 1, 0}}},
		{"x*", "", nil},
		{"abc", "", nil},
		{`\d`, "", nil},
		{"needle$", "needle\r\nneedles\n", []Line{{0, 7, 7}}},
		{`\d`, "a 7 b\n8", []Line{{0, 5, 3}, {6, 7, 7}}},
		{"é.è", "é\xffè\néaè\n\xe9a\n", []Line{{6, 11, 11}}}, // a byte that is no character is matched by nothing
		{`^[^a]+$`, "b\xffb\nbb\n", []Line{{4, 6, 6}}},
		{"ab", "\xff ab \xfe\n", []Line{{0, 6, 2}}},
	} {
		if diff := cmp.Diff(tc.want, find(t, tc.pattern, false, tc.text)); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", tc.pattern, tc.text, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	var fault *syntax.Error
	if _, err := Compile("a(b", false); !errors.As(err, &fault) || fault.Code != syntax.ErrMissingParen {
		t.Error(err)
	}
	if _, err := Compile(strings.Repeat(`\w{1000}`, 40), false); !errors.As(err, &fault) || fault.Code != syntax.ErrLarge {
		t.Error(err)
	}
	if _, err := Compile("a\nb", false); !errors.Is(err, ErrLineBreak) {
		t.Error(err)
	}
}

// An expression with more states than are kept is forgotten and learned again.
func TestManyStates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 1<<16)
	for i := range text {
		if text[i] = 'a' + byte(random.IntN(2)); random.IntN(100) == 0 {
			text[i] = '\n'
		}
	}
	for _, pattern := range []string{`(a|b)*a(a|b){14}b`, `a(a|b){12}a$`} {
		p, err := Compile(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		lines := p.Lines(nil)
		lines.Reset(text)
		var got, want []string
		for line, ok := lines.Next(); ok; line, ok = lines.Next() {
			got = append(got, string(text[line.Start:line.End]))
			if n := len(lines.auto.states); n > mostTransitions/utf8.RuneSelf {
				t.Fatalf("%s: %d states", pattern, n)
			}
		}
		std := regexp.MustCompile(pattern)
		for line := range strings.SplitSeq(string(text), "\n") {
			if std.MatchString(line) {
				want = append(want, line)
			}
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d lines found, want %d", pattern, len(got), len(want))
		}
	}
}

// A state with many threads counts for many: what is kept of an expression with
// thousands of instructions stays within the bound, too.
func TestManyThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 1<<12)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(2))
	}
	p, err := Compile(strings.Repeat(`[ab]*a[ab]{900}`, 4)+"[d-z]", false)
	if err != nil {
		t.Fatal(err)
	}
	lines := p.Lines(nil)
	lines.Reset(text)
	if line, ok := lines.Next(); ok {
		t.Fatal(line)
	}
	kept, most := 0, 0
	for _, s := range lines.auto.states {
		kept += len(s.threads)
		most = max(most, len(s.threads))
	}
	if most < 1000 || kept > mostTransitions+most {
		t.Errorf("%d threads are kept, %d of one state", kept, most)
	}
}

// A search that takes long can be stopped in the middle of a line.
func TestStop(t *testing.T) {
	p, err := Compile("[ab]*a[ab]{900}[d-z]", false)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	lines := p.Lines(func() bool { asked++; return asked == 100 })
	lines.Reset([]byte(strings.Repeat("ab", 1000) + "bbd\n"))
	if line, ok := lines.Next(); ok || asked != 100 {
		t.Errorf("found %v, asked %d times", line, asked)
	}
	asked = 0
	if text := strings.Repeat("ba", 1000) + "bbd"; inParts(t, lines, text, 100) || asked != 100 {
		t.Errorf("asked %d times", asked)
	}
}

// Goroutines search with one pattern.
func TestTogether(t *testing.T) {
	p, err := Compile(`(?i)\b(foo|bar)\w*k$`, false)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("FOOx barK\nfoo\nbar\u212A\n", 1000)
	want := all(p, text)
	var searches sync.WaitGroup
	for range 4 {
		searches.Go(func() {
			if got := all(p, text); len(got) != 2000 || !slices.Equal(got, want) {
				t.Errorf("%d lines, want %d", len(got), len(want))
			}
		})
	}
	searches.Wait()
}

// FuzzLines: what is found in many lines at once, and in each in parts, is what the
// standard library finds line by line.
func FuzzLines(f *testing.F) {
	for i, p := range []string{"a", "a+b", "^a", "a$", "[^a]", `\s`, "(?s)a.b", "a|^$", `\bfoo`, "(?i)A", "x*", `\Aa\z`, "a{2,3}", "(a)(b)?", "foo|aab",
		"(?i)foo|ab", "(?i)k", "fo[oa]", "(foo|aab)_?b", "foo.*b", "ob+", `o\b`, "(?i)foo[AB]", "aab$|^foo", "(aab|foo){2}", "Foo(?i:o)",
		`(?i)\bS\B`, `\b|\B`, `\B`, `|a`, `(|a|)$`, `(^|x)(a|$)`, `a$b|c^`, `(a|^){2,3}b`, `(?i)[k-s]+x{0,2}`, `(?i:ſ)S`, `[^\x{fffd}]$`, `\x{fffd}`, `(?i)ǆ|ß`,
		`\w{2,}\b.`, `(?-m)^a$`, `(?U)a+?b`, `\x{d800}`, `\C`, `\pL\PL`, `(?i)FOO\b|\bK`, `\r`, `\r$`, `[\r\n]`, `.\b$`} {
		f.Add(p, "ks KS \u212A \u017F\xff\xfe foo\xe2\x84\r\n\rk\r\r\n\xc5 \uFFFD a\n_é\u01C6", i%2 == 1)
		f.Add(p, "a\nab\n\nfoo a b\r\n aab\nA\nFOO k \u212A ſ foob_b", i%2 == 0)
	}
	f.Add(strings.Repeat("ab", 40), strings.Repeat("ab", 39)+"\nx"+strings.Repeat("ab", 45), false)
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		p, err := Compile(pattern, fold)
		if err != nil || len(text) > 1000 || len(pattern) > 100 || strings.ContainsRune(text+pattern, noCharacter) {
			return
		}
		std := standard(pattern, fold)
		var want []Line
		at := 0
		for line := range strings.SplitAfterSeq(text, "\n") {
			if line == "" {
				break
			}
			end := at + len(strings.TrimSuffix(line, "\n"))
			matches := std.MatchString(withoutInvalid(text[at:end]))
			if matches {
				want = append(want, Line{at, end, at})
			}
			for size := range 3 {
				if inParts(t, p.Lines(nil), text[at:end], size+1) != matches {
					t.Fatalf("%q, fold %v, in %q: in parts of %d found %v", pattern, fold, text[at:end], size+1, !matches)
				}
			}
			at += len(line)
		}
		got := all(p, text)
		for i, line := range got {
			if line.At < line.Start || line.At > line.End {
				t.Fatalf("%q in %q: %+v", pattern, text, line)
			}
			got[i].At = line.Start
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, fold %v, in %q: found %v, want %v", pattern, fold, text, got, want)
		}
	})
}

// inParts reports whether a line matches of which so many bytes are looked at at
// once.
func inParts(t *testing.T, lines *Lines, line string, size int) bool {
	long := lines.Long()
	for from := 0; ; {
		to := min(from+size, len(line))
		at, next := long.Part([]byte(line[:min(to+Ahead, len(line))]), from, to)
		switch {
		case at > len(line) || next < to:
			t.Fatalf("%d in %q: match at %d, next part at %d", from, line, at, next)
		case at >= 0 || to == len(line):
			return at >= 0
		}
		from = next
	}
}

// noCharacter stands for a byte that is no character, which package regexp takes
// for one.
const noCharacter = '\U0010FFFE'

func withoutInvalid(text string) string {
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			r = noCharacter
		}
		b.WriteRune(r)
		text = text[n:]
	}
	return b.String()
}

// standard returns the expression of package regexp that matches what pattern
// is to match in one line.
func standard(pattern string, fold bool) *regexp.Regexp {
	flags := syntax.PerlX | syntax.UnicodeGroups
	if fold {
		flags |= syntax.FoldCase
	}
	tree, _ := syntax.Parse(pattern, flags)
	return regexp.MustCompile(withoutNoCharacter(inLine(tree)).String())
}

func withoutNoCharacter(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpAnyCharNotNL:
		return withoutNoCharacter(&syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}})
	case syntax.OpCharClass:
		var rest []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > noCharacter || hi < noCharacter {
				rest = append(rest, lo, hi)
				continue
			}
			if lo < noCharacter {
				rest = append(rest, lo, noCharacter-1)
			}
			if hi > noCharacter {
				rest = append(rest, noCharacter+1, hi)
			}
		}
		if len(rest) == 0 {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
		return &syntax.Regexp{Op: syntax.OpCharClass, Rune: rest}
	}
	for i := range re.Sub {
		re.Sub[i] = withoutNoCharacter(re.Sub[i])
	}
	return re
}

func BenchmarkLines(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "\tif err := read%d(buffer[:n], %d); err != nil { // the error %d of the reader\n", i%7, i, i*i)
	}
	for _, pattern := range []string{"TODO", "(?i)deadlock", "error 1234", `[0-9]{7} of`, `\bx[a-z]+\(`, "x*"} {
		b.Run(pattern, func(b *testing.B) {
			p, err := Compile(pattern, false)
			if err != nil {
				b.Fatal(err)
			}
			lines, raw := p.Lines(nil), []byte(text.String())
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				lines.Reset(raw)
				for _, ok := lines.Next(); ok; _, ok = lines.Next() {
				}
			}
		})
	}
}
