// Package session owns a session: its memory, its sequence numbers and the
// durability of its events.
//
// Memory leads and the store follows. An event counts as soon as it has its
// number and the projections have taken it in; it is then written as durably
// as can be, down the ladder of store, journals and memory.
package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/journal"
	"ikigai/internal/stack"
)

// Projection is a view that takes in every event of the session, in order.
type Projection interface {
	Add(ikigai.Event)
}

// Config says what a session works with.
type Config struct {
	Store       journal.Store
	Grant       ikigai.Grant // the right to append to the session
	Journals    []string     // directories for what the store does not take, best first
	Partial     string       // file that keeps what is shown of an unfinished reply; "" keeps none
	Projections []Projection

	// Recorded is told of every event recorded from now on, in order, once it
	// is as durable as it gets. It may be nil.
	Recorded func(ikigai.Event, ikigai.Durability)
	// Shown takes what Show passes on. It may be nil.
	Shown func(ikigai.Delta)
	// Notice is told, in two sentences, when events become less durable than
	// before, or durable again. It may be nil.
	Notice func(string)
}

// lingerTime is how long an event that nobody waits for may wait for company.
const lingerTime = 100 * time.Millisecond

// errClosed is returned by Record after Close.
var errClosed = errors.New("the session is closed")

// Session is one open session. It implements ikigai.Recorder. Its methods may
// be called from several goroutines.
type Session struct {
	id      ikigai.ID
	config  Config
	ladder  ladder
	partial partial

	mu         sync.Mutex
	head       ikigai.Seq     // of the last event in memory
	held       []ikigai.Event // not yet recorded
	queue      []ikigai.Event // in memory, not yet written
	written    ikigai.Seq     // of the last event that is as durable as it gets
	durability ikigai.Durability
	flush      bool // the queue is to be written now
	closing    bool
	work       *sync.Cond // flush or closing was set
	done       *sync.Cond // written or finished has changed
	finished   bool       // the writer has returned
	linger     *time.Timer
}

// NewID returns a new ID for a session.
func NewID() ikigai.ID { return ikigai.ID(uuid.Must(uuid.NewV7()).String()) }

// Begin opens a new session with the ID of the grant. Its first event must be
// a session event; it is recorded by the caller like all others. The caller
// must call Close.
func Begin(config Config) *Session {
	s := &Session{id: config.Grant.Session, config: config, partial: partial{path: config.Partial}}
	s.ladder = ladder{store: config.Store, grant: config.Grant, dirs: config.Journals, notice: s.notice}
	s.work, s.done = sync.NewCond(&s.mu), sync.NewCond(&s.mu)
	go s.write()
	return s
}

// Restore opens a session that exists: what still waits in a journal is
// delivered, its events are given to the projections, and what was shown of an
// unfinished reply is recorded as interrupted. Where nothing can be delivered because
// of a journal.AwayError, the journals hold all that the store's Events yields, and
// the session goes on in them. The caller must call Close.
func Restore(ctx context.Context, config Config) (*Session, error) {
	s := Begin(config)
	if err := s.restore(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("restore session %s: %w", s.id, err)
	}
	return s, nil
}

func (s *Session) restore(ctx context.Context) error {
	// A journal may be in the hands of the process that this one takes over
	// from, stopped or cut off. What is in it becomes a fork.
	away := new(journal.AwayError)
	switch err := s.ladder.deliver(ctx); {
	case errors.As(err, &away):
		s.ladder.goOn(away.Err)
		s.reached(ikigai.Journalled)
	case err != nil && !errors.Is(err, ikigai.ErrBusy):
		return err
	}
	replied := ikigai.Seq(0) // the last event that ends what was shown of a reply
	lastID := ikigai.ID("")
	for e, err := range ahead(s.config.Store.Events(ctx, s.id, 0)) {
		if err != nil {
			return err
		}
		s.take(e)
		lastID = e.ID
		if EndsReply(e) {
			replied = e.Seq
		}
	}
	if s.head == 0 {
		return ikigai.ErrNotFound
	}
	s.written, s.ladder.last, s.ladder.lastID = s.head, s.head, lastID
	if text, thinking := Unfinished(s.config.Partial, replied); text != "" || thinking != "" {
		e := ikigai.NewEvent(ikigai.KindInterrupted, text, ikigai.InterruptedData{Reason: "crash", Thinking: thinking})
		if _, err := s.Record(ctx, e); err != nil {
			return err
		}
	}
	s.partial.clear()
	return nil
}

// ID returns the session's ID.
func (s *Session) ID() ikigai.ID { return s.id }

// Head returns the number of the last event, 0 if there is none.
func (s *Session) Head() ikigai.Seq {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

// Durability returns how durable the last events are.
func (s *Session) Durability() ikigai.Durability {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.durability
}

// Refused reports, once the session is closed, whether the database will never take
// some of its events, which lie in a file that the person has been told of.
func (s *Session) Refused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished && s.ladder.refused
}

// Record implements ikigai.Recorder.
func (s *Session) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return ikigai.Volatile, errClosed
	}
	s.accept(events)
	s.flush = true
	s.work.Signal()
	for upTo := s.head; s.written < upTo && !s.finished; {
		s.done.Wait()
	}
	return s.durability, nil
}

