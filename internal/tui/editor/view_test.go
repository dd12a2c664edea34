package editor

import (
	"fmt"
	"strings"
	"testing"
)

// screenText is what View shows, with | for the cursor.
func screenText(e *Editor, width, rows int) string {
	lines, row, col := e.View(width, rows)
	var b strings.Builder
	for i, l := range lines {
		if i == row {
			l += fmt.Sprintf("   <- %d", col)
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// P36
func TestView(t *testing.T) {
	for _, s := range []struct {
		text        string
		width, rows int
		want        string
	}{
		{"|", 40, 5, "›    <- 2\n"},
		{"hello|", 40, 5, "› hello   <- 7\n"},
		{"one\ntw|o", 40, 5, "› one\n  two   <- 4\n"},
		{"one two three|", 12, 5, "› one two\n  three   <- 7\n"},
		{"one two t|hree", 12, 5, "› one two\n  three   <- 3\n"},
		{"123456789|", 12, 5, "› 123456789   <- 11\n"},
		{"123456789 |", 12, 5, "› 123456789\n     <- 2\n"},
		{"123456789| x", 12, 5, "› 123456789   <- 11\n  x\n"},
		{"1234567890|", 12, 5, "› 123456789\n  0   <- 3\n"},
		{"漢字漢字漢字|", 12, 5, "› 漢字漢字\n  漢字   <- 6\n"},
		{"a漢字漢字漢|字", 12, 5, "› a漢字漢字\n  漢字   <- 4\n"},
		{"e\u0301e\u0301|", 12, 5, "› e\u0301e\u0301   <- 4\n"},
		{"a\n\u0301b|", 12, 5, "› a\n  ◌\u0301b   <- 4\n"},
		{"\tx|", 12, 5, "›     x   <- 7\n"},
		{"שלום|", 12, 5, "› שלום   <- 6\n"},
		{"1\n2\n3\n4\n5|", 12, 3, "↑ 3\n  4\n  5   <- 3\n"},
		{"|1\n2\n3\n4\n5", 12, 3, "› 1   <- 2\n  2\n↓ 3\n"},
		{"1\n2\n3|\n4\n5", 12, 3, "↑ 2\n  3   <- 3\n↓ 4\n"},
		{"1\n2\n3|\n4\n5", 12, 1, "↑ 3   <- 3\n"},
		{"a longer line that wraps|\n2\n3", 12, 2, "↑ line that\n↓ wraps   <- 7\n"},
		{"ab|", 3, 2, "ab   <- 2\n"},
		{"abc|", 3, 2, "ab\nc   <- 1\n"},
		{"漢|", 2, 2, "…   <- 1\n"},
	} {
		e := New(Config{})
		set(e, s.text)
		if got := screenText(e, s.width, s.rows); got != s.want {
			t.Errorf("%q in %d columns, %d rows:\n%swant\n%s", s.text, s.width, s.rows, got, s.want)
		}
	}
}

func TestViewInASCII(t *testing.T) {
	e := New(Config{ASCII: true})
	set(e, "1\n2\n3|\n4\n5")
	if got := screenText(e, 12, 3); got != "^ 2\n  3   <- 3\nv 4\n" {
		t.Errorf("shown:\n%s", got)
	}
}

func TestChipIsShown(t *testing.T) {
	e := New(Config{})
	set(e, "see | there")
	e.Handle(pasted(strings.Repeat("a\n", 20)))
	if got := screenText(e, 60, 3); got != "› see [paste 1: 20 lines, 40 bytes] there   <- 35\n" {
		t.Errorf("shown:\n%s", got)
	}
	if got := screenText(e, 20, 9); got != "› see\n  [paste 1: 20 lin…   <- 19\n  there\n" {
		t.Errorf("in few columns:\n%s", got)
	}
}

func TestRowsAreMovedOver(t *testing.T) {
	for _, s := range []transcript{
		{"one two three fo|ur", "<Up>", "one two th|ree four"},
		{"on|e two three", "<Down>", "one two th|ree"},
		{"123456|\n1\n123456", "<Down><Down>", "123456\n1\n123456|"},
		{"123456|\n1\n123456", "<Down>", "123456\n1|\n123456"},
		{"漢字|\n1234", "<Down>", "漢字\n1234|"},
		{"漢字\n123|4", "<Up>", "漢|字\n1234"},
	} {
		e := New(Config{})
		set(e, s.text)
		e.View(12, 9)
		for _, k := range keys(t, s.typed) {
			e.Handle(k)
		}
		if got := shown(e); got != s.want {
			t.Errorf("%q, typed %s: %q, want %q", s.text, s.typed, got, s.want)
		}
	}
}

// Of a long line that changes, rows are kept, and are those that a new look finds.
func TestLongLinesAreBrokenAsAnew(t *testing.T) {
	text := strings.Repeat("some words 漢字 and 🇩🇪🇫🇷 e\u0301 ", 300)
	e, anew := New(Config{}), New(Config{})
	set(e, text[:1000]+"|"+text[1000:])
	for i, k := range keys(t, "x y<C-w><C-w><BS><BS><C-e>the end<M-lt>🇩<Right><Right>🇪<M-f><M-f><M-d>a-very-long-word-in-the-middle<C-_>") {
		e.Handle(k)
		anew.Set(e.Text())
		anew.cursor, anew.screen.long = e.cursor, nil
		if got, want := screenText(e, 31, 9), screenText(anew, 31, 9); got != want {
			t.Fatalf("after key %d:\n%swant\n%s", i+1, got, want)
		}
	}
}
