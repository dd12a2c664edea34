package overlay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/tty"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// What is long is read a screen at a time.
func TestPager(t *testing.T) {
	p := NewPager(Look{Color: true}, "a file", numbered(100), false)
	var s screens
	for _, step := range []string{"", "j", "PgDn", "k", "G", "PgUp", "g", "End", "Home", "d"} {
		if step != "" && press(p, step) {
			t.Fatalf("%s closes the pager", step)
		}
		s.add(step, p, 40, 5)
	}
	s.compare(t)
}

func TestPagerSearch(t *testing.T) {
	text := numbered(30) + "\x1b[1mLi\x1b[0mne of \x1b[31mline\x1b[0m\n" + numbered(5)
	p := NewPager(Look{}, "", text, false)
	var s screens
	for _, step := range [][]string{{"/line 2"}, {"Enter"}, {"n"}, {"N"}, {"?e of L", "Enter"}, {"/e of l"}, {"Enter"}, {"n"}, {"/nowhere", "Enter"}, {"/x", "Esc"}, {"/", "BS"}} {
		press(p, step...)
		s.add(strings.Join(step, " "), p, 30, 6)
	}
	s.compare(t)
}

func TestPagerWraps(t *testing.T) {
	text := "\x1b[32mgreen " + strings.Repeat("0123456789", 3) + "\x1b[0m end\nwide: 日本語日本語日本語\ne\u0301\u0301 and\ttab\r\n\x1b]0;title\x07\x1b[2Jgone\n\n\xff\x9b31mraw"
	var s screens
	for _, size := range [][2]int{{20, 14}, {9, 20}, {40, 3}, {1, 4}, {40, 1}} {
		s.add("", NewPager(Look{ASCII: true}, "t", text, false), size[0], size[1])
	}
	s.compare(t)
}

