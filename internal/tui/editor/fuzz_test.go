package editor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/tty"
)

// Whatever is typed, the cursor stands between clusters, the text is UTF-8, what
// is shown fits and holds the cursor, and undo leads back to the beginning.
//
// P36
func FuzzKeys(f *testing.F) {
	f.Add("hello world", []byte("abc\x01\x0b\x19\x02"), uint8(40), uint8(5), false)
	f.Add("e\u0301 漢字 👩‍👩‍👧 🇩🇪🇫🇷 नमस्ते שלום\nx\ty", []byte("\x80\x90\xa0\xb0\xc0\xd0\x14\x17\x1f"), uint8(12), uint8(3), false)
	f.Add("one two\nthree (four) 'five'", []byte("\x80dwcw2dd.pPvly0$Gggu\x12fxt;,"), uint8(3), uint8(1), true)
	f.Add("@f /m", []byte("/m@\x81\x82\x83\x84\x85\x86\x87\x88\x89"), uint8(30), uint8(12), false)
	f.Fuzz(holdsThroughout)
}

// The same with random keys, which are those of every run.
//
// P36
func TestRandomKeys(t *testing.T) {
	texts := []string{"", "one two\nthree (four) 'five'", "e\u0301 漢字漢字漢字 👩‍👩‍👧 🇩🇪🇫🇷🇩🇪 नमस्ते שלום\n\tx\ty", strings.Repeat("word ", 600)}
	const commands = "\x1bdcyfFtTgG0123456789wWbBeEhjklxXsSpPiIaAoOvu.rz;,^$\"'()@/ "
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 0))
		typed := make([]byte, random.IntN(150))
		for i := range typed {
			typed[i] = byte(random.IntN(256))
			if random.IntN(2) == 0 { // what vi makes commands of
				typed[i] = commands[random.IntN(len(commands))]
			}
		}
		holdsThroughout(t, texts[random.IntN(len(texts))], typed, uint8(random.IntN(90)), uint8(random.IntN(12)), random.IntN(2) == 0)
		if t.Failed() {
			t.Fatalf("typed %q", typed)
		}
	}
}

func holdsThroughout(t *testing.T, text string, typed []byte, width, rows uint8, vi bool) {
	if len(text) > 4096 || len(typed) > 512 {
		return
	}
	e := New(Config{Vi: vi, Color: true, Image: func(p string) bool { return strings.HasSuffix(p, ".png") }})
	e.config.History.Add("older\nof two lines")
	e.config.History.Add(strings.Repeat("long ", 400))
	e.Set(text)
	e.changes = changes{}
	first := e.text
	for _, b := range typed {
		if len(e.text) > 1<<15 {
			break // 9999p
		}
		k := fuzzKey(b)
		if e.Handle(k) == Complete {
			before := e.Before()
			e.Completed(before, Completions{From: len(before) / 2, Items: []Completion{{Text: "\u0301x\n"}, {Text: text, About: text}, {Text: "漢"}}})
		}
		holds(t, e, int(width), int(rows), fmt.Sprintf("%d %q %d %.60q", k.Code, k.Rune, k.Mods, k.Text))
	}
	e.close()
	for range len(typed)*4 + 4 {
		e.undo()
	}
	if e.text != first {
		t.Errorf("undo leads to %q, not to %q", e.text, first)
	}
	for range len(typed)*4 + 4 {
		e.redo()
	}
	holds(t, e, int(width), int(rows), "redo")
}

// holds checks what is true after each key.
func holds(t *testing.T, e *Editor, width, rows int, after string) {
	t.Helper()
	if e.cursor < 0 || e.cursor > len(e.text) || fromBeginning(e.text, e.cursor) != e.cursor {
		t.Fatalf("after %s: the cursor is within a cluster: %q, %d", after, e.text, e.cursor)
	}
	if !utf8.ValidString(e.text) || !utf8.ValidString(e.Text()) || strings.ContainsAny(e.text, "\r\x1b\x00\x7f") {
		t.Fatalf("after %s: the text is %q", after, e.text)
	}
	width, rows = max(width, 2), max(rows, 1)
	lines, row, col := e.View(width, rows)
	if len(lines) > rows || row < 0 || row >= len(lines) || col < 0 || col >= width {
		t.Fatalf("after %s: %d rows with the cursor at %d, %d; there is room for %d of %d: %q", after, len(lines), row, col, rows, width, lines)
	}
	for _, l := range lines {
		if w := ansi.StringWidth(l); w >= width || strings.ContainsAny(l, "\n\t\r") || !utf8.ValidString(l) {
			t.Fatalf("after %s: a row of %d columns, of %d: %q", after, w, width, l)
		}
	}
}

// fromBeginning is align without shortcuts.
func fromBeginning(s string, pos int) int {
	i := 0
	for i < pos {
		i += len(cluster(s[i:]))
	}
	return i
}

// fuzzKey returns a key for each byte.
func fuzzKey(b byte) tty.Key {
	switch {
	case b == 0x1F:
		return tty.Key{Rune: '_', Mods: tty.Ctrl}
	case b == 0x1B, b == 0x80:
		return tty.Key{Code: tty.KeyEscape}
	case b == '\r':
		return tty.Key{Code: tty.KeyEnter}
	case b == '\t':
		return tty.Key{Code: tty.KeyTab}
	case b > 0 && b < 0x1B:
		return tty.Key{Rune: rune('a' + b - 1), Mods: tty.Ctrl}
	case b >= ' ' && b < 0x7F:
		return tty.Key{Rune: rune(b)}
	case b < 0xA0:
		return tty.Key{Code: tty.KeyEnter + tty.Code(b-0x81)%12}
	case b < 0xB0:
		return tty.Key{Rune: rune("bfdyo<>t/@ "[b%11]), Mods: tty.Alt}
	case b < 0xD0:
		marks := []rune("\u0301漢👩\u200d🇩🇪\u0600\u094d\u0915\u200e\u1100\u1161\u202e\U0010F000\u00ad\t\u0915\ufe0f")
		return tty.Key{Rune: marks[int(b)%len(marks)]}
	}
	pastes := []string{"a\nb", "\x1b[31mred\x1b]0;x\x07", strings.Repeat("line\n", 20), strings.Repeat("漢", 2000), "/tmp/a.png", "'a b.png' c.png", "\r\n\xff\x00", "\u0301"}
	return tty.Key{Code: tty.KeyPaste, Text: pastes[int(b)%len(pastes)]}
}
