package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/config"
	"ikigai/internal/tui"
)

// What was typed can neither be read nor kept, and that is told, once each.
func TestTypedCannotBeKept(t *testing.T) {
	p := newPlace(t, talkScript)
	must(t, os.MkdirAll(filepath.Join(p.root, "home", ".local", "share", "ikigai", "history.jsonl"), 0o700))
	s := p.talk()
	s.WaitFor("What was typed before cannot be read")
	typeLine(s, "hello")
	s.WaitFor("Hello to you.")
	typeLine(s, "more")
	s.WaitFor(`You said "more".`)
	s.Send("C-d")
	s.Exited()
	all := s.Unwrapped()
	for _, said := range []string{"cannot be read", "cannot be kept"} {
		if n := strings.Count(all, said); n != 1 {
			t.Errorf("%q is said %d times:\n%s", said, n, all)
		}
	}
}

// A fault of the program on another goroutine than the front's ends the front and
// is told; the terminal does not stay as the front had it.
func TestFaultEndsTheFront(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out strings.Builder
	typed, person := io.Pipe()
	defer person.Close()
	f := &front{app: &app{Process: Process{Err: io.Discard}, settings: &config.Settings{}}, life: context.Background()}
	f.ui = tui.New(tui.Config{Plain: true, In: typed, Out: &out, Host: f})
	f.tell = f.notice
	f.mu.Lock()
	f.turn = f.begin(func(context.Context) { panic("a fault") }, func() { f.turn = nil })
	f.mu.Unlock()
	if err := f.ui.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.running.Wait()
	if !f.broken.Load() || !strings.Contains(out.String(), "ikigai itself broke: a fault") {
		t.Errorf("broken %v, and told was %s", f.broken.Load(), &out)
	}
}
