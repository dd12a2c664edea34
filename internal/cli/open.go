package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/session"
	"ikigai/internal/tools"
)

// work is an open session with all that runs statements in it.
type work struct {
	session *session.Session
	agent   *agent.Agent
	spent   *spendings
	release func()
}

// close ends the session and gives back what it held.
func (w *work) close() {
	w.session.Close()
	w.release()
}

// opening is what a session is opened with.
type opening struct {
	*app
	which    which
	endpoint config.Endpoint
	view     *view

	store   ikigai.Store
	grant   ikigai.Grant
	parent  ikigai.SessionInfo // of a fork
	base    ikigai.Seq         // the last event that the fork shares with it
	line    *history.Line
	tools   []ikigai.Tool
	indexer indexer
	spent   spendings
}

// open opens a session, new or existing, with the model of endpoint.
func (a *app) open(ctx context.Context, w which, endpoint config.Endpoint, opened storeResult, v *view) (*work, error) {
	o := &opening{app: a, which: w, endpoint: endpoint, view: v, line: history.New(ikigai.Main)}
	var err error
	if o.store, err = usable(opened, w); err != nil {
		return nil, err
	}
	o.line.SetBlobs(func(hash string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, openTime)
		defer cancel()
		return o.store.Blob(ctx, hash)
	})
	id, err := o.choose(ctx)
	if err != nil {
		return nil, errors.Join(err, o.store.Close())
	}
	var giveBack func() error
	if o.grant, giveBack, err = acquire(ctx, o.store, id); err != nil {
		return nil, errors.Join(busy(id, err), o.store.Close())
	}
	endDelivery, endIndexing := func() {}, func() {}
	if w.isNew() && opened.err == nil {
		endDelivery = a.deliverBehind(ctx, o.store, v.notice)
	}
	if opened.err == nil {
		endIndexing = o.indexer.start(ctx, o.store)
	}
	release := func() {
		endIndexing()
		endDelivery()
		_ = errors.Join(giveBack(), o.store.Close()) // nothing of it concerns the person any more
	}
	s, err := o.session(ctx)
	if err != nil {
		release()
		return nil, err
	}
	return &work{session: s, agent: o.agent(s), spent: &o.spent, release: release}, nil
}

// usable returns the store, or one that takes nothing when a new session can
// do without.
func usable(opened storeResult, w which) (ikigai.Store, error) {
	if opened.err == nil {
		return opened.store, nil
	}
	if w.isNew() {
		return noStore{err: opened.err}, nil
	}
	return nil, opened.err
}

// choose returns the ID of the session to open.
func (o *opening) choose(ctx context.Context) (ikigai.ID, error) {
	if o.which.isNew() {
		return session.NewID(), nil
	}
	o.deliverNow(ctx, o.store, o.view.notice)
	found, err := o.find(ctx, o.store, o.which)
	if err != nil {
		return "", err
	}
	if !o.which.fork {
		return found.ID, o.goTo(found)
	}
	if o.base, err = forkPlace(ctx, o.store, found, o.which.at); err != nil {
		return "", err
	}
	o.parent = found
	return session.NewID(), o.goTo(found)
}

