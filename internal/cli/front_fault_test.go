package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/tmuxtest"
	"ikigai/internal/tui"
)

// What was typed can neither be read nor kept, and that is told, once each.
func TestTypedCannotBeKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	must(t, os.MkdirAll(filepath.Join(p.root, "home", ".local", "share", "ikigai", "history.jsonl"), 0o700))
	s := p.talk()
	s.WaitFor("What was typed before cannot be read")
	s.enters("hello")
	s.answered("Hello to you.")
	s.enters("more")
	s.answered(`You said "more".`)
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

// What the person has stopped is told in words for people, and not at all to one who
// has left; what has failed is told anyway.
func TestToldOfWhatWasStopped(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx        context.Context
		err        error
		here, left string
	}{
		{stopped, nil, "", ""},
		{stopped, fmt.Errorf("read events: %w", context.Canceled), "Stopped.", ""},
		{stopped, &ikigai.Error{What: "Git was stopped", Do: "Look at the log"}, "Git was stopped. Look at the log.", "Git was stopped. Look at the log."},
		{t.Context(), errors.New("no room"), "No room.", "No room."},
	} {
		var out, after strings.Builder
		f := &front{app: &app{Process: Process{Err: &after}, settings: &config.Settings{}}}
		f.ui = tui.New(tui.Config{Plain: true, In: strings.NewReader(""), Out: &out, Host: f})
		f.tellError(c.ctx, c.err)
		f.ui.Quit()
		must(t, f.ui.Run(t.Context()))
		f.left.Store(true)
		f.tellError(c.ctx, c.err)
		if !strings.Contains(out.String(), c.here) || c.here == "" && strings.Contains(out.String(), "!") {
			t.Errorf("%v: the front tells %q, want %q", c.err, &out, c.here)
		}
		if got := strings.TrimPrefix(strings.TrimSpace(after.String()), "ikigai: "); got != c.left {
			t.Errorf("%v: who has left is told %q, want %q", c.err, got, c.left)
		}
	}
}

// An editor that is killed leaves the terminal as it was before, for the front and
// for the shell.
func TestEditorIsKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	editor := filepath.Join(p.root, "editor")
	must(t, os.WriteFile(editor, []byte("#!/bin/sh\nstty raw -echo\nprintf '\\033[?1049h\\033[2;5r\\033[?1000h\\033[31mEDITING'\nkill -KILL $$\n"), 0o755))
	shell := []string{"/bin/sh", "-c", `stty -a >before; "$0" "$@"; stty -a | cmp - before && echo "as before"`}
	s := p.sits(tmuxtest.Config{Args: shell}, "›", "--set", "editor="+editor)
	s.enters("hello")
	s.answered("Hello to you.")
	s.Send("C-g")
	s.WaitFor("editor failed: ")
	s.Until("the session above the failure", func(screen string) bool {
		return strings.Index(screen, "Hello to you.") < strings.Index(screen, "failed: ") && !strings.Contains(screen, "EDITING")
	})
	if got := s.Format("#{alternate_on} #{mouse_any_flag} #{scroll_region_upper} #{scroll_region_lower}"); got != "0 0 0 23" {
		t.Errorf("alternate screen, mouse and scrolled rows are %s", got)
	}
	s.Send("C-d")
	s.WaitFor("as before")
}
