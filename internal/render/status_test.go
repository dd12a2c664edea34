package render_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// onTerminal returns the lines that stand on a terminal, and in what has
// scrolled out of it, after text was written.
func onTerminal(t *testing.T, text string) string {
	t.Helper()
	lines := [][]rune{nil}
	column := 0
	for text != "" {
		last := &lines[len(lines)-1]
		if rest, ok := strings.CutPrefix(text, "\x1b[K"); ok {
			*last, text = (*last)[:min(column, len(*last))], rest
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		switch {
		case r == '\x1b':
			t.Fatalf("a sequence that nobody knows: %q", text)
		case r == '\n':
			lines, column = append(lines, nil), 0
		case r == '\r':
			column = 0
		case column < len(*last):
			(*last)[column] = r
			column++
		default:
			*last = append(*last, r)
			column++
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(string(l) + "\n")
	}
	return b.String()
}

// noisy returns what adds ticks and progress to a screen, at random, and checks
// them.
func noisy(t *testing.T, random *rand.Rand, texts []string) func(*screen) {
	return func(s *screen) {
		for range random.IntN(4) {
			text := texts[random.IntN(len(texts))]
			var pieces []render.Piece
			if random.IntN(2) == 0 {
				pieces = s.live.Tick(time.Duration(random.IntN(100))*time.Second, text)
			} else {
				pieces = s.live.Progress([]string{"1", "2"}[random.IntN(2)], []byte(text))
			}
			for _, p := range pieces {
				shown := strings.TrimSuffix(strings.TrimPrefix(p.Text, "\r"), "\x1b[K")
				w := max(ansi.StringWidth(shown), ansi.StringWidthWc(shown))
				if p.Answer || w >= s.live.Style.Width || !s.live.Terminal || strings.ContainsAny(shown, "\r\n\t") {
					t.Errorf("%d columns in %d, answer: %t: %q", w, s.live.Style.Width, p.Answer, p.Text)
				}
				if !strings.HasSuffix(p.Text, "\x1b[K") {
					t.Errorf("%q leaves something of the line before", p.Text)
				}
				checkSafe(t, ownSequence.ReplaceAllString(shown, "")+"\n")
			}
			s.write(pieces)
		}
	}
}

// FuzzStatusLeavesNoTrace holds that ticks and progress, wherever they come,
// change nothing of what remains on the screen and of what the standard output
// holds.
func FuzzStatusLeavesNoTrace(f *testing.F) {
	f.Add(uint64(1), "one\ntwo", "I see\n", "half\x1b[1", 40)
	f.Add(uint64(2), "", "\r50 %\r\t\x1b]0;t\a", "\x1b[m", 20)
	f.Add(uint64(3), "日本 👩\u200d💻 e\u0301\n\n", "\x00\u202e\xff\xe6\x97", "\n\n", 12)
	f.Add(uint64(4), strings.Repeat("long ", 2000), "a", "", 80)
	f.Add(uint64(5), "x", "y\n", "z", 1)
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c string, width int) {
		texts := []string{a, b, c, ""}
		clean := []string{ikigai.CleanText(a), ikigai.CleanText(b), ikigai.CleanText(c), ""}
		events := session(rand.New(rand.NewPCG(seed, 0)), clean)
		for _, live := range []render.Live{
			{Style: render.Style{Width: max(0, width%200)}, Terminal: true},
			{Style: render.Style{Width: max(0, width%200), Compact: true, ASCII: true}, Terminal: true},
			{Style: render.Style{Width: max(0, width%200), Markdown: true}, Terminal: true},
			{Style: render.Style{Width: max(0, width%200), Markdown: true, Compact: true}, Terminal: true},
			{Style: render.Style{}},
		} {
			live.Style.Zone = time.UTC
			with, without := &screen{live: live}, &screen{live: live}
			with.noise = noisy(t, rand.New(rand.NewPCG(seed, 1)), texts)
			with.play(events, rand.New(rand.NewPCG(seed, 2)))
			without.play(events, rand.New(rand.NewPCG(seed, 2)))
			if diff := cmp.Diff(onTerminal(t, without.all.String()), onTerminal(t, with.all.String())); diff != "" {
				t.Errorf("%+v (-without +with):\n%s", live.Style, diff)
			}
			if diff := cmp.Diff(without.answers.String(), with.answers.String()); diff != "" {
				t.Errorf("standard output (-without +with):\n%s", diff)
			}
			quiet := &screen{live: render.Live{Style: live.Style}}
			quiet.play(events, rand.New(rand.NewPCG(seed, 2)))
			if diff := cmp.Diff(onTerminal(t, quiet.all.String()), onTerminal(t, with.all.String())); diff != "" {
				t.Errorf("%+v (-without a status line +with):\n%s", live.Style, diff)
			}
			if !live.Terminal && with.all.String() != without.all.String() {
				t.Errorf("something is in the pipe: %q", with.all.String())
			}
		}
	})
}

