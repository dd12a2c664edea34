package editor

import "strings"

// viCommand does a command of normal mode.
func (e *Editor) viCommand(r rune) Event {
	n, at := e.viTimes(1), e.cursor
	e.vi.forget()
	start, end := lineStart(e.text, at), lineEnd(e.text, at)
	switch r {
	case 'i', 'a', 'I', 'A', 'o', 'O':
		e.beginInsert(r)
	case 'x':
		e.operateOn('d', at, e.characters(n), false)
	case 'X':
		from := at
		for ; n > 0 && from > start; n-- {
			from = previous(e.text, from)
		}
		e.operateOn('d', from, at, false)
	case 's':
		e.operateOn('c', at, e.characters(n), false)
	case 'S':
		e.operateLines('c', n-1)
	case 'D':
		e.operateOn('d', at, end, false)
	case 'C':
		e.operateOn('c', at, end, false)
	case 'Y':
		e.operateLines('y', n-1)
	case 'p', 'P':
		e.put(r == 'p', n)
	case 'v':
		e.vi.visual, e.vi.mark = true, at
	case 'u':
		e.vi.once = true
		for range n {
			e.undo()
		}
	case '.':
		e.vi.once = true
		e.repeat()
	case '/':
		return e.beginSearch()
	default:
		return Nothing
	}
	return Changed
}

// characters returns where n characters from the cursor on end, in its line.
func (e *Editor) characters(n int) int {
	to, end := e.cursor, lineEnd(e.text, e.cursor)
	for ; n > 0 && to < end; n-- {
		to = following(e.text, to)
	}
	return to
}

// beginInsert goes to insert mode, at the place that r says.
func (e *Editor) beginInsert(r rune) {
	at := e.cursor
	start, end := lineStart(e.text, at), lineEnd(e.text, at)
	switch r {
	case 'a':
		e.cursor = min(end, following(e.text, at))
	case 'I':
		e.cursor = indentEnd(e.text, at)
	case 'A':
		e.cursor = end
	case 'o':
		e.edit(end, end, "\n")
	case 'O':
		e.edit(start, start, "\n")
		e.cursor = start
	}
	e.vi.normal = false
}

// replaceCharacters puts c in place of as many characters as the count says, if
// there are so many in the line.
func (e *Editor) replaceCharacters(c string) {
	n := e.viTimes(1)
	e.vi.forget()
	c = clean(c)
	from, to := e.cursor, e.cursor
	for range n {
		if to == lineEnd(e.text, to) {
			return
		}
		to = following(e.text, to)
	}
	e.edit(from, to, strings.Repeat(c, n))
	e.cursor = alignBack(e.text, max(from, e.cursor-len(c)))
}

// put puts the register behind the cursor or before it, n times.
func (e *Editor) put(behind bool, n int) {
	v := &e.vi
	if v.register == "" && !v.lines {
		return
	}
	n = min(n, 1+(1<<20)/(len(v.register)+1))
	if v.lines {
		e.putLines(behind, strings.Repeat(v.register+"\n", n))
		return
	}
	at := e.cursor
	if behind {
		at = min(lineEnd(e.text, at), following(e.text, at))
	}
	e.edit(at, at, strings.Repeat(v.register, n))
	e.cursor = max(alignBack(e.text, at), previous(e.text, e.cursor))
}

func (e *Editor) putLines(below bool, lines string) {
	start, end := lineStart(e.text, e.cursor), lineEnd(e.text, e.cursor)
	if below {
		e.edit(end, end, "\n"+strings.TrimSuffix(lines, "\n"))
		start = end + 1
	} else {
		e.edit(start, start, lines)
	}
	e.cursor = indentEnd(e.text, start)
}

// selection returns the ends of what is selected.
func (e *Editor) selection() (from, to int) {
	mark := alignBack(e.text, min(e.vi.mark, len(e.text)))
	return min(mark, e.cursor), following(e.text, max(mark, e.cursor))
}

// viVisual does a command on what is selected.
func (e *Editor) viVisual(r rune) Event {
	v := &e.vi
	from, to := e.selection()
	v.forget()
	switch r {
	case 'd', 'x':
		e.operateOn('d', from, to, false)
	case 'c', 's':
		e.operateOn('c', from, to, false)
	case 'y':
		e.operateOn('y', from, to, false)
	case 'p', 'P':
		put := v.register
		e.operateOn('d', from, to, false)
		e.edit(from, from, put)
	case 'o':
		v.mark, e.cursor = e.cursor, alignBack(e.text, min(v.mark, len(e.text)))
	case 'v':
		v.visual = false
	}
	return Changed
}

// repeat does the last command again that changed the text. Where it does not lead
// to insert mode any more, what was typed there is no command.
func (e *Editor) repeat() {
	v := &e.vi
	if v.repeating {
		return
	}
	v.repeating, v.keys, v.typing = true, nil, 0
	for i, k := range v.dot.keys {
		if i > 0 && i == v.dot.typing && v.normal {
			v.forget()
			break
		}
		e.viKey(k)
	}
	v.repeating, v.keys, v.typing, v.once = false, nil, 0, true
}
