package cli

import (
	"strings"
	"testing"
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
