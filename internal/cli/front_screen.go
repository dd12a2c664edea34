package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/term"

	"ikigai/internal/config"
	"ikigai/internal/media"
	"ikigai/internal/render"
	"ikigai/internal/tty"
	"ikigai/internal/tui"
)

// openTerminal returns the terminal that the person sits at. The error is that
// there is none.
func (a *app) openTerminal() (tui.Terminal, error) {
	in, typed := a.In.(*os.File)
	out, seen := a.Out.(*os.File)
	if !typed || !seen || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil, usage("Without a command, ikigai needs a terminal for its input and its output",
			"Run one statement with `ikigai run PROMPT`, or see `ikigai --help`")
	}
	return tty.Open(in, out, tty.Options{ASCII: !utf8Locale(a.env), Term: a.env("TERM"), Reflows: reflows(a.env), Sync: true})
}

// reflows reports whether the terminal breaks long lines anew when its width
// changes.
func reflows(env func(string) string) bool {
	name := env("TERM")
	for _, old := range []string{"rxvt", "linux"} {
		if strings.HasPrefix(name, old) {
			return false
		}
	}
	return env("XTERM_VERSION") == "" && (env("TMUX") != "" || !strings.HasPrefix(name, "screen"))
}

// frontStyle returns how things look in the front.
func (f *front) frontStyle() render.Style {
	style := f.style(f.Out)
	_, display := f.look()
	style.Compact, style.More = display == config.DisplayCompact, "Ctrl-O"
	return style
}

// isImage reports whether path is that of an image or a document to attach.
func isImage(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // a pipe could be waited for
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, 64)
	n, _ := file.Read(start)
	return media.Type(start[:n]) != ""
}

// joins has the end wait until f.running.Done is called. It is false if the end has
// come.
func (f *front) joins() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left.Load() {
		return false
	}
	f.running.Add(1)
	return true
}

// edit has the person edit a text in their editor. When the person is gone, the
// editor is told so as if its terminal were, which is when editors keep what they
// have.
func (f *front) edit(text string) (string, error) {
	if !f.joins() {
		return "", tui.ErrGone
	}
	defer f.running.Done()
	file, err := os.CreateTemp("", "ikigai-*.md")
	if err != nil {
		return "", usage("There is no place for the text to edit: "+err.Error(), "Set TMPDIR to a directory that can be written")
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	if err := cmp.Or(err, file.Close()); err != nil {
		return "", usage("The text to edit cannot be written: "+err.Error(), "Free some space")
	}
	line := cmp.Or(f.settings.Terminal.Editor, f.env("VISUAL"), f.env("EDITOR"), "vi")
	editor := exec.CommandContext(f.here, "/bin/sh", "-c", inPlace(line)+` "$1"`, "sh", file.Name())
	editor.Cancel, editor.WaitDelay = func() error { return editor.Process.Signal(syscall.SIGHUP) }, endTime/2
	editor.Stdin, editor.Stdout, editor.Stderr, editor.Env, editor.Dir = f.In, f.Out, f.Err, f.withoutSecrets(), f.whereabouts().dir
	if err := f.lend(editor.Run); err != nil {
		return "", usage("The editor "+line+" failed: "+err.Error(), "Set editor to one that can be started, or EDITOR")
	}
	edited, err := os.ReadFile(file.Name())
	return strings.TrimRight(string(edited), "\n"), err
}

// inPlace has a simple command take the place of the shell that runs it: what is
// signalled is the command then, and an interrupt that it takes ends nothing.
func inPlace(line string) string {
	if strings.ContainsAny(line, "=;&|()<>`\n") {
		return line
	}
	return "exec " + line
}

// away has the person work with another program at the terminal.
func (f *front) away(run func() error) error {
	return f.ui.Away(func() error { return f.lend(run) })
}

// What a program that was killed may have left the terminal in: a part of the
// screen, the alternate one, reports of the mouse, keys as applications want them,
// a style. The cursor goes to where it was kept.
const (
	keepCursor = "\x1b7"
	putRight   = "\x1b[r\x1b[?1049l\x1b8\x1b[?1000;1002;1003;1006l\x1b[?1l\x1b>\x1b[m"
)

// lend has another program work at the terminal, which is free for it. If that
// program fails, the terminal is put right.
func (f *front) lend(run func() error) error {
	in := int(f.In.(*os.File).Fd())
	before, kept := term.GetState(in)
	if !f.plain() {
		fmt.Fprint(f.Out, keepCursor)
	}
	err := run()
	if err != nil && kept == nil {
		_ = term.Restore(in, before) // or the terminal is gone
	}
	if killed(err) && !f.plain() {
		fmt.Fprint(f.Out, putRight)
	}
	return err
}

// killed reports whether err tells that a program was ended by a signal, or that a
// shell says so.
func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (exit.ExitCode() < 0 || exit.ExitCode() > 128)
}
