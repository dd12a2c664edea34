package tty

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ikigai/internal/crash"
)

// keyboard reads keys, between start and stop. It leaves to who reads the terminal
// after stop what has not come by then.
type keyboard struct {
	file    *os.File
	keys    chan []Key
	stood   func(row int) // is called when the terminal has told where the cursor is
	decoder Decoder
	left    []Key // read, and not taken by anybody yet

	quit chan struct{} // closed to end the goroutine
	done chan struct{} // closed when it has ended; nil if there is none

	mu   sync.Mutex
	wake *os.File // closed to have the goroutine look
	lost bool     // the terminal is gone
	over bool     // keys is closed
}

// start begins to read. If the terminal is gone, all that comes of it is that keys
// is closed.
func (k *keyboard) start() error {
	woken, wake, err := os.Pipe()
	if err != nil {
		return err
	}
	if max(k.file.Fd(), woken.Fd()) >= unix.FD_SETSIZE { // select knows none of those
		return errors.Join(errors.New("too many files are open"), woken.Close(), wake.Close())
	}
	k.mu.Lock()
	k.wake = wake
	if k.lost {
		_ = wake.Close()
	}
	k.mu.Unlock()
	k.quit, k.done = make(chan struct{}), make(chan struct{})
	go k.run(woken)
	return nil
}

func (k *keyboard) stop() {
	if k.done == nil {
		return
	}
	close(k.quit)
	_ = k.wake.Close()
	<-k.done
	k.done = nil
}

// gone tells that the terminal is gone.
func (k *keyboard) gone() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lost = true
	if k.wake != nil {
		_ = k.wake.Close()
	}
}

func (k *keyboard) isGone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost
}

func (k *keyboard) run(woken *os.File) {
	defer crash.Guard() // at last: who gives the terminal back waits for done
	defer close(k.done)
	defer func() { _ = woken.Close() }()
	buf := make([]byte, 64<<10)
	for k.deliver() {
		n, err := k.read(buf, woken)
		switch {
		case errors.Is(err, errWoken):
			k.end()
			return
		case errors.Is(err, errQuiet):
			k.left = k.decoder.Flush()
		case err != nil || n == 0:
			k.gone()
			k.end()
			return
		default:
			k.left = k.decoder.Feed(buf[:n])
			if row := k.decoder.row; row > 0 {
				k.decoder.row = 0
				k.stood(row)
			}
		}
	}
}

// deliver hands over the keys that are left, and reports whether to go on.
func (k *keyboard) deliver() bool {
	if len(k.left) == 0 {
		return true
	}
	select {
	case k.keys <- k.left:
		k.left = nil
		return true
	case <-k.quit:
		return false
	}
}

// end closes keys if the terminal is gone.
func (k *keyboard) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost && !k.over {
		k.over = true
		close(k.keys)
	}
}

var (
	errWoken = errors.New("woken")
	errQuiet = errors.New("nothing has come for a while")
)

// read waits for bytes and reads them: until it is woken, or until the decoder has
// waited long enough for more.
func (k *keyboard) read(buf []byte, woken *os.File) (int, error) {
	in := int(k.file.Fd())
	for {
		err := selectRead(in, int(woken.Fd()), k.decoder.Wait())
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		n, err := unix.Read(in, buf)
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return n, err
		}
	}
}

// selectRead waits until in can be read, at most as long as wait if that is not 0,
// or until wake can be.
func selectRead(in, wake int, wait time.Duration) error {
	var set unix.FdSet
	set.Set(in)
	set.Set(wake)
	var limit *unix.Timeval
	if wait > 0 {
		tv := unix.NsecToTimeval(int64(wait))
		limit = &tv
	}
	n, err := unix.Select(max(in, wake)+1, &set, nil, nil, limit)
	switch {
	case err != nil:
		return err
	case n == 0:
		return errQuiet
	case set.IsSet(wake):
		return errWoken
	}
	return nil
}
