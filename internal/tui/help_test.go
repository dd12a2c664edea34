package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What keys do is told whole, in lines that no screen breaks.
func TestKeysFit(t *testing.T) {
	f := New(Config{Terminal: newFake(80, 24), Host: &host{}})
	for _, width := range []int{0, 20, 40, 58, 59, 80, 200} {
		keys := f.Keys(width)
		for line := range strings.Lines(keys) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns: %q takes %d", width, line, n)
			}
		}
		for _, k := range keyHelp {
			if words := strings.Join(strings.Fields(keys), ""); !strings.Contains(words, strings.Join(strings.Fields(k[0]+k[1]), "")) {
				t.Errorf("%d columns: %q is not in\n%s", width, k, keys)
			}
		}
	}
}

// A front of lines has keys of its own.
func TestKeysOfPlain(t *testing.T) {
	f := New(Config{Plain: true, In: strings.NewReader(""), Host: &host{}})
	if keys := f.Keys(80); strings.Contains(keys, "Ctrl-R") || !strings.Contains(keys, "Ctrl-D") {
		t.Errorf("it tells of\n%s", keys)
	}
}
