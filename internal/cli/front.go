package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/crash"
	"ikigai/internal/tui"
)

// frontOptions are the flags of the interactive front that are no settings.
type frontOptions struct {
	which  which
	files  []string // go with the first statement
	script string
	before []ikigai.Event // are recorded before the first statement
}

// front is the host of the interactive front: what the person asks for is done
// here, in a session that is opened beside the way.
//
// A turn runs on a goroutine of its own, and so does a command, one of a sort at a
// time: those that only tell something do not wait for one that does something. A
// statement waits for the turn and the commands before it, a command for those of
// its sort before it alone.
type front struct {
	*app
	ui   *tui.Front
	life context.Context // of what goes on in a session; it outlives turns and commands
	end  context.CancelFunc
	here context.Context // of what the person looks at; it ends when they leave
	part context.CancelFunc
	left atomic.Bool // the front is gone, and the terminal as it was

	broken atomic.Bool // the program itself, which has been told

	stopServer func()    // of the script that plays the model
	paths      pathIndex // to complete what is typed behind an @
	passedOver []string  // what was told of the person's own commands
	echoes     echoes    // of commands that are done

	mu      sync.Mutex
	options frontOptions  // what of them is still to come
	at      whereabouts   // of the session, also while another one is opened
	work    *work         // nil until the session is open
	view    *frontView    // of work
	ready   chan struct{} // closed once work is open, or failed says why it is not
	failed  error
	early   bool           // the person has left while a session was being opened
	unasked error          // why the model cannot be asked; nil if it can
	waiting []tui.Input    // have not begun, in order
	turn    *doing         // under way; nil if there is none
	errand  *doing         // a command that does something, likewise
	telling *doing         // a command that only tells something, likewise
	instead ikigai.Seq     // the statement that the next one takes the place of; 0 for none
	unsaid  []string       // statements that no session was open for
	heard   []ikigai.Event // of commands that the person has typed, which the model is yet to be told
	running sync.WaitGroup
}

// doing is something under way that can be stopped.
type doing struct{ stop context.CancelCauseFunc }

// underWay returns what is under way, what can be stopped soonest first. The caller
// holds the lock.
func (f *front) underWay() []*doing {
	return slices.DeleteFunc([]*doing{f.telling, f.errand, f.turn}, func(d *doing) bool { return d == nil })
}

// errStopped is the cause with which turns and commands end that the person stops.
var errStopped = errors.New("the person stopped it")

// talk shows the interactive front until the person leaves.
func (a *app) talk(ctx context.Context, o frontOptions) error {
	screen, err := a.openTerminal()
	if err != nil {
		return err
	}
	if err := a.attachable(o.files); err != nil {
		return err
	}
	outliveReader()
	a.trusting.ask, a.trusting.typed, a.tell = true, true, a.printAside
	if err := a.load(); err != nil {
		return err
	}
	f := &front{app: a, at: whereabouts{a.dir, a.project}, options: o, ready: make(chan struct{}), stopServer: func() {}}
	f.life, f.end = context.WithCancel(ctx)
	defer f.end()
	a.restore = func() { _ = screen.Stop() } // the program ends at once, as it may on any signal
	shown, stop := f.stoppable(ctx)
	defer stop()
	f.here, f.part = context.WithCancel(shown)
	history, unread := f.history()
	f.ui = tui.New(f.config(screen, history))
	a.tell = f.notice
	if a.ahead != "" {
		f.ui.SetInput(a.ahead)
	}
	if len(o.files) > 0 {
		f.tells("With your first statement goes " + strings.Join(o.files, ", ") + ".")
	}
	defer f.left.Store(true) // also when the front breaks, so that this is told
	if unread != nil {
		f.notice("What was typed before cannot be read: " + unread.Error() + ". Repair that file or remove it.")
	}
	f.running.Go(func() { f.guard(func() { f.openFirst(o) }) })
	f.keyed.Store(true)
	err = f.ui.Run(shown)
	f.keyed.Store(false)
	f.shutDown()
	if f.broken.Load() {
		err = &quietError{exitInternal}
	}
	return f.farewell(cmp.Or(err, signalled(shown)))
}