func TestPagerKeepsItsPlaceWhenResized(t *testing.T) {
	long := strings.Repeat("word ", 300)
	p := NewPager(Look{}, "", long+"\n"+strings.Repeat(long+"\n", 5)+"here\n"+strings.Repeat(long+"\n", 5), false)
	p.View(80, 10)
	press(p, "/here", "Enter")
	before, _, _ := p.View(80, 10)
	first := p.first()
	at := first.start()
	for _, width := range []int{20, 400, 37} {
		p.View(width, 10)
		if pl := p.first(); at < pl.start() || at > pl.from+pl.rows[pl.i].to {
			t.Errorf("at %d columns the first row begins at %d, it was %d", width, pl.start(), at)
		}
	}
	after, _, _ := p.View(80, 10)
	if strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("back at the first width, the screen is\n%s\nand was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}

func TestPagerCloses(t *testing.T) {
	for _, key := range []string{"q", "Esc", "C-o"} {
		if !press(NewPager(Look{}, "", "text", false), key) {
			t.Errorf("%s does not close the pager", key)
		}
	}
	if p := NewPager(Look{}, "", "text", false); press(p, "/q", "Esc") {
		t.Error("a search that is given up closes the pager")
	}
}

// What is longer than a row goes on behind a word, with its style.
func TestPagerWrapsAtWords(t *testing.T) {
	for text, want := range map[string]string{
		"it is so because of it":               "it is so|because of|it",
		"it is only so":                        "it is only|so", // the space that does not fit in
		"it is \x1b[1mso because\x1b[0m of it": "it is \x1b[1mso \x1b[0m|\x1b[1mbecause\x1b[0m of|it",
		"   indented1234 on":                   "   indente|d1234 on",
		"\x1b[1m   indented1234\x1b[0m":        "\x1b[1m   indente\x1b[0m|\x1b[1md1234\x1b[0m",
		"日本 日本語 日本語":                           "日本|日本語|日本語",
		"0123456789 1":                         "0123456789|1",
	} {
		lines, _, _ := NewPager(Look{}, "", text, false).View(10, 9)
		for i, line := range lines {
			if ansi.StringWidth(line) > 10 && i < len(lines)-1 {
				t.Errorf("%q: too wide: %q", text, line)
			}
			lines[i] = strings.TrimRight(line, " ")
		}
		if got := strings.TrimRight(strings.Join(lines[:8], "|"), "|"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Down from the first row comes past the rows that up from the last comes past,
// and they hold all of the text.
func FuzzPagerRows(f *testing.F) {
	f.Add("one\ntwo\n\nthree", 10, 1)
	f.Add("日本語\x1b[1mbold\x1b[0m\ttab", 7, 3000)
	f.Add("\x1b[38;5;123mx", 80, 9000)
	f.Add("no newline é", 80, 2000)
	f.Fuzz(func(t *testing.T, text string, width, times int) {
		if width < 1 || width > 400 || times < 1 || times > 10_000 || len(text)*times > 200_000 {
			t.Skip()
		}
		p := NewPager(Look{}, "", strings.Repeat(text, times), false)
		p.View(width, 10)
		var down, up []int
		pl, end := p.placeOf(0), 0
		for {
			if pl.start() < end || strings.Trim(p.text[end:pl.start()], "\n") != "" {
				t.Fatalf("a row begins at %d, the one before ends at %d", pl.start(), end)
			}
			end = pl.from + pl.rows[pl.i].to
			down = append(down, pl.start())
			if again := p.placeOf(pl.start()); again.start() != pl.start() {
				t.Fatalf("the row at %d is found at %d", pl.start(), again.start())
			}
			if !p.down(&pl) {
				break
			}
		}
		if end != len(p.text) {
			t.Fatalf("the last row ends at %d of %d", end, len(p.text))
		}
		for up = append(up, pl.start()); p.up(&pl); {
			up = append(up, pl.start())
		}
		for i := range down {
			if len(up) != len(down) || up[len(up)-1-i] != down[i] {
				t.Fatalf("down: %v\nup: %v", down, up)
			}
		}
	})
}

func FuzzPagerFits(f *testing.F) {
	f.Add("one\ntwo", []byte("jjG/two\rnN"), 20, 5)
	f.Add("日本語\x1b[1mbold\x1b[0m\ttab\x1b]0;x\x07", []byte("?b\rkg"), 1, 2)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width, height int) {
		if width < -1 || width > 400 || height < -1 || height > 200 {
			t.Skip()
		}
		p := NewPager(Look{Color: true}, text, strings.Repeat(text+"\n", 20), false)
		fits(t, p, width, height)
		for _, k := range keysOf(keys) {
			p.Handle(k)
			fits(t, p, width, height)
		}
		fits(t, p, height, width)
	})
}

// keysOf returns keys of all kinds, one a byte.
func keysOf(b []byte) []tty.Key {
	keys := make([]tty.Key, len(b))
	for i, c := range b {
		switch {
		case c == '\r':
			keys[i] = tty.Key{Code: tty.KeyEnter}
		case c < ' ':
			keys[i] = tty.Key{Rune: rune('a' + c), Mods: tty.Ctrl}
		case c < 0x7f:
			keys[i] = tty.Key{Rune: rune(c)}
		case c < 0xc0:
			keys[i] = tty.Key{Code: tty.Code(int(c) - 0x7f)}
		case c < 0xf0:
			keys[i] = tty.Key{Rune: rune(c)<<8 | 0x12}
		default:
			keys[i] = tty.Key{Code: tty.KeyPaste, Text: string(b)}
		}
	}
	return keys
}

func BenchmarkPagerOpensAMillionLines(b *testing.B) {
	text := numbered(1_000_000)
	for b.Loop() {
		NewPager(Look{}, "", text, true).View(120, 50)
	}
}

func BenchmarkPagerScrolls(b *testing.B) {
	for name, text := range map[string]string{
		"lines":   numbered(1_000_000),
		"styled":  strings.Repeat("\x1b[2m12\x1b[0m func \x1b[36mmain\x1b[0m() { // ünicode 日本語\n", 200_000),
		"oneline": strings.Repeat("{\"key\":\"ünicode\"},", 1_000_000),
	} {
		b.Run(name, func(b *testing.B) {
			p := NewPager(Look{}, "", text, false)
			p.View(120, 50)
			press(p, "/nowhere to be found", "Enter")
			for b.Loop() {
				p.Handle(tty.Key{Code: tty.KeyPageDown})
				p.View(120, 50)
			}
		})
	}
}

func BenchmarkPagerSearches(b *testing.B) {
	text := strings.Repeat("a line of a log, of a hundred characters or so, as they are when a program tells what it does ....\n", 1_000_000)
	p := NewPager(Look{}, "", text, false)
	p.View(120, 50)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		press(p, "/nowhere", "Enter")
	}
}
