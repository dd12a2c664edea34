package tty

import (
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// onPTY returns a terminal of that kind, what stands at its other end, and what the
// program has written, once it is at its end.
func onPTY(t *testing.T, kind string) (tt *Terminal, keyboard io.Writer, written func() string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if tt, err = Open(slave, slave, Options{Term: kind, Reflows: true, Sync: true}); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&all, master) // ends with an error when nobody has the other end
	}()
	t.Cleanup(func() {
		_ = slave.Close()
		<-read
		_ = master.Close()
	})
	return tt, master, func() string {
		_ = slave.Close()
		<-read
		return all.String()
	}
}

// Whoever gives the terminal back, also several at once while the front draws, it
// is as it was.
func TestGivenBackOnce(t *testing.T) {
	tt, _, written := onPTY(t, "xterm-256color")
	before, err := term.GetState(int(tt.in.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := tt.Start(); err != nil {
			t.Fatal(err)
		}
		tt.Paint("printed\n", Live{Lines: []string{"live"}, Blind: true})
		tt.Page([]string{"page"}, -1, 0)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := tt.Stop(); err != nil {
					t.Error(err)
				}
			})
		}
		tt.Paint("more\n", Live{Lines: []string{"live"}})
		all.Wait()
		if after, err := term.GetState(int(tt.in.Fd())); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("the terminal is %v, and was %v: %v", after, before, err)
		}
	}
	out := written()
	for on, off := range map[string]string{
		"\x1b[?2004h": "\x1b[?2004l", "\x1b[>1u": "\x1b[<u", "\x1b[>4;1m": "\x1b[>4m", "\x1b[22;2t": "\x1b[23;2t",
		"\x1b[?1049h": "\x1b[?1049l", "\x1b[?2026h": "\x1b[?2026l",
	} {
		if n := strings.Count(out, on); n == 0 && on != "\x1b[?1049h" || n != strings.Count(out, off) || strings.LastIndex(out, on) > strings.LastIndex(out, off) {
			t.Errorf("%q is written %d times, %q %d times", on, n, off, strings.Count(out, off))
		}
	}
	if strings.LastIndex(out, hideCursor) > strings.LastIndex(out, showCursor) {
		t.Error("the cursor stays hidden")
	}
}

// A terminal of the old kind gets nothing that it does not know.
func TestPlainTerminal(t *testing.T) {
	for _, kind := range []string{"linux", "vt100", "dumb"} {
		tt, _, written := onPTY(t, kind)
		if err := tt.Start(); err != nil {
			t.Fatal(err)
		}
		tt.Title("a title")
		tt.Ring("done")
		if err := tt.Stop(); err != nil {
			t.Fatal(err)
		}
		if out := written(); strings.Contains(out, "\x1b]") || strings.Contains(out, "\x1b[>") || strings.Contains(out, "2004") || !strings.Contains(out, "\a") {
			t.Errorf("%s gets %q", kind, out)
		}
	}
}

// Keys as programs that are no tmux send them.
func TestKeysOfTerminals(t *testing.T) {
	for kind, keys := range map[string]map[string]string{
		"xterm-256color": {
			"\x1b[H": "home", "\x1bOH": "home", "\x1b[F": "end", "\x1b[1;5C": "c-right", "\x1b[1;2A": "s-up", "\x1b[3~": "del", "\x1b[3;5~": "c-del",
			"\x1bOP": "f1", "\x1b[15~": "f5", "\x1b[24~": "f12", "\x1b[Z": "s-tab", "\x7f": "backspace", "\x1b\x7f": "a-backspace", "\x1b[27;2;13~": "s-enter", "\x1b[27;5;13~": "c-enter",
		},
		"rxvt-unicode": {
			"\x1b[7~": "home", "\x1b[8~": "end", "\x1b[7^": "c-home", "\x1b[8$": "s-end", "\x1bOd": "c-left", "\x1bOc": "c-right", "\x1b[a": "s-up", "\x1b[d": "s-left",
			"\x1b\x1b[A": "a-up", "\x1b[3^": "c-del", "\x1b[3$": "s-del", "\x1b[5@": "c-s-pgup", "\x1b[11~": "f1", "\x1b[14~": "f4", "\x1b[24~": "f12", "\x1b[Z": "s-tab", "\x1bOM": "enter",
		},
		"screen": {
			"\x1b[1~": "home", "\x1b[4~": "end", "\x1b[2~": "ins", "\x1b[5~": "pgup", "\x1b[6~": "pgdown", "\x1bOP": "f1", "\x1bOS": "f4", "\x1b[15~": "f5", "\x1bOA": "up", "\x1bOD": "left",
		},
		"linux": {"\x1b[[A": "f1", "\x1b[[E": "f5", "\x1b[17~": "f6", "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[A": "up"},
		"xterm-kitty": {
			"\x1b[13;2u": "s-enter", "\x1b[27u": "esc", "\x1b[97;5u": "c-'a'", "\x1b[9;2u": "s-tab", "\x1b[127;3u": "a-backspace", "\x1b[1;3D": "a-left", "\x1b[P": "f1", "\x1b[57414u": "enter",
		},
		"putty": {"\x1b[1~": "home", "\x1bOA": "up", "\x1b[11~": "f1", "\x1b[200~a\rb\x1b[201~": `paste("a\nb")`},
	} {
		t.Run(kind, func(t *testing.T) {
			tt, keyboard, _ := onPTY(t, kind)
			if err := tt.Start(); err != nil {
				t.Fatal(err)
			}
			for sent, want := range keys {
				if _, err := io.WriteString(keyboard, sent); err != nil {
					t.Fatal(err)
				}
				if got := names(<-tt.Keys()); got != want {
					t.Errorf("%q is %s, want %s", sent, got, want)
				}
			}
			if err := tt.Stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// tmux is asked where the cursor stands. The answer is no key, and has the front paint
// again.
func TestWhereTheCursorStood(t *testing.T) {
	tt, keyboard, written := onPTY(t, "tmux-256color")
	for range 3 {
		if err := tt.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(keyboard, "a\x1b[7;1Rb"); err != nil {
			t.Fatal(err)
		}
		if got := names(<-tt.Keys()); got != "'a' 'b'" {
			t.Errorf("typed is %s", got)
		}
		<-tt.Resized()
		if err := tt.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(written(), whereIs); n != 3 {
		t.Errorf("it is asked %d times", n)
	}
}

// Whoever gives the terminal back waits for its answer, and not for ever.
func TestAnswerIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{told: make(chan struct{}, 1)}
		for _, takes := range []time.Duration{0, answers / 2, 10 * answers} {
			began := time.Now()
			time.AfterFunc(takes, func() { s.stood(3) })
			s.hear()
			if waited := time.Since(began); waited != min(takes, answers) {
				t.Errorf("it waits %v for an answer that takes %v", waited, takes)
			}
		}
	})
}
