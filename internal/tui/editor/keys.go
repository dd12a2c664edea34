package editor

import (
	"strings"

	"ikigai/internal/tty"
)

// Handle does what a key asks for.
func (e *Editor) Handle(k tty.Key) Event {
	if e.search.on {
		if event, done := e.searchKey(k); done {
			return event
		}
	}
	if e.list.open() {
		if event, done := e.listKey(k); done {
			return event
		}
	}
	text := e.text
	event := e.step(k)
	if event == Changed {
		return e.completeTyping(k, e.text != text)
	}
	if event != Complete {
		e.list = list{}
	}
	return event
}

// step does what a key asks for where nothing is open.
func (e *Editor) step(k tty.Key) Event {
	e.before, e.now = e.now, something
	if !e.vi.within() && !(k.Printable() && e.before == typing && !e.beginsWord(k.Rune)) {
		e.changes.next()
	}
	event := e.key(k)
	if e.now != vertical {
		e.goal = -1
	}
	return event
}

// beginsWord reports whether r, typed at the cursor, begins a word.
func (e *Editor) beginsWord(r rune) bool {
	return r != ' ' && e.cursor > 0 && classBefore(e.text, e.cursor, asField) == space
}

func (e *Editor) key(k tty.Key) Event {
	switch {
	case e.prefix:
		e.prefix = false
		return e.prefixed(k)
	case k.Ctrl('c'):
		return e.clear()
	case k.Ctrl('x'):
		e.prefix = true
		return Changed
	case k.Ctrl('g'):
		return EditElsewhere
	case k.Code == tty.KeyPaste:
		e.vi.forget()
		e.paste(k.Text)
		return Changed
	case e.config.Vi:
		return e.viKey(k)
	}
	return e.emacs(k)
}

// either is Changed if the key was the editor's.
func either(ours bool) Event {
	if ours {
		return Changed
	}
	return Nothing
}

// prefixed does what a key means after Ctrl-X.
func (e *Editor) prefixed(k tty.Key) Event {
	switch {
	case k.Ctrl('e'):
		return EditElsewhere
	case k.Ctrl('o'), k.Is(tty.KeyRune, 0) && k.Rune == 'o':
		e.openChip()
	case k.Ctrl('u'):
		e.undo()
	case k.Ctrl('r'):
		e.redo()
	}
	return Changed
}

// clear takes all of the text away.
func (e *Editor) clear() Event {
	if e.text == "" {
		return Nothing
	}
	e.changes.next()
	e.replaceAll("")
	e.past = past{}
	e.viReset()
	return Changed
}

// enter sends the text off, unless it is blank or the line goes on.
func (e *Editor) enter() Event {
	if strings.HasSuffix(e.text[:e.cursor], `\`) && e.cursor == lineEnd(e.text, e.cursor) {
		e.edit(e.cursor-1, e.cursor, "\n")
		return Changed
	}
	if strings.TrimSpace(e.text) == "" {
		return Nothing
	}
	return Submit
}

// tab asks for completions, or queues.
func (e *Editor) tab() Event {
	switch _, completable := e.trigger(); {
	case strings.TrimSpace(e.text) == "":
		return Nothing
	case e.busy && !completable:
		return Queue
	}
	e.list = list{asked: true}
	return Complete
}

// insert types text.
func (e *Editor) insert(text string) Event {
	e.now = typing
	e.edit(e.cursor, e.cursor, clean(text))
	return Changed
}
