package tui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"ikigai/internal/crash"
	"ikigai/internal/safetext"
	"ikigai/internal/tty"
)

// lineReader reads lines of a terminal in its usual mode, between start and stop:
// what is typed while somebody else has the terminal is theirs.
type lineReader struct {
	in    io.Reader
	await func(millis int) (there, tells bool) // see awaitInput
	keys  chan []tty.Key                       // a line as it would be pasted, or Ctrl-D; closed when the terminal is gone

	mu      sync.Mutex
	begin   sync.Once
	on      bool
	reading bool       // something that is there is being read
	turn    *sync.Cond // on or reading has changed
	over    chan struct{}
}

func newLineReader(in io.Reader) *lineReader {
	r := &lineReader{in: in, await: awaitInput(in), keys: make(chan []tty.Key), over: make(chan struct{})}
	r.turn = sync.NewCond(&r.mu)
	return r
}

func (r *lineReader) start() {
	r.mu.Lock()
	r.on = true
	r.mu.Unlock()
	r.turn.Broadcast()
	r.begin.Do(func() { go r.run() })
}

// stop has nothing more be read, once what is there has been. Ctrl-C takes away
// what is there: a read that has found nothing any more is not waited for.
func (r *lineReader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = false
	for r.reading {
		if there, _ := r.await(0); !there {
			return
		}
		r.turn.Wait()
	}
}

// Keys implements Terminal.
func (r *lineReader) Keys() <-chan []tty.Key { return r.keys }

// end has nothing more be read for ever.
func (r *lineReader) end() {
	close(r.over)
	r.start()
}

// ended reports whether nothing more is read for ever.
func (r *lineReader) ended() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

// run reads until the terminal is gone.
func (r *lineReader) run() {
	defer crash.Guard()
	defer close(r.keys)
	var part []byte // of a line
	buf := make([]byte, 64<<10)
	for {
		n, err := r.read(buf)
		part = append(part, buf[:n]...)
		for {
			line, rest, ok := bytes.Cut(part, []byte("\n"))
			if !ok {
				break
			}
			if !r.send(lineKey(line)) {
				return
			}
			part = rest
		}
		key := tty.Key{Rune: 'd', Mods: tty.Ctrl}
		if len(part) > 0 {
			key = lineKey(part)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) || !r.send(key) {
			return
		}
		part = nil
	}
}

func lineKey(line []byte) tty.Key {
	return tty.Key{Code: tty.KeyPaste, Text: safetext.Terminal(strings.TrimSuffix(string(line), "\r"))}
}

// send passes a key on. It reports false if nobody takes keys any more.
func (r *lineReader) send(k tty.Key) bool {
	select {
	case r.keys <- []tty.Key{k}:
		return true
	case <-r.over:
		return false
	}
}

// read reads what there is, once there is something and it is ours.
func (r *lineReader) read(buf []byte) (int, error) {
	for {
		_, tells := r.await(-1)
		r.mu.Lock()
		for !r.on && !r.ended() {
			r.turn.Wait()
		}
		if r.ended() { // what is typed from now on is for others
			r.mu.Unlock()
			return 0, os.ErrClosed
		}
		there, _ := r.await(0) // somebody else may have read it meanwhile
		r.reading = there
		r.mu.Unlock()
		if there || !tells {
			n, err := r.in.Read(buf)
			r.hasRead()
			return n, err
		}
	}
}

func (r *lineReader) hasRead() {
	r.mu.Lock()
	r.reading = false
	r.mu.Unlock()
	r.turn.Broadcast()
}
