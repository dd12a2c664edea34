package editor

import (
	"slices"
	"strings"
	"testing"

	"ikigai/internal/tty"
)

func pasted(text string) tty.Key { return tty.Key{Code: tty.KeyPaste, Text: text} }

func TestPaste(t *testing.T) {
	lines := strings.Repeat("a line\n", 12)
	for _, s := range []struct {
		pasted, want string
	}{
		{"one\ntwo", "-one\ntwo|-"},
		{"a\tb", "-a\tb|-"},
		{"a\r\nb\rc", "-a\nb\nc|-"},
		{"\x1b[31mred\x1b[0m\x07", "-red␇|-"},
		{"\xff\x00", "-\uFFFD␀|-"},
		{"\u202Eevil", "-<U+202E>evil|-"},
		{"\U0010F000", "-<U+10F000>|-"},
		{lines, "-[paste 1: 12 lines, 84 bytes]|-"},
		{strings.Repeat("line\n", 10), "-" + strings.Repeat("line\n", 10) + "|-"},
		{strings.Repeat("漢", 1000), "-" + strings.Repeat("漢", 1000) + "|-"},
		{strings.Repeat("漢", 1001), "-[paste 1: 1 line, 3 KB]|-"},
		{strings.Repeat("x", 1<<20), "-[paste 1: 1 line, 1.0 MB]|-"},
	} {
		e := New(Config{})
		set(e, "-|-")
		if event := e.Handle(pasted(s.pasted)); event != Changed {
			t.Errorf("pasted %.40q: event %d", s.pasted, event)
		}
		if got := shown(e); got != s.want {
			t.Errorf("pasted %.40q: %.80q, want %.80q", s.pasted, got, s.want)
		}
	}
}

func TestChips(t *testing.T) {
	long := strings.Repeat("a line\n", 12)
	chip, second := "[paste 1: 12 lines, 84 bytes]", "[paste 2: 12 lines, 84 bytes]"
	for _, s := range []struct{ typed, want, text string }{
		{"", "a" + chip + "|b", "a" + long + "b"},
		{"<Left>", "a|" + chip + "b", "a" + long + "b"},
		{"<BS>", "a|b", "ab"},
		{"<Left><Del>", "a|b", "ab"},
		{"<BS><C-_>", "a" + chip + "|b", "a" + long + "b"},
		{"<M-b><M-f>", "a" + chip + "|b", "a" + long + "b"},
		{"<C-w><C-y><C-y>", "a" + chip + "a" + chip + "|b", "a" + long + "a" + long + "b"},
		{"<PASTE>", "a" + chip + second + "|b", "a" + long + long + "b"},
		{"<BS><PASTE>", "a" + chip + "|b", "a" + long + "b"},
		{"<M-o>", "a" + long + "|b", "a" + long + "b"},
		{"<Left><C-x>o", "a" + long + "|b", "a" + long + "b"},
		{"<M-o><C-_>", "a" + chip + "|b", "a" + long + "b"},
		{"<Left><Left><M-o>", "|a" + chip + "b", "a" + long + "b"},
	} {
		e := New(Config{})
		set(e, "a|b")
		e.Handle(pasted(long))
		for i, part := range strings.Split(s.typed, "<PASTE>") {
			if i > 0 {
				e.Handle(pasted(long))
			}
			for _, k := range keys(t, part) {
				e.Handle(k)
			}
		}
		if shown(e) != s.want || e.Text() != s.text {
			t.Errorf("typed %s: %q, which is %q", s.typed, shown(e), e.Text())
		}
	}
}

func TestViOpensChip(t *testing.T) {
	long := strings.Repeat("a line\n", 12)
	e := New(Config{Vi: true})
	e.Handle(pasted(long))
	for _, k := range keys(t, "<Esc>zo") {
		e.Handle(k)
	}
	if e.text != long {
		t.Errorf("the chip is open as %q", e.text)
	}
}

// What chips hold is given up with the text, unless it can still be yanked.
func TestChipsAreFreed(t *testing.T) {
	e := New(Config{})
	e.Handle(pasted(strings.Repeat("a\n", 20)))
	e.Handle(pasted(strings.Repeat("b\n", 20)))
	e.Handle(key(t, "Left"))
	e.Handle(key(t, "C-k"))
	e.Take()
	if len(e.chips) != 2 || e.chips[0].text != "" {
		t.Errorf("kept: %v", e.chips)
	}
	e.Handle(key(t, "C-y"))
	if want := strings.Repeat("b\n", 20); e.Text() != want {
		t.Errorf("yanked %q", e.Text())
	}
}

