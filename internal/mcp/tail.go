package mcp

import (
	"bytes"
	"strings"
	"sync"

	"ikigai"
)

const maxTail = 8 << 10 // bytes kept of what a server prints beside the protocol

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	p = p[max(0, n-maxTail):]
	if over := len(t.kept) + len(p) - maxTail; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	t.kept = append(t.kept, p...)
	return n, nil
}

// line writes text as a line of its own.
func (t *tail) line(text string) {
	_, _ = t.Write([]byte(strings.TrimRight(text, "\r\n") + "\n")) // it never fails
}

// forget begins anew.
func (t *tail) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = t.kept[:0]
}

// last returns the last lines, n at most, cleaned for people and models.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.kept), []byte("\n"))
	lines = lines[max(0, len(lines)-n):]
	return ikigai.CleanText(string(bytes.Join(lines, []byte("\n"))))
}
