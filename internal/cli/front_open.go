package cli

import (
	"cmp"
	"context"
	"errors"

	"ikigai"
	"ikigai/internal/config"
)

// whereabouts is what a session's directory is, and brings.
type whereabouts struct {
	dir     string
	project projectTrust
}

// whereabouts returns where the person is. It is for what goes on while a session may be
// opened, which changes what the app knows of it.
func (f *front) whereabouts() whereabouts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// noModel stands for the name of a model where none is set.
const noModel = "no model"

// openFirst opens the session that the person has asked for. Where that fails, a
// person who has named one leaves with the reason.
func (f *front) openFirst(o frontOptions) {
	model, stop, err := f.endpoint(f.life, o.script)
	f.mu.Lock()
	f.unasked = err
	if err == nil {
		f.stopServer = stop
	} else {
		model = config.Endpoint{Name: cmp.Or(f.settings.Model, noModel)}
	}
	f.mu.Unlock()
	if err != nil {
		f.notice(err.Error())
	}
	if err := f.open(o.which, model); err != nil {
		f.ui.Quit()
	}
	f.collectAt(longGCPercent)
}

// open opens a session and shows what happened in it.
func (f *front) open(w which, model config.Endpoint) error {
	limit := openTime
	if w.isNew() {
		limit = awayTime
	}
	v := &frontView{front: f, held: f.newHeld()}
	opened := <-f.openStore(f.life, limit)
	work, err := f.app.open(f.life, w, model, opened, v)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = err
	if err == nil {
		f.at = whereabouts{f.dir, f.project}
		work.agent.Steer, work.agent.AllowVolatile = f.steer, f.allowVolatile
		work.reads = &reading{Store: work.store, session: work.session, held: v.held, dir: f.dir, journals: f.places().journals()}
		work.kit.jobs.Ended = f.jobEnded
		f.work, f.view = work, v
		f.showStatus()
	}
	close(f.ready)
	return err
}

// opened returns the session that is worked in, once it is open. The error says
// why there is none, or that ctx has ended.
func (f *front) opened(ctx context.Context) (*work, error) {
	f.mu.Lock()
	ready := f.ready
	f.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return nil, halted(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.work, f.failed
}

// halted is the error of a command that the person has stopped.
func halted(ctx context.Context) error {
	return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "It was stopped", Do: "What happened until then is in the log", Err: context.Cause(ctx)}
}

// reopen closes the session and goes on with another. Where that cannot be, it goes
// on with the one there was. It is for commands, while no turn is under way.
func (f *front) reopen(ctx context.Context, to which) error {
	if err := f.idle(ctx); err != nil {
		return err
	}
	now, err := f.opened(ctx)
	if err != nil {
		return err
	}
	if !to.isNew() {
		found, err := f.find(ctx, now.reads, to)
		if err != nil {
			return err
		}
		if found.ID == now.session.ID() && !to.fork {
			return usage("That session is open here", "Say something, or choose another one")
		}
		to.id, to.last = string(found.ID), false
	}
	back, dir := now.again(), f.dir
	if back.fork && to.id == string(now.session.ID()) { // it will not be there any more
		to.id, to.at = back.id, cmp.Or(to.at, back.at)
	}
	f.mu.Lock()
	f.work, f.ready, f.instead = nil, make(chan struct{}), 0
	f.options.before = nil // it was meant for that session
	f.mu.Unlock()
	f.closeWork(now)
	if err = f.open(to, now.endpoint); err == nil {
		return nil
	}
	f.mu.Lock()
	f.dir, f.ready = dir, make(chan struct{})
	f.mu.Unlock()
	return errors.Join(err, f.open(back, now.endpoint))
}

// closeWork closes a session. What it asks a model for that nobody waits for is
// given up.
func (f *front) closeWork(w *work) {
	w.asking.stop()
	w.close()
}
