package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// maxMessage is the most bytes of one message of a server that are read into
// memory.
const maxMessage = 16 << 20

var errTooLarge = fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)

// messages passes on the lines of a server's standard output that are messages
// of the protocol. Servers, and what starts them, print other lines, too: those
// go to beside.
type messages struct {
	from   *bufio.Reader
	beside *tail
	over   *atomic.Bool // set when a message is too large
	line   []byte       // the message that is being passed on
	rest   []byte       // what is still to pass on of it
	err    error
}

func newMessages(from io.Reader, beside *tail, over *atomic.Bool) *messages {
	return &messages{from: bufio.NewReaderSize(from, 64<<10), beside: beside, over: over}
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.next()
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// next reads a line. A last one that is not ended counts.
func (m *messages) next() {
	if cap(m.line) > 1<<20 {
		m.line = nil // one large message is no reason to keep so much
	}
	m.line = m.line[:0]
	for {
		piece, err := m.from.ReadSlice('\n')
		m.line = append(m.line, piece...)
		if len(m.line) > maxMessage {
			m.line, m.err = nil, errTooLarge
			m.over.Store(true)
			return
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		m.err = err
		break
	}
	if isMessage(m.line) {
		m.rest = m.line
	} else if len(bytes.TrimSpace(m.line)) > 0 {
		m.beside.line(string(m.line[:min(len(m.line), maxTail)]))
	}
}

// isMessage reports whether a line is a message, or a batch of them.
func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if batch, ok := bytes.CutPrefix(line, []byte("[")); ok {
		return bytes.HasPrefix(bytes.TrimSpace(batch), []byte("{")) && bytes.Contains(line, []byte(`"jsonrpc"`)) && json.Valid(line)
	}
	return bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"jsonrpc"`)) && json.Valid(line)
}
