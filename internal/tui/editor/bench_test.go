package editor

import (
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/tty"
)

// A megabyte that is pasted: Handle and View together.
func BenchmarkPasteOfMegabyte(b *testing.B) {
	for name, text := range map[string]string{"lines": strings.Repeat("a line of text that somebody has copied\n", 26_000), "line": strings.Repeat("漢字", 170_000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e := New(Config{})
				e.Handle(pasted(text))
				e.View(100, 10)
			}
		})
	}
}

// View with a megabyte in the text, as a chip and spread out.
func BenchmarkViewOfMegabyte(b *testing.B) {
	for name, open := range map[string]bool{"chip": false, "open": true} {
		b.Run(name, func(b *testing.B) {
			e := New(Config{})
			e.Handle(pasted(strings.Repeat("a line of text that somebody has copied\n", 26_000)))
			if open {
				e.openChip()
				e.cursor = len(e.text) / 2
			}
			for b.Loop() {
				e.View(100, 10)
			}
		})
	}
}

// A key typed in the middle of 100 KB, and View.
func BenchmarkKey(b *testing.B) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("a line of text that somebody has typed\n", 2600),
		"line":  strings.Repeat("words of one line ", 5700),
		"wide":  strings.Repeat("漢字 ", 14_000),
		"emoji": strings.Repeat("👩‍👩‍👧", 5700),
		"one":   strings.Repeat("x", 100_000),
	} {
		for event, k := range map[string]tty.Key{"type": {Rune: 'x'}, "left": {Code: tty.KeyLeft}, "up": {Code: tty.KeyUp}} {
			b.Run(name+"/"+event, func(b *testing.B) {
				e := New(Config{})
				e.Set(text)
				e.cursor = align(e.text, len(text)/2)
				e.View(100, 10)
				for b.Loop() {
					e.Handle(k)
					e.View(100, 10)
				}
			})
		}
	}
}

func BenchmarkHistoryAdd(b *testing.B) {
	h := open(b, filepath.Join(b.TempDir(), "history"))
	for i := 0; b.Loop(); i++ {
		h.Add(strings.Repeat("what was said ", 5+i%2))
	}
}

// A history as long as one can be, until something is asked of it.
func BenchmarkHistoryOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "history")
	h := open(b, path)
	for i := range 30_000 {
		h.Add(strings.Repeat("what was said ", 8+i%2))
	}
	for b.Loop() {
		open(b, path)
	}
}

// A letter that is searched for in a full history, and not found.
func BenchmarkSearch(b *testing.B) {
	e := withPast()
	for range mostEntries {
		e.config.History.Add(strings.Repeat("what was said before ", 5))
		e.config.History.Add(strings.Repeat("and what was said then ", 5))
	}
	e.beginSearch()
	for b.Loop() {
		e.search.query = ""
		e.Handle(tty.Key{Rune: 'Z'})
	}
}
