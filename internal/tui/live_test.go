package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
	"ikigai/internal/tty"
)

var update = flag.Bool("update", false, "write the golden files")

// hostile is what somebody else may have written: each of its sequences would do
// something to a terminal.
const hostile = "a\x1b[2J\x1b]0;owned\x07\x1b]52;c;eA==\x1b\\b\u202ec\rd\u009b31me\x00"

// began is when everything begins in the situations.
var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// situations are what the live region shows, by name, in order.
func situations() []aSituation {
	return []aSituation{
		{"nothing", func(l *loop) {}},
		{"typing", func(l *loop) {
			l.input.Set("Why does the build fail on the other machine, and not here?\nIt did not yesterday.")
		}},
		{"status", func(l *loop) {
			l.told(Status{Model: "anthropic/claude-sonnet-5:high", Context: 24_000, Of: 200_000, Cost: "$0.031", Turn: 3, Max: 50, OK: 5, Bad: 1,
				Store: "journal", Mode: "plan", Goal: "Make the release", Objective: "Find out why the build fails on the other machine"})
		}},
		{"a new session", func(l *loop) {
			l.fresh = true
			l.told(Status{Model: "local/any"})
		}},
		{"status of another limit", func(l *loop) { l.told(Status{Model: "local/any", Turn: 900, Max: 50}) }},
		{"status in short", func(l *loop) { l.told(Status{Model: "local/any", Context: 900}) }},
		{"waiting", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
		}},
		{"retry", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since, l.work.again, l.work.attempt, l.work.of = began, began.Add(10*time.Second), 2, 5
		}},
		{"answering", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.delta(ikigai.Delta{Text: "The first line.\n\nIt fails because the **cache** of the other machine is"})
		}},
		{"thinking", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.delta(ikigai.Delta{Thinking: "The person asks for a reason.\nPerhaps the"})
		}},
		{"a call runs", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.block(callBlock("c1", "bash", `{"command":"make all && make check && make install DESTDIR=/tmp/somewhere"}`))
			l.progress("c1", []byte("compiling a.c\ncompiling b.c\n\n\tlinking\nchecking 1 of 20\rchecking 2 of 20"))
			l.calls[0].since = began.Add(time.Second)
		}},
		{"several calls run", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			for i := range 6 {
				l.block(callBlock(fmt.Sprint(i), "grep", fmt.Sprintf(`{"pattern":"word %d"}`, i)))
			}
			for i := range 6 {
				l.progress(fmt.Sprint(i), nil)
				l.calls[5].since = began.Add(2 * time.Second)
			}
			l.progress("5", []byte("one\n"))
		}},
		{"a call further up runs", func(l *loop) {
			situation("a call runs")(l)
			l.notice("The database is away. Events are kept in a journal.")
		}},
		{"the first of two calls runs", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.block(callBlock("1", "bash", `{"command":"make"}`))
			l.block(callBlock("2", "bash", `{"command":"make check"}`))
			l.progress("1", nil)
			l.calls[1].since = began.Add(2 * time.Second)
		}},
		{"what waits", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.waiting = []Input{{Text: "Leave the tests alone."}, {Text: "Then commit.\nIn one commit.", Queue: true}}
		}},
		{"question", func(l *loop) {
			l.begins("waiting for the model")
			l.work.since = began
			l.ask(newAsked(Question{Text: "make install", Prompt: "Run this?", Choices: []Choice{
				{Key: 'y', Label: "yes, once"}, {Key: 'a', Label: "yes, always make *"}, {Key: 'n', Label: "no", Words: true}}}))
		}},
		{"keys", func(l *loop) { l.help = true }},
		{"hint", func(l *loop) { l.hint = hint{"Ctrl-C again leaves", began.Add(time.Hour)} }},
		{"hostile words", func(l *loop) {
			l.begins(hostile)
			l.work.since = began
			l.block(callBlock("c1", hostile, `{"command":`+fmt.Sprintf("%q", "x\x1b[2J")+`}`))
			l.progress("c1", []byte(hostile+"\n"+hostile))
			l.calls[0].since = began
			l.delta(ikigai.Delta{Text: hostile})
			l.waiting = []Input{{Text: hostile}}
			l.told(Status{Model: hostile, Goal: hostile, Objective: "of " + hostile, Store: hostile, Mode: hostile, Cost: hostile, Title: hostile})
		}},
		{"completions", func(l *loop) {
			for _, r := range "see @a" {
				l.key(tty.Key{Code: tty.KeyRune, Rune: r})
			}
			l.input.Completed("see @a", cleaned(Completions{From: 4, Items: []Completion{
				{Text: "@a.go"}, {Text: "@a" + hostile, About: hostile}, {Text: "@assets/", More: true}}}))
		}},
		{"all at once", func(l *loop) {
			for _, s := range []string{"status", "a call runs", "what waits", "question", "keys"} {
				situation(s)(l)
			}
			l.delta(ikigai.Delta{Text: strings.Repeat("A long line of an answer. ", 40)})
			l.input.Set(strings.Repeat("A line of what is typed.\n", 30))
		}},
	}
}

