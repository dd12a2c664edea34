package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/openai"
	"ikigai/internal/session"
	"ikigai/internal/sqlite"
	"ikigai/internal/tools"
)

// openStore opens the store while the caller does other things.
func (a *app) openStore(ctx context.Context) <-chan storeResult {
	result := make(chan storeResult, 1)
	go func() {
		store, err := sqlite.Open(ctx, a.settings.Database)
		result <- storeResult{store, err}
	}()
	return result
}

type storeResult struct {
	store *sqlite.Store
	err   error
}

// storeNow opens the store for a command that is about nothing else.
func (a *app) storeNow(ctx context.Context) (*sqlite.Store, error) {
	r := <-a.openStore(ctx)
	return r.store, r.err
}

// storeToRead opens the store for a command that changes nothing. It makes no
// database where there is none: the error then wraps ikigai.ErrNotFound.
func (a *app) storeToRead(ctx context.Context) (*sqlite.Store, error) {
	store, err := sqlite.OpenExisting(ctx, a.settings.Database)
	if errors.Is(err, ikigai.ErrNotFound) {
		err = &ikigai.Error{Kind: ikigai.ErrorUsage, What: "There is no database at " + a.settings.Database + " yet",
			Do: "Begin a session with `ikigai run PROMPT`, or name another one with --database", Err: err}
	}
	return store, err
}

// which says which session to work in: a new one, the last one of this
// directory, or one by ID.
type which struct {
	last bool
	id   string // or a prefix of it
}

func (w which) isNew() bool { return !w.last && w.id == "" }

// find returns the session that w names.
func (a *app) find(ctx context.Context, store ikigai.Store, w which) (ikigai.SessionInfo, error) {
	var none ikigai.SessionInfo
	q := ikigai.SessionQuery{Dir: a.dir, Limit: 1}
	if w.id != "" {
		q = ikigai.SessionQuery{Prefix: w.id, Limit: 5}
	}
	found, err := collect(store.Sessions(ctx, q))
	switch {
	case err != nil:
		return none, err
	case len(found) == 1, len(found) > 1 && found[0].ID == ikigai.ID(w.id):
		return found[0], nil
	case len(found) > 1:
		var all []string
		for _, s := range found {
			all = append(all, fmt.Sprintf("%s (%s)", s.ID, s.Title))
		}
		return none, usage("More than one session begins with "+w.id+": "+strings.Join(all, ", "), "Give more of its ID")
	case w.id != "":
		return none, usage("There is no session "+w.id, "See `ikigai sessions --all` for those there are")
	}
	return none, usage("There is no session in "+a.dir+" yet", "Begin one with `ikigai run PROMPT`, or see `ikigai sessions --all`")
}

// goTo makes the directory of a session that exists the working directory: its
// system prompt speaks of it, and relative paths start there.
func (a *app) goTo(s ikigai.SessionInfo) error {
	if s.Dir == a.dir {
		return nil
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return usage("The directory of the session, "+s.Dir+", is not there any more", "Begin a new session")
	}
	a.notice("The session lives in " + s.Dir + ". Its tools run there.")
	a.dir = s.Dir
	return nil
}

func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// work is an open session with all that runs statements in it.
type work struct {
	session *session.Session
	agent   *agent.Agent
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

	store ikigai.Store
	grant ikigai.Grant
	line  *history.Line
	tools []ikigai.Tool
}

// open opens a session, new or existing, with the model of endpoint.
func (a *app) open(ctx context.Context, w which, endpoint config.Endpoint, opened storeResult, v *view) (*work, error) {
	o := &opening{app: a, which: w, endpoint: endpoint, view: v, line: history.New(ikigai.Main)}
	var err error
	if o.store, err = usable(opened, w); err != nil {
		return nil, err
	}
	id, err := o.choose(ctx)
	if err != nil {
		return nil, errors.Join(err, o.store.Close())
	}
	var giveBack func() error
	if o.grant, giveBack, err = o.acquire(ctx, id); err != nil {
		return nil, errors.Join(acquireError(id, err), o.store.Close())
	}
	endDelivery := func() {}
	if w.isNew() && opened.err == nil {
		endDelivery = a.deliverBehind(ctx, o.store, v.notice)
	}
	release := func() {
		endDelivery()
		_ = errors.Join(giveBack(), o.store.Close()) // nothing of it concerns the person any more
	}
	s, err := o.session(ctx)
	if err != nil {
		release()
		return nil, err
	}
	return &work{session: s, agent: o.agent(s), release: release}, nil
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
	return found.ID, o.goTo(found)
}

