// Package archive takes sessions out of a store and brings them into one:
// as a file of lines that loses nothing, or straight from store to store.
//
// # The form of an archive
//
// An archive is lines of JSON. The first says what it is:
//
//	{"line":"archive","format":"ikigai","version":1,"by":"ikigai 0.3.0","written":1763681630791000,"sessions":2,"events":48}
//
// where the numbers are what there was when the writing began. For each
// session follows
//
//	{"line":"session","id":"…","dir":"…","title":"…","created":…,"parent":"…","base":12}
//
// with parent and base for a fork alone, and then its own events in order, one
// a line. Lines of events have no member "line"; their members are those of
// ikigai.Event. Data stands in them byte for byte as the store has it:
// duplicate keys, large numbers and the order of keys stay. Where that would
// break the line, because data holds line ends or blanks around it, it stands
// as text in the member data_text instead. Blobs stand before the first event
// that names them:
//
//	{"line":"blob","hash":"…","base64":"…"}
//
// A hash in the data of an event names a blob if the store has bytes for it.
// The last line counts, and has the SHA-256 of all bytes before it, so that a
// torn or changed file is noticed:
//
//	{"line":"end","sessions":2,"events":48,"blobs":3,"redacted":0,"sha256":"…"}
//
// A parent stands before its forks. Of a session that is only there because a
// fork shares its past, only that past is written: as many of its own events
// as the forks need.
//
// # What redaction changes
//
// With a function that redacts, every text in content, data and blobs passes
// through it, text of JSON decoded, so that data stays JSON. A blob that it
// changes gets a new hash, in the events that name it too. A body that was sent
// could not be rebuilt from what is left, and its packed form might hold what
// was taken out: from the first redaction in a session or its past on,
// requests lose their tail. The last line has the counts of each.
package archive

import (
	"context"
	"iter"

	"ikigai"
)

// Version is the version of the form that Write writes. Read reads it and all
// before it.
const Version = 1

const format = "ikigai"

// Source is what sessions are read from. An ikigai.Store is one.
type Source interface {
	ikigai.Blobs
	Events(ctx context.Context, session ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error]
	Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error]
}

// Target is what sessions are brought into. An ikigai.Store is one.
type Target interface {
	ikigai.Log
	ikigai.Leases
	Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error]
	Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error
}

// Progress tells how far the work is. Sessions and Events are the work so far,
// Of what there was to do when it began, as far as that is known.
type Progress struct {
	Session  ikigai.ID // being worked on
	Sessions int64     // finished, the skipped ones included
	Events   int64     // taken from the source, those that were there already included
	Of       int64     // events in all; 0 if that is not known
	Bytes    int64     // of the archive so far; of content, data and blobs when copying
}
