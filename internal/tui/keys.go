package tui

import (
	"slices"
	"strings"
	"time"

	"ikigai/internal/tty"
	"ikigai/internal/tui/editor"
)

// typed takes in what was typed, and what has been typed meanwhile. No keys come
// any more when the terminal is gone.
func (l *loop) typed(keys []tty.Key, ok bool) {
	l.urgent, l.dirty = true, true
	for since := time.Now(); ; {
		if !ok {
			l.over, l.err = true, ErrGone
			l.config.Host.Leave()
			return
		}
		for _, k := range keys {
			if l.key(k); l.over {
				return
			}
		}
		if time.Since(since) >= batch {
			return
		}
		select {
		case keys, ok = <-l.keys():
		default:
			return
		}
	}
}

// key does what a key asks for: of what is open over the session, of a question,
// of the input, of the front.
func (l *loop) key(k tty.Key) {
	now := time.Now()
	quiet := l.quiet(now)
	l.keyAt, l.fresh, l.hint = now, false, hint{}
	l.disarm(k)
	switch {
	case l.plain != nil:
		l.plain.key(l, k)
		return
	case l.open() != nil:
		l.open().key(l, k)
		return
	}
	l.follows(k)
	if l.control(k) || l.answers(k, quiet) {
		return
	}
	l.help = false
	if !l.atOnce(k) && !l.edit(k) {
		l.command(k)
	}
}

// disarm has a key that does something when it is pressed twice begin anew: another
// one came in between.
func (l *loop) disarm(k tty.Key) {
	if !k.Is(tty.KeyEscape, 0) {
		l.escapedAt = time.Time{}
	}
	if !k.Ctrl('c') {
		l.interruptedAt = time.Time{}
	}
}

// control does what does not depend on what is asked or typed.
func (l *loop) control(k tty.Key) bool {
	switch {
	case k.Ctrl('z'):
		l.suspend()
	case k.Ctrl('l'):
		l.redraw()
	case k.Ctrl('o'):
		l.config.Host.ShowAll()
	case k.Ctrl('x') && len(l.running()) > 0:
		running := l.running()
		l.config.Host.Cancel(running[len(running)-1].id)
	default:
		return false
	}
	return true
}

// atOnce does what a key means while nothing is typed, whatever else the input
// has it for: Escape stops, also with vi's keys, and Up takes back what waits
// before it goes through the history.
func (l *loop) atOnce(k tty.Key) bool {
	switch {
	case !l.input.Empty():
		return false
	case k.Is(tty.KeyEscape, 0) && l.work.busy:
		return l.escape()
	case k.Is(tty.KeyUp, 0) && len(l.waiting) > 0:
		return l.takeInputBack()
	}
	return false
}

// edit gives a key to the input. It reports whether that was all.
func (l *loop) edit(k tty.Key) bool {
	empty := l.input.Empty()
	event := l.input.Handle(k)
	l.instead = l.instead && !l.input.Empty()
	switch event {
	case editor.Nothing:
		return false
	case editor.Changed:
		if empty && k.Printable() && k.Rune == '?' && l.input.Text() == "?" {
			l.input.Set("")
			l.help = true
		}
	case editor.Complete:
		l.complete()
	case editor.Submit, editor.Queue:
		l.submit(event == editor.Queue)
	case editor.EditElsewhere:
		l.editElsewhere()
	}
	return true
}

// submit sends off what was typed.
func (l *loop) submit(queue bool) {
	text, files := l.input.Take()
	if text != "" || len(files) > 0 {
		l.config.Host.Submit(Input{Text: text, Files: files, Queue: queue, Instead: l.instead})
	}
	l.instead = false
}

// command does what a key means that is none of the input's.
func (l *loop) command(k tty.Key) {
	switch {
	case k.Is(tty.KeyEscape, 0):
		l.escape()
	case k.Ctrl('c'):
		l.interrupt()
	case k.Ctrl('d') && l.input.Empty():
		l.leave()
	}
}

// escape stops what is under way. If nothing is, twice of it has the last
// statement be edited.
func (l *loop) escape() bool {
	now := time.Now()
	if l.halt() {
		l.escapedAt = now
		return true
	}
	if !l.input.Empty() {
		return false
	}
	if now.Sub(l.escapedAt) < leaveTime {
		l.escapedAt = time.Time{}
		l.config.Host.EditLast()
		return true
	}
	l.escapedAt = now
	l.hint = hint{"Esc again edits the last statement", now.Add(leaveTime)}
	return true
}

// halt stops what is under way. What waits for its end does not begin then.
func (l *loop) halt() bool {
	l.giveBack()
	return l.config.Host.Stop()
}

// giveBack gives what was sent off and has not begun back into the input, before what
// stands there.
func (l *loop) giveBack() {
	var texts, files []string
	for in, ok := l.config.Host.TakeBack(); ok; in, ok = l.config.Host.TakeBack() {
		texts, files = append(texts, in.Text), append(files, in.Files...)
	}
	if len(texts) > 0 {
		slices.Reverse(texts)
		if text := l.input.Text(); text != "" {
			texts = append(texts, text)
		}
		l.restore(Input{Text: strings.Join(texts, "\n"), Files: files})
	}
}

// interrupt stops what is under way; if nothing is, twice of it leaves.
func (l *loop) interrupt() {
	now := time.Now()
	switch {
	case l.halt():
	case now.Sub(l.interruptedAt) < leaveTime:
		l.leave()
	default:
		l.interruptedAt = now
		l.hint = hint{"Ctrl-C again leaves", now.Add(leaveTime)}
	}
}

// leave ends Run.
func (l *loop) leave() {
	l.over = true
	l.config.Host.Leave()
}

// takeInputBack puts what waits, the last of it, back into the input.
func (l *loop) takeInputBack() bool {
	input, ok := l.config.Host.TakeBack()
	if !ok {
		return false
	}
	l.restore(input)
	return true
}

// restore puts what was sent off into the input again. A front of lines has none and
// says it.
func (l *loop) restore(in Input) {
	if l.plain != nil {
		l.print("This is what was said, to be said anew: " + safe(in.Text))
		return
	}
	l.input.Set(in.Text)
	l.instead = in.Instead
	for _, path := range in.Files {
		l.input.Handle(tty.Key{Code: tty.KeyPaste, Text: path})
	}
}

// setInput puts text into the input, if nothing stands there. It reports whether it
// has.
func (l *loop) setInput(text string) bool {
	if l.plain != nil {
		l.restore(Input{Text: text})
		return false
	}
	empty := l.input.Empty()
	if empty {
		l.input.Set(text)
	}
	return empty
}
