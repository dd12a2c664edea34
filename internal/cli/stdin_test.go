package cli

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

const stdinScript = `
user: work
say: Answered.

user: from the input
say: Read.
`

// P39: whatever standard input is, a prompt on the command line is answered,
// and nothing of the input is read or waited for.
func TestInputIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, input := range inputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, stdinScript)
			cmd := p.command("run", "work")
			cmd.Stdin = input(t)
			c := startChild(t, cmd)
			c.ends(exitAnswered)
			if got := c.out.String(); got != "Answered.\n" {
				t.Errorf("answer %q", got)
			}
		})
	}
}

// P39: where the prompt is to come from an input that has none, the program
// says so instead of waiting.
func TestInputHasNoPrompt(t *testing.T) {
	t.Parallel()
	for name, input := range inputs {
		if name == "a pipe that stays open" {
			continue // somebody may still write
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, stdinScript)
			cmd := p.command("run")
			cmd.Stdin = input(t)
			c := startChild(t, cmd)
			c.ends(exitUsage)
			c.tells(1, "Say what you want, as in: ikigai run")
			if len(p.server.Requests()) > 0 {
				t.Error("a request was sent")
			}
		})
	}
}

// inputs are standard inputs from which no prompt comes.
var inputs = map[string]func(*testing.T) *os.File{
	"the null device":        func(t *testing.T) *os.File { return open(t, os.DevNull) },
	"a closed pipe":          func(t *testing.T) *os.File { r, w := pipe(t); must(t, w.Close()); return r },
	"a pipe that stays open": func(t *testing.T) *os.File { r, _ := pipe(t); return r },
	"a terminal": func(t *testing.T) *os.File {
		ours, theirs, err := pty.Open()
		must(t, err)
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		return theirs
	},
}

func open(t *testing.T, path string) *os.File {
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// P39: the prompt comes from a pipe, in pieces.
func TestPromptFromPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t, stdinScript)
	r, w := pipe(t)
	cmd := p.command("run", "-")
	cmd.Stdin = r
	c := startChild(t, cmd)
	for _, piece := range strings.SplitAfter("from the input\n", " ") {
		_, err := io.WriteString(w, piece)
		must(t, err)
	}
	must(t, w.Close())
	c.ends(exitAnswered)
	if got := c.out.String(); got != "Read.\n" {
		t.Errorf("answer %q", got)
	}
}

// P39: an input of 100 MB is refused, and most of it never read.
func TestInputIsTooLarge(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run"}, {"run", "--file", "-", "work"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, stdinScript)
			r, w := pipe(t)
			cmd := p.command(args...)
			cmd.Stdin = r
			c := startChild(t, cmd)
			must(t, r.Close())
			must(t, w.SetWriteDeadline(time.Now().Add(patience)))
			piece, taken := []byte(strings.Repeat("words and ", 100_000)), 0
			for range 100 {
				n, err := w.Write(piece)
				taken += n
				if err != nil {
					break
				}
			}
			c.ends(exitUsage)
			c.tells(1, "The standard input is larger than 10 MiB. Name the file in the prompt")
			if taken > 2*maxAttached {
				t.Errorf("%d bytes were read", taken)
			}
			if len(p.server.Requests()) > 0 {
				t.Error("a request was sent")
			}
		})
	}
}

// P39: standard input is closed altogether.
func TestNoInputAtAll(t *testing.T) {
	t.Parallel()
	p := newPlace(t, stdinScript)
	cmd := p.command()
	cmd.Args = []string{"sh", "-c", `exec "$0" run work <&-`, cmd.Path}
	cmd.Path = "/bin/sh"
	c := startChild(t, cmd)
	c.ends(exitAnswered)
	if got := c.out.String(); got != "Answered.\n" {
		t.Errorf("answer %q", got)
	}
}
