package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/journal"
	"ikigai/internal/knowledge"
	"ikigai/internal/session"
	"ikigai/internal/undo"
)

// work is an open session with all that runs statements in it.
type work struct {
	*opening
	session *session.Session
	agent   *agent.Agent
	reads   *reading // what the commands of the front read; nil elsewhere
}

// refresh takes in, between statements, which tools there are now.
func (w *work) refresh(ctx context.Context) {
	before := specs(w.kit.list)
	if !w.kit.refresh(ctx) {
		return
	}
	for _, line := range w.kit.news() {
		w.view.notice(line)
	}
	w.agent.Tools = w.kit.list
	if !reflect.DeepEqual(before, specs(w.kit.list)) {
		w.session.Queue(toolsEvent(w.kit.list))
	}
}

// close ends what runs for the session, then the session, and gives back what it
// held.
func (w *work) close() {
	tellStopped(w.view.notice, w.kit.close())
	w.asking.settle(context.Background())
	w.session.Close()
	if w.which.fork && !w.stays() {
		w.removeFork()
	}
	w.release()
}

// stays reports whether the log has more of the session than what it shares with
// the one that it is a fork of.
func (w *work) stays() bool { return w.session.Head() > w.base }

// removeFork removes the session, a fork in which nothing has happened. Where that
// fails, it is one more among the sessions.
func (w *work) removeFork() {
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	if w.store.Remove(ctx, w.grant) == nil {
		_ = os.RemoveAll(w.places().session(w.session.ID()))
	}
}

// removeTime bounds the removal of a fork: who leaves waits for it.
const removeTime = time.Second

// again returns how to come back to the session once it is closed.
func (w *work) again() which {
	switch {
	case w.stays():
		return which{id: string(w.session.ID())}
	case w.which.fork:
		return which{id: string(w.parent.ID), fork: true, at: fmt.Sprint(w.base)}
	}
	return which{}
}

// howToGoOn tells a person who has left how to come back to the session.
func (w *work) howToGoOn() string {
	id := w.session.ID()
	if w.session.Durability() == ikigai.Journalled {
		if _, _, err := journal.Whole(id, w.places().journals()...); err != nil {
			return fmt.Sprintf("The end of the session waits in a journal on this machine. Once the database answers,\ngo on with `ikigai --resume %s`.", id)
		}
	}
	return fmt.Sprintf("Go on with `ikigai --resume %s`.", id)
}

// opening is what a session is opened with.
type opening struct {
	*app
	which    which
	endpoint config.Endpoint
	view     viewer

	store   ikigai.Store
	grant   ikigai.Grant
	parent  ikigai.SessionInfo // of a fork
	base    ikigai.Seq         // the last event that the fork shares with it
	line    *history.Line
	files   *history.Files
	nested  *knowledge.Nested
	prompt  prompted
	purpose *history.Purpose
	tally   *history.Tally
	used    *history.Resources
	kit     *kit
	indexer indexer
	spent   spendings
	tasks   tasks
	asking  *objectives
	handing *handing // of the main interaction
	permits *permits

	modelMu    sync.Mutex       // while the model is changed, or that for small work found
	smallModel *agent.Candidate // for small work; nil until it is needed

	ends []func() // what is to be done in the end, the last first
}

