package tui

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ikigai/internal/tty"
)

// TestMain has the goroutine of package signal begin outside every bubble. As a
// program in a terminal, the test is a Front with a host that does as it is told.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == playsFront {
		os.Exit(playFront())
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	signal.Stop(c)
	os.Exit(m.Run())
}

// fake is a Terminal: what is printed, what is live below it, what is on the
// alternate screen.
type fake struct {
	keys    chan []tty.Key
	resized chan struct{}

	mu            sync.Mutex
	width, height int
	printed       strings.Builder
	live          tty.Live
	page          []string
	title         string
	rang          []string
	paints        int
	started       bool
	starts        int
	misused       []string // what a Front must not do
}

func newFake(width, height int) *fake {
	return &fake{keys: make(chan []tty.Key), resized: make(chan struct{}, 1), width: width, height: height}
}

func (f *fake) Start() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check("Start", !f.started)
	f.started = true
	f.starts++
	return nil
}

func (f *fake) Stop() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check("Stop", f.started)
	f.started, f.live = false, tty.Live{}
	return nil
}

func (f *fake) check(what string, ok bool) {
	if !ok {
		f.misused = append(f.misused, what)
	}
}

func (f *fake) Keys() <-chan []tty.Key { return f.keys }

func (f *fake) Resized() <-chan struct{} { return f.resized }

func (f *fake) Size() (width, height int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.width, f.height
}

func (f *fake) Paint(printed string, live tty.Live) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check("Paint while stopped", f.started)
	f.check("Paint during Page", f.page == nil)
	f.check("print half a line", printed == "" || strings.HasSuffix(printed, "\n"))
	f.check("live region too high", len(live.Lines) < f.height)
	f.printed.WriteString(printed)
	f.live = live
	f.paints++
}

func (f *fake) Page(lines []string, _, _ int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check("Page while stopped", f.started)
	f.page = lines
	f.paints++
}

func (f *fake) Title(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.title = text
}

func (f *fake) Ring(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rang = append(f.rang, text)
}

// bells returns what it was rung for, a line each.
func (f *fake) bells() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.rang, "\n")
}

// text returns what is printed and what is live, a line between them.
func (f *fake) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.page != nil {
		return strings.Join(f.page, "\n")
	}
	return f.printed.String() + "----\n" + strings.Join(f.live.Lines, "\n")
}

// painted returns how often it was drawn on.
func (f *fake) painted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.paints
}

// resize gives the terminal another size.
func (f *fake) resize(width, height int) {
	f.mu.Lock()
	f.width, f.height = width, height
	f.mu.Unlock()
	f.resized <- struct{}{}
}

// host is a Host that notes what it is asked for.
type host struct {
	mu       sync.Mutex
	asked    []string
	busy     bool // Stop has something to stop
	waiting  []Input
	complete func(context.Context, string) Completions

	submitted chan Input // may be nil
}

func (h *host) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, what)
}

// took returns what was asked for since the last call.
func (h *host) took() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := strings.Join(h.asked, "\n")
	h.asked = nil
	return all
}

func (h *host) Submit(i Input) {
	how := "submit "
	if i.Queue {
		how = "queue "
	}
	h.note(how + i.Text)
	if h.submitted != nil {
		h.submitted <- i
	}
}

func (h *host) Stop() bool {
	if h.busy {
		h.note("stop")
	}
	return h.busy
}

func (h *host) Cancel(id string) { h.note("cancel " + id) }

func (h *host) TakeBack() (Input, bool) {
	if len(h.waiting) == 0 {
		return Input{}, false
	}
	last := h.waiting[len(h.waiting)-1]
	h.waiting = h.waiting[:len(h.waiting)-1]
	h.note("take back " + last.Text)
	return last, true
}

func (h *host) EditLast() { h.note("edit last") }
func (h *host) ShowAll()  { h.note("show all") }
func (h *host) Leave()    { h.note("leave") }

func (h *host) Complete(ctx context.Context, before string) Completions {
	if h.complete == nil {
		return Completions{}
	}
	return h.complete(ctx, before)
}

// stage is a Front that runs on a fake terminal, in a bubble in which time passes
// when everybody waits.
type stage struct {
	*Front
	t     *testing.T
	term  *fake
	host  *host
	ended chan error
}

// play runs a test with a Front of that size.
func play(t *testing.T, width, height int, c Config, test func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, term: newFake(width, height), host: &host{}, ended: make(chan error, 1)}
		c.Terminal, c.Host = s.term, s.host
		s.Front = New(c)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { s.ended <- s.Run(ctx) }()
		test(s)
		stop()
		synctest.Wait()
		for _, what := range s.term.misused {
			t.Errorf("misuse of the terminal: %s", what)
		}
		if s.term.started {
			t.Error("the terminal is not given back")
		}
	})
}

// keys types keys, one at a time.
func (s *stage) keys(keys ...tty.Key) {
	for _, k := range keys {
		s.term.keys <- []tty.Key{k}
		synctest.Wait()
	}
}

// types types text.
func (s *stage) types(text string) {
	for _, r := range text {
		s.keys(tty.Key{Code: tty.KeyRune, Rune: r})
	}
}

// shows fails unless what is on the terminal holds all of texts.
func (s *stage) shows(texts ...string) {
	s.t.Helper()
	s.settle()
	for _, text := range texts {
		if screen := s.term.text(); !strings.Contains(screen, text) {
			s.t.Errorf("%q is not in\n%s", text, screen)
		}
	}
}

// hides fails if what is on the terminal holds one of texts.
func (s *stage) hides(texts ...string) {
	s.t.Helper()
	s.settle()
	for _, text := range texts {
		if screen := s.term.text(); strings.Contains(screen, text) {
			s.t.Errorf("%q is in\n%s", text, screen)
		}
	}
}

// was fails unless the host was asked for just that.
func (s *stage) was(want string) {
	s.t.Helper()
	s.settle()
	if got := s.host.took(); got != want {
		s.t.Errorf("the host was asked for %q, not %q", got, want)
	}
}

// settle waits until what has come so far is shown.
func (s *stage) settle() {
	time.Sleep(2 * frame)
	synctest.Wait()
}

// press is a key without a rune.
func press(c tty.Code) tty.Key { return tty.Key{Code: c} }

// ctrl is Ctrl with a letter.
func ctrl(r rune) tty.Key { return tty.Key{Code: tty.KeyRune, Rune: r, Mods: tty.Ctrl} }
