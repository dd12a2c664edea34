package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

// Config says what is watched.
type Config struct {
	Dir   string   // absolute
	Limit int64    // bytes of contents in memory at most
	Git   string   // the program; "" looks for it in the PATH of Env
	Env   []string // of git

	// Skip is what is not looked at: all absolute paths that begin with one of
	// these, such as those of files that this program itself writes.
	Skip []string
	// Notice is told, in two sentences, what will not be undone. It may be nil.
	Notice func(string)

	files   int // that are watched at most; 0 for maxFiles
	changes int // of one run of a tool that are recorded at most; 0 for maxChanges
}

const (
	maxFiles   = 100_000
	maxChanges = 5_000
)

// Watcher knows what lies in a directory, so that it can tell what a tool has
// changed and what was there before. It holds in memory what cannot be had from
// git's objects.
//
// Tools of several interactions may run at once. What is different is then
// recorded once, for the one of them that has run longest; what a tool announces
// is left to it, from Announce until the function that it returns has returned.
type Watcher struct {
	config   Config
	git      git
	memory   memory
	contents contents

	turn   chan struct{} // held by whoever works on what follows
	begun  sync.Once
	tree   *tree  // as it was seen last
	off    string // why the directory is not watched any more; "" while it is
	ctx    context.Context
	cancel context.CancelFunc // ends what goes on beside the way

	mu        sync.Mutex
	running   []*watched         // tools whose changes are looked for, the one that began first first
	announced map[string]int     // by path: how many calls have announced that they change it
	waiting   int                // tools that wait for the turn, while contents are read
	hurry     context.CancelFunc // ends the reading of contents that is not done yet
	told      bool               // the person was told that a tool did not wait any longer
}

// watched is a tool that is about to run, runs, or whose changes are still to be
// found.
type watched struct {
	callID string
	record func(...ikigai.Event)
	begun  bool   // the directory was looked at for it
	missed string // why what it has changed is not found; "" if it is
}

const (
	// beforeTime is how long a tool waits at most until the directory is known.
	beforeTime = 2 * time.Second
	// firstTime is how long the first look may take, beside the way.
	firstTime = 20 * time.Second
	// afterTime is how long it may take to find what a tool has changed.
	afterTime = 10 * time.Second
)

// Watch returns what watches a directory once Begin is called, until ctx ends or
// Close is called.
func Watch(ctx context.Context, config Config) *Watcher {
	config.files, config.changes = cmp.Or(config.files, maxFiles), cmp.Or(config.changes, maxChanges)
	w := &Watcher{config: config, memory: memory{limit: config.Limit}, turn: make(chan struct{}, 1)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.turn <- struct{}{}
	return w
}

// Begin implements agent.Watcher: it returns at once, and everything is looked at
// beside the way.
func (w *Watcher) Begin() {
	w.begun.Do(func() {
		w.behind(func(ctx context.Context) {
			w.git = git{program: w.program(), env: w.config.Env}
			w.git.open(w.config.Dir)
			first, cancel := context.WithTimeout(w.ctx, firstTime) // a tool that waits does not end it
			defer cancel()
			w.look(first)
		})
	})
}

// Close ends the watch and waits until nothing of it goes on.
func (w *Watcher) Close() {
	w.cancel()
	<-w.turn
	w.stop(tooLate)
	_ = w.contents.close() // it was for this watch alone
	w.turn <- struct{}{}
}

// program returns the path of git, "" if there is none.
func (w *Watcher) program() string {
	if w.config.Git != "" {
		return w.config.Git
	}
	for i := len(w.config.Env) - 1; i >= 0; i-- {
		if path, ok := strings.CutPrefix(w.config.Env[i], "PATH="); ok {
			return lookIn(path)
		}
	}
	return ""
}

// lookIn returns the path of git in the directories of a PATH.
func lookIn(path string) string {
	for dir := range strings.SplitSeq(path, ":") {
		if strings.HasPrefix(dir, "/") {
			if found, err := exec.LookPath(dir + "/git"); err == nil {
				return found
			}
		}
	}
	return ""
}

// behind does something to the tree, and then reads what is not held yet, while
// nobody waits. It returns once it has the turn, which comes back when it is done.
func (w *Watcher) behind(do func(context.Context)) {
	<-w.turn
	ctx, hurry := context.WithCancel(w.ctx)
	w.mu.Lock()
	w.hurry = hurry
	if w.waiting > 0 {
		hurry()
	}
	w.mu.Unlock()
	go func() {
		defer func() { w.turn <- struct{}{} }()
		defer hurry()
		defer crash.Guard()
		do(ctx)
		if w.tree != nil {
			w.hold(ctx, w.tree)
		}
	}()
}

// tooLate is why what a tool has changed is not found when the session is left.
const tooLate = "the session was left before they were looked for"

// stop ends the watch of the directory.
func (w *Watcher) stop(why string) {
	w.off, w.tree = why, nil
	w.miss(why)
}

// miss notes that what the tools that run have changed is not found.
func (w *Watcher) miss(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.running {
		r.missed = why
	}
}

// look looks at the directory. It reports false if that cannot be done, now or,
// if off is set, at all.
func (w *Watcher) look(ctx context.Context) bool {
	now, err := scan(ctx, w.config)
	switch {
	case err == nil:
		now.inherit(w.tree)
		w.tree = now
		return true
	case errors.As(err, new(errTooMany)):
		w.stop(fmt.Sprintf("there are more than %d files in the directory", w.config.files))
	case w.ctx.Err() != nil || errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, context.DeadlineExceeded):
		w.stop("it takes too long to look at the directory")
	default:
		w.stop("the directory cannot be looked at: " + reasonOf(err))
	}
	w.notice(fmt.Sprintf("What commands change in %s cannot be undone: %s", w.config.Dir, w.off))
	return false
}

