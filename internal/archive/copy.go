package archive

import (
	"context"
	"errors"
	"fmt"

	"ikigai"
)

// CopyOptions says how sessions are copied.
type CopyOptions struct {
	Progress func(Progress) // called now and then; may be nil
}

// Copy brings all sessions of a store into another one, with their blobs,
// parents before forks. Of a session that is there it appends what is missing,
// so that a copy may be repeated, also one that ended early: whether the
// session is the same is seen from its last event. A session that is open
// elsewhere or that differs is skipped, and the report says so. In the end the
// numbers of events are compared.
//
// The memory it takes does not depend on the number of events. What is written
// to the source meanwhile may be copied or not.
func Copy(ctx context.Context, from Source, to Target, o CopyOptions) (Report, error) {
	items, err := plan(ctx, from, nil)
	if err != nil {
		return Report{}, fmt.Errorf("list the sessions to copy: %w", err)
	}
	c := copier{ctx: ctx, from: from, o: o, sink: newSink(ctx, to, false), blobs: seen{}}
	for _, it := range items {
		c.progress.Of += int64(it.upTo - it.Base)
	}
	for _, it := range items {
		if err := c.session(it); err != nil {
			return c.report, fmt.Errorf("copy session %s: %w", it.ID, err)
		}
	}
	return c.report, c.verify(items, to)
}

type copier struct {
	ctx      context.Context
	from     Source
	o        CopyOptions
	sink     *sink
	blobs    seen
	report   Report
	progress Progress
}

func (c *copier) session(it item) error {
	c.progress.Session = it.ID
	err := c.sink.begin(Session{ID: it.ID, Parent: it.Parent, Base: it.Base})
	if err == nil && !c.sink.skips() {
		err = c.events(it)
	}
	outcome, err := c.sink.end(err)
	if outcome.State.Skipped() {
		clear(c.blobs) // those of events that were skipped are not there
	}
	c.report.add(outcome)
	c.report.Contents.Sessions++
	c.progress.Sessions++
	c.tell()
	return err
}

func (c *copier) events(it item) error {
	after, err := c.common(it)
	if err != nil {
		return err
	}
	c.sink.skipTo(after)
	c.progress.Events += int64(after - it.Base)
	c.report.Contents.Events += int64(after - it.Base)
	for e, err := range c.from.Events(c.ctx, it.ID, after) {
		if err != nil {
			return err
		}
		if err := c.event(e); err != nil || c.sink.skips() {
			return err
		}
	}
	return nil
}

// common returns the last event that both stores have in common, judged by the
// last one that both have: if those differ it is the last shared with the
// parent, and the events in between are to be compared one by one.
func (c *copier) common(it item) (ikigai.Seq, error) {
	last := min(c.sink.last, it.Events)
	if last <= it.Base {
		return it.Base, nil
	}
	here, err := eventAt(c.from.Events(c.ctx, it.ID, last-1))
	if err != nil {
		return 0, err
	}
	there, err := eventAt(c.sink.to.Events(c.ctx, it.ID, last-1))
	if err != nil {
		return 0, err
	}
	if here.ID != there.ID {
		return it.Base, nil
	}
	return last, nil
}

// eventAt returns the first event of a sequence.
func eventAt(list events) (ikigai.Event, error) {
	for e, err := range list {
		return e, err
	}
	return ikigai.Event{}, nil
}

func (c *copier) event(e ikigai.Event) error {
	var failed error
	eachHash(e.Data, func(hash string) {
		if failed != nil || c.blobs.has(hash) {
			return
		}
		content, err := c.from.Blob(c.ctx, hash)
		if errors.Is(err, ikigai.ErrNotFound) {
			return // a hash of something else
		}
		if failed = err; err == nil {
			c.blobs.add(hash)
			e.Blobs = append(e.Blobs, ikigai.Blob{Hash: hash, Bytes: content})
			c.report.Contents.Blobs++
			c.progress.Bytes += int64(len(content))
		}
	})
	if failed != nil {
		return failed
	}
	c.report.Contents.Events++
	c.progress.Events++
	c.progress.Bytes += int64(len(e.Content) + len(e.Data))
	if c.progress.Events%1024 == 0 {
		c.tell()
	}
	return c.sink.add(e)
}

// verify compares how many events of the copied sessions the stores have.
func (c *copier) verify(items []item, to Target) error {
	events := make(map[ikigai.ID]ikigai.Seq, len(items))
	for info, err := range to.Sessions(c.ctx, ikigai.SessionQuery{}) {
		if err != nil {
			return fmt.Errorf("compare what was copied: %w", err)
		}
		events[info.ID] = info.Events
	}
	for i, it := range items {
		if !c.report.Outcomes[i].State.Skipped() && events[it.ID] < it.Events {
			return &ikigai.Error{
				Kind: ikigai.ErrorStore,
				What: fmt.Sprintf("Session %s has %d events, and its copy has %d", it.ID, it.Events, events[it.ID]),
				Do:   "Copy again: what is missing is added",
			}
		}
	}
	return nil
}

func (c *copier) tell() {
	if c.o.Progress != nil {
		c.o.Progress(c.progress)
	}
}
