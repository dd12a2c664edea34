package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ikigai"
)

// Session says which session events belong to that are brought into a store.
type Session struct {
	ID     ikigai.ID
	Parent ikigai.ID  // of a fork: the session whose events it shares
	Base   ikigai.Seq // of a fork: the last event that it shares
}

// State says what became of a session that was to be brought into a store.
type State string

const (
	Added    State = "added"    // all or some of its events are new there
	Known    State = "known"    // the store had all of them
	Conflict State = "conflict" // the store has other events in their place
	Busy     State = "busy"     // it is open in another process
	Orphan   State = "orphan"   // the past that it shares is not in the store
)

// Skipped reports whether s means that events are missing in the store.
func (s State) Skipped() bool { return s == Conflict || s == Busy || s == Orphan }

// Outcome is what became of a session.
type Outcome struct {
	Session ikigai.ID
	State   State
	Added   int64      // events that are new in the store
	Known   int64      // events that were there
	At      ikigai.Seq // of a conflict: the first event that differs
	// As is the session that was made for the events from At on, of which the
	// store has others; "" if there was none to make.
	As  ikigai.ID
	Err error // of Busy and Orphan: what the store says
}

// Limits of what is appended at once.
const (
	batchEvents = 512
	batchBytes  = 4 << 20
)

// sink brings sessions into a store, one after the other.
type sink struct {
	ctx    context.Context
	to     Target
	rename bool                // make a new session of what differs
	agreed map[ikigai.ID]trail // what became of the sessions so far

	out     Outcome
	grant   ikigai.Grant
	release func() error
	last    ikigai.Seq // of the session in the store
	next    ikigai.Seq // that is to come
	there   *cursor    // the events that the store has and that are to be compared
	likes   map[string]string
	batch   []ikigai.Event
	size    int
	refused []ikigai.Blob // of events that the store did not take in the end
}

// trail says where the events of a session of the source are in the store.
type trail struct {
	to   ikigai.Seq // up to here in the session of the same ID
	as   ikigai.ID  // behind that in this one
	asTo ikigai.Seq
}

func newSink(ctx context.Context, to Target, rename bool) *sink {
	return &sink{ctx: ctx, to: to, rename: rename, agreed: map[ikigai.ID]trail{}}
}

// begin takes the right to append to a session. Of one that is skipped, out
// says so and its events must not be added.
func (k *sink) begin(s Session) error {
	k.out = Outcome{Session: s.ID, State: Known}
	k.likes = map[string]string{}
	if err := k.acquire(s.ID); err != nil {
		if errors.Is(err, ikigai.ErrBusy) {
			k.out.State, k.out.Err = Busy, err
			return nil
		}
		return err
	}
	info, err := find(k.ctx, k.to, s.ID)
	switch {
	case errors.Is(err, ikigai.ErrNotFound):
		return k.create(s)
	case err != nil:
		return err
	}
	k.last, k.next = info.Events, s.Base+1
	if !k.sameBase(s, info) {
		k.out.State, k.out.At = Conflict, min(s.Base, info.Base)+1
		return nil
	}
	k.agreed[s.ID] = trail{to: s.Base}
	return nil
}

// create begins a session that the store does not have.
func (k *sink) create(s Session) error {
	k.last, k.next = s.Base, s.Base+1
	if s.Parent == "" {
		return nil
	}
	parent, ok := k.place(s.Parent, s.Base)
	if !ok {
		k.out.State = Orphan
		k.out.Err = fmt.Errorf("event %d of session %s is not in the store", s.Base, s.Parent)
		return nil
	}
	err := k.to.Fork(k.ctx, k.grant, parent, s.Base)
	if errors.Is(err, ikigai.ErrNotFound) {
		k.out.State, k.out.Err = Orphan, err
		return nil
	}
	k.agreed[s.ID] = trail{to: s.Base}
	return err
}

// place returns the session of the store that holds an event of a session of
// the source. A session that did not come by is taken to be in the store.
func (k *sink) place(session ikigai.ID, seq ikigai.Seq) (ikigai.ID, bool) {
	t, ok := k.agreed[session]
	switch {
	case !ok, seq <= t.to:
		return session, true
	case t.as != "" && seq <= t.asTo:
		return t.as, true
	}
	return "", false
}

func (k *sink) sameBase(s Session, info ikigai.SessionInfo) bool {
	if s.Base != info.Base {
		return false
	}
	parent, ok := k.place(s.Parent, s.Base)
	return s.Parent == info.Parent || ok && parent == info.Parent
}

func (k *sink) acquire(id ikigai.ID) (err error) {
	k.grant, k.release, err = k.to.Acquire(k.ctx, id)
	return err
}

// compare has the events that come compared with those that the store has.
func (k *sink) compare() {
	if k.there == nil && k.next <= k.last {
		k.there = newCursor(k.to.Events(k.ctx, k.grant.Session, k.next-1))
	}
}

