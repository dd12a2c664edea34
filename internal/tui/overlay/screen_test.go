package overlay

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ikigai/internal/tty"
)

var update = flag.Bool("update", false, "write the golden files anew")

type widget interface {
	View(width, height int) (lines []string, row, col int)
}

// screens is what a widget looked like, step by step, to be compared with a golden
// file.
type screens struct{ strings.Builder }

// add writes the screen of w. Styles are shown as «7», the cursor as ▮ before the
// character that it stands on.
func (s *screens) add(step string, w widget, width, height int) {
	lines, row, col := w.View(width, height)
	fmt.Fprintf(s, "== %s (%d x %d)\n", step, width, height)
	for i, line := range lines {
		if i == row {
			line = ansi.Truncate(line, col, "") + "▮" + ansi.TruncateLeft(line, col, "")
		}
		line = strings.NewReplacer("\x1b[0m", "«»", "\x1b[", "«", "\x1b", "ESC").Replace(line)
		fmt.Fprintln(s, visible(line))
	}
}

// visible ends the parameter of each style that begins with «.
func visible(line string) string {
	var b strings.Builder
	open := false
	for _, r := range line {
		switch {
		case r == '«':
			open = true
		case open && r == 'm':
			open, r = false, '»'
		case r == '»':
			open = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (s *screens) compare(t *testing.T) {
	t.Helper()
	file := filepath.Join("testdata", t.Name()+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(s.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), s.String()); diff != "" {
		t.Errorf("%s (-) and the screens (+) differ:\n%s", file, diff)
	}
}

// press has w take in keys: those with a name by it, others as they are typed.
func press(w interface{ Handle(tty.Key) bool }, keys ...string) (done bool) {
	for _, k := range keys {
		if named, ok := names[k]; ok {
			done = w.Handle(named)
			continue
		}
		for _, r := range k {
			done = w.Handle(tty.Key{Rune: r})
		}
	}
	return done
}

var names = map[string]tty.Key{
	"Enter": {Code: tty.KeyEnter}, "Esc": {Code: tty.KeyEscape}, "Tab": {Code: tty.KeyTab},
	"Up": {Code: tty.KeyUp}, "Down": {Code: tty.KeyDown}, "Left": {Code: tty.KeyLeft}, "Right": {Code: tty.KeyRight},
	"Home": {Code: tty.KeyHome}, "End": {Code: tty.KeyEnd}, "PgUp": {Code: tty.KeyPageUp}, "PgDn": {Code: tty.KeyPageDown},
	"BS": {Code: tty.KeyBackspace}, "Del": {Code: tty.KeyDelete}, "C-u": {Rune: 'u', Mods: tty.Ctrl},
	"C-n": {Rune: 'n', Mods: tty.Ctrl}, "C-p": {Rune: 'p', Mods: tty.Ctrl}, "C-w": {Rune: 'w', Mods: tty.Ctrl},
	"C-o": {Rune: 'o', Mods: tty.Ctrl}, "Paste": {Code: tty.KeyPaste, Text: "pasted\ty\x1b[2J\nmore"},
}

// fits fails unless what w shows fits the screen and holds no control character
// but SGR.
func fits(t *testing.T, w widget, width, height int) {
	t.Helper()
	lines, row, col := w.View(width, height)
	if len(lines) > max(0, height) {
		t.Fatalf("%T has %d lines for %d", w, len(lines), height)
	}
	if row >= len(lines) || row >= 0 && (col < 0 || col >= width) {
		t.Fatalf("%T has its cursor at %d, %d of %d x %d", w, row, col, width, len(lines))
	}
	for _, line := range lines {
		if ansi.StringWidth(line) > width {
			t.Fatalf("%T: line %q has more than %d columns", w, line, width)
		}
		if strings.ContainsFunc(unstyled(line), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%T: line %q holds control characters", w, line)
		}
	}
}
