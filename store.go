package ikigai

import (
	"context"
	"errors"
	"iter"
)

// Durability says where an event is by the time a Recorder has recorded it.
type Durability int

const (
	Stored     Durability = iota // in the store
	Journalled                   // on this machine's disk, to be delivered to the store
	Volatile                     // in memory alone
)

// String returns the word that people are shown.
func (d Durability) String() string {
	switch d {
	case Stored:
		return "stored"
	case Journalled:
		return "journalled"
	}
	return "volatile"
}

// Recorder is what the loop between model and tools sees of a session.
type Recorder interface {
	// Record appends events to the session, in order, and returns once they
	// are as durable as they can be made: the least durable of them is
	// returned. Session, Seq, ID and Time are given to them. The projections
	// of the session have taken them in by the time Record returns. Record
	// goes on after ctx has ended; the error is that the session is closed.
	Record(ctx context.Context, events ...Event) (Durability, error)

	// Queue appends events as Record does but does not wait: they become
	// durable with the next Record, or soon.
	Queue(events ...Event)

	// Show passes on a piece of a reply to the person. It is no event. Text
	// that is shown and not yet recorded survives the end of the process.
	Show(Delta)
}

// Grant is the right to append to a session. Its fence grows each time the
// right passes to another holder; a store refuses a grant with an old fence.
type Grant struct {
	Session ID
	Fence   int64
}

// Errors of a Log. Stores wrap them.
var (
	// ErrFenced means that the right to append has passed to another holder.
	ErrFenced = errors.New("the session was taken over by another process")
	// ErrConflict means that the log does not end where the caller believes.
	ErrConflict = errors.New("the session holds other events at this place")
	// ErrBusy means that a living process holds the session.
	ErrBusy = errors.New("the session is open in another process")
	// ErrNotFound means that there is no such session or blob.
	ErrNotFound = errors.New("not found")
)

// Log is the events of a store.
type Log interface {
	// Append appends events to the session of g, whose last event has the
	// sequence number after: all of them, with their blobs, or none. They are
	// durable when it returns nil. Events that are already there, known by
	// their IDs, are skipped, so an Append may be repeated when its outcome is
	// unknown. The first append of a session begins with a session event and
	// after 0. Errors: ErrFenced, ErrConflict, or one of the store itself,
	// after which the outcome is unknown.
	Append(ctx context.Context, g Grant, after Seq, events ...Event) error

	// Events yields the events of a session that follow after, in order. An
	// error is last. A session that does not exist has no events.
	Events(ctx context.Context, session ID, after Seq) iter.Seq2[Event, error]
}

// Blobs is the content-addressed part of a store.
type Blobs interface {
	// Blob returns the bytes with the given hash, or ErrNotFound.
	Blob(ctx context.Context, hash string) ([]byte, error)
}

// Leases gives out the right to append.
type Leases interface {
	// Acquire takes the right to append to a session, new or existing, and
	// returns it with a function that gives it back. It does not wait:
	// ErrBusy when another living process has it.
	Acquire(ctx context.Context, session ID) (Grant, func() error, error)
}

// Catalog lists the sessions of a store.
type Catalog interface {
	// Sessions yields the sessions that fit q, the last changed first.
	Sessions(ctx context.Context, q SessionQuery) iter.Seq2[SessionInfo, error]
}

// SessionQuery selects sessions. Its zero value selects all of them.
type SessionQuery struct {
	Dir    string // working directory; "" for any
	Prefix string // of the session's ID
	Limit  int    // 0 for no limit
}

// SessionInfo is a line of the list of sessions.
type SessionInfo struct {
	ID         ID
	Dir        string
	Title      string // the first statement's first line until there is a better one
	Created    Micros
	Updated    Micros
	Events     Seq // the sequence number of the last event
	Statements int // events of kind user in the main interaction
}

// Store is all that a session and the commands need of a store.
type Store interface {
	Log
	Blobs
	Leases
	Catalog
	Close() error
}
