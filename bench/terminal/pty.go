package main

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/creack/pty"
)

// terminal is a pseudo-terminal in which a program runs. It reads whatever the
// program writes at once.
type terminal struct {
	cmd  *exec.Cmd
	file *os.File
	done chan struct{} // closed when the program's side is closed

	mu    sync.Mutex
	total int    // bytes written by the program
	tail  []byte // the last of them since something was typed
	want  []byte
	found chan time.Time
}

func open(cmd *exec.Cmd) *terminal {
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	check(err)
	t := &terminal{cmd: cmd, file: file, done: make(chan struct{})}
	go t.read()
	return t
}

func (t *terminal) read() {
	defer close(t.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.file.Read(buf)
		if err != nil {
			return
		}
		t.take(buf[:n], time.Now())
	}
}

func (t *terminal) take(b []byte, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += len(b)
	const most = 64 << 10
	if t.tail = append(t.tail, b...); len(t.tail) > most {
		t.tail = append(t.tail[:0], t.tail[len(t.tail)-most/2:]...)
	}
	t.look(at)
}

// look tells that what is looked for has been written.
func (t *terminal) look(at time.Time) {
	if t.want != nil && bytes.Contains(t.tail, t.want) {
		t.want = nil
		t.found <- at
	}
}

// until types keys and returns how long it takes until text is written.
func (t *terminal) until(text, keys string) time.Duration {
	began := time.Now()
	t.mu.Lock()
	t.want, t.found = []byte(text), make(chan time.Time, 1)
	if keys != "" {
		t.tail = nil
	}
	t.look(began)
	t.mu.Unlock()
	_, err := t.file.WriteString(keys)
	check(err)
	select {
	case at := <-t.found:
		return at.Sub(began)
	case <-t.done:
		fail("the program has ended before %q was on the screen:\n%s", text, t.tail)
	case <-time.After(10 * time.Minute):
		fail("%q is not on the screen after ten minutes", text)
	}
	return 0
}

func (t *terminal) written() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// close ends the program.
func (t *terminal) close() {
	_ = t.cmd.Process.Kill() // a shell may take its time over anything milder
	_ = t.cmd.Wait()
	<-t.done
	_ = t.file.Close()
}