// open opens a session, new or existing, with the model of endpoint.
func (a *app) open(ctx context.Context, w which, endpoint config.Endpoint, opened storeResult, v viewer) (*work, error) {
	o := &opening{app: a, which: w, endpoint: endpoint, view: v, line: history.New(ikigai.Main), files: history.NewFiles(ikigai.Main),
		purpose: history.NewPurpose(), tally: history.NewTally(ikigai.Main), used: history.NewResources(ikigai.Main)}
	if o.store = opened.store; opened.err != nil {
		o.store = a.noStore(opened.err)
	}
	o.permits = o.newPermits()
	o.line.SetBlobs(o.blob)
	id, err := o.choose(ctx)
	if err != nil {
		return nil, errors.Join(err, o.store.Close())
	}
	var giveBack func() error
	if o.grant, giveBack, err = acquireWithin(ctx, o.store, id, w.patience(), func() {
		v.notice(fmt.Sprintf("Another process has this session open. It is waited for, %g s at most.", acquireTime.Seconds()))
	}); err != nil {
		return nil, errors.Join(busy(id, err), o.store.Close())
	}
	o.ends = append(o.ends, func() { _ = errors.Join(giveBack(), o.store.Close()) }) // nothing of it concerns the person any more
	if w.isNew() && opened.err == nil {
		o.ends = append(o.ends, a.deliverBehind(ctx, o.store, v.notice))
	}
	if opened.err == nil {
		o.ends = append(o.ends, o.indexer.start(ctx, o.store))
	}
	a.tellOrphans(v.notice)
	o.ends = append(o.ends, a.recordRun()) // before the tools are made: it marks their environment
	s, err := o.begin(ctx)
	if err != nil {
		o.release()
		return nil, err
	}
	all := &work{opening: o, session: s, agent: o.agent(ctx, s)}
	o.handing.work, o.handing.agent = all, all.agent
	o.asking.work = all
	all.agent.Fitter = all.fitting()
	if !w.aside {
		all.keepAgain()
	}
	return all, nil
}

// begin assembles the tools and begins or restores the session.
func (o *opening) begin(ctx context.Context) (*session.Session, error) {
	if _, err := o.sealedTools(); err != nil {
		return nil, err
	}
	o.nested = knowledge.NewNested(ikigai.Main, o.dir)
	o.handing = &handing{opening: o, interaction: ikigai.Main, left: o.settings.Tasks.Depth}
	o.kit = o.newKit(ctx, kitConfig{session: o.grant.Session, known: o.files.Known, notice: o.view.notice, own: o.handing.tools()})
	o.ends = append(o.ends, func() { o.kit.close() })
	if o.which.aside {
		return o.session(ctx) // no tool will run
	}
	o.kit.start(ctx)
	if err := checkToolChoice(o.settings.ToolChoice, o.kit.names()); err != nil {
		return nil, err
	}
	for _, line := range o.kit.news() {
		o.view.notice(line)
	}
	return o.session(ctx)
}