// acquire takes a session. Whoever delivers what waits of it has it for a
// moment.
func acquire(ctx context.Context, store ikigai.Store, id ikigai.ID) (ikigai.Grant, func() error, error) {
	for deadline := time.Now().Add(2 * deliverTime); ; {
		grant, giveBack, err := store.Acquire(ctx, id)
		if !errors.Is(err, ikigai.ErrBusy) || time.Now().After(deadline) {
			return grant, giveBack, err
		}
		select {
		case <-ctx.Done():
			return grant, nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// session begins or restores the session and brings its tools up to date.
func (o *opening) session(ctx context.Context) (*session.Session, error) {
	at := o.places()
	o.tools = tools.Builtin(tools.Config{
		SpillDir:   at.output(o.grant.Session),
		BashResult: o.settings.BashResult,
		MaxOutput:  o.settings.MaxOutputSize,
		Env:        o.childEnv(o.grant.Session),
		Leave:      o.leave,
	})
	c := session.Config{
		Store: o.store, Grant: o.grant, Journals: at.journals(), Partial: at.partial(o.grant.Session),
		Projections: []session.Projection{o.line, o.view, &o.spent},
		Recorded:    o.recorded, Shown: o.view.shown, Notice: o.view.notice,
	}
	if o.which.isNew() {
		o.view.begin()
		s := session.Begin(c)
		s.Queue(
			ikigai.NewEvent(ikigai.KindSession, o.dir, ikigai.SessionData{Dir: o.dir, Model: o.endpoint.Name, Version: version()}),
			ikigai.NewEvent(ikigai.KindSystem, systemPrompt(o.dir), nil),
			toolsEvent(o.tools))
		return s, nil
	}
	if o.which.fork {
		if err := o.store.Fork(ctx, o.grant, o.parent.ID, o.base); err != nil {
			return nil, err
		}
	}
	s, err := session.Restore(ctx, c)
	if err != nil {
		return nil, err
	}
	o.view.begin()
	o.tellOfModel()
	o.spent.begin()
	if o.which.fork {
		s.Queue(forkEvent(o.parent.ID, o.base))
	}
	if !reflect.DeepEqual(o.line.Request().Tools, specs(o.tools)) {
		s.Queue(toolsEvent(o.tools))
	}
	return s, nil
}

// tellOfModel tells the person where a session goes on with another model than
// the one that has answered last, unless they have just asked for it.
func (o *opening) tellOfModel() {
	before := o.spent.answered()
	if before == "" || before == o.endpoint.Name || o.flags["model"] != "" {
		return
	}
	o.view.notice(fmt.Sprintf("The session goes on with %s; %s has answered last. Choose with --model.", o.endpoint.Name, before))
}

// recorded tells the view of an event, and the indexer of what is waited for.
func (o *opening) recorded(e ikigai.Event, d ikigai.Durability) {
	o.indexer.recorded(e)
	o.view.recorded(e, d)
}

func (o *opening) agent(s *session.Session) *agent.Agent {
	a := &agent.Agent{
		Model: o.model(o.endpoint), ModelName: o.endpoint.Name,
		Level: o.endpoint.Level, NoFormat: o.endpoint.Known.NoFormat, Tools: o.tools, Recorder: s, History: o.line, Dir: o.dir,
		ToolChoice: o.settings.ToolChoice, MaxToolTurns: o.settings.MaxToolTurns,
		MaxOutputSize: o.settings.MaxOutputSize, Concurrency: o.settings.ToolConcurrency,
		MaxOutput: o.settings.MaxOutputTokens,
		CacheKey:  string(s.ID()),
		Price:     o.price,
		Approve:   o.approver(o.view),
		Fallbacks: o.fallbacks, MaxRetries: o.settings.MaxRetries,
	}
	if o.format != nil {
		a.Format, a.CheckAnswer = o.format.Format, o.format.check
	}
	if o.view.live.Terminal {
		a.Progress = o.view.prints
	}
	return a
}

// price returns what a reply cost, in millionths of a US dollar, if that is
// known.
func (a *app) price(model string, u ikigai.Usage) *int64 {
	known, _ := a.settings.Known(model)
	if known.Price == nil {
		return nil
	}
	cost := known.Price.Cost(u)
	return &cost
}

func specs(kit []ikigai.Tool) []ikigai.ToolSpec {
	all := make([]ikigai.ToolSpec, len(kit))
	for i, t := range kit {
		all[i] = t.ToolSpec
	}
	return all
}

func toolsEvent(kit []ikigai.Tool) ikigai.Event {
	names := make([]string, len(kit))
	for i, t := range kit {
		names[i] = t.Name
	}
	return ikigai.NewEvent(ikigai.KindTools, strings.Join(names, ", "), ikigai.ToolsData{Tools: specs(kit)})
}
