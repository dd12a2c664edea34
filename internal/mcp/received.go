package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"ikigai/internal/crash"
)

// finishTime bounds how long requests are answered after the other agent has said
// its last. One that has gone closes our output, too, or ends us.
const finishTime = 30 * time.Second

// received is what another agent writes, on its way to the library, which gives
// up at the first thing that is no message, and at the end of input whatever is
// unanswered. Neither must be: people and programs write five requests into a pipe
// and read the answers.
type received struct {
	out io.WriteCloser

	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // requests without an answer
	changed chan struct{}       // closed when there is one less
}

func newReceived(out io.WriteCloser) *received {
	return &received{out: out, open: map[jsonrpc.ID]bool{}, changed: make(chan struct{})}
}

// pass writes the messages of in to to, until in ends and all requests are
// answered, or ctx ends.
func (r *received) pass(ctx context.Context, to *io.PipeWriter, in io.Reader) {
	defer crash.Guard()
	from := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(from)
		switch line = bytes.TrimSpace(line); {
		case errors.Is(err, errTooLarge):
			r.refuse(jsonrpc.CodeInvalidRequest, errTooLarge.Error())
			continue
		case len(line) > 0:
			if r.take(to, line) != nil {
				return // the library takes nothing more
			}
		}
		if err != nil {
			r.finish(ctx)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			_ = to.CloseWithError(err) // it never fails
			return
		}
	}
}

// readLine returns a line, the last of which may lack its end. One that is too
// large is skipped, and errTooLarge.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	over := false
	for {
		piece, err := from.ReadSlice('\n')
		if over = over || len(line)+len(piece) > maxMessage; over {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case over && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLarge
		default:
			return line, err
		}
	}
}

// take passes a line on, each message of a batch by itself, and answers what is
// none. The error says that nothing more can be passed on.
func (r *received) take(to io.Writer, line []byte) error {
	if !json.Valid(line) {
		r.refuse(jsonrpc.CodeParseError, "The line is no JSON. Write each message as one line of JSON.")
		return nil
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
			r.refuse(jsonrpc.CodeInvalidRequest, "The batch is empty. Write each message as a line of its own.")
			return nil
		}
	}
	for _, raw := range messages {
		message, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			r.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("The JSON is no message of the protocol: %v.", err))
			continue
		}
		r.begin(message)
		if _, err := to.Write(append(bytes.Clone(raw), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// begin takes note of a request.
func (r *received) begin(message jsonrpc.Message) {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.ID.IsValid() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[request.ID] = true
}

// finish waits until all requests are answered.
func (r *received) finish(ctx context.Context) {
	deadline := time.After(finishTime)
	for {
		r.mu.Lock()
		left, changed := len(r.open), r.changed
		r.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-deadline:
			return
		}
	}
}

// refuse answers what is no request that could be answered.
func (r *received) refuse(code int64, why string) {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		panic("mcp: an answer: " + err.Error())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.out.Write(append(answer, '\n')) // the next answer fails as well, and ends the service
}

// Write implements io.Writer for the library, which writes one message at a time.
func (r *received) Write(line []byte) (int, error) {
	message, wrong := jsonrpc.DecodeMessage(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.out.Write(line)
	answer, ok := message.(*jsonrpc.Response)
	switch {
	case err != nil:
		clear(r.open) // nobody hears the others
	case wrong == nil && ok:
		delete(r.open, answer.ID)
	default:
		return n, nil
	}
	close(r.changed)
	r.changed = make(chan struct{})
	return n, err
}

// Close implements io.Closer.
func (r *received) Close() error { return r.out.Close() }
