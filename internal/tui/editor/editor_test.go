package editor

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/tty"
)

// keys reads what is typed in a transcript: characters as they are, and keys in
// angle brackets: <C-a>, <M-b>, <S-Tab>, <Enter>, <lt>.
func keys(t testing.TB, typed string) (all []tty.Key) {
	t.Helper()
	for typed != "" {
		if typed[0] != '<' {
			r := []rune(typed)[0]
			all = append(all, tty.Key{Rune: r})
			typed = typed[len(string(r)):]
			continue
		}
		name, rest, ok := strings.Cut(typed[1:], ">")
		if !ok {
			t.Fatalf("no key ends in %q", typed)
		}
		all = append(all, key(t, name))
		typed = rest
	}
	return all
}

func key(t testing.TB, name string) (k tty.Key) {
	t.Helper()
	for len(name) > 2 && name[1] == '-' {
		k.Mods |= map[byte]tty.Mods{'C': tty.Ctrl, 'M': tty.Alt, 'S': tty.Shift}[name[0]]
		name = name[2:]
	}
	codes := map[string]tty.Code{
		"Enter": tty.KeyEnter, "Tab": tty.KeyTab, "Esc": tty.KeyEscape, "BS": tty.KeyBackspace, "Del": tty.KeyDelete,
		"Up": tty.KeyUp, "Down": tty.KeyDown, "Left": tty.KeyLeft, "Right": tty.KeyRight, "Home": tty.KeyHome, "End": tty.KeyEnd,
	}
	runes := map[string]rune{"lt": '<', "gt": '>'}
	code, named := codes[name]
	switch {
	case named:
		k.Code = code
	case runes[name] != 0:
		k.Rune = runes[name]
	case len([]rune(name)) == 1:
		k.Rune = []rune(name)[0]
	default:
		t.Fatalf("no key is called %q", name)
	}
	return k
}

// shown is the text as it stands in a transcript: | is the cursor, and a chip is its
// label.
func shown(e *Editor) string {
	label := func(c *chip) string { return c.label }
	return e.expand(e.text[:e.cursor], label) + "|" + e.expand(e.text[e.cursor:], label)
}

// set puts text into the editor, with the cursor where | stands.
func set(e *Editor, text string) {
	before, after, _ := strings.Cut(text, "|")
	e.Set(before + after)
	e.cursor = len(before)
	e.changes = changes{}
}

// transcript is what comes of keys.
type transcript struct {
	text  string // before, with | for the cursor
	typed string
	want  string
}

func play(t *testing.T, c Config, table []transcript) {
	t.Helper()
	for _, s := range table {
		e := New(c)
		set(e, s.text)
		for _, k := range keys(t, s.typed) {
			e.Handle(k)
		}
		if got := shown(e); got != s.want {
			t.Errorf("%q, typed %s: %q, want %q", s.text, s.typed, got, s.want)
		}
	}
}

