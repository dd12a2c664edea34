package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ikigai/internal/tmuxtest"
)

// typist is a person at the interactive front.
type typist struct {
	*tmuxtest.Screen
	t *testing.T
	p *place
}

// types starts the front in a terminal, and waits until its session is open.
func (p *place) types(args ...string) *typist {
	p.t.Helper()
	return p.typesOn(100, sessionOpen, args...)
}

// sessionOpen stands on the screen once the session is open.
const sessionOpen = "test/scripted"

// typesOn starts the front in a terminal of so many columns, and waits until it
// shows sees.
func (p *place) typesOn(columns int, sees string, args ...string) *typist {
	p.t.Helper()
	return p.sits(tmuxtest.Config{Width: columns, Height: 50}, sees, args...)
}

// talk starts the front in a terminal of the usual size, and does not wait until
// its session is open.
func (p *place) talk(args ...string) *typist {
	p.t.Helper()
	return p.sits(tmuxtest.Config{}, "›", args...)
}

// sits starts the front in a terminal, and waits until it shows sees. The arguments
// of c are those of a program that starts it, and its environment is in addition.
func (p *place) sits(c tmuxtest.Config, sees string, args ...string) *typist {
	p.t.Helper()
	cmd := p.command(args...)
	c.Args, c.Env, c.Dir = slices.Concat(c.Args, cmd.Args), slices.Concat(cmd.Env, c.Env), p.work
	s := &typist{tmuxtest.Start(p.t, c), p.t, p}
	s.WaitFor(sees)
	return s
}

// enters types a line and sends it off.
func (s *typist) enters(line string) {
	s.t.Helper()
	s.Type(line)
	s.Send("Enter")
}

// answered waits until text stands on the screen and nothing is under way any more.
// What comes of a reply is on the screen before its turn has ended, and a key that is
// pressed then meets the turn: after a reply, only this is to be waited for.
func (s *typist) answered(text string) {
	s.t.Helper()
	s.Until(strconv.Quote(text)+" and the end of the turn", func(screen string) bool {
		return strings.Contains(screen, text) && ended(screen)
	})
}

// ended reports whether a screen shows that nothing is under way.
func ended(screen string) bool { return !strings.Contains(screen, "Esc stops") }

// says sends something off, and waits until text stands on the screen below it; below
// a statement, until its turn has ended.
func (s *typist) says(line, text string) {
	s.t.Helper()
	s.Type(line)
	s.Until("the input", func(screen string) bool { return strings.Contains(unbroken(screen), unbroken(line)) })
	if screen := s.Screen.Screen(); isCommand(line) && strings.Contains(unbroken(screen), unbroken(text)) {
		s.t.Errorf("%q stands there before %s is sent off: nothing would be waited for\n%s", text, line, screen)
	}
	s.Send("Enter")
	s.Until(line+": "+text, func(screen string) bool {
		return strings.Contains(unbroken(behindLast(screen, line)), unbroken(text)) && (isCommand(line) || ended(screen))
	})
}

// reads has a command open a pager that shows text, and closes it.
func (s *typist) reads(line, text string) {
	s.t.Helper()
	s.enters(line)
	s.Until("the pager of "+line+" with "+text, func(screen string) bool {
		return strings.Contains(screen, "q close") && strings.Contains(unbroken(screen), unbroken(text))
	})
	s.closes()
}

// closes closes a pager, and waits until the prompt stands there again.
func (s *typist) closes() {
	s.t.Helper()
	s.Send("q")
	s.Until("the prompt", func(screen string) bool {
		return !strings.Contains(screen, "q close") && strings.Contains(screen, "\n›")
	})
}

// escapes goes away from a list.
func (s *typist) escapes(title string) {
	s.t.Helper()
	s.Send("Escape")
	s.Until("no list", func(screen string) bool { return !strings.Contains(screen, title) })
}

// leaves ends the front once nothing is under way.
func (s *typist) leaves() {
	s.t.Helper()
	s.answered("›")
	s.enters("/quit")
	if code := s.Exited(); code != exitAnswered {
		s.t.Errorf("the front ended with %d", code)
	}
}

// unbroken returns text without the blanks at which it may be broken.
func unbroken(text string) string { return strings.Join(strings.Fields(text), "") }

// behindLast returns what stands on a screen behind the last place where a
// statement was sent off; all of it where that is not shown, as with commands.
func behindLast(screen, line string) string {
	if isCommand(line) {
		return screen
	}
	said := "› " + line
	if i := strings.LastIndex(screen, said); i >= 0 {
		return screen[i+len(said):]
	}
	return ""
}

// file waits until a file in the working directory holds text.
func (s *typist) file(name, text string) {
	s.t.Helper()
	s.Wait(name+" holds "+text, func() bool {
		content, err := os.ReadFile(s.p.file(name))
		return err == nil && string(content) == text || os.IsNotExist(err) && text == ""
	})
}

// made waits until a file is in the working directory: a command has begun.
func (s *typist) made(name string) {
	s.t.Helper()
	s.Wait(name, func() bool { _, err := os.Stat(s.p.file(name)); return err == nil })
}