func TestStatus(t *testing.T) {
	l := render.Live{Style: render.Style{Width: 50}, Terminal: true}
	var screen strings.Builder
	step := func(name string, pieces []render.Piece, want string) {
		t.Helper()
		for _, p := range pieces {
			screen.WriteString(p.Text)
		}
		if got := onTerminal(t, screen.String()); got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
	call := ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: "make"}})
	result := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: "1", Output: "done", Success: true})
	var fold transcript.Transcript
	blocks := append(fold.Add(call), fold.Add(result)...)

	step("at once", l.Tick(0, "waiting for a/b"), "  … waiting for a/b (Ctrl-C stops)\n")
	step("later", l.Tick(12*time.Second, "waiting for a/b"), "  … waiting for a/b, 12 s (Ctrl-C stops)\n")
	step("again", l.Tick(12*time.Second, "waiting for a/b"), "  … waiting for a/b, 12 s (Ctrl-C stops)\n")
	step("a call", l.Block(blocks[0]), "● make\n\n")
	step("it prints", l.Progress("1", []byte("cc a.c\ncc b")), "● make\n  … cc b\n")
	step("on", l.Progress("1", []byte(".c\n\n")), "● make\n  … cc b.c\n")
	step("time goes by", l.Tick(3500*time.Millisecond, "make"), "● make\n  … 3 s  cc b.c\n")
	step("a bar", l.Progress("1", []byte("\r10 %\r20 %")), "● make\n  … 3 s  20 %\n")
	step("another call", l.Progress("2", []byte(strings.Repeat("x", 100))), "● make\n  … 3 s  "+strings.Repeat("x", 40)+"\n")
	step("the result", l.Block(blocks[1]), "● make\n  done\n\n")
	step("an answer", l.Delta(ikigai.Delta{Text: "a"}), "● make\n  done\n\na\n")
	step("in the middle of a line", l.Tick(time.Minute, "waiting"), "● make\n  done\n\na\n")
	step("at its end", l.Delta(ikigai.Delta{Text: "\n"}), "● make\n  done\n\na\n\n")
	step("silence", l.Tick(time.Minute, "waiting"), "● make\n  done\n\na\n  … waiting, 1 min (Ctrl-C stops)\n")
	step("the end", l.End(), "● make\n  done\n\na\n\n")
	step("nothing more", l.End(), "● make\n  done\n\na\n\n")
}

func TestStatusLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b]0;title\a\x1b[2Jb\tc": "a␛]0;title␇b c",
		"one\ntwo\rthree":            "one␊two␊three",
		"導入導入導入導入導入":                 "導入導入導入導入導",
		"":                           "",
	} {
		if got := render.StatusLine(text, 19); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What arrives of a line stands on the status line until the line is whole.
func TestArriving(t *testing.T) {
	l := render.Live{Style: render.Style{Width: 30, Markdown: true, ASCII: true}, Terminal: true}
	var screen strings.Builder
	step := func(pieces []render.Piece, want string) {
		t.Helper()
		for _, p := range pieces {
			screen.WriteString(p.Text)
		}
		if got := onTerminal(t, screen.String()); got != want {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	}
	step(l.Delta(ikigai.Delta{Thinking: "well"}), "  ... well\n")
	step(l.Delta(ikigai.Delta{Text: "a\x1b[1m long line"}), "~ well\n  ... a long line\n")
	step(l.Tick(3*time.Second, "waiting"), "~ well\n  ... 3 s  a long line\n")
	step(l.Delta(ikigai.Delta{Text: " that comes"}), "~ well\n  ... ine that comes\n")
	step(l.Delta(ikigai.Delta{Text: "\n\n"}), "~ well\n\na long line that comes\n\n\n")
	step(l.Delta(ikigai.Delta{Text: "end"}), "~ well\n\na long line that comes\n\n  ... end\n")
	step(l.End(), "~ well\n\na long line that comes\n\nend\n\n")
}