// attachable returns why a file cannot be attached to the first statement. The input
// is what the person types on.
func (a *app) attachable(files []string) error {
	if slices.Contains(files, "-") {
		return usage("The standard input cannot be attached: it is the terminal", "Name a file with --file")
	}
	_, err := a.compose("", files, false)
	return err
}

// plain reports whether the front is one of lines.
func (f *front) plain() bool {
	return f.settings.Terminal.ScreenReader || f.env("TERM") == "dumb"
}

// stoppable is that of the app, but that a front of lines has the interrupt stop
// what is under way: no key can.
func (f *front) stoppable(ctx context.Context) (context.Context, func()) {
	if f.plain() {
		return f.endedBy(ctx, syscall.SIGTERM, syscall.SIGHUP)
	}
	return f.app.stoppable(ctx)
}

// config returns what the front on the screen works with.
func (f *front) config(screen tui.Terminal, history tui.History) tui.Config {
	t := f.settings.Terminal
	return tui.Config{
		Terminal: screen, Style: f.frontStyle(), Host: f, History: history,
		Vi: t.Keys == config.KeysVi, Plain: f.plain(), In: f.In, Out: f.Out,
		NotifyAfter: t.NotifyAfter, Redact: f.redact, Image: isImage, Edit: f.edit,
	}
}

// signalled returns the error with which the program ends if a signal has ended
// ctx.
func signalled(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &quietError{exitInterrupted}
}

// shutDown ends all that goes on. Everything that came is in the log then.
func (f *front) shutDown() {
	f.mu.Lock()
	f.left.Store(true)
	f.part()
	for _, in := range f.waiting {
		f.unsaid = append(f.unsaid, in.Text)
	}
	f.waiting = nil
	for _, d := range f.underWay() {
		d.stop(errStopped)
	}
	if f.work == nil {
		f.early = f.failed == nil
		f.end() // nothing is open yet, or for ever
	} else {
		f.work.session.Hasten()
	}
	f.mu.Unlock()
	f.await()
	f.mu.Lock()
	w, stopServer := f.work, f.stopServer
	f.mu.Unlock()
	if w != nil {
		f.closeWork(w) // what is still to be recorded is shown, which takes the lock
	}
	stopServer()
}

// endTime is how long what was stopped may take to end by itself.
const endTime = 3 * time.Second

// await waits until what was stopped has ended. Commands that take too long to do
// so are killed; what does not end even then is left behind.
func (f *front) await() {
	ended := make(chan struct{})
	go func() {
		defer crash.Guard()
		f.running.Wait()
		close(ended)
	}()
	for _, wait := range []time.Duration{endTime, leaveTime} {
		select {
		case <-ended:
			return
		case <-time.After(wait):
			f.hurry.Do(func() { close(f.leave) })
		}
	}
}

// farewell tells how to go on.
func (f *front) farewell(err error) error {
	f.mu.Lock() // what was left behind may still be opening a session
	w, failed, early, unsaid := f.work, f.failed, f.early, f.unsaid
	f.mu.Unlock()
	if w != nil && w.stays() {
		fmt.Fprintln(f.Err, w.howToGoOn())
	}
	if failed != nil && w == nil && !early {
		for _, text := range unsaid { // the screen does not have it any more
			fmt.Fprintln(f.Err, "This was not sent:\n"+f.harmless(text))
		}
		return failed
	}
	return err
}

// notice tells the person something that stopped nothing.
func (f *front) notice(text string) {
	if f.left.Load() {
		f.printNotice(ofFront(text))
		return
	}
	f.echo()
	f.ui.Notice(f.redact(inFront(text)))
}
