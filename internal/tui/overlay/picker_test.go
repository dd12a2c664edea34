package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ikigai/internal/tty"
)

var fruits = []Item{
	{"apple", "red or green"}, {"banana", "yellow"}, {"cherry", ""}, {"date", "日本語の説明"},
	{"elderberry", "a long story about a bush that stands at the edge of the wood, where nobody goes"},
	{"fig", ""}, {"grape", "white"}, {"grapefruit", "sour"},
}

func TestPicker(t *testing.T) {
	p := NewPicker(PickerConfig{Look: Look{Color: true}, Title: "Fruits of the season", Items: fruits, At: 2})
	var s screens
	s.add("", p, 40, 12)
	for _, step := range [][]string{{"Down", "C-n"}, {"PgUp"}, {"gr"}, {"Down"}, {"a"}, {"xx"}, {"C-u"}, {"Paste"}, {"C-w", "Home", "Del"}} {
		press(p, step...)
		s.add(strings.Join(step, " "), p, 40, 8)
	}
	s.add("tiny", p, 20, 3)
	s.add("one row", p, 8, 1)
	s.add("empty", NewPicker(PickerConfig{Look: Look{ASCII: true}, Title: "Nothing"}), 30, 7)
	s.compare(t)
}

// A session is picked with a preview beside it.
func TestPickerPreview(t *testing.T) {
	p := NewPicker(PickerConfig{Look: Look{Color: true}, Title: "Sessions", Items: fruits, Preview: true})
	var s screens
	for _, size := range [][2]int{{100, 9}, {60, 24}, {60, 12}} {
		p.View(size[0], size[1])
		if item, width, height, ok := p.WantsPreview(); ok {
			text := fmt.Sprintf("\x1b[1mpreview\x1b[0m of %d in %d x %d\n%s\n\tend\n", item, width, height, strings.Repeat("ab日本", 20))
			p.SetPreview(item, width, strings.Repeat(text, 5))
		}
		s.add("", p, size[0], size[1])
		if _, _, _, ok := p.WantsPreview(); ok {
			t.Error("a preview is wanted that is there")
		}
		press(p, "Down")
	}
	s.compare(t)
}

// What waits behind it is told in the last line, however low the screen is.
func TestPickerAsks(t *testing.T) {
	p := NewPicker(PickerConfig{Title: "Fruits", Items: fruits})
	p.Asks(true)
	for height := range 12 {
		lines, _, _ := p.View(40, height)
		if height >= 3 && (len(lines) != height || !strings.Contains(lines[height-1], "ikigai asks: Esc to answer")) {
			t.Errorf("%d rows: %q", height, lines)
		}
		if len(lines) > height {
			t.Errorf("%d lines in %d rows", len(lines), height)
		}
	}
}

func TestPickerPicks(t *testing.T) {
	for _, test := range []struct {
		keys []string
		want int
	}{
		{[]string{"Enter"}, 1},
		{[]string{"Up", "Up", "Up", "Enter"}, 0},
		{[]string{"End", "Enter"}, 7},
		{[]string{"Esc"}, -1},
		{[]string{"grapef", "Enter"}, 7},
		{[]string{"fig", "Esc"}, -1},
	} {
		p := NewPicker(PickerConfig{Items: fruits, At: 1})
		if done := press(p, test.keys...); !done || p.Picked() != test.want {
			t.Errorf("%v picks %d (%v), want %d", test.keys, p.Picked(), done, test.want)
		}
	}
	p := NewPicker(PickerConfig{Items: fruits})
	if press(p, "zzz", "Enter") {
		t.Error("Enter picks something where nothing is found")
	}
}

