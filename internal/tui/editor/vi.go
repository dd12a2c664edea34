package editor

import "ikigai/internal/tty"

// vi is the state of vi's keys. A text begins in insert mode.
type vi struct {
	normal bool
	visual bool
	mark   int // where what is selected begins

	count    int    // typed before a command or a motion
	operator rune   // d, c or y that waits for its motion; 0 if none does
	times    int    // count that was typed before it
	wait     rune   // f, F, t, T, r, g, z, i or a that waits for a character
	sought   sought // what ; and , repeat

	register string // what was deleted or yanked
	lines    bool   // it is whole lines

	dot       typed     // the last one that changed the text
	keys      []tty.Key // of the one that is being typed
	typing    int       // how many of them led to insert mode; 0 if they have not
	text      string    // before it
	repeating bool
	once      bool // . does not repeat what was done
}

// typed is a command as it was typed.
type typed struct {
	keys   []tty.Key
	typing int // how many of them led to insert mode
}

// sought is a character that was looked for in the line.
type sought struct {
	how  rune // f, F, t or T
	char string
}

// within reports whether a command goes on that is undone as one.
func (v *vi) within() bool { return v.repeating || len(v.keys) > 0 }

// pending reports whether a command in normal mode waits for more.
func (v *vi) pending() bool { return v.count != 0 || v.operator != 0 || v.wait != 0 }

// forget drops what was typed of a command.
func (v *vi) forget() { v.count, v.operator, v.times, v.wait = 0, 0, 0, 0 }

// viReset goes back to insert mode, where each text begins.
func (e *Editor) viReset() {
	v := &e.vi
	v.forget()
	v.normal, v.visual, v.keys, v.typing, v.text = false, false, nil, 0, ""
}

// mostKeys bounds what . repeats.
const mostKeys = 1000

// viKey does what a key means to vi.
func (e *Editor) viKey(k tty.Key) Event {
	v := &e.vi
	if k.Mods == tty.Alt && k.Code == tty.KeyRune { // Escape and the key came together
		e.viKey(tty.Key{Code: tty.KeyEscape})
		k.Mods = 0
		return e.viKey(k)
	}
	if len(v.keys) == 0 {
		v.text, v.once = e.text, !v.normal // no command has begun what is typed first
	}
	if len(v.keys) < mostKeys {
		v.keys = append(v.keys, k)
	}
	var event Event
	if v.normal {
		event = e.viNormal(k)
	} else {
		event = e.viInsert(k)
	}
	if !v.normal && v.typing == 0 {
		v.typing = len(v.keys)
	}
	if v.normal && !v.pending() && !v.visual {
		e.viEnd()
	}
	return event
}

// viEnd ends a command in normal mode.
func (e *Editor) viEnd() {
	v := &e.vi
	e.keepOnCharacter()
	if v.text != e.text && len(v.keys) < mostKeys && !v.once && !v.repeating {
		v.dot = typed{v.keys, v.typing}
	}
	v.keys, v.typing, v.text, v.once = nil, 0, "", false
}

// keepOnCharacter moves the cursor from the end of a line onto its last
// character.
func (e *Editor) keepOnCharacter() {
	if start := lineStart(e.text, e.cursor); e.cursor == lineEnd(e.text, e.cursor) && e.cursor > start {
		e.cursor = previous(e.text, e.cursor)
	}
}

func (e *Editor) viInsert(k tty.Key) Event {
	if !k.Is(tty.KeyEscape, 0) {
		return e.emacs(k)
	}
	e.vi.normal = true
	if e.cursor > lineStart(e.text, e.cursor) {
		e.cursor = previous(e.text, e.cursor)
	}
	return Changed
}

func (e *Editor) viNormal(k tty.Key) Event {
	v := &e.vi
	switch {
	case k.Is(tty.KeyEscape, 0):
		ours := v.pending() || v.visual
		v.forget()
		v.visual = false
		return either(ours)
	case k.Is(tty.KeyEnter, 0):
		v.forget()
		return e.enter()
	case k.Is(tty.KeyTab, 0) && e.busy:
		return e.tab()
	case k.Ctrl('r'):
		v.once = true
		e.redo()
		return Changed
	case k.Code == tty.KeyRune && k.Mods == 0:
		return e.viRune(k.Rune)
	}
	if r := viArrow(k); r != 0 && v.wait == 0 {
		return e.viRune(r)
	}
	v.forget()
	v.once = true
	return either(e.rowKey(k))
}

// viArrow returns the character that does what a key does that has none.
func viArrow(k tty.Key) rune {
	switch {
	case k.Is(tty.KeyLeft, 0), k.Is(tty.KeyBackspace, 0):
		return 'h'
	case k.Is(tty.KeyRight, 0):
		return 'l'
	case k.Is(tty.KeyHome, 0):
		return '0'
	case k.Is(tty.KeyEnd, 0):
		return '$'
	case k.Is(tty.KeyDelete, 0):
		return 'x'
	case k.Is(tty.KeyLeft, tty.Ctrl):
		return 'b'
	case k.Is(tty.KeyRight, tty.Ctrl):
		return 'w'
	}
	return 0
}

// viRune takes the next character of a command: a count, an operator, a motion or
// a command of its own.
func (e *Editor) viRune(r rune) Event {
	v := &e.vi
	switch {
	case v.wait != 0:
		return e.viWaited(r)
	case r >= '1' && r <= '9', r == '0' && v.count > 0:
		v.count = min(v.count*10+int(r-'0'), 9999)
		return Changed
	case v.operator == 0 && !v.visual && (r == 'd' || r == 'c' || r == 'y'):
		v.operator, v.times, v.count = r, v.count, 0
		return Changed
	case v.operator != 0 && r == v.operator:
		e.operateLines(v.operator, e.viTimes(1)-1)
		return Changed
	case r == 'f', r == 'F', r == 't', r == 'T', r == 'g',
		(v.operator != 0 || v.visual) && (r == 'i' || r == 'a'), v.operator == 0 && (r == 'r' || r == 'z'):
		v.wait = r
		return Changed
	}
	if m, ok := e.viMotion(r); ok {
		e.viMove(m)
		return Changed
	}
	if v.operator != 0 {
		v.forget()
		return Changed
	}
	if v.visual {
		return e.viVisual(r)
	}
	return e.viCommand(r)
}

// viWaited takes the character that a command waited for.
func (e *Editor) viWaited(r rune) Event {
	v := &e.vi
	wait := v.wait
	v.wait = 0
	switch wait {
	case 'r':
		e.replaceCharacters(string(r))
	case 'z':
		if r == 'o' {
			e.openChip()
		}
		v.forget()
	case 'g':
		if r != 'g' {
			v.forget()
			break
		}
		e.viMove(motion{to: e.viLine(max(1, e.viTimes(1))), lines: true})
	case 'i', 'a':
		if from, to, ok := e.object(r, wait == 'a'); ok {
			e.viObject(from, to)
		} else {
			v.forget()
		}
	default:
		v.sought = sought{wait, string(r)}
		e.viMove(e.viTo(v.sought, false))
	}
	return Changed
}

// viTimes returns how often a command is to be done: as the person says, or else
// otherwise.
func (e *Editor) viTimes(otherwise int) int {
	v := &e.vi
	if v.count == 0 && v.times == 0 {
		return otherwise
	}
	return min(max(1, v.count)*max(1, v.times), 9999)
}