// release ends what goes on for the session and gives back what it held, the
// last first.
func (o *opening) release() {
	for _, end := range slices.Backward(o.ends) {
		end()
	}
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

// acquireTime is how long a session is waited for: whoever delivers what waits of it
// has it for a moment.
const acquireTime = 2 * deliverTime

// acquire takes a session, within acquireTime.
func acquire(ctx context.Context, store ikigai.Store, id ikigai.ID) (ikigai.Grant, func() error, error) {
	return acquireWithin(ctx, store, id, acquireTime, func() {})
}

// acquireNotice is how long somebody who wants a session waits without a word.
const acquireNotice = 300 * time.Millisecond

// acquireWithin takes a session. One that is open elsewhere for longer than patience is
// an error that is an ErrBusy; waits is called once that takes a while.
func acquireWithin(ctx context.Context, store ikigai.Store, id ikigai.ID, patience time.Duration, waits func()) (ikigai.Grant, func() error, error) {
	told := false
	for began := time.Now(); ; {
		grant, giveBack, err := store.Acquire(ctx, id)
		waited := time.Since(began)
		if !errors.Is(err, ikigai.ErrBusy) || waited > patience {
			return grant, giveBack, err
		}
		if waited > acquireNotice && !told {
			told = true
			waits()
		}
		select {
		case <-ctx.Done():
			return grant, nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// session begins or restores the session and brings its list of tools up to
// date.
func (o *opening) session(ctx context.Context) (*session.Session, error) {
	at := o.places()
	o.asking = o.newObjectives(ctx)
	c := session.Config{
		Store: o.store, Grant: o.grant, Journals: at.journals(), Partial: at.partial(o.grant.Session),
		Projections: []session.Projection{o.line, o.files, o.purpose, o.tally, o.used, o.nested, &o.prompt, o.view, &o.spent, &o.tasks, o.asking},
		Recorded:    o.recorded, Shown: o.view.shown, Notice: o.view.notice,
	}
	if o.which.isNew() {
		o.view.begin()
		s := session.Begin(c)
		s.Hold(
			ikigai.NewEvent(ikigai.KindSession, o.dir, ikigai.SessionData{Dir: o.dir, Model: o.endpoint.Name, Version: version()}),
			o.system(o.view.notice),
			toolsEvent(o.kit.list))
		o.recordTrust(s)
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
		s.Hold(forkEvent(o.parent.ID, o.base))
	}
	if !o.which.aside && !reflect.DeepEqual(o.line.Request().Tools, specs(o.kit.list)) {
		s.Hold(toolsEvent(o.kit.list))
	}
	o.recordTrust(s)
	return s, nil
}

// recordTrust has the log know whether what the project brings may act.
func (o *opening) recordTrust(s *session.Session) {
	if event, ok := o.project.event(); ok {
		s.Hold(event)
	}
}

// tellOfModel tells the person where a session goes on with another model than
// the one that has answered last, unless they have just asked for it.
func (o *opening) tellOfModel() {
	before := o.spent.answered()
	if before == "" || before == o.endpoint.Name || o.flags["model"] != "" || o.which.aside {
		return
	}
	o.view.notice(fmt.Sprintf("The session goes on with %s; %s has answered last. Choose with --model.", o.endpoint.Name, before))
}

// recorded tells the view of an event, and the indexer of what is waited for.
func (o *opening) recorded(e ikigai.Event, d ikigai.Durability) {
	o.indexer.recorded(e)
	o.view.recorded(e, d)
}

func (o *opening) agent(ctx context.Context, s *session.Session) *agent.Agent {
	a := &agent.Agent{
		Model: o.model(o.endpoint), ModelName: o.endpoint.Name,
		Level: o.endpoint.Level, NoFormat: o.endpoint.Known.NoFormat, Tools: o.kit.list, Recorder: s, History: o.line, Dir: o.dir,
		ToolChoice: o.settings.ToolChoice, MaxToolTurns: o.settings.MaxToolTurns,
		MaxOutputSize: o.settings.MaxOutputSize, Concurrency: o.settings.ToolConcurrency,
		MaxOutput: o.settings.MaxOutputTokens,
		CacheKey:  string(s.ID()),
		Price:     o.price,
		Standing:  o.standing(), Feedback: o.settings.Feedback, Waiting: o.asking.begin,
		Approve:   o.permits.judge,
		Fallbacks: o.fallbacks, MaxRetries: o.settings.MaxRetries,
		ResultFormat: o.settings.ResultFormat, KeepDir: o.places().kept(s.ID()), OutputDir: o.places().output(s.ID()),
		Context: o.contextOf(o.endpoint), UsualOutput: outputOf(o.endpoint),
	}
	a.Notes = o.nestedNotes()
	if w := o.watch(ctx); w != nil {
		a.Watcher = w
	}
	if o.format != nil {
		a.Format, a.CheckAnswer = o.format.Format, o.format.check
	}
	a.Progress = o.view.progress()
	return a
}

// watch begins to watch the working directory, so that what commands change in
// it can be undone. It is nil where that is switched off.
func (o *opening) watch(ctx context.Context) *undo.Watcher {
	if o.settings.UndoLimit == 0 || o.which.aside {
		return nil
	}
	w := undo.Watch(ctx, undo.Config{Dir: o.dir, Limit: int64(o.settings.UndoLimit), Env: o.childEnv(""), Skip: o.unwatched(), Notice: o.view.notice})
	o.ends = append(o.ends, w.Close)
	return w
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
