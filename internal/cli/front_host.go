package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/crash"
	"ikigai/internal/tui"
)

// isCommand reports whether what the person has sent off is a command. A path, with
// a second slash in the first word, is none.
func isCommand(text string) bool {
	word, _ := cutWord(text)
	return strings.HasPrefix(text, "!") || strings.HasPrefix(text, "/") && !strings.Contains(word[1:], "/")
}

// Submit implements tui.Host.
func (f *front) Submit(in tui.Input) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.take(in)
}

// say has something said as if the person had typed it: it runs, or steers, or
// waits. Commands of the person's own are statements in the end.
func (f *front) say(in tui.Input) { f.Submit(in) }

// take lets an input wait, and begins what can begin. Once the person has left, nothing
// begins: a command that had them pick something may say it only then. The caller holds
// the lock.
func (f *front) take(in tui.Input) {
	if f.left.Load() {
		return
	}
	if isQuit(in) {
		time.AfterFunc(quitTime, f.quitNow)
	}
	in.Queue = in.Queue || f.settings.Terminal.WhileWorking == config.WhileWorkingQueue
	f.waiting = append(f.waiting, in)
	f.step()
}

// quitTime is how long who wants to leave waits for the commands before that.
const quitTime = time.Second

// isQuit reports whether an input is that the person wants to leave.
func isQuit(in tui.Input) bool { return strings.TrimRight(in.Text, " \t\n") == "/quit" }

// quitNow has the person leave if they still wait for that.
func (f *front) quitNow() {
	defer crash.Guard()
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.waiting, isQuit) {
		f.ui.Quit()
	}
}

// step begins what waits and can begin now. The caller holds the lock.
func (f *front) step() {
	f.stepCommand(&f.telling, onlyTells)
	f.stepCommand(&f.errand, func(line string) bool { return isCommand(line) && !onlyTells(line) })
	if len(f.underWay()) == 0 && len(f.waiting) > 0 {
		in := f.waiting[0]
		f.waiting = slices.Delete(f.waiting, 0, 1)
		f.turn = f.begin(func(ctx context.Context) { f.answer(ctx, in) }, func() { f.turn = nil })
	}
	f.ui.Waiting(slices.Clone(f.waiting))
}

// stepCommand begins the first command of a sort that waits, unless one of that sort
// is under way. The caller holds the lock.
func (f *front) stepCommand(now **doing, isOne func(line string) bool) {
	i := slices.IndexFunc(f.waiting, func(in tui.Input) bool { return isOne(in.Text) })
	if i < 0 || *now != nil {
		return
	}
	line := f.waiting[i].Text
	f.waiting = slices.Delete(f.waiting, i, i+1)
	*now = f.begin(func(ctx context.Context) { f.obey(ctx, line) }, func() { *now = nil })
}

// begin begins something and, once it has ended, what waits for that. The caller
// holds the lock.
func (f *front) begin(do func(context.Context), ended func()) *doing {
	ctx, stop := context.WithCancelCause(f.life)
	if len(f.underWay()) == 0 { // else it is told already what is
		f.ui.Busy("")
	}
	f.running.Go(func() {
		f.guard(func() { do(ctx) })
		stop(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		ended()
		f.hearRest()
		if len(f.underWay()) == 0 {
			f.ui.Idle()
		}
		f.showStatus()
		if !f.left.Load() {
			f.step()
		}
	})
	return &doing{stop}
}

// hearRest has the log take what the model is yet to be told once no turn is under
// way that could take it. The caller holds the lock.
func (f *front) hearRest() {
	if f.turn == nil && len(f.heard) > 0 && f.work != nil {
		f.work.session.Queue(f.heard...)
		f.heard = nil
	}
}

// obey does what a command says.
func (f *front) obey(ctx context.Context, line string) {
	if strings.HasPrefix(line, "/") { // the other ones are shown as calls
		defer f.echoes.await(line)()
	}
	f.tellError(ctx, f.do(ctx, line))
}

// tellError tells why something failed that was done until ctx ends. What was stopped
// says so itself, or that is all there is to say, unless the person has left.
func (f *front) tellError(ctx context.Context, err error) {
	_, says := err.(*ikigai.Error)
	switch {
	case err == nil:
	case says || ctx.Err() == nil:
		f.notice(told(err))
	case !f.left.Load():
		f.notice("Stopped.")
	}
}

// told returns an error as sentences.
func told(err error) string {
	if e, ok := err.(*ikigai.Error); ok {
		return e.Error()
	}
	return sentence(err.Error())
}

// idle returns nil if no turn is under way. None begins then before the command
// that asks for it has ended. It is for commands that change what is sent.
func (f *front) idle(ctx context.Context) error {
	if _, err := f.opened(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.turn != nil {
		return usage("A turn is under way", "Stop it with Esc, or wait until it ends")
	}
	return nil
}

// Stop implements tui.Host: what began last is stopped, as far as that can be told.
func (f *front) Stop() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.underWay()
	if len(all) == 0 {
		return false
	}
	all[0].stop(errStopped)
	return true
}

// Cancel implements tui.Host.
func (f *front) Cancel(callID string) {
	f.mu.Lock()
	w := f.work
	f.mu.Unlock()
	if w != nil {
		w.agent.Cancel(callID)
	}
}

// TakeBack implements tui.Host.
func (f *front) TakeBack() (tui.Input, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) == 0 {
		return tui.Input{}, false
	}
	last := len(f.waiting) - 1
	in := f.waiting[last]
	f.waiting = f.waiting[:last]
	f.ui.Waiting(slices.Clone(f.waiting))
	return in, true
}

// EditLast implements tui.Host.
func (f *front) EditLast() { f.beside(f.editLast) }

// ShowAll implements tui.Host.
func (f *front) ShowAll() { f.beside(f.showAll) }

// beside does what reads the session and waits for the person, beside all else.
func (f *front) beside(do func(context.Context) error) {
	f.running.Go(func() {
		f.guard(func() { f.tellError(f.here, do(f.here)) })
	})
}

// Complete implements tui.Host.
func (f *front) Complete(ctx context.Context, before string) (found tui.Completions) {
	f.guard(func() { found = f.completions(ctx, before) })
	return found
}

// Leave implements tui.Host: what goes on is ended once the terminal is as it was.
func (f *front) Leave() {}
