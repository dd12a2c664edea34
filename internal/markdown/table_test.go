package markdown_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ikigai/internal/markdown"
)

// wideTables are tables that do not fit every terminal.
var wideTables = []string{
	"| name | what it does |\n|:--|--|\n| `a b` | **one two three** four [five](http://x.example/six) seven eight nine ten |\n",
	"| | zwei | 日本語のとても長いテキスト |\n|-|-:|:-:|\n| 👩‍👩‍👧 e\u0301e\u0301 | \u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05e9\u05dc\u05d5\u05dd | 日本 `go test ./...` 日本 |\n",
	"> | a | b |\n> |---|---|\n> | " + strings.Repeat("word ", 30) + "| " + strings.Repeat("x", 90) + " |\n",
	"a|b|c|d|e|f|g\n-|-|-|-|-|-|-\nlonger one|longer two|longer three|longer four|longer five|longer six||eight\n\n",
	"| a | b |\n|--|-:|\n" + strings.Repeat("| x | 1 |\n", 210) + "| " + strings.Repeat("grown ", 20) + " | 2 |\n| 1 | 2 |\n" + strings.Repeat("| much more ", 9) + "\n",
}

// FuzzTable holds that a table takes no more columns than the terminal has, and all of
// them where cells are broken, that no character of its cells is lost, out of its order
// in the column or looks otherwise, and that looks end with their line.
//
// S2.45, P36
func FuzzTable(f *testing.F) {
	f.Add("one two three", "`code` and **more words**", "日本語のテキスト", uint8(30))
	f.Add("👩‍👩‍👧👩‍👩‍👧 e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "x", strings.Repeat("wide ", 40), uint8(40))
	f.Add("\u200d"+strings.Repeat("word ", 20), strings.Repeat("wo**rd** **w**ord ", 9), strings.Repeat("日本go", 9), uint8(21))
	f.Add("\u200d", "a", "\u0301", uint8(1))
	f.Add(" a\u00a0b  c ", "*em*phasis of [a link](http://x.example)", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", uint8(24))
	f.Fuzz(func(t *testing.T, a, b, c string, columns uint8) {
		cells := []string{oneCell(a), oneCell(b), oneCell(c)}
		width := 26 + int(columns) // room for six in each
		text := "| A | B | C |\n|---|:-:|--:|\n| " + strings.Join(cells, " | ") + " |\n\n"
		lines := render(markdown.Style{Looks: looks, Width: width}, text)
		if rule := ansi.StringWidth(lines[1]); len(lines) > 4 && rule != width-1 {
			t.Fatalf("cells are broken, but %d of %d columns used:\n%s", rule, width, strings.Join(lines, "\n"))
		}
		var got [3]string
		for i, l := range lines {
			if w := ansi.StringWidth(l); w >= width {
				t.Fatalf("%d of %d columns: %q", w, width, l)
			}
			if open := strings.LastIndex(l, "\x1b["); open >= 0 && !strings.HasPrefix(l[open:], "\x1b[0m") {
				t.Fatalf("the looks of %q go on", l)
			}
			if i < 2 || l == "" {
				continue
			}
			bar := " \x1b[" + looks[markdown.Faint] + "m│\x1b[0m"
			for j, cell := range strings.Split(l+" ", bar+" ") {
				got[j] += strings.TrimSuffix(cell, bar)
			}
		}
		for j, cell := range cells {
			whole := render(markdown.Style{Looks: looks}, "|A|\n|-|\n|"+cell+"|\n")[2]
			if want, got := shown(whole), shown(got[j]); want != got {
				t.Errorf("cell %q is %q in\n%s", want, got, strings.Join(lines, "\n"))
			}
		}
	})
}

// oneCell makes text one cell that does not look like two.
func oneCell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '|' || r == '│' || r == '\\' || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	if text = strings.Trim(text, " "); text == "" {
		return "x"
	}
	return text
}

// shown returns the characters of a line without spaces, each behind its looks.
func shown(line string) string {
	var b strings.Builder
	look := ""
	for line != "" {
		if sequence := sgr.FindString(line); sequence != "" && strings.HasPrefix(line, sequence) {
			look, line = strings.TrimSuffix(sequence, "\x1b[0m"), line[len(sequence):]
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		if line = line[n:]; r != ' ' {
			b.WriteString(look + string(r))
		}
	}
	return b.String()
}

// What is drawn of a long table is in proportion to it, and nothing is held of it once
// its columns are settled, whatever comes later.
func TestLongTable(t *testing.T) {
	for name, head := range map[string]string{
		"columns": "| a | b |\n|---|---|\n", "list": strings.Repeat("| heading ", 20) + "\n" + strings.Repeat("|---", 20) + "\n",
		"long head": "| " + strings.Repeat("h", 50_000) + " | column b | column c | column d\n|---|---|---|---\n", "deep": "- item\n\n" + strings.Repeat(" ", 5000) + "| a | b |\n|---|---|\n",
	} {
		for _, row := range []string{"| x | 1 |\n", "| one two three four five six seven eight nine | 1 |\n", "||\n"} {
			const rows = 10_000
			s := markdown.NewStream(markdown.Style{Looks: looks, Width: 30})
			size, tail := 0, 0
			for _, piece := range []string{head, strings.Repeat(row, rows)} {
				for _, l := range s.Write(piece) {
					size += len(l) + 1
				}
				tail = len(s.Tail())
			}
			if most := 20*len(head) + 60*rows*len(row); size > most || tail > 0 {
				t.Errorf("%s, %q: %d bytes are drawn, not %d at most; %d lines are held", name, row, size, most, tail)
			}
		}
	}
}

// What a row may become, which Tail shows, makes no room in the columns that are settled.
func TestTailOfLongTable(t *testing.T) {
	style := markdown.Style{Looks: looks, Width: 30}
	before, row := "| a | b |\n|---|---|\n"+strings.Repeat("| x | 1 |\n", 250), "| **y** | 2 |\n"
	s := markdown.NewStream(style)
	got := s.Write(before)
	for i := range row {
		got = append(got, s.Write(row[i:i+1])...)
		s.Tail()
	}
	if diff := cmp.Diff(render(style, before+row), append(got, s.End()...)); diff != "" {
		t.Errorf("(-in one +with tails):\n%s", diff)
	}
}

func BenchmarkTable(b *testing.B) {
	benchmark(b, "| name | what | why |\n|---|---|---|\n"+strings.Repeat("| `"+"name` | one **two** three four five six seven eight nine | 日本語のテキスト and so on, and on, and on |\n", 2000)+"\n")
}
