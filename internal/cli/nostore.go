package cli

import (
	"context"
	"errors"
	"iter"

	"ikigai"
	"ikigai/internal/journal"
)

// noStore is a store that could not be opened. A session goes on without it, if it is
// new or the journals hold all of it: those can be held and read. All else is the
// error that tells why.
type noStore struct {
	dirs []string // of the journals
	err  error    // a journal.AwayError
}

// noStore returns what stands for the database in force, which could not be opened.
func (a *app) noStore(err error) ikigai.Store {
	return noStore{a.places().journals(), &journal.AwayError{Err: err}}
}

// Away returns why there is no store: nothing is delivered.
func (n noStore) Away() error { return n.err }

// Acquire takes a session, which no store gives out, from the other processes of this
// machine.
func (n noStore) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	release, err := journal.Hold(id, n.dirs...)
	if err != nil {
		return ikigai.Grant{}, nil, err
	}
	_, grant, err := journal.Whole(id, n.dirs...)
	if err != nil {
		grant = ikigai.Grant{Session: id, Fence: 1} // it is new
	}
	return grant, func() error { release(); return nil }, nil
}

// Events yields those of a session that the journals hold whole.
func (n noStore) Events(_ context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		all, _, err := journal.Whole(id, n.dirs...)
		if errors.Is(err, ikigai.ErrNotFound) {
			err = n.err
		}
		yieldAll(all[min(int(after), len(all)):], err, yield)
	}
}

// Blob returns bytes that wait in a journal.
func (n noStore) Blob(_ context.Context, hash string) ([]byte, error) {
	for id := range waiting(n.dirs) {
		for e, err := range journal.Events(id, n.dirs...) {
			if err != nil {
				break // doctor tells of it
			}
			for _, b := range e.Blobs {
				if b.Hash == hash {
					return b.Bytes, nil
				}
			}
		}
	}
	return nil, n.err
}

// Sessions yields those that the journals hold whole, then the error that tells why no
// others can be seen.
func (n noStore) Sessions(_ context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		found, err := journalled(n.dirs, q, n.err)
		yieldAll(found, err, yield)
	}
}

func (n noStore) Append(context.Context, ikigai.Grant, ikigai.Seq, ...ikigai.Event) error {
	return n.err
}

func (n noStore) Fork(context.Context, ikigai.Grant, ikigai.ID, ikigai.Seq) error { return n.err }

func (n noStore) Remove(context.Context, ikigai.Grant) error { return n.err }

func (n noStore) Search(context.Context, ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) { yield(ikigai.Hit{}, n.err) }
}

func (n noStore) Catchup(context.Context, int) (int64, error) { return 0, n.err }

func (n noStore) Query(context.Context, string) iter.Seq2[ikigai.Row, error] {
	return func(yield func(ikigai.Row, error) bool) { yield(ikigai.Row{}, n.err) }
}

func (n noStore) Check(context.Context) (ikigai.Health, error) { return ikigai.Health{}, n.err }

func (n noStore) Vacuum(context.Context) (int64, error) { return 0, n.err }

func (n noStore) Await(context.Context, ikigai.ID, ikigai.Seq) error { return n.err }

func (n noStore) Close() error { return nil }
