package tty

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"ikigai/internal/crash"
)

// Options say what is known of a terminal beforehand.
type Options struct {
	ASCII   bool   // it shows nothing but ASCII
	Term    string // TERM
	Reflows bool   // it breaks long lines anew when its width changes
	Sync    bool   // what is written between the marks of a synchronized update is shown at once
}

// Terminal is the terminal that a person sits at. Between Start and Stop the
// program has it to itself. Start, Paint, Page, Title and Ring are called by one
// goroutine, Stop by any.
//
// What is painted is written by a goroutine of its own: a terminal that is slow
// gets the newest state, not all those in between. One that takes nothing for a
// long time counts as gone.
type Terminal struct {
	in, out *os.File
	options Options
	keys    chan []Key
	resized chan struct{}
	mu      sync.Mutex  // is held while the terminal is taken or given back
	cooked  *term.State // how the terminal was before Start; nil if it is not started

	keyboard *keyboard
	screen   *screen
	winch    chan os.Signal
}

// Open returns the terminal of in and out, which both must be one.
func Open(in, out *os.File, o Options) (*Terminal, error) {
	if !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil, errors.New("standard input and output are no terminal")
	}
	t := &Terminal{in: in, out: out, options: o, keys: make(chan []Key), resized: make(chan struct{}, 1)}
	t.keyboard = &keyboard{file: in, keys: t.keys, stood: t.stood}
	t.screen = newScreen(out, o, t.Size, t.keyboard.gone)
	return t, nil
}

// Start takes the terminal.
func (t *Terminal) Start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cooked != nil {
		return nil
	}
	cooked, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return fmt.Errorf("take the terminal: %w", err)
	}
	t.cooked = cooked
	t.winch = make(chan os.Signal, 1)
	signal.Notify(t.winch, syscall.SIGWINCH)
	go t.tell(t.winch)
	if err := t.keyboard.start(); err != nil {
		_ = t.give()
		return fmt.Errorf("read the terminal: %w", err)
	}
	t.screen.start(t.options.taken(), t.options.given())
	return nil
}

// tell passes on that the size has changed, until winch is closed.
func (t *Terminal) tell(winch <-chan os.Signal) {
	defer crash.Guard()
	for range winch {
		notify(t.resized)
	}
}

// stood takes in where the cursor stood, and has that painted which depends on it.
func (t *Terminal) stood(row int) {
	t.screen.stood(row)
	notify(t.resized)
}

// Stop clears the live region and gives the terminal back as it was. What was
// typed and not read stays for whoever reads next, or for Keys after Start.
func (t *Terminal) Stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.give()
}

func (t *Terminal) give() error {
	if t.cooked == nil {
		return nil
	}
	t.screen.hear()
	t.keyboard.stop()
	t.screen.stop()
	signal.Stop(t.winch)
	close(t.winch)
	cooked := t.cooked
	t.cooked = nil
	if err := term.Restore(int(t.in.Fd()), cooked); err != nil && !t.keyboard.isGone() {
		return fmt.Errorf("give the terminal back: %w", err)
	}
	return nil
}

// Keys has what is typed, in the pieces in which it came. It is closed when the
// terminal is gone.
func (t *Terminal) Keys() <-chan []Key { return t.keys }

// Resized tells that Size has changed, or something else that needs Paint.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

// Size is in columns and rows. A terminal that does not know has 80 by 24.
func (t *Terminal) Size() (width, height int) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Paint prints whole lines where the live region begins, and draws the live region
// below them. The lines must not be changed afterwards.
func (t *Terminal) Paint(printed string, live Live) {
	t.screen.change(func(f *frame) {
		f.printed = append(f.printed, printed...)
		if n := len(printed); n > 0 && printed[n-1] != '\n' {
			f.printed = append(f.printed, '\n')
		}
		f.live, f.painted = live, true
	})
}

// Page draws lines on the alternate screen, with the cursor at row and col, or
// without one if row is negative. Nil goes back to the normal screen. The lines
// must not be changed afterwards.
func (t *Terminal) Page(lines []string, row, col int) {
	t.screen.change(func(f *frame) {
		f.page = nil
		if lines != nil {
			f.page = &page{lines: lines, row: row, col: col}
		}
	})
}

// Title sets the title of the terminal's window.
func (t *Terminal) Title(text string) {
	if t.options.rich() {
		t.screen.change(func(f *frame) { f.title = "\x1b]2;" + oneLine(text) + "\x07" })
	}
}

// Ring rings the terminal's bell, and has terminals that can notify the person do
// so.
func (t *Terminal) Ring(text string) {
	t.screen.change(func(f *frame) {
		if f.ring = "\x07"; t.options.rich() && text != "" {
			f.ring = "\x1b]9;" + oneLine(text) + "\x07\x07"
		}
	})
}

// oneLine is text without what would end the sequence that it stands in.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// rich reports whether the terminal knows, or passes over, what came after the
// VT220.
func (o Options) rich() bool {
	return o.Term != "" && o.Term != "dumb" && o.Term != "linux" && !strings.HasPrefix(o.Term, "vt")
}

// taken is written when the terminal is taken: the title is kept, pastes come in
// brackets, and keys as keysOn says.
func (o Options) taken() string {
	if !o.rich() {
		return ""
	}
	return "\x1b[22;2t\x1b[?2004h" + o.keysOn()
}

// given is written when it is given back.
func (o Options) given() string {
	if !o.rich() {
		return reset
	}
	return o.keysOff() + reset + "\x1b[?2004l\x1b[23;2t"
}

// keysOn has keys come with all their modifiers where the terminal knows one of the
// two ways to tell them. It is said for each of the two screens. The reset is for
// terminals that take it for a style.
func (o Options) keysOn() string {
	if !o.rich() {
		return ""
	}
	return "\x1b[>1u\x1b[>4;1m" + reset
}

func (o Options) keysOff() string {
	if !o.rich() {
		return ""
	}
	return "\x1b[>4m\x1b[<u" + reset
}