func (w *Watcher) notice(what string) {
	if w.config.Notice != nil {
		w.config.Notice(what + ". What the file tools change still can, with `ikigai undo`.")
	}
}

// Before implements agent.Watcher. It brings what is known of the directory up
// to date, unless other tools run: what is different is then of one of them.
func (w *Watcher) Before(ctx context.Context, callID string, record func(...ikigai.Event)) (after func(context.Context)) {
	if w.ctx.Err() != nil {
		return nil
	}
	w.Begin()
	r := &watched{callID: callID, record: record}
	w.mu.Lock()
	w.running = append(w.running, r) // now, so that a change which is announced meanwhile is waited for
	w.mu.Unlock()
	if w.ready(ctx, r) {
		return func(ctx context.Context) {
			w.seen(ctx, time.Now())
			w.leave(r)
			r.tell()
		}
	}
	w.leave(r)
	if r.missed == "" {
		return nil
	}
	return func(context.Context) { r.tell() }
}

// tell records that what the tool has changed was not found, if it was not. The
// tool has been left.
func (r *watched) tell() {
	if r.missed != "" {
		m := Missed{Why: r.missed}
		r.record(m.event(r.callID))
	}
}

// ready does what Before is for.
func (w *Watcher) ready(ctx context.Context, r *watched) bool {
	ctx, cancel := context.WithTimeout(ctx, beforeTime)
	defer cancel()
	if !w.take(ctx) {
		w.late(ctx, r)
		return false
	}
	defer func() { w.turn <- struct{}{} }()
	seen := w.off == "" && (w.longest() != nil || w.look(ctx))
	if seen {
		w.hold(ctx, w.tree)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r.begun, r.missed = seen, w.off
	return seen
}

// leave tells that nothing is to be found of a tool any more.
func (w *Watcher) leave(r *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = slices.DeleteFunc(w.running, func(one *watched) bool { return one == r })
}

// take takes the turn for a tool that waits. It reports false if that took too
// long.
func (w *Watcher) take(ctx context.Context) bool {
	w.mu.Lock()
	w.waiting++
	w.hurry()
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waiting--
	}()
	select {
	case <-w.turn:
		return true
	case <-ctx.Done():
		return false
	}
}

// late notes that a tool has not waited any longer, and tells the person once.
func (w *Watcher) late(ctx context.Context, r *watched) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	w.mu.Lock()
	told := w.told
	w.told, r.missed = true, "the directory was still being looked at"
	w.mu.Unlock()
	if !told {
		w.notice("What commands change now cannot be undone: the directory is still being looked at")
	}
}

// longest returns the tool that has run longest of those whose changes are still
// to be found; nil if there is none.
func (w *Watcher) longest() *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.running {
		if r.begun {
			return r
		}
	}
	return nil
}

// busy reports whether any tool runs, or is about to.
func (w *Watcher) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.running) > 0
}

// seen returns once all that was done until a moment is recorded.
func (w *Watcher) seen(ctx context.Context, until time.Time) {
	done := make(chan struct{})
	w.behind(func(context.Context) {
		defer close(done)
		if w.tree != nil && !w.tree.began.After(until) { // else somebody has looked since
			w.compare(ctx)
		}
	})
	<-done
}

// sync is seen for a tool that waits: what could not be recorded within a few
// seconds is so later.
func (w *Watcher) sync(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, beforeTime)
	defer cancel()
	if w.take(ctx) {
		defer func() { w.turn <- struct{}{} }()
		if w.tree != nil {
			w.compare(context.WithoutCancel(ctx))
		}
	}
}

// compare records what is different from what was seen last, for the tool that
// has run longest.
func (w *Watcher) compare(ctx context.Context) {
	of := w.longest()
	if of == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, afterTime)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)()
	was := w.tree
	if !w.look(ctx) {
		if w.ctx.Err() != nil {
			w.miss(tooLate)
		}
		return
	}
	c := comparison{Watcher: w, ctx: ctx, callID: of.callID, was: was, is: w.tree, record: of.record}
	c.run()
}

// Announce implements agent.Watcher. What other tools have changed by now is
// recorded before it returns, so that the change which is announced comes after
// it; and before done returns, so that what they change from then on is theirs.
func (w *Watcher) Announce(ctx context.Context, path string) (done func(context.Context)) {
	if w.busy() {
		w.sync(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.announced == nil {
		w.announced = map[string]int{}
	}
	w.announced[path]++
	return func(ctx context.Context) {
		if w.busy() {
			w.seen(ctx, time.Now())
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.announced[path]--; w.announced[path] == 0 {
			delete(w.announced, path)
		}
	}
}

// unfinished is what stands in the name of the file in which a tool prepares what
// a file is to hold: a dot and the name of that file before it, chance behind.
const unfinished = ".ikigai-"

// isAnnounced reports whether a call may be at a path that has announced to
// change it, or the file for which it stands.
func (w *Watcher) isAnnounced(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.announced[path] > 0 {
		return true
	}
	dir, name := filepath.Split(path)
	of, _, ok := strings.Cut(name, unfinished)
	return ok && strings.HasPrefix(of, ".") && w.announced[dir+of[1:]] > 0
}
