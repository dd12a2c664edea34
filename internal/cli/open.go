package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"

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

// which says which session to work in: a new one, the last one of this
// directory, or one by ID.
type which struct {
	last bool
	id   string // or a prefix of it
}

func (w which) isNew() bool { return !w.last && w.id == "" }

// find returns the ID of the session that w names.
func (a *app) find(ctx context.Context, store ikigai.Store, w which) (ikigai.ID, error) {
	q := ikigai.SessionQuery{Dir: a.dir, Limit: 1}
	if w.id != "" {
		q = ikigai.SessionQuery{Prefix: w.id, Limit: 2}
	}
	found, err := collect(store.Sessions(ctx, q))
	switch {
	case err != nil:
		return "", err
	case len(found) == 1, len(found) > 1 && found[0].ID == ikigai.ID(w.id):
		return found[0].ID, nil
	case len(found) > 1:
		return "", usage("More than one session begins with "+w.id, "Give more of its ID; `ikigai sessions` lists them")
	case w.id != "":
		return "", usage("There is no session "+w.id, "See `ikigai sessions --all` for those there are")
	}
	return "", usage("There is no session in "+a.dir+" yet", "Begin one with `ikigai run PROMPT`, or see `ikigai sessions --all`")
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

// open opens a session, new or existing, with the model of endpoint.
func (a *app) open(ctx context.Context, w which, endpoint config.Endpoint, opening <-chan storeResult, v *view) (*work, error) {
	opened := <-opening
	store, err := a.usable(opened, w)
	if err != nil {
		return nil, err
	}
	id := session.NewID()
	if !w.isNew() {
		a.deliverNow(ctx, store, v.notice)
		if id, err = a.find(ctx, store, w); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	grant, giveBack, err := store.Acquire(ctx, id)
	if err != nil {
		return nil, errors.Join(acquireError(id, err), store.Close())
	}
	endDelivery := func() {}
	if w.isNew() && opened.err == nil {
		endDelivery = a.deliverBehind(ctx, store, v.notice)
	}
	release := func() {
		endDelivery()
		_ = errors.Join(giveBack(), store.Close()) // nothing of it concerns the person any more
	}
	line := history.New(ikigai.Main)
	session, kit, err := a.openSession(ctx, w, store, grant, line, endpoint, v)
	if err != nil {
		release()
		return nil, err
	}
	return &work{session: session, agent: a.newAgent(endpoint, session, line, kit, v), release: release}, nil
}

// usable returns the store, or one that takes nothing when a new session can
// do without.
func (a *app) usable(opened storeResult, w which) (ikigai.Store, error) {
	if opened.err == nil {
		return opened.store, nil
	}
	if w.isNew() {
		return noStore{opened.err}, nil
	}
	return nil, opened.err
}

func acquireError(id ikigai.ID, err error) error {
	if errors.Is(err, ikigai.ErrBusy) {
		return &ikigai.Error{Kind: ikigai.ErrorStore, What: fmt.Sprintf("The session %s is open in another process", id),
			Do: "Wait for it, or begin a new session", Err: err}
	}
	return err
}

// openSession begins or restores the session and brings its tools up to date.
func (a *app) openSession(ctx context.Context, w which, store ikigai.Store, grant ikigai.Grant, line *history.Line,
	endpoint config.Endpoint, v *view) (*session.Session, []ikigai.Tool, error) {

	at := places{a.settings.Database}
	kit := tools.Builtin(tools.Config{
		SpillDir:   at.output(grant.Session),
		BashResult: a.settings.BashResult,
		MaxOutput:  a.settings.MaxOutputSize,
		Env:        a.childEnv(grant.Session),
	})
	c := session.Config{
		Log: store, Grant: grant, Journals: at.journals(), Partial: at.partial(grant.Session),
		Projections: []session.Projection{line, v}, Recorded: v.recorded, Shown: v.shown, Notice: v.notice,
	}
	if w.isNew() {
		v.begin()
		s := session.Begin(c)
		s.Queue(
			ikigai.NewEvent(ikigai.KindSession, a.dir, ikigai.SessionData{Dir: a.dir, Model: endpoint.Name, Version: version()}),
			ikigai.NewEvent(ikigai.KindSystem, systemPrompt(a.dir), nil),
			toolsEvent(kit))
		return s, kit, nil
	}
	s, err := session.Restore(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	v.begin()
	if !reflect.DeepEqual(line.Request().Tools, specs(kit)) {
		s.Queue(toolsEvent(kit))
	}
	return s, kit, nil
}

func (a *app) newAgent(endpoint config.Endpoint, s *session.Session, line *history.Line, kit []ikigai.Tool, v *view) *agent.Agent {
	return &agent.Agent{
		Model: a.model(endpoint), ModelName: endpoint.Name, Tools: kit, Recorder: s, History: line, Dir: a.dir,
		ToolChoice: a.settings.ToolChoice, MaxToolTurns: a.settings.MaxToolTurns,
		MaxOutputSize: a.settings.MaxOutputSize, Concurrency: a.settings.ToolConcurrency,
		Approve: a.approver(v), Progress: v.progress,
	}
}

// model returns the client of an endpoint.
func (a *app) model(e config.Endpoint) ikigai.Model {
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

// noStore is a store that could not be opened. A session goes on without it.
type noStore struct{ err error }

func (n noStore) Append(context.Context, ikigai.Grant, ikigai.Seq, ...ikigai.Event) error {
	return n.err
}

func (n noStore) Events(context.Context, ikigai.ID, ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) { yield(ikigai.Event{}, n.err) }
}

func (n noStore) Blob(context.Context, string) ([]byte, error) { return nil, n.err }

func (n noStore) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	return ikigai.Grant{Session: id, Fence: 1}, func() error { return nil }, nil
}

func (n noStore) Sessions(context.Context, ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) { yield(ikigai.SessionInfo{}, n.err) }
}

func (n noStore) Close() error { return nil }
