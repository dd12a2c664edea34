package journal

import (
	"context"
	"errors"
	"fmt"

	"ikigai"
)

// Store is what a delivery needs of a store.
type Store interface {
	ikigai.Log
	ikigai.Leases
	Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error
}

// Delivery is what became of events that waited.
type Delivery struct {
	Session ikigai.ID
	Events  int // that the store has now

	// Fork is set if another holder had gone on with Session: the events are
	// in this session now, a fork of the last event that both have in common,
	// At of the session Parent.
	Fork   ikigai.ID
	Parent ikigai.ID
	At     ikigai.Seq
}

// Deliver brings what waits for the session of g in the journals of dirs into
// store, in the order in which the events follow one another, and removes each
// journal once store has everything in it. It returns what it brought, also
// together with an error. It holds one append in memory at a time. No journal
// is no error.
//
// The events are appended under g, the right that the caller holds now or has
// lost, not the one under which they were written. Where another holder of the
// session has gone on meanwhile, they become a fork of the last event that both
// have in common. Its ID is that of the first event that differs, so that a
// delivery that is repeated finds it; the events keep ID and Seq.
//
// An error leaves everything in place and Deliver can be called again, with two
// exceptions. A journal whose place is not in the store, because what it
// follows is lost, is kept under another name and not delivered again; the
// error wraps ErrConflict. So is one that is damaged, once what stands before
// the damage is delivered. The error is ErrFenced if g is out of date and
// nobody has gone on, and ErrBusy while another process has one of the journals
// or the fork open.
func Deliver(ctx context.Context, g ikigai.Grant, store Store, dirs ...string) ([]Delivery, error) {
	return deliver(ctx, g, store, store, dirs)
}

// Replay is Deliver of what was written under g, without forks: on ErrFenced and
// ErrConflict, too, the journals stay in place.
func Replay(ctx context.Context, g ikigai.Grant, log ikigai.Log, dirs ...string) error {
	_, err := deliver(ctx, g, log, nil, dirs)
	return err
}

func deliver(ctx context.Context, g ikigai.Grant, log ikigai.Log, forks Store, dirs []string) (done []Delivery, err error) {
	if err := away(log); err != nil {
		return nil, err
	}
	open := openToDeliver
	if forks == nil {
		open = openOwn
	}
	all, err := openAll(g.Session, dirs, open)
	defer all.close()
	if err == nil {
		for fence, files := range all.byWriter() {
			if forks == nil && fence != g.Fence {
				continue
			}
			t := target{log: log, forks: forks, grant: g, files: files, done: Delivery{Session: g.Session}}
			err = errors.Join(err, t.deliver(ctx), t.release())
			if t.done.Events > 0 {
				done = append(done, t.done)
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("deliver the journal of session %s: %w", g.Session, err)
	}
	return done, err
}

// target takes the events of one writer: into the session, and from where
// another one has gone on into a fork.
type target struct {
	log   ikigai.Log
	forks Store // nil to make none
	files files

	grant    ikigai.Grant  // of the session that takes events now
	giveBack func() error  // the fork; nil if it is none
	last     Record        // the last one that was delivered
	since    ikigai.Micros // time of the first event in the fork
	done     Delivery
}

// errPlace is ErrConflict with a reason that no fork can do away with.
var errPlace = fmt.Errorf("what its events follow is not in the database: %w", ikigai.ErrConflict)

func (t *target) deliver(ctx context.Context) error {
	for next := t.files.first(); next != nil; next = t.files.first() {
		// What cannot be read now may have its place before the next record.
		if err := t.files.unreadable(); err != nil {
			return err
		}
		err := t.append(ctx, next.record)
		if errors.Is(err, errPlace) && t.forks != nil {
			return errors.Join(err, next.keep(next.record.Grant.Fence, suffixRefused))
		}
		if err != nil {
			return err
		}
		t.done.Events += len(next.record.Events)
		t.last = next.record
		next.advance()
	}
	if err := t.files.unreadable(); err != nil {
		return err
	}
	if err := t.tell(ctx); err != nil {
		return err
	}
	return t.files.finish()
}

// append delivers a record, to a fork if it must.
func (t *target) append(ctx context.Context, r Record) error {
	if err := t.checkPlace(ctx, r); err != nil {
		return err
	}
	for {
		err := t.log.Append(ctx, t.grant, r.After, adopted(t.grant.Session, r.Events)...)
		if t.forks == nil || !errors.Is(err, ikigai.ErrFenced) && !errors.Is(err, ikigai.ErrConflict) {
			return err
		}
		if r, err = t.fork(ctx, r, err); err != nil {
			return err
		}
	}
}

// adopted returns events as those of a session.
func adopted(session ikigai.ID, events []ikigai.Event) []ikigai.Event {
	for i := range events {
		events[i].Session = session
	}
	return events
}

// checkPlace looks whether the event that r follows is where it should be.
// There would be no conflict if another holder had gone on by as many events.
func (t *target) checkPlace(ctx context.Context, r Record) error {
	if n := len(t.last.Events); r.AfterID == "" || n > 0 && t.last.Events[n-1].ID == r.AfterID {
		return nil
	}
	for e, err := range t.log.Events(ctx, t.grant.Session, r.After-1) {
		if err != nil {
			return err
		}
		if e.ID != r.AfterID {
			break
		}
		return nil
	}
	return errPlace
}

// tell appends the event that says where a fork comes from, behind all others.
// If there is something behind them already, a delivery that was cut short has
// told, or a person has gone on since.
func (t *target) tell(ctx context.Context) error {
	n := len(t.last.Events)
	if t.done.Fork == "" || n == 0 {
		return nil
	}
	last := t.last.Events[n-1].Seq
	for _, err := range t.log.Events(ctx, t.grant.Session, last) {
		return err
	}
	return t.log.Append(ctx, t.grant, last, t.forkEvent(last+1))
}

func (t *target) release() error {
	if t.giveBack == nil {
		return nil
	}
	return t.giveBack()
}