func TestEmacs(t *testing.T) {
	play(t, Config{}, []transcript{
		{"|", "hello", "hello|"},
		{"one two|", "<C-a>x", "x|one two"},
		{"one|\ntwo", "<C-e>!", "one!|\ntwo"},
		{"on|e", "<C-b><C-b><C-b>x", "x|one"},
		{"|one", "<C-f>x", "ox|ne"},
		{"|one", "<C-d>", "|ne"},
		{"one|", "<C-d>", "one|"},
		{"one|", "<C-h><BS>", "o|"},
		{"one |two", "<Del>", "one |wo"},
		{"one |two\nthree", "<C-k>", "one |\nthree"},
		{"one|\ntwo", "<C-k>", "one|two"},
		{"one\ntwo| x", "<C-u>", "one\n| x"},
		{"one\n|two", "<C-u>", "one|two"},
		{"one two-three |four", "<C-w>", "one |four"},
		{"one two-three|", "<M-BS>", "one two-|"},
		{"one |two three", "<M-d>", "one | three"},
		{"one two|", "<M-b><M-b>", "|one two"},
		{"|one two", "<M-f><M-f>", "one two|"},
		{"|one two", "<C-Right><M-Right>x", "one twox|"},
		{"one two|", "<C-Left>x", "one x|two"},
		{"one\ntwo|", "<M-lt>x", "x|one\ntwo"},
		{"|one\ntwo", "<M-gt>x", "one\ntwox|"},
		{"one\ntw|o", "<Home>x", "one\nx|two"},
		{"one\nt|wo", "<End>x", "one\ntwox|"},
		{"ab|c", "<C-t>", "acb|"},
		{"abc|", "<C-t>", "acb|"},
		{"|abc", "<C-t>", "|abc"},
		{"one|", "<M-Enter>two", "one\ntwo|"},
		{"one|", "<C-j><S-Enter>two", "one\n\ntwo|"},
		{`one\|`, "<Enter>two", "one\ntwo|"},
		{"one\\|\nx", "<Enter>two", "one\ntwo|\nx"},
		{"one|", "<Left>", "on|e"},
		{"|", "<Left><BS><C-w><C-u>", "|"},
		{"|", "<Right><Del><C-k><M-d><M-f>", "|"},
	})
}

func TestKillRing(t *testing.T) {
	play(t, Config{}, []transcript{
		{"one two|", "<C-w><C-y><C-y>", "one twotwo|"},
		{"one two three|", "<C-w><C-w><C-a><C-y>", "two three|one "},
		{"|one two three", "<M-d><M-d><C-e><C-y>", " threeone two|"},
		{"one two|", "<C-w><Left><Right><C-w><C-y><M-y>", "two|"},
		{"one two|", "<C-w><Left><Right><C-w><C-y><M-y><M-y>", "one |"},
		{"one two|", "<C-w>x<M-y>", "one x|"},
		{"one two|", "<C-a><C-k><C-y><C-y>", "one twoone two|"},
	})
}

func TestUndo(t *testing.T) {
	play(t, Config{}, []transcript{
		{"|", "one two<C-_>", "one |"},
		{"|", "one two<C-_><C-_>", "|"},
		{"|", "one two<C-_><C-x><C-r>", "one two|"},
		{"one two|", "<C-w><C-w><C-_>", "one |"},
		{"one|", "<C-c><C-_>", "one|"},
		{"one|", "<C-a>x<C-e><C-_>", "|one"},
		{"one|", "<C-w><C-y><C-y><C-x><C-u>", "one|"},
	})
}

// P36
func TestClustersAreWhole(t *testing.T) {
	play(t, Config{}, []transcript{
		{"e\u0301|", "<BS>", "|"},
		{"|e\u0301x", "<Right>-", "e\u0301-|x"},
		{"|", "e\u0301<BS>", "|"},
		{"👩‍👩‍👧|", "<BS>", "|"},
		{"🇩🇪🇫🇷|", "<BS>", "🇩🇪|"},
		{"|🇩🇪🇫🇷", "<Right><Del>", "🇩🇪|"},
		{"漢字|", "<Left>x", "漢x|字"},
		{"שלום|", "<Left><BS>", "של|ם"},
		{"각|", "<BS>", "|"},
		{"नमस्ते|", "<BS>", "नम|"},
		{"👍🏽|", "<BS>", "|"},
	})
}

// What is said of plain characters without a look at the tables is what the tables
// say.
//
// P36
func TestPlainCharacters(t *testing.T) {
	for r := rune(' '); r < 0x20000; r++ {
		if !plain(r) || r == 0x7F {
			continue
		}
		if c, w := ansi.FirstGraphemeCluster(string(r)+"漢", ansi.GraphemeWidth); c != string(r) || plainWide(r) != (w == 2) {
			t.Errorf("%U: cluster %q of %d columns", r, c, w)
		}
		if c, _ := ansi.FirstGraphemeCluster("a"+string(r), ansi.GraphemeWidth); c != "a" {
			t.Errorf("%U combines: %q", r, c)
		}
	}
}