// acquire takes the session. Whoever delivers what waits of it has it for a
// moment.
func (o *opening) acquire(ctx context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	for deadline := time.Now().Add(2 * deliverTime); ; {
		grant, giveBack, err := o.store.Acquire(ctx, id)
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

func acquireError(id ikigai.ID, err error) error {
	if errors.Is(err, ikigai.ErrBusy) {
		return &ikigai.Error{Kind: ikigai.ErrorStore, What: fmt.Sprintf("The session %s is open in another process", id),
			Do: "Wait for it, or begin a new session", Err: err}
	}
	return err
}

// session begins or restores the session and brings its tools up to date.
func (o *opening) session(ctx context.Context) (*session.Session, error) {
	at := places{o.settings.Database}
	o.tools = tools.Builtin(tools.Config{
		SpillDir:   at.output(o.grant.Session),
		BashResult: o.settings.BashResult,
		MaxOutput:  o.settings.MaxOutputSize,
		Env:        o.childEnv(o.grant.Session),
		Leave:      o.leave,
	})
	c := session.Config{
		Log: o.store, Grant: o.grant, Journals: at.journals(), Partial: at.partial(o.grant.Session),
		Projections: []session.Projection{o.line, o.view},
		Recorded:    o.view.recorded, Shown: o.view.shown, Notice: o.view.notice,
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
	s, err := session.Restore(ctx, c)
	if err != nil {
		return nil, err
	}
	o.view.begin()
	if !reflect.DeepEqual(o.line.Request().Tools, specs(o.tools)) {
		s.Queue(toolsEvent(o.tools))
	}
	return s, nil
}

func (o *opening) agent(s *session.Session) *agent.Agent {
	a := &agent.Agent{
		Model: model(o.endpoint), ModelName: o.endpoint.Name, Tools: o.tools, Recorder: s, History: o.line, Dir: o.dir,
		ToolChoice: o.settings.ToolChoice, MaxToolTurns: o.settings.MaxToolTurns,
		MaxOutputSize: o.settings.MaxOutputSize, Concurrency: o.settings.ToolConcurrency,
		MaxOutput: o.settings.MaxOutputTokens,
		Approve:   o.approver(o.view),
	}
	if o.view.live.Terminal {
		a.Progress = o.view.prints
	}
	return a
}

// model returns the client of an endpoint.
func model(e config.Endpoint) ikigai.Model {
	return openai.New(provider.Config{
		Name: e.Name, Model: e.Model, BaseURL: e.BaseURL, Key: e.Key, KeySource: e.KeySource,
		Organization: e.Organization, Header: e.Headers,
		Connect: e.Timeouts.Connect, FirstByte: e.Timeouts.FirstByte, Idle: e.Timeouts.Idle,
		MaxAttempts: e.MaxRetries + 1, Proxy: http.ProxyFromEnvironment,
		Quirks: provider.Quirks{MaxOutput: e.MaxTokensField, Replay: e.Replay, CallIDLength: e.CallIDLength},
	})
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

// childEnv returns the environment of child processes: the person's, less the
// keys of vendors.
func (a *app) childEnv(id ikigai.ID) []string {
	keys := a.settings.VendorKeyVariables()
	env := slices.DeleteFunc(slices.Clone(a.Env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(keys, name)
	})
	return append(env, "IKIGAI_SESSION="+string(id))
}

// noStore is a store that could not be opened. A new session goes on without
// it, with its Log and Leases alone; the rest is not there.
type noStore struct {
	ikigai.Store
	err error
}

func (n noStore) Append(context.Context, ikigai.Grant, ikigai.Seq, ...ikigai.Event) error {
	return n.err
}

func (n noStore) Events(context.Context, ikigai.ID, ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) { yield(ikigai.Event{}, n.err) }
}

func (n noStore) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	return ikigai.Grant{Session: id, Fence: 1}, func() error { return nil }, nil
}

func (n noStore) Close() error { return nil }