// What the person went to stays chosen while results change.
func TestPickerKeepsWhatIsChosen(t *testing.T) {
	p := NewPicker(PickerConfig{Items: fruits, Outside: true})
	press(p, "g")
	p.Found("g", []int{6, 7, 5})
	if p.Chosen() != 6 {
		t.Errorf("of what was found, %d is chosen", p.Chosen())
	}
	press(p, "Down")
	p.Found("g", []int{0, 5, 6, 7})
	if p.Chosen() != 7 {
		t.Errorf("with other results, %d is chosen", p.Chosen())
	}
	press(p, "r")
	p.Found("g", []int{0})
	if p.Chosen() != 7 {
		t.Errorf("results for what is not typed any more choose %d", p.Chosen())
	}
	p.Found("gr", []int{6, 99, -1, 7})
	if p.Chosen() != 6 {
		t.Errorf("when something else is typed, %d is chosen", p.Chosen())
	}
	p.Found("gr", nil)
	if p.Chosen() != -1 || press(p, "Down", "Enter") {
		t.Errorf("without results, %d is chosen", p.Chosen())
	}
}

func FuzzPickerFits(f *testing.F) {
	f.Add("apple\nred\nb日本語\tx\x1b[1m", []byte("ab\rc"), 30, 10)
	f.Add("", []byte("ab\xc3\xf1"), 120, 30)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width, height int) {
		if width < -1 || width > 400 || height < -1 || height > 200 {
			t.Skip()
		}
		var items []Item
		for pair := range slices.Chunk(strings.Split(text, "\n"), 2) {
			items = append(items, Item{Label: pair[0], About: pair[len(pair)-1]})
		}
		p := NewPicker(PickerConfig{Look: Look{Color: true}, Title: text, Items: items, At: 3, Preview: true, Outside: true})
		for _, k := range keysOf(keys) {
			fits(t, p, width, height)
			if item, columns, _, ok := p.WantsPreview(); ok {
				p.SetPreview(item, columns, text)
			}
			p.Handle(k)
			p.Found(p.Typed(), []int{2, 0, 7, len(p.Typed())})
		}
		fits(t, p, height, width)
	})
}

func TestList(t *testing.T) {
	l := NewList(Look{Color: true}, fruits)
	var s screens
	s.add("", l, 40, 20)
	for _, step := range []string{"Down", "Up", "Up", "PgUp", "PgDn", "Enter"} {
		taken := press(l, step)
		s.add(fmt.Sprintf("%s taken: %v", step, taken), l, 40, 5)
	}
	s.add("narrow", l, 20, 5)
	s.add("none", NewList(Look{}, nil), 20, 5)
	many := NewList(Look{ASCII: true}, []Item{{strings.Repeat("a long name ", 9), "about"}, {"short", "about"}})
	s.add("long", many, 50, 8)
	s.compare(t)
	if NewList(Look{}, nil).Chosen() != -1 {
		t.Error("of no items one is chosen")
	}
}

func FuzzListFits(f *testing.F) {
	f.Add("\xe2\x01\xce", []byte("0"), 3, 26)
	f.Add("apple\nred\nb日本語\tx\x1b[1m", []byte("ab\rc\x83\x84"), 30, 10)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width, height int) {
		if width < -1 || width > 400 || height < -1 || height > 200 {
			t.Skip()
		}
		var items []Item
		for label := range strings.SplitSeq(text, "\n") {
			items = append(items, Item{Label: label, About: text})
		}
		l := NewList(Look{}, items)
		for _, k := range keysOf(keys) {
			fits(t, l, width, height)
			l.Handle(k)
		}
		fits(t, l, height, width)
	})
}

func BenchmarkPickerTypes(b *testing.B) {
	items := make([]Item, 100_000)
	for i := range items {
		items[i] = Item{Label: fmt.Sprintf("src/package%d/file%d.go", i%300, i), About: "about"}
	}
	for b.Loop() {
		p := NewPicker(PickerConfig{Items: items})
		p.Handle(tty.Key{Rune: 'p'})
		p.Handle(tty.Key{Rune: 'f'})
		p.View(120, 50)
	}
}
