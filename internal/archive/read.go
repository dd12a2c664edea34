package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"ikigai"
)

// ReadOptions says how sessions are brought into a store.
type ReadOptions struct {
	// Rename has a session that the store holds with other events imported all
	// the same: what differs becomes a session of its own, a fork of the one
	// that is there at the last event both have in common. Otherwise such a
	// session is skipped.
	Rename   bool
	Progress func(Progress) // called now and then; may be nil
}

// Report is what became of the sessions of an archive or a store.
type Report struct {
	Outcomes []Outcome // by session, in the order they came in
	Added    int64     // events that are new in the store
	Known    int64     // events that were there
	Contents Contents  // what came by; of an archive: what its last line says of it
}

// Skipped returns the outcomes of sessions that are not, or not wholly, in the
// store under their own name.
func (r Report) Skipped() []Outcome {
	var list []Outcome
	for _, o := range r.Outcomes {
		if o.State.Skipped() {
			list = append(list, o)
		}
	}
	return list
}

func (r *Report) add(o Outcome) {
	r.Outcomes = append(r.Outcomes, o)
	r.Added += o.Added
	r.Known += o.Known
}

// Read brings the sessions of an archive into a store. What is there already,
// known by the IDs of events, stays as it is, so that an import may be
// repeated, also one that ended early. A session that is open elsewhere, that
// the store holds with other events or whose past is missing is skipped, and
// the report says so.
//
// The memory it takes does not depend on the number of events. An archive that
// is torn or was changed is an *ikigai.Error that names the line; what came
// before it is in the store.
func Read(ctx context.Context, r io.Reader, to Target, o ReadOptions) (Report, error) {
	in := newScanner(r)
	reader := reader{in: in, sink: newSink(ctx, to, o.Rename), o: o}
	defer reader.spare.remove()
	err := reader.read(ctx)
	reader.report.Contents = in.contents
	return reader.report, err
}

// Check reads an archive without importing it and returns what it holds. The
// errors are those of Read about the archive.
func Check(ctx context.Context, r io.Reader) (Contents, error) {
	in := newScanner(r)
	for {
		if err := ctx.Err(); err != nil {
			return in.contents, err
		}
		if _, err := in.next(); err == io.EOF {
			return in.contents, nil
		} else if err != nil {
			return in.contents, err
		}
	}
}

// reader hands what a scanner finds to a sink.
type reader struct {
	in       *scanner
	sink     *sink
	o        ReadOptions
	report   Report
	progress Progress

	open    bool          // a session has begun
	waiting []ikigai.Blob // for the event that comes next
	spare   spare         // blobs of events that were skipped
}

func (r *reader) read(ctx context.Context) error {
	for {
		err := ctx.Err()
		var it scanned
		if err == nil {
			it, err = r.in.next()
		}
		if err == io.EOF {
			return r.end(nil)
		}
		if err == nil {
			err = r.take(it)
		}
		if err != nil {
			return r.end(err)
		}
	}
}

// take handles one line.
func (r *reader) take(it scanned) error {
	switch {
	case it.session != nil:
		if err := r.end(nil); err != nil {
			return err
		}
		r.open = true
		r.progress.Session = it.session.ID
		if err := r.sink.begin(*it.session); err != nil {
			return fmt.Errorf("import session %s: %w", it.session.ID, err)
		}
	case it.blob != nil:
		r.waiting = append(r.waiting, *it.blob)
	case it.event != nil:
		if err := r.event(*it.event); err != nil {
			return fmt.Errorf("import session %s: %w", it.event.Session, err)
		}
		r.progress.Events++
		if r.progress.Events%1024 == 0 {
			r.tell()
		}
	}
	return nil
}

func (r *reader) event(e ikigai.Event) error {
	blobs, err := r.spare.of(e, r.waiting)
	if err != nil {
		return err
	}
	r.waiting = nil
	e.Blobs = blobs
	if err := r.sink.add(e); err != nil {
		return err
	}
	if r.sink.skips() {
		return errors.Join(r.spare.put(blobs), r.keepRefused())
	}
	return nil
}

// keepRefused keeps the blobs of events that the store did not take in the end.
func (r *reader) keepRefused() error {
	refused := r.sink.refused
	r.sink.refused = nil
	return r.spare.put(refused)
}

// end ends the session that is being read.
func (r *reader) end(failed error) error {
	if !r.open {
		return failed
	}
	r.open = false
	outcome, err := r.sink.end(failed)
	err = errors.Join(err, r.keepRefused())
	r.report.add(outcome)
	r.progress.Sessions++
	r.tell()
	return err
}

func (r *reader) tell() {
	if r.o.Progress != nil {
		r.progress.Of, r.progress.Bytes = r.in.expected, r.in.bytes
		r.o.Progress(r.progress)
	}
}

// Adder brings sessions into a store, one after the other. It remembers what
// became of each, so that a fork shares the past of the right events.
type Adder struct {
	sink *sink
	o    ReadOptions
}

// NewAdder returns an Adder for a store.
func NewAdder(to Target, o ReadOptions) *Adder {
	return &Adder{newSink(context.Background(), to, o.Rename), o}
}

// Add brings a session into the store, as Read does. Its events, those behind
// s.Base, come in order, with their blobs. A parent comes before its forks;
// one that has not come is taken to be in the store as it was.
func (a *Adder) Add(ctx context.Context, s Session, events iter.Seq2[ikigai.Event, error]) (Outcome, error) {
	a.sink.ctx = ctx
	err := a.sink.begin(s)
	if err == nil {
		err = a.events(s, events)
	}
	outcome, err := a.sink.end(err)
	if err != nil {
		return outcome, fmt.Errorf("import session %s: %w", s.ID, err)
	}
	return outcome, nil
}

func (a *Adder) events(s Session, events iter.Seq2[ikigai.Event, error]) error {
	progress := Progress{Session: s.ID}
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := a.sink.add(e); err != nil {
			return err
		}
		progress.Events++
		progress.Bytes += int64(len(e.Content) + len(e.Data))
		if a.o.Progress != nil && progress.Events%1024 == 0 {
			a.o.Progress(progress)
		}
	}
	return nil
}