// Queue implements ikigai.Recorder.
func (s *Session) Queue(events ...ikigai.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.accept(events)
	if s.linger == nil {
		s.linger = time.AfterFunc(lingerTime, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.flush, s.linger = true, nil
			s.work.Signal()
		})
	}
}

// Hold keeps events that are recorded together with the next ones, ahead of them.
// Where none follow, they are in no log.
func (s *Session) Hold(events ...ikigai.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, events...)
}

// Show implements ikigai.Recorder: text is on disk, if not durably, before a
// person sees it.
func (s *Session) Show(d ikigai.Delta) {
	if piece := (shown{Text: d.Text + d.Refusal, Thinking: d.Thinking}); !piece.empty() {
		s.mu.Lock()
		s.partial.add(s.written, piece) // what is only queued may never be in the log
		s.mu.Unlock()
	}
	if s.config.Shown != nil {
		s.config.Shown(d)
	}
}

// Close writes what is still queued and ends the session. It may be called
// more than once.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.linger != nil {
		s.linger.Stop()
	}
	s.closing = true
	s.work.Signal()
	for !s.finished {
		s.done.Wait()
	}
}

// Hasten has a store that does not answer waited for no longer than a second at a
// time: what it has not taken by then goes to a journal. It is for when a person
// waits for the end.
func (s *Session) Hasten() { s.ladder.hasten() }

// accept gives events their place and lets the projections take them in. The
// caller holds the lock.
func (s *Session) accept(events []ikigai.Event) {
	if len(events) > 0 && len(s.held) > 0 {
		events = append(s.held, events...)
		s.held = nil
	}
	now := ikigai.MicrosOf(time.Now())
	for _, e := range events {
		e.Session, e.Seq, e.Time = s.id, s.head+1, now
		e.ID = NewID()
		e = cleanEvent(e)
		if EndsReply(e) {
			s.partial.end()
		}
		s.take(e)
		s.queue = append(s.queue, e)
	}
}

// take brings memory to the state after e.
func (s *Session) take(e ikigai.Event) {
	s.head = e.Seq
	for _, p := range s.config.Projections {
		p.Add(e)
	}
}

// write is the goroutine that makes events durable, in order and in groups.
func (s *Session) write() {
	stack.Grow()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer crash.Guard()
	for {
		for !s.flush && !s.closing {
			s.work.Wait()
		}
		batch := s.queue
		s.queue, s.flush = nil, false
		if len(batch) > 0 {
			s.mu.Unlock()
			durability := s.ladder.write(batch)
			s.reached(durability)
			s.tell(batch, durability)
			s.mu.Lock()
			s.written = batch[len(batch)-1].Seq
			s.done.Broadcast()
			if durability != ikigai.Stored {
				s.mu.Unlock()
				if s.ladder.climb() {
					s.reached(ikigai.Stored)
				}
				s.mu.Lock()
			}
		} else if s.closing {
			break
		}
	}
	s.mu.Unlock()
	if s.ladder.lastAttempt() {
		s.reached(ikigai.Stored)
	}
	s.ladder.close()
	s.mu.Lock()
	s.partial.clear()
	s.finished = true
	s.done.Broadcast()
}

// reached notes how durable all events are now. Whoever is told of it, or of an event,
// finds it so.
func (s *Session) reached(d ikigai.Durability) {
	s.mu.Lock()
	s.durability = d
	s.mu.Unlock()
	s.ladder.tellBack()
}

func (s *Session) tell(batch []ikigai.Event, d ikigai.Durability) {
	if s.config.Recorded == nil {
		return
	}
	for _, e := range batch {
		s.config.Recorded(e, d)
	}
}

func (s *Session) notice(text string) {
	if s.config.Notice != nil {
		s.config.Notice(text)
	}
}

// cleanEvent makes e fit to be stored. Bytes that cannot stay in the text are
// kept in a blob, which the data names.
func cleanEvent(e ikigai.Event) ikigai.Event {
	if data := ikigai.CleanJSON(string(e.Data)); data != string(e.Data) {
		original := e.Data
		e.Data = json.RawMessage(data)
		e = keepOriginal(e, "original_data", original)
	}
	if content := ikigai.CleanText(e.Content); content != e.Content {
		e = keepOriginal(e, "original_content", []byte(e.Content))
		e.Content = content
	}
	return e
}

// keepOriginal attaches bytes to e and names them in its data under key.
func keepOriginal(e ikigai.Event, key string, original []byte) ikigai.Event {
	sum := sha256.Sum256(original)
	blob := ikigai.Blob{Hash: hex.EncodeToString(sum[:]), Bytes: original}
	e.Blobs = append(e.Blobs, blob)
	member := fmt.Appendf(nil, `%q:%q}`, key, blob.Hash)
	head := bytes.TrimSuffix(bytes.TrimSpace(e.Data), []byte("}"))
	switch {
	case len(head) == 0:
		head = []byte("{")
	case len(head) > 1:
		head = append(bytes.Clone(head), ',')
	}
	e.Data = append(bytes.Clone(head), member...)
	return e
}
