package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"

	"ikigai"
)

// fork makes a fork of the last event that the session and r have in common the
// target of all that follows, and returns what of r follows there. cause is why
// the session does not take r; it is returned if nobody else has gone on.
func (t *target) fork(ctx context.Context, r Record, cause error) (Record, error) {
	common, differs, err := t.compare(ctx, r)
	switch {
	case err != nil:
		return r, err
	case !differs && errors.Is(cause, ikigai.ErrFenced):
		return r, cause
	case !differs, r.After+ikigai.Seq(common) == 0:
		return r, errPlace
	}
	if common > 0 {
		r.After, r.AfterID = r.Events[common-1].Seq, r.Events[common-1].ID
		r.Events = r.Events[common:]
	}
	id := r.Events[0].ID
	if id == t.grant.Session {
		return r, errPlace // a fork of this ID would have taken the event
	}
	return r, t.forkAt(ctx, id, r)
}

// compare returns how many of the events of r the session holds at their
// places, and whether it holds another one at the next.
func (t *target) compare(ctx context.Context, r Record) (common int, differs bool, err error) {
	for e, err := range t.log.Events(ctx, t.grant.Session, r.After) {
		if err != nil {
			return 0, false, err
		}
		if common == len(r.Events) {
			break
		}
		if e.ID != r.Events[common].ID {
			return common, true, nil
		}
		common++
	}
	return common, false, nil
}

// forkAt makes the session id, a fork of what r follows, the target.
func (t *target) forkAt(ctx context.Context, id ikigai.ID, r Record) error {
	grant, giveBack, err := t.forks.Acquire(ctx, id)
	if err != nil {
		return err
	}
	err = t.forks.Fork(ctx, grant, t.grant.Session, r.After)
	if err != nil {
		if errors.Is(err, ikigai.ErrNotFound) || errors.Is(err, ikigai.ErrConflict) {
			err = errors.Join(errPlace, err)
		}
		return errors.Join(err, giveBack())
	}
	err = t.release()
	t.done.Fork, t.done.Parent, t.done.At, t.done.Events = id, t.grant.Session, r.After, 0
	t.grant, t.giveBack, t.since = grant, giveBack, r.Events[0].Time
	return err
}

// forkEvent says where the fork comes from.
func (t *target) forkEvent(seq ikigai.Seq) ikigai.Event {
	reason := fmt.Sprintf("Another process went on with the session while these events, from %s on, waited in a journal",
		t.since.Time().UTC().Format("2006-01-02 15:04:05 MST"))
	if host, err := os.Hostname(); err == nil {
		reason += " on " + host
	}
	e := ikigai.NewEvent(ikigai.KindFork, reason+".", ikigai.ForkData{Session: t.done.Parent, Seq: t.done.At, Reason: reason + "."})
	e.Session, e.Seq, e.Time = t.grant.Session, seq, ikigai.MicrosOf(time.Now())
	e.ID = ikigai.ID(uuid.Must(uuid.NewV7()).String())
	return e
}
