package tui

import (
	"strings"
	"sync"

	"ikigai"
)

// maxProgress is how much is kept of what a call has printed and nobody has
// looked at.
const maxProgress = 4 << 10

// message is something that another goroutine wants done on the Front's own.
type message func(*loop)

// mailbox has the messages in the order in which they came. What comes in many
// small pieces is joined while it waits, so that a flood costs what there is to
// see of it.
type mailbox struct {
	ready chan struct{} // holds a value when there may be messages

	mu       sync.Mutex
	queue    []message
	reply    *reply             // the last of queue, if it is a piece of a reply
	progress map[string]*[]byte // of calls, in queue
	closed   bool
}

// reply is a piece of a reply that grows while it waits.
type reply struct {
	kind replyKind
	text strings.Builder
}

type replyKind int

const (
	replyOther replyKind = iota
	replyText
	replyThinking
	replyCall
)

func newMailbox() *mailbox {
	return &mailbox{ready: make(chan struct{}, 1), progress: map[string]*[]byte{}}
}

// post adds a message. It reports whether anybody will read it.
func (b *mailbox) post(m message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reply = nil
	return b.add(m)
}

// add is post under the lock.
func (b *mailbox) add(m message) bool {
	if b.closed {
		return false
	}
	b.queue = append(b.queue, m)
	b.wake()
	return true
}

func (b *mailbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// delta adds a piece of a reply.
func (b *mailbox) delta(d ikigai.Delta) {
	kind := kindOf(d)
	if kind == replyOther {
		b.post(func(l *loop) { l.delta(d) })
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reply == nil || b.reply.kind != kind {
		r := &reply{kind: kind}
		if !b.add(func(l *loop) { l.delta(r.delta()) }) {
			return
		}
		b.reply = r
	}
	b.reply.text.WriteString(d.Text + d.Thinking)
}

// kindOf says what pieces d may be joined with.
func kindOf(d ikigai.Delta) replyKind {
	switch {
	case d.Retry != nil || d.Refusal != "" || d.Text != "" && d.Thinking != "":
		return replyOther
	case d.Text != "":
		return replyText
	case d.Thinking != "":
		return replyThinking
	case d.Call != nil:
		return replyCall // of its arguments nothing is shown before they are whole
	}
	return replyOther
}

func (r *reply) delta() ikigai.Delta {
	switch r.kind {
	case replyText:
		return ikigai.Delta{Text: r.text.String()}
	case replyThinking:
		return ikigai.Delta{Thinking: r.text.String()}
	}
	return ikigai.Delta{Call: &ikigai.CallDelta{}}
}

// output adds what a call has printed, of which the end counts.
func (b *mailbox) output(callID string, p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.progress[callID]
	if kept == nil {
		kept = new([]byte)
		b.reply = nil
		if !b.add(func(l *loop) { l.progress(callID, b.printed(callID)) }) {
			return
		}
		b.progress[callID] = kept
	}
	*kept = append(*kept, p[max(0, len(p)-maxProgress):]...)
	if n := len(*kept) - maxProgress; n > 0 {
		*kept = append((*kept)[:0], (*kept)[n:]...)
	}
}

// printed takes what a call has printed.
func (b *mailbox) printed(callID string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.progress[callID]
	delete(b.progress, callID)
	return *kept
}

// next takes the first message, nil if there is none.
func (b *mailbox) next() message {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return nil
	}
	m := b.queue[0]
	b.queue[0] = nil
	b.queue = b.queue[1:]
	if len(b.queue) == 0 {
		b.queue, b.reply = nil, nil
	}
	return m
}

// close has messages be refused from now on.
func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.queue, b.reply = true, nil, nil
}
