package cli

import (
	"context"
	"errors"

	"ikigai"
)

// follow prints the events of a session, and what is added to it until the
// person stops it or, with once, the statement under way has ended.
func (a *app) follow(ctx context.Context, store ikigai.Store, id ikigai.ID, out *logWriter, once bool) error {
	ctx, stop := a.stoppable(ctx)
	defer stop()
	var statement statementEnd
	last := ikigai.Seq(0)
	for {
		for e, err := range store.Events(ctx, id, last) {
			if err != nil {
				return errors.Join(unlessStopped(ctx, err), out.flush())
			}
			if err := out.add(e); err != nil {
				return err
			}
			statement.add(e)
			last = e.Seq
		}
		if err := out.flush(); err != nil {
			return err
		}
		if once && statement.ended {
			return nil
		}
		if err := store.Await(ctx, id, last); err != nil {
			return unlessStopped(ctx, err)
		}
	}
}

// unlessStopped returns err unless the person has ended what it comes from.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// statementEnd knows whether the last statement of a session has ended.
type statementEnd struct {
	ended bool
	calls bool // the reply under way has calls
}

func (s *statementEnd) add(e ikigai.Event) {
	if e.Interaction != ikigai.Main {
		return
	}
	switch e.Kind {
	case ikigai.KindUser:
		s.ended = false
	case ikigai.KindRequest:
		s.calls = false
	case ikigai.KindToolCall:
		s.calls = true
	case ikigai.KindUsage:
		s.ended = s.ended || !s.calls
	case ikigai.KindError:
		s.ended = true
	}
}
