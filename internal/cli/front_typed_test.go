package cli

import (
	"os"
	"strings"
	"testing"

	"ikigai/internal/tmuxtest"
)

// What is sent in one window is found in another that was opened before.
func TestTypedInAnotherWindow(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	first, second := p.types(), p.types()
	second.says("About pears", "So be it.") // it has read the file
	first.says("About apples", "So be it.")
	second.Send("C-r")
	second.WaitFor("search:")
	second.Type("apples")
	second.WaitFor("› About apples")
	second.Send("C-c")
	second.Until("no search", func(screen string) bool { return !strings.Contains(screen, "apples") })
	first.says("About plums", "So be it.")
	second.Send("Up")
	second.WaitFor("› About plums")
	second.Send("Up")
	second.WaitFor("› About apples")
	second.Send("Up")
	second.Until("its own", func(screen string) bool { return strings.Count(screen, "› About pears") == 2 })
	second.Send("C-c")
	second.Until("no text", func(screen string) bool { return strings.Count(screen, "› About pears") == 1 })
	first.leaves()
	second.leaves()
}

// What the person says instead of answering whether the project is trusted is no answer,
// and is not lost: it stands in the input.
func TestStatementForAnAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	must(t, os.WriteFile(p.file("AGENTS.md"), []byte("Be brief.\n"), 0o644))
	s := p.sits(tmuxtest.Config{}, "Enter = not now]")
	s.enters("And now?")
	s.WaitFor("› And now?")
	screen := s.Screen.Screen()
	if !strings.Contains(screen, "! What the project in ") || strings.Contains(screen, "ikigai: ") {
		t.Errorf("the notice does not look like one:\n%s", screen)
	}
	s.Send("Enter")
	s.answered("So be it.")
	s.leaves()
}