// add takes the session's next event in. After a conflict that is not to
// become a session of its own it does nothing.
func (k *sink) add(e ikigai.Event) error {
	if k.skips() {
		return nil
	}
	if e.Seq != k.next {
		return fmt.Errorf("event %d of session %s stands where event %d belongs", e.Seq, k.out.Session, k.next)
	}
	if e.Seq <= k.last {
		same, err := k.known(e)
		if err != nil {
			return err
		}
		if same {
			k.next++
			k.out.Known++
			return nil
		}
		if err := k.differ(e); err != nil || k.out.As == "" {
			return err
		}
		return k.add(e)
	}
	e.Session = k.grant.Session
	k.setLike(&e)
	k.batch = append(k.batch, e)
	k.next++
	k.size += len(e.Content) + len(e.Data)
	for _, b := range e.Blobs {
		k.size += len(b.Bytes)
	}
	if len(k.batch) >= batchEvents || k.size >= batchBytes {
		return k.flush()
	}
	return nil
}

// skips reports whether the events of the session are not taken in.
func (k *sink) skips() bool { return k.out.State.Skipped() && k.out.As == "" }

// skipTo counts the events up to seq as known.
func (k *sink) skipTo(seq ikigai.Seq) {
	k.out.Known += int64(seq + 1 - k.next)
	k.next = seq + 1
}

// known reports whether the store has e in its place.
func (k *sink) known(e ikigai.Event) (bool, error) {
	k.compare()
	there, ok, err := k.there.next()
	return ok && there.ID == e.ID, err
}

// differ handles that the store has another event in the place of e: what
// follows becomes a session of its own, if that is wished, which shares what
// both have in common. Its ID is that of e, so that the same archive finds it
// again.
func (k *sink) differ(e ikigai.Event) error {
	session, second := k.grant.Session, k.out.As != ""
	k.out.State, k.out.At, k.out.As = Conflict, e.Seq, ""
	if second {
		return nil // the session made for what differs holds other events, too
	}
	k.agreed[k.out.Session] = trail{to: e.Seq - 1}
	if !k.rename {
		return nil
	}
	if err := k.giveBack(); err != nil {
		return err
	}
	if err := k.acquire(e.ID); errors.Is(err, ikigai.ErrBusy) {
		k.out.Err = err
		return nil
	} else if err != nil {
		return err
	}
	k.out.As = e.ID
	info, err := find(k.ctx, k.to, e.ID)
	if err == nil {
		k.last = info.Events
		return nil
	}
	if !errors.Is(err, ikigai.ErrNotFound) {
		return err
	}
	k.last = e.Seq - 1
	if k.last == 0 {
		return nil
	}
	return k.to.Fork(k.ctx, k.grant, session, k.last)
}

// setLike says of a file's content before a change what it is probably a
// changed copy of.
func (k *sink) setLike(e *ikigai.Event) {
	if e.Kind != ikigai.KindChange || len(e.Blobs) == 0 {
		return
	}
	var d ikigai.ChangeData
	if json.Unmarshal(e.Data, &d) != nil || d.Blob == "" {
		return
	}
	for i := range e.Blobs {
		if e.Blobs[i].Hash == d.Blob {
			e.Blobs[i].Like = k.likes[d.Path]
		}
	}
	if len(k.likes) >= maxSeen {
		clear(k.likes)
	}
	k.likes[d.Path] = d.Blob
}

func (k *sink) flush() error {
	if len(k.batch) == 0 {
		return nil
	}
	err := k.to.Append(k.ctx, k.grant, k.batch[0].Seq-1, k.batch...)
	switch {
	case errors.Is(err, ikigai.ErrFenced), errors.Is(err, ikigai.ErrConflict):
		k.out.State, k.out.Err = Busy, err // somebody has taken it over meanwhile
		k.next, k.out.As = k.batch[0].Seq, ""
		for _, e := range k.batch {
			k.refused = append(k.refused, e.Blobs...)
		}
	case err != nil:
		return err
	default:
		k.out.Added += int64(len(k.batch))
	}
	clear(k.batch) // the memory of large events must not stay
	k.batch, k.size = k.batch[:0], 0
	return nil
}

// end ends the session and returns what became of it. It must be called after
// every begin, also after an error.
func (k *sink) end(failed error) (Outcome, error) {
	if failed == nil {
		failed = k.flush()
	}
	k.batch, k.size = k.batch[:0], 0
	err := errors.Join(failed, k.giveBack())
	switch {
	case k.out.As != "":
		t := k.agreed[k.out.Session]
		t.as, t.asTo = k.out.As, k.next-1
		k.agreed[k.out.Session] = t
	case !k.out.State.Skipped():
		k.agreed[k.out.Session] = trail{to: k.next - 1}
		if k.out.Added > 0 {
			k.out.State = Added
		}
	default:
		if _, ok := k.agreed[k.out.Session]; !ok {
			k.agreed[k.out.Session] = trail{}
		}
	}
	return k.out, err
}

func (k *sink) giveBack() error {
	k.there.close()
	k.there = nil
	if k.release == nil {
		return nil
	}
	release := k.release
	k.release = nil
	return release()
}
