package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Reply is the body of a reply with status 200. Reading it fails with a
// timeout when no byte comes for too long, or for maxWordless times as long
// nothing but what keeps the connection alive: comments, empty lines, pings.
type Reply struct {
	Header http.Header

	body  io.Reader
	ctx   context.Context
	watch *watchdog
	idle  time.Duration
	size  int64 // bytes that were read
	ended bool  // the body was read to its end

	line    lineKind  // of the stream, that is being read
	said    time.Time // when something came that is not known to be of a ping
	payload time.Time // when something came of the last event that was none
}

// maxWordless is how many times the idle time a reply may be kept alive without
// a word. By default that is half an hour: models think for minutes behind pings.
const maxWordless = 6

// maxReply is how many bytes a reply may have.
const maxReply = 64 << 20

// errTooLong is the error of a reply that has more than maxReply bytes.
var errTooLong = errors.New("the reply is too long")

// newReply returns the body of resp. One that comes in gzip, though nobody asked
// for that, is read as what it was.
func newReply(ctx context.Context, resp *http.Response, watch *watchdog, idle time.Duration) *Reply {
	now := time.Now()
	r := &Reply{Header: resp.Header, body: resp.Body, ctx: ctx, watch: watch, idle: idle, said: now, payload: now}
	switch r.encoding() {
	case "gzip", "x-gzip":
		r.body = &gunzip{src: resp.Body}
		r.Header.Del("Content-Encoding")
	}
	return r
}

// gunzip reads src, which is compressed. It reads nothing before its first Read.
type gunzip struct {
	src  io.Reader
	text io.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.text == nil {
		text, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err
		}
		g.text = text
	}
	return g.text.Read(p)
}

// encoding returns how the reply is compressed, "" if it is not.
func (r *Reply) encoding() string {
	encoding := strings.ToLower(r.Header.Get("Content-Encoding"))
	if encoding == "identity" {
		return ""
	}
	return encoding
}

// Read reads the next bytes of the reply.
func (r *Reply) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	wordless := false
	if n > 0 {
		r.watch.reset(r.idle)
		r.size += int64(n)
		now := time.Now()
		wordless = now.Sub(r.said) > maxWordless*r.idle
		if r.line.says(p[:n]) {
			r.said = now
		}
	}
	switch {
	case wordless:
		err = errTimeout{after: maxWordless * r.idle, begun: true, alive: true}
	case r.size > maxReply:
		err = errTooLong
	case err == io.EOF:
		r.ended = true
	case err != nil:
		err = r.failed(err)
	}
	return n, err
}

// tell takes in that an event has been read to its end. A ping is none.
func (r *Reply) tell(ping bool) {
	if ping {
		r.said = r.payload
	} else {
		r.payload = r.said
	}
}

// lineKind is what is known of a line of a stream: its first byte, or 0.
type lineKind byte

// says reports whether b, which goes on with the line, holds more than comments
// and white space.
func (k *lineKind) says(b []byte) (says bool) {
	for _, c := range b {
		switch {
		case c == '\n' || c == '\r':
			*k = 0
		case *k == 0 && c > ' ':
			*k = lineKind(c)
		}
		says = says || *k != 0 && *k != ':'
	}
	return says
}

// failed returns why reading has failed with err: of a timeout, with whether
// the reply had begun.
func (r *Reply) failed(err error) error {
	err = timeoutOr(r.ctx, err)
	if timeout, ok := err.(errTimeout); ok {
		timeout.begun = r.size > 0
		return timeout
	}
	return err
}

// unread puts back what was read of the reply.
func (r *Reply) unread(start []byte) { r.body = io.MultiReader(bytes.NewReader(start), r.body) }

// SetIdle sets how long to wait from now on for the next byte.
func (r *Reply) SetIdle(idle time.Duration) {
	r.idle = idle
	r.watch.reset(idle)
}

// Peek reads up to the first byte of src that is no space, and some more. It
// returns what it read. The error is io.EOF if src holds nothing but spaces.
func Peek(src io.Reader) (start []byte, err error) {
	start = make([]byte, 0, 64)
	for len(start) < cap(start) {
		n, err := src.Read(start[len(start):cap(start)])
		start = start[:len(start)+n]
		if len(bytes.TrimSpace(start)) > 0 {
			return start, nil
		}
		if err != nil {
			return start, err
		}
	}
	return start, nil
}

// Drain reads what a whole reply still has, as long as that is short and comes
// at once, so that its connection can be used again.
func (r *Reply) Drain() {
	if r.ended {
		return
	}
	r.SetIdle(100 * time.Millisecond)
	_, _ = io.CopyN(io.Discard, r, 16<<10) // an error only costs the connection
}

// A watchdog cancels a request when nothing has come for too long.
type watchdog struct {
	timer *time.Timer
	after atomic.Int64
}

// errTimeout is the cause of a request that a watchdog has cancelled.
type errTimeout struct {
	after time.Duration
	begun bool // some of the reply had come
	alive bool // bytes came, but no word
}

func (e errTimeout) Error() string {
	if e.alive {
		return "no word for " + e.after.String()
	}
	return "no byte for " + e.after.String()
}

func newWatchdog(after time.Duration, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{}
	w.after.Store(int64(after))
	w.timer = time.AfterFunc(after, func() { cancel(errTimeout{after: time.Duration(w.after.Load())}) })
	return w
}

func (w *watchdog) reset(after time.Duration) {
	w.after.Store(int64(after))
	w.timer.Reset(after)
}

func (w *watchdog) stop() { w.timer.Stop() }

// timeoutOr returns the timeout that has ended ctx, or err if none has.
func timeoutOr(ctx context.Context, err error) error {
	var timeout errTimeout
	if errors.As(context.Cause(ctx), &timeout) {
		return timeout
	}
	return err
}
