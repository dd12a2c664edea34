package tty

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ikigai/internal/crash"
	"ikigai/internal/tmuxtest"
)

// The test binary is also the programs that the tests run in a terminal.
func TestMain(m *testing.M) {
	if name := os.Getenv("TTY_PROGRAM"); name != "" {
		t, err := Open(os.Stdin, os.Stdout, Options{Term: os.Getenv("TERM"), Reflows: true, Sync: true})
		if err != nil {
			fmt.Println(err)
			os.Exit(2)
		}
		os.Exit(programs[name](t))
	}
	os.Exit(m.Run())
}

var programs = map[string]func(*Terminal) int{"keys": showKeys, "stream": stream, "crash": crashes, "faulty": faulty, "again": again, "hungup": hungUp}

// run starts a program in a terminal.
func run(t *testing.T, name string, width, height int) *tmuxtest.Screen {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return tmuxtest.Start(t, tmuxtest.Config{Args: []string{program}, Env: []string{"TTY_PROGRAM=" + name}, Width: width, Height: height})
}

// showKeys prints each key until Ctrl-D, and pages at F1.
func showKeys(t *Terminal) int {
	if err := t.Start(); err != nil {
		return 3
	}
	defer func() { _ = t.Stop() }()
	live := Live{Lines: []string{"> ", "status"}, Col: 2}
	t.Paint("ready\n", live)
	for keys := range t.Keys() {
		for _, k := range keys {
			switch {
			case k.Ctrl('d'):
				return 0
			case k.Is(KeyF1, 0):
				t.Page([]string{"page one", "two"}, -1, 0)
				continue
			case k.Is(KeyF2, 0):
				t.Page(nil, 0, 0)
				t.Title("a title\a")
				t.Ring("done")
				continue
			case k.Code == KeyPaste:
				t.Paint(fmt.Sprintf("paste of %d bytes, %d lines\n", len(k.Text), strings.Count(k.Text, "\n")), live)
				continue
			}
			t.Paint(names([]Key{k})+"\n", live)
		}
	}
	return 1
}

func TestKeysInTerminal(t *testing.T) {
	s := run(t, "keys", 60, 30)
	s.WaitFor("ready\n>\nstatus")
	for _, c := range []struct{ key, want string }{
		{"a", "'a'"}, {"ü", "'ü'"}, {"Enter", "enter"}, {"Escape", "esc"}, {"Up", "up"}, {"C-a", "c-'a'"}, {"M-x", "a-'x'"}, {"C-Right", "c-right"},
		{"S-Tab", "s-tab"}, {"BSpace", "backspace"}, {"M-Enter", "a-enter"}, {"F5", "f5"}, {"PageUp", "pgup"}, {"C-j", "c-'j'"}, {"Home", "home"},
	} {
		s.Send(c.key)
		s.WaitFor(c.want + "\n>\nstatus")
	}
	if got := s.Format("#{cursor_x}"); got != "2" {
		t.Errorf("the cursor is in column %s, want 2", got)
	}
	s.Paste(strings.Repeat("twelve bytes\n", 80_000)) // P36
	s.WaitFor("paste of 1040000 bytes, 80000 lines")
	before := s.History()
	s.Send("F1")
	s.Until("the page", func(screen string) bool { return strings.HasPrefix(screen, "page one\ntwo\n\n") })
	s.Send("F2")
	s.WaitFor("status")
	if got := s.History(); got != before || s.Format("#{alternate_on}") != "0" {
		t.Errorf("the page has left a trace:\n%s", got)
	}
	s.Wait("the title", func() bool { return s.Format("#{pane_title}") == "a title " })
	s.Send("C-d")
	if got := s.Exited(); got != 0 {
		t.Errorf("status %d", got)
	}
	if got := s.Screen(); strings.Contains(got, "status") || strings.Contains(got, ">") {
		t.Errorf("the live region is left:\n%s", got)
	}
}

// stream prints numbered lines with a live region of long lines below: as many as
// there are between two keys, until the key is q.
func stream(t *Terminal) int {
	if err := t.Start(); err != nil {
		return 3
	}
	defer func() { _ = t.Stop() }()
	live := func(i int) Live {
		tail := strings.Repeat("streaming words ", i%12) + strconv.Itoa(i)
		return Live{Lines: []string{"LIVE1 " + tail, "LIVE2 " + tail + tail, fmt.Sprint("LIVE> ", i), "LIVE3 " + strings.Repeat("=", 300)}, Row: 2, Col: 11}
	}
	for i := 0; ; i++ {
		printed := ""
		if i%4 == 0 {
			printed = fmt.Sprintf("line %d %s\n", i/4, strings.Repeat("x", i%97))
		}
		t.Paint(printed, live(i))
		if i%40 != 39 {
			continue
		}
		keys := <-t.Keys()
		if keys[0].Rune == 'q' {
			t.Paint(fmt.Sprintf("end after %d\n", i/4), Live{})
			return 0
		}
	}
}