type aSituation struct {
	name string
	set  func(l *loop)
}

func situation(name string) func(*loop) {
	for _, s := range situations() {
		if s.name == name {
			return s.set
		}
	}
	return nil
}

func callBlock(id, tool, arguments string) transcript.Block {
	return transcript.Block{Kind: ikigai.KindToolCall, Interaction: ikigai.Main,
		Body: transcript.CallOf(ikigai.ToolCall{ID: id, Name: tool, Arguments: arguments})}
}

// inSituation returns a Front's state in a situation, 3 seconds after it began.
func inSituation(set func(*loop), style render.Style, width, height int) *loop {
	l := newLoop(Config{Terminal: newFake(width, height), Host: &host{}, Style: style}, newMailbox())
	l.resize()
	l.fresh = false
	set(l)
	l.now = began.Add(3 * time.Second)
	return l
}

// TestLiveRegion holds the live region against goldens, at four widths.
//
// S2.45
func TestLiveRegion(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var got strings.Builder
			for _, s := range situations() {
				live := inSituation(s.set, render.Style{}, width, 24).view()
				fmt.Fprintf(&got, "== %s: cursor %d,%d\n%s\n", s.name, live.Row, live.Col, strings.Join(live.Lines, "\n"))
			}
			golden(t, fmt.Sprintf("live-%d.txt", width), got.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

// TestLiveRegionFits holds that the live region is smaller than the screen, with
// the cursor in it, however small that is, and that no words of others act on the
// terminal.
//
// P36, P42
func TestLiveRegionFits(t *testing.T) {
	for _, s := range situations() {
		for width := 1; width <= 60; width++ {
			for _, height := range []int{1, 2, 3, 5, 10, 50} {
				live := inSituation(s.set, render.Style{Color: true}, width, height).view()
				if len(live.Lines) > max(1, height-1) {
					t.Errorf("%s, %dx%d: %d lines", s.name, width, height, len(live.Lines))
				}
				if live.Row < 0 || live.Row >= len(live.Lines) {
					t.Errorf("%s, %dx%d: cursor in row %d of %d", s.name, width, height, live.Row, len(live.Lines))
				}
				for _, line := range live.Lines {
					if w := ansi.StringWidth(line); width >= 8 && w > width-1 {
						t.Errorf("%s, %dx%d: %d columns: %q", s.name, width, height, w, line)
					}
					if acts(line) {
						t.Errorf("%s, %dx%d: acts on the terminal: %q", s.name, width, height, line)
					}
				}
			}
		}
	}
}

// While a paragraph streams, the input does not go up and down.
func TestTailIsSteady(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {200, 30}, {200, 50}, {120, 10}} {
		l := inSituation(func(l *loop) { l.begins("waiting for the model") }, render.Style{}, size[0], size[1])
		most := 0
		for range 1000 {
			l.delta(ikigai.Delta{Text: "of a long paragraph "})
			row := l.view().Row
			if row < most {
				t.Fatalf("%v: the input goes from row %d to %d", size, most, row)
			}
			most = row
		}
		if most < 2 {
			t.Errorf("%v: the input is in row %d", size, most)
		}
	}
}

// acts reports whether a line holds anything but text and SGR sequences.
func acts(line string) bool {
	for line != "" {
		if end := strings.IndexByte(line, 'm'); strings.HasPrefix(line, "\x1b[") && end > 0 &&
			strings.Trim(line[2:end], "0123456789;:") == "" {
			line = line[end+1:]
			continue
		}
		for _, r := range line {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
				return true
			}
			line = line[len(string(r)):]
			break
		}
	}
	return false
}
