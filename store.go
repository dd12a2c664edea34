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
	// ErrForked means that a session cannot be removed while forks of it live.
	ErrForked = errors.New("the session has forks, which share its events")
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
	// after 0, unless Fork has begun it. Errors: ErrFenced, ErrConflict, or one of the store itself,
	// after which the outcome is unknown.
	Append(ctx context.Context, g Grant, after Seq, events ...Event) error

	// Events yields the events of a session that follow after, in order. Those
	// that a fork shares come with the session they were appended to. An error
	// is last. A session that does not exist has no events.
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

// Catalog keeps the sessions of a store.
type Catalog interface {
	// Sessions yields the sessions that fit q, in its order.
	Sessions(ctx context.Context, q SessionQuery) iter.Seq2[SessionInfo, error]

	// Fork begins the session of g as a fork of another one: its past is the
	// events of parent up to at, shared and not copied, and its own events
	// follow after at. Events yields both. To fork again with the same parent
	// and place changes nothing. It is ErrNotFound if parent has no event at,
	// and ErrConflict if the session exists and is another.
	Fork(ctx context.Context, g Grant, parent ID, at Seq) error

	// Remove removes the session of g with all its own events. It is ErrForked
	// while forks of it live. Blobs stay until Vacuum.
	Remove(ctx context.Context, g Grant) error
}

// SessionOrder says what a list of sessions is sorted by, the most or the
// latest first.
type SessionOrder string

const (
	ByUpdated SessionOrder = "" // the last changed first
	ByCreated SessionOrder = "created"
	ByEvents  SessionOrder = "events"
	BySize    SessionOrder = "size"
	ByCost    SessionOrder = "cost"
)

// SessionQuery selects and sorts sessions. Its zero value selects all of them,
// the last changed first.
type SessionQuery struct {
	Dir      string // working directory; "" for any
	Prefix   string // of the session's ID
	Title    string // a part of the title, in any case
	Since    Micros // changed at this time or later; 0 for any
	Until    Micros // changed before this time; 0 for any
	Parent   ID     // forks of this session; "" for any
	Order    SessionOrder
	Reversed bool
	Limit    int // 0 for no limit
}

// SessionInfo is a line of the list of sessions.
type SessionInfo struct {
	ID         ID
	Dir        string
	Title      string // the first statement's first line until there is a better one
	Created    Micros
	Updated    Micros
	Events     Seq   // the sequence number of the last event
	Statements int   // events of kind user in the main interaction, the session's own
	Size       int64 // bytes of content and data of the session's own events
	Cost       int64 // millionths of a US dollar, of the session's own usage events, as far as prices were known
	Parent     ID    // the session that it is a fork of, or ""
	Base       Seq   // the last event that it shares with Parent
}

// Index finds events by their words.
type Index interface {
	// Search yields the events that fit q, those stored last first. What
	// Catchup has not come to is not found. An error is last; words that
	// cannot be read are an *Error of kind usage.
	Search(ctx context.Context, q SearchQuery) iter.Seq2[Hit, error]

	// Catchup indexes at most limit of the events that are not indexed yet, in
	// the order in which they were stored, and returns about how many are left.
	Catchup(ctx context.Context, limit int) (left int64, err error)
}

// SearchQuery says what to find. All that is set must fit.
type SearchQuery struct {
	Words   string // all of them must occur, in any case; "in quotes" for a phrase, word* for a beginning
	Dir     string // working directory of the session
	Session ID
	Tool    string // name of the tool of a call or result
	File    string // a path, or its end, that a tool's input or resources name
	Since   Micros // stored at this time or later; 0 for any
	Until   Micros // before this time; 0 for any
	Limit   int    // 0 for no limit
}

// Hit is an event that a search found.
type Hit struct {
	Event Event
	Dir   string // of its session
	Title string // of its session
}

// Keeper looks after a store as a whole.
type Keeper interface {
	// Query runs one statement of SQL that only reads, and yields its rows.
	// Anything that could change the store is refused with an *Error of kind
	// usage. All rows have the same Columns.
	Query(ctx context.Context, statement string) iter.Seq2[Row, error]

	// Check examines the store. A ctx with a deadline bounds the reading of
	// everything, which takes long in a large store, and that part alone. The
	// error is that the store cannot be read at all.
	Check(ctx context.Context) (Health, error)

	// Vacuum removes blobs that no event names and gives unused space back. It
	// returns the bytes by which the store shrank, as far as they are known.
	Vacuum(ctx context.Context) (freed int64, err error)

	// Await returns nil once the session has events behind after, which may be
	// at once. It returns the error of ctx when that ends first.
	Await(ctx context.Context, session ID, after Seq) error
}

// Row is a row of the answer to a Query.
type Row struct {
	Columns []string
	Values  []any // nil, int64, float64, bool, string, []byte
}

// Health is what Check finds.
type Health struct {
	Place     string // the file, or the address without a password
	Engine    string // such as "SQLite 3.53.3, wal"
	Schema    int    // version of the schema
	Bytes     int64  // of the whole store
	Index     int64  // of these, bytes of the search index
	Sessions  int64
	Events    int64
	Unindexed int64 // events that Catchup has not come to, about

	// Checked tells that everything was read. It is false when the context
	// ended first, in which case Problems is what was found by then.
	Checked  bool
	Problems []string
}

// Store is all that a session and the commands need of a store.
type Store interface {
	Log
	Blobs
	Leases
	Catalog
	Index
	Keeper
	Close() error
}
