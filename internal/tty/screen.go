package tty

import (
	"os"
	"strings"
	"sync"
	"time"

	"ikigai/internal/crash"
)

// frame is what the terminal is to show next.
type frame struct {
	printed []byte
	live    Live
	painted bool   // live is new
	page    *page  // on the alternate screen; nil for none
	title   string // sequences
	ring    string
	stood   int // row of the cursor, from 1, when the terminal was taken; 0 if that is nothing new
}

const (
	maxPrinted = 64 << 10         // bytes that wait to be printed; who prints more has to wait
	piece      = 16 << 10         // bytes that are written at once
	stalled    = 30 * time.Second // without progress: nobody is there any more
	lastWord   = 2 * time.Second  // likewise, when the terminal is given back

	// Where the cursor stands is asked in its first column, so that the answer is no
	// key: with modifiers F3 looks alike.
	whereIs = "\r\x1b[6n"
	answers = 200 * time.Millisecond // within which a terminal does

	// After the width has changed nothing is drawn until it has been the same for a
	// while: what is drawn for one width goes wrong on another. Terminals tell of a
	// change at once; tmux tells of the first at once, and of those that follow within
	// a quarter of a second after that.
	settled     = 50 * time.Millisecond
	settledTmux = 400 * time.Millisecond
)

// screen writes frames to the terminal, in a goroutine between start and stop.
type screen struct {
	out     *os.File
	size    func() (width, height int)
	gone    func() // is called when the terminal takes nothing any more
	settled time.Duration
	painter painter
	pager   pager

	some chan struct{} // has one when there is something to draw
	room chan struct{} // has one when something was written
	told chan struct{} // has one when the terminal has told where the cursor stood
	quit chan struct{} // closed to end the goroutine, after what waits has been drawn
	done chan struct{} // closed when it has ended

	mu   sync.Mutex
	next frame
	shut bool // frames are dropped
	lost bool // for ever
}

func newScreen(out *os.File, o Options, size func() (int, int), gone func()) *screen {
	s := &screen{out: out, size: size, gone: gone, settled: settled, shut: true}
	if strings.HasPrefix(o.Term, "tmux") || strings.HasPrefix(o.Term, "screen") {
		s.settled = settledTmux
	}
	s.painter = painter{reflows: o.Reflows, ascii: o.ASCII, sync: o.Sync}
	s.painter.slack.on = s.settled == settledTmux && o.Reflows && !o.ASCII
	s.pager = pager{ascii: o.ASCII, sync: o.Sync, enter: "\x1b[?1049h" + o.keysOn(), exit: o.keysOff() + "\x1b[?1049l"}
	return s
}

// start begins to draw. It writes first before all else, and last in the end.
func (s *screen) start(first, last string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return
	}
	s.next, s.shut = frame{}, false
	s.some, s.room = make(chan struct{}, 1), make(chan struct{}, 1)
	s.told, s.quit, s.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	if s.painter.slack.on {
		first += whereIs
	} else {
		notify(s.told)
	}
	go s.run(first, last)
}

// stood takes in where the terminal says that the cursor stood.
func (s *screen) stood(row int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next.stood = row
	notify(s.told)
}

// hear waits until the terminal has told what it was asked: the answer is not for
// whoever reads after us.
func (s *screen) hear() {
	timer := time.NewTimer(answers)
	defer timer.Stop()
	select {
	case <-s.told:
	case <-timer.C:
	case <-s.done:
	}
}

// stop draws what waits, clears the live region and ends.
func (s *screen) stop() {
	s.mu.Lock()
	was := s.shut
	s.shut = true
	s.mu.Unlock()
	if was {
		return
	}
	close(s.quit)
	s.wait(lastWord, func() bool { return false })
}

// change changes what is to be shown. It waits while too much waits to be printed.
func (s *screen) change(f func(*frame)) {
	if !s.wait(stalled, s.hasRoom) {
		return
	}
	s.mu.Lock()
	f(&s.next)
	s.mu.Unlock()
	notify(s.some)
}

func (s *screen) hasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.shut && len(s.next.printed) < maxPrinted
}

// wait waits until ok is true. It reports false if there is nothing to wait for any
// more, as the goroutine has ended, or has written nothing for that long: then the
// terminal is gone.
func (s *screen) wait(long time.Duration, ok func() bool) bool {
	if ok() {
		return true
	}
	if s.done == nil {
		return false
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	for !ok() {
		select {
		case <-s.done:
			return false
		case <-s.room:
			timer.Reset(long)
		case <-timer.C:
			s.lose()
			return false
		}
	}
	return true
}

// lose takes the terminal for gone.
func (s *screen) lose() {
	s.mu.Lock()
	s.next, s.shut, s.lost = frame{}, true, true
	s.mu.Unlock()
	s.gone()
}

func (s *screen) run(first, last string) {
	defer crash.Guard() // at last: who gives the terminal back waits for done
	defer close(s.done)
	defer s.breaks(last)
	if !s.write([]byte(first)) {
		return
	}
	for {
		select {
		case <-s.some:
			s.settle()
			if !s.write(s.draw()) {
				return
			}
		case <-s.quit:
			s.write(append(s.draw(), s.leave(last)...))
			return
		}
	}
}

// breaks writes last where drawing is broken: what was drawn stays, and the panic
// goes on.
func (s *screen) breaks(last string) {
	if v := recover(); v != nil {
		s.write(append(s.pager.leave(false), showCursor+"\r\n"+last...))
		panic(v)
	}
}

// settle waits until the width of the terminal stays the same.
func (s *screen) settle() {
	width, _ := s.size()
	if s.painter.width == 0 || s.painter.width == width || s.paging() {
		return
	}
	timer := time.NewTimer(s.settled)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.quit:
			return
		}
		was := width
		if width, _ = s.size(); width == was {
			return
		}
		timer.Reset(s.settled)
	}
}

func (s *screen) paging() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next.page != nil
}

// take returns what is to be shown. A page stays until it is taken away.
func (s *screen) take() frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.next
	s.next = frame{page: f.page}
	return f
}

// draw returns what shows the next frame.
func (s *screen) draw() []byte {
	f := s.take()
	width, height := s.size()
	if f.stood > 0 {
		s.painter.stood(f.stood - 1)
	}
	var b []byte
	if f.page == nil {
		b = append(b, s.pager.leave(s.painter.hidden)...)
	}
	if f.painted {
		b = append(b, s.painter.paint(string(f.printed), f.live, width, height)...)
	}
	if f.page != nil {
		b = append(b, s.pager.paint(*f.page, width, height)...)
	}
	return append(append(b, f.title...), f.ring...)
}

// leave returns what clears the live region, and last.
func (s *screen) leave(last string) []byte {
	width, _ := s.size()
	b := append([]byte(nil), s.pager.leave(s.painter.hidden)...)
	if s.painter.width > 0 {
		b = append(b, s.painter.clear(width)...)
	}
	return append(b, last...)
}

// write writes b, and reports whether that could be done.
func (s *screen) write(b []byte) bool {
	for len(b) > 0 {
		n, err := s.out.Write(b[:min(len(b), piece)])
		if err != nil {
			s.lose()
			return false
		}
		b = b[n:]
		notify(s.room)
	}
	return true
}

// notify has one stand in c.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