// P33, P36: resized in mid-stream, each line is there once and no ghost of the live
// region. S2.45
func TestResizeInMidStream(t *testing.T) {
	s := run(t, "stream", 40, 24)
	next := 9
	more := func(key string, sizes ...[2]int) {
		t.Helper()
		// What is on its way while the terminal gets narrower may leave a ghost. That
		// nothing is is what the test can see to.
		s.Until("the live region after a line", func(string) bool {
			return strings.Contains(s.Unwrapped(), fmt.Sprintf("LIVE> %d\n", next*4+3))
		})
		for _, size := range sizes {
			s.Resize(size[0], size[1])
		}
		s.Send(key)
		next += 10
	}
	for _, size := range [][2]int{{200, 24}, {30, 24}, {100, 40}, {60, 24}, {61, 24}, {35, 24}, {40, 24}} {
		more("n", size)
	}
	// In a row, faster than tmux tells of it.
	more("n", [2]int{200, 24}, [2]int{30, 24}, [2]int{120, 24}, [2]int{35, 24}, [2]int{80, 24})
	more("q")
	s.WaitFor("end after")
	if got := s.Exited(); got != 0 {
		t.Errorf("status %d", got)
	}
	all := s.Unwrapped()
	if strings.Contains(all, "LIVE") {
		t.Errorf("ghosts of the live region:\n%s", all)
	}
	lines := strings.Split(strings.TrimSpace(all), "\n")
	for i, line := range lines[:len(lines)-1] {
		if want := strings.TrimSpace(fmt.Sprintf("line %d %s", i, strings.Repeat("x", i*4%97))); line != want {
			t.Fatalf("line %d is %q, want %q:\n%s", i, line, want, all)
		}
	}
	if want := fmt.Sprintf("end after %d", len(lines)-2); lines[len(lines)-1] != want {
		t.Errorf("the last line is %q, want %q", lines[len(lines)-1], want)
	}
}

// crashes panics with the live region drawn and the cursor hidden.
func crashes(t *Terminal) int {
	if err := t.Start(); err != nil {
		return 3
	}
	defer func() {
		_ = t.Stop()
		fmt.Println(recover())
		var again [1]byte
		_, _ = os.Stdin.Read(again[:]) // a whole line, as a terminal gives it
	}()
	t.Paint("printed\n", Live{Lines: []string{"live"}, Blind: true})
	t.Page([]string{"page"}, -1, 0)
	<-t.Keys()
	panic("crashed")
}

func TestCrashGivesTheTerminalBack(t *testing.T) {
	s := run(t, "crash", 40, 10)
	s.WaitFor("page")
	s.Send("x")
	s.WaitFor("printed\ncrashed")
	if got := s.Format("#{cursor_flag} #{alternate_on} #{wrap_flag}"); got != "1 0 1" {
		t.Errorf("cursor, alternate screen and wrapping are %s", got)
	}
	s.Type("echoed")
	s.WaitFor("echoed")
	s.Send("Enter")
	s.Exited()
}

// faulty has the goroutine that draws panic, with a page on the screen.
func faulty(t *Terminal) int {
	told := make(chan any)
	defer crash.Handle(func(v any) {
		_ = t.Stop()
		told <- v
	})()
	var fault atomic.Bool
	t.screen.size = func() (int, int) {
		if fault.Load() {
			panic("the painter broke")
		}
		return t.Size()
	}
	if err := t.Start(); err != nil {
		return 3
	}
	t.Paint("printed\n", Live{Lines: []string{"live"}, Blind: true})
	t.Page([]string{"page"}, -1, 0)
	<-t.Keys()
	fault.Store(true)
	t.Paint("lost\n", Live{})
	fmt.Println(<-told)
	var again [1]byte
	_, _ = os.Stdin.Read(again[:]) // a whole line, as a terminal gives it
	return 0
}

// The terminal is given back also where what draws on it is broken.
func TestBrokenPainterGivesTheTerminalBack(t *testing.T) {
	s := run(t, "faulty", 40, 10)
	s.WaitFor("page")
	s.Send("x")
	s.WaitFor("the painter broke")
	if got := s.Format("#{cursor_flag} #{alternate_on} #{wrap_flag}"); got != "1 0 1" {
		t.Errorf("cursor, alternate screen and wrapping are %s", got)
	}
	s.Type("echoed")
	s.WaitFor("echoed")
	s.Send("Enter")
	s.Exited()
}

// again starts and stops the terminal; what is typed meanwhile is not lost.
func again(t *Terminal) int {
	for range 3 {
		if err := t.Start(); err != nil {
			return 3
		}
		t.Paint("", Live{Lines: []string{"type"}})
		keys := <-t.Keys()
		t.Paint(names(keys)+"\n", Live{Lines: []string{"gone"}})
		if err := t.Stop(); err != nil {
			return 4
		}
		fmt.Println("stopped")
	}
	return 0
}

func TestStartAgain(t *testing.T) {
	s := run(t, "again", 40, 20)
	for i, key := range []string{"a", "b", "c"} {
		s.Until("a prompt", func(screen string) bool { return strings.Count(screen, "stopped") == i })
		s.Send(key)
		s.WaitFor("'" + key + "'\nstopped")
	}
	if got := s.Exited(); got != 0 {
		t.Errorf("status %d", got)
	}
	if got := s.Screen(); strings.Contains(got, "gone") || strings.Contains(got, "type") {
		t.Errorf("the live region is left:\n%s", got)
	}
}

// hungUp lives until Keys is closed, and then for as long as painting takes.
func hungUp(t *Terminal) int {
	signal.Ignore(syscall.SIGHUP)
	if err := t.Start(); err != nil {
		return 3
	}
	t.Paint("ready\n", Live{})
	for range t.Keys() {
	}
	for range 1000 {
		t.Paint(strings.Repeat("nobody sees this\n", 100), Live{Lines: []string{"nor this"}})
	}
	_ = t.Stop()
	return 0
}

// A terminal that vanishes closes Keys, and nothing waits for it.
func TestTerminalVanishes(t *testing.T) {
	s := run(t, "hungup", 40, 10)
	s.WaitFor("ready")
	s.Vanish()
}