func TestImages(t *testing.T) {
	exists := []string{"/tmp/a.png", "/tmp/a b.png", "/tmp/it's.png", "/tmp/ü.png", "c.jpg"}
	for _, s := range []struct {
		pasted string
		want   []string
		text   string
	}{
		{"/tmp/a.png", exists[:1], "[image 1: a.png]"},
		{" /tmp/a.png \n", exists[:1], "[image 1: a.png]"},
		{"'/tmp/a b.png'", exists[1:2], "[image 1: a b.png]"},
		{`"/tmp/a b.png"`, exists[1:2], "[image 1: a b.png]"},
		{`/tmp/a\ b.png`, exists[1:2], "[image 1: a b.png]"},
		{"/tmp/a b.png", exists[1:2], "[image 1: a b.png]"},
		{`'/tmp/it'\''s.png'`, exists[2:3], "[image 1: it's.png]"},
		{`"/tmp/it's.png"`, exists[2:3], "[image 1: it's.png]"},
		{"file:///tmp/a%20b.png", exists[1:2], "[image 1: a b.png]"},
		{"file://localhost/tmp/%C3%BC.png", exists[3:4], "[image 1: ü.png]"},
		{"file://elsewhere/tmp/a.png", nil, "file://elsewhere/tmp/a.png"},
		{"/tmp/a.png '/tmp/a b.png'", exists[:2], "[image 1: a.png] [image 2: a b.png]"},
		{"file:///tmp/a.png\r\nfile:///tmp/a%20b.png\r\n", exists[:2], "[image 1: a.png] [image 2: a b.png]"},
		{"/tmp/a.png and more", nil, "/tmp/a.png and more"},
		{"/tmp/none.png", nil, "/tmp/none.png"},
		{"'/tmp/a.png", nil, "'/tmp/a.png"},
		{"", nil, ""},
	} {
		e := New(Config{Image: func(path string) bool { return slices.Contains(exists, path) }})
		e.Handle(pasted(s.pasted))
		if text, images := e.Take(); text != s.text || !slices.Equal(images, s.want) {
			t.Errorf("pasted %q: %q with %q, want %q with %q", s.pasted, text, images, s.text, s.want)
		}
	}
}

// A command is given the path that is pasted.
func TestImageInACommand(t *testing.T) {
	for before, want := range map[string]string{"!ls |": "!ls /a.png|", "/mine |": "/mine /a.png|", "/tmp/x is |": "/tmp/x is [image 1: a.png]|"} {
		e := New(Config{Image: func(string) bool { return true }})
		set(e, before)
		e.Handle(pasted("/a.png"))
		if got := shown(e); got != want {
			t.Errorf("%s: %q, want %q", before, got, want)
		}
	}
}

// The path of an image becomes one when it is completed, but not in a command.
func TestCompletedImage(t *testing.T) {
	image := Completion{Text: `"in/a b.png"`, Path: "/w/in/a b.png"}
	for _, s := range []struct {
		before string
		item   Completion
		want   string
		images []string
	}{
		{"see @in", image, "see [image 1: in/a b.png] |", []string{image.Path}},
		{"(@in", image, "([image 1: in/a b.png] |", []string{image.Path}},
		{"see @in", Completion{Text: "in/a.txt", Path: "/w/in/a.txt"}, "see @in/a.txt |", nil},
		{"see @in", Completion{Text: "in/", More: true}, "see @in/|", nil},
		{"/mine @in", image, `/mine @"in/a b.png" |`, nil},
		{"!ls @in", image, `!ls @"in/a b.png" |`, nil},
		{"/w/x.go @in", image, "/w/x.go [image 1: in/a b.png] |", []string{image.Path}},
	} {
		e := New(Config{Image: func(path string) bool { return path == image.Path }})
		for _, k := range keys(t, s.before) {
			e.Handle(k)
		}
		e.Completed(e.Before(), Completions{From: len(s.before) - len("in"), Items: []Completion{s.item}})
		e.Handle(key(t, "Tab"))
		if got := shown(e); got != s.want {
			t.Errorf("%q completed: %q, want %q", s.before, got, s.want)
		}
		e.Handle(key(t, "C-_"))
		if got := shown(e); got != s.before+"|" {
			t.Errorf("%q undone: %q", s.before, got)
		}
		e.Handle(key(t, "C-x"))
		e.Handle(key(t, "C-r"))
		if _, images := e.Take(); !slices.Equal(images, s.images) {
			t.Errorf("%q: sent with %q, want %q", s.before, images, s.images)
		}
	}
}

// A text that is put into the input is not too long to be edited, and sent as it is.
func TestSetFolds(t *testing.T) {
	long := strings.Repeat("漢字\n", mostEntry/7+1)
	e := New(Config{Image: func(string) bool { return true }})
	e.Handle(pasted("/tmp/a.png"))
	e.Take()
	for text, want := range map[string]string{
		long[:mostEntry/7*7]:          long[:mostEntry/7*7] + "|",
		"see\n" + long:                "[paste 1: 9364 lines, 64 KB]|",
		"a [image 1: a.png] b" + long: "a [image 1: a.png][paste 1: 9363 lines, 64 KB]|",
	} {
		e.Set(text)
		if got := shown(e); got != want {
			t.Errorf("set %.30q: %.80q, want %.80q", text, got, want)
		}
		if got, _ := e.Take(); got != text {
			t.Errorf("set %.30q: %.30q is sent", text, got)
		}
	}
}

// An image stays one where its text was elsewhere: in another editor, or sent.
func TestImagesComeBack(t *testing.T) {
	e := New(Config{Image: func(string) bool { return true }})
	e.Handle(pasted("/tmp/a.png"))
	e.Set("see " + e.Text() + " there")
	text, images := e.Take()
	if text != "see [image 1: a.png] there" || !slices.Equal(images, []string{"/tmp/a.png"}) {
		t.Errorf("edited elsewhere: %q with %q", text, images)
	}
	e.Set(text + "!")
	if text, images := e.Take(); text != "see [image 1: a.png] there!" || !slices.Equal(images, []string{"/tmp/a.png"}) {
		t.Errorf("taken back: %q with %q", text, images)
	}
	if got := e.config.History.Entries(); got[0] != "see /tmp/a.png there" {
		t.Errorf("the history has %q", got)
	}
}
