// Package export writes a session for other readers than ikigai: as Markdown,
// as a page of HTML, as a trajectory in the interchange format ATIF.
//
// Each form is written as the events come; what is kept grows with the number
// of statements and open calls at most. None of them can be imported again: for
// that there is package archive.
//
// Whatever the events hold, it stays text. In Markdown it cannot end the block
// it stands in or become HTML, in HTML it cannot become markup, and nothing
// that acts on a terminal is left in either.
package export

import (
	"io"
	"iter"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// Options says what is written beside the events, and how.
type Options struct {
	Session  ikigai.SessionInfo  // of the session, as the store lists it
	By       string              // the program that writes, with its version
	Location *time.Location      // of the times that people are shown; nil is UTC
	Redact   func(string) string // takes secrets out of a text; nil leaves all as it is

	// Blob, if not nil, returns the bytes with a hash, so that images can be
	// shown where the form allows it. An error leaves the image out.
	Blob func(hash string) ([]byte, error)
}

// Events is the events of a session as a log yields them, in order. An error
// is last.
type Events = iter.Seq2[ikigai.Event, error]

// redact returns s without its secrets.
func (o *Options) redact(s string) string {
	if o.Redact == nil {
		return s
	}
	return o.Redact(s)
}

// text returns s as people may see it. Colours and the like go first: a secret
// may be coloured.
func (o *Options) text(s string) string { return o.redact(safetext.Terminal(s)) }

// line returns s on one line.
func (o *Options) line(s string) string {
	return strings.Join(strings.Fields(o.text(s)), " ")
}

func (o *Options) time(at ikigai.Micros, layout string) string {
	where := o.Location
	if where == nil {
		where = time.UTC
	}
	return at.Time().In(where).Format(layout)
}

const (
	layoutDay  = "2006-01-02 15:04:05 MST"
	layoutTime = "15:04:05"
)

// each calls show with the blocks of a session, in order, and count with its
// events.
func each(events Events, count func(ikigai.Event), show func(transcript.Block) error) error {
	var fold transcript.Transcript
	for e, err := range events {
		if err != nil {
			return err
		}
		count(e)
		for _, b := range fold.Add(e) {
			if err := show(b); err != nil {
				return err
			}
		}
	}
	for _, b := range fold.Open() {
		if err := show(b); err != nil {
			return err
		}
	}
	return nil
}

// printer writes text and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(texts ...string) {
	for _, text := range texts {
		if p.err == nil {
			_, p.err = io.WriteString(p.w, text)
		}
	}
}
