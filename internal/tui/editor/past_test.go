package editor

import (
	"slices"
	"strings"
	"testing"
)

// withPast returns an editor with a history.
func withPast(entries ...string) *Editor {
	h := &memory{}
	for _, text := range entries {
		h.Add(text)
	}
	return New(Config{History: h})
}

func TestHistory(t *testing.T) {
	for _, s := range []struct{ typed, want string }{
		{"<Up>", "three|\nof it"},
		{"<Up><Up>", "two|"},
		{"<Up><Up><Up><Up>", "one|"},
		{"<C-p><C-p><C-n>", "three\nof it|"},
		{"draft<Up><Up><Down><Down><Down>", "draft|"},
		{"draft<Up><Up>!<Down><Up><Up>", "two!|"},
		{"<Up><Up><C-_><C-_>", "|"},
		{"<Up><Down>", "three\nof it|"},
	} {
		e := withPast("one", "two", "three\nof it")
		for _, k := range keys(t, s.typed) {
			e.Handle(k)
		}
		if got := shown(e); got != s.want {
			t.Errorf("typed %s: %q, want %q", s.typed, got, s.want)
		}
	}
}

func TestTakeRemembers(t *testing.T) {
	e := withPast("one")
	for _, text := range []string{"two", "two", "three"} {
		e.Set(text)
		if got, _ := e.Take(); got != text || !e.Empty() {
			t.Errorf("took %q, and %q is left", got, e.Text())
		}
	}
	if got := e.config.History.Entries(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("the history has %q", got)
	}
	e.Handle(key(t, "C-_"))
	if !e.Empty() {
		t.Errorf("undo brings back what was sent: %q", e.Text())
	}
}

func TestSearch(t *testing.T) {
	for _, s := range []struct {
		typed string
		want  string
		event Event
	}{
		{"<C-r>go", "run |go test\nall", Changed},
		{"<C-r>go<C-r>", "run |Go vet", Changed},
		{"<C-r>Go", "run |Go vet", Changed},
		{"<C-r>go<C-r><C-s>", "run |go test\nall", Changed},
		{"<C-r>go<C-r><C-r><C-r>", "run |Go vet", Changed},
		{"<C-r>gx<BS>", "run |go test\nall", Changed},
		{"draft<C-r>nothing", "draft|", Changed},
		{"draft<C-r>", "draft|", Changed},
		{"<C-r>all", "run go test\n|all", Changed},
	} {
		e := withPast("run Go vet", "make", "run go test\nall", "make")
		for _, k := range keys(t, s.typed+"<Esc>") {
			e.Handle(k)
		}
		if got := shown(e); got != s.want {
			t.Errorf("typed %s: %q, want %q", s.typed, got, s.want)
		}
	}
}

func TestSearchFindsATextOnce(t *testing.T) {
	e := withPast("go a", "go b", "x", "go b")
	for _, k := range keys(t, "<C-r>go<C-r><Esc>") {
		e.Handle(k)
	}
	if got := shown(e); got != "|go a" {
		t.Errorf("found %q", got)
	}
}

func TestSearchEnds(t *testing.T) {
	for _, s := range []struct {
		typed string
		want  string
		event Event
	}{
		{"<C-r>ma<Enter>", "|make", Submit},
		{"<C-r>ma<C-g>", "draft|", Changed},
		{"<C-r>ma<C-c>", "draft|", Changed},
		{"<C-r>ma<Right>", "m|ake", Changed},
		{"<C-r>ma<Tab>", "|make", Changed},
		{"<C-r>ma<C-e>x", "makex|", Changed},
	} {
		e := withPast("make", "other")
		e.Set("draft")
		var event Event
		for _, k := range keys(t, s.typed) {
			event = e.Handle(k)
		}
		if got := shown(e); got != s.want || event != s.event {
			t.Errorf("typed %s: %q and event %d, want %q and %d", s.typed, got, event, s.want, s.event)
		}
	}
}

func TestSearchIsShown(t *testing.T) {
	e := withPast("run go vet", "make")
	for _, k := range keys(t, "<C-r>go") {
		e.Handle(k)
	}
	lines, row, col := e.View(40, 5)
	want := []string{"› run go vet", "search: go"}
	if !slices.Equal(lines, want) || row != 1 || col != 10 {
		t.Errorf("shown %q with the cursor at %d, %d", lines, row, col)
	}
	e.Handle(keys(t, "x")[0])
	if lines, _, _ := e.View(40, 5); lines[1] != "not found: gox" {
		t.Errorf("shown %q", lines)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m := &memory{}
	for i := range 3 * mostEntries {
		m.Add(strings.Repeat("x", i%5000))
	}
	if len(m.Entries()) > mostEntries || m.bytes > mostMemoryBytes {
		t.Errorf("%d entries of %d bytes", len(m.Entries()), m.bytes)
	}
}

// A huge entry is not spread out over the input, and is sent as it was.
func TestHugeEntryComesBackAsChip(t *testing.T) {
	huge := strings.Repeat("0123456789\n", 10_000)
	e := withPast(huge)
	e.Handle(key(t, "Up"))
	if len(e.text) != chipSize || e.Text() != huge {
		t.Errorf("%d bytes stand in the input, for %d", len(e.text), len(e.Text()))
	}
}
