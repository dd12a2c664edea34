package editor

import "ikigai/internal/tty"

// emacs does what a key means to readline. The insert mode of vi has these keys,
// too.
func (e *Editor) emacs(k tty.Key) Event {
	switch {
	case k.Printable():
		return e.insert(string(k.Rune))
	case k.Is(tty.KeyEnter, 0):
		return e.enter()
	case k.Code == tty.KeyEnter || k.Ctrl('j'):
		return e.insert("\n")
	case k.Is(tty.KeyTab, 0):
		return e.tab()
	case k.Ctrl('r'):
		return e.beginSearch()
	}
	return either(e.rowKey(k) || e.moveKey(k) || e.deleteKey(k) || e.editKey(k))
}

// rowKey does what goes up and down.
func (e *Editor) rowKey(k tty.Key) bool {
	switch {
	case k.Is(tty.KeyUp, 0), k.Ctrl('p'):
		e.upOrOlder()
	case k.Is(tty.KeyDown, 0), k.Ctrl('n'):
		e.downOrNewer()
	default:
		return false
	}
	return true
}

// moveKey does what moves the cursor.
func (e *Editor) moveKey(k tty.Key) bool {
	const word = tty.Ctrl | tty.Alt
	wordwise := k.Mods != 0 && k.Mods&^word == 0
	switch {
	case k.Ctrl('a'), k.Is(tty.KeyHome, 0):
		e.cursor = lineStart(e.text, e.cursor)
	case k.Ctrl('e'), k.Is(tty.KeyEnd, 0):
		e.cursor = lineEnd(e.text, e.cursor)
	case k.Ctrl('b'), k.Is(tty.KeyLeft, 0):
		e.cursor = previous(e.text, e.cursor)
	case k.Ctrl('f'), k.Is(tty.KeyRight, 0):
		e.cursor = following(e.text, e.cursor)
	case k.Alt('b'), k.Code == tty.KeyLeft && wordwise:
		e.cursor = wordStart(e.text, e.cursor, asWord)
	case k.Alt('f'), k.Code == tty.KeyRight && wordwise:
		e.cursor = wordEnd(e.text, e.cursor, asWord)
	case k.Alt('<'), k.Is(tty.KeyHome, tty.Ctrl):
		e.cursor = 0
	case k.Alt('>'), k.Is(tty.KeyEnd, tty.Ctrl):
		e.cursor = len(e.text)
	default:
		return false
	}
	return true
}

// deleteKey does what deletes and kills. Ctrl-D with nothing to delete at all is
// none of ours.
func (e *Editor) deleteKey(k tty.Key) bool {
	text, at := e.text, e.cursor
	switch {
	case k.Ctrl('h'), k.Is(tty.KeyBackspace, 0), k.Is(tty.KeyBackspace, tty.Shift):
		e.edit(previous(text, at), at, "")
	case k.Ctrl('d') && text != "", k.Is(tty.KeyDelete, 0):
		e.edit(at, following(text, at), "")
	case k.Ctrl('k'):
		if to := lineEnd(text, at); to > at {
			e.kill(at, to)
		} else {
			e.kill(at, following(text, at))
		}
	case k.Ctrl('u'):
		if from := lineStart(text, at); from < at {
			e.kill(from, at)
		} else {
			e.kill(previous(text, at), at)
		}
	case k.Ctrl('w'):
		e.kill(wordStart(text, at, asField), at)
	case k.Alt('d'), k.Is(tty.KeyDelete, tty.Ctrl), k.Is(tty.KeyDelete, tty.Alt):
		e.kill(at, wordEnd(text, at, asWord))
	case k.Is(tty.KeyBackspace, tty.Alt), k.Is(tty.KeyBackspace, tty.Ctrl):
		e.kill(wordStart(text, at, asWord), at)
	default:
		return false
	}
	return true
}

// editKey does what else changes the text.
func (e *Editor) editKey(k tty.Key) bool {
	switch {
	case k.Ctrl('y'):
		e.yank()
	case k.Alt('y'):
		e.yankOlder()
	case k.Ctrl('t'):
		e.transpose()
	case k.Ctrl('_'), k.Ctrl('/'):
		e.undo()
	case k.Alt('o'):
		e.openChip()
	default:
		return false
	}
	return true
}

// transpose exchanges the clusters around the cursor, at the end of a line the
// last two.
func (e *Editor) transpose() {
	text, from := e.text, lineStart(e.text, e.cursor)
	at := e.cursor
	if at == lineEnd(text, at) {
		at = previous(text, at)
	}
	if at <= from {
		return
	}
	left, right := previous(text, at), following(text, at)
	e.edit(left, right, text[at:right]+text[left:at])
}
