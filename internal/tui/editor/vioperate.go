package editor

import "strings"

// viMove does a motion: it moves the cursor, or ends what an operator takes.
func (e *Editor) viMove(m motion) {
	v := &e.vi
	if v.operator == 0 {
		e.cursor = m.to
		v.forget()
		return
	}
	op, from, to := v.operator, min(e.cursor, m.to), max(e.cursor, m.to)
	switch {
	case m.lines:
		e.operateOn(op, lineStart(e.text, from), lineEnd(e.text, to), true)
		return
	case op == 'c' && m.word != nil && from < len(e.text) && classAt(e.text, from, m.word) != space:
		to = e.changedWords(m.word)
	case m.word != nil:
		to = lastInLine(e.text, from, to)
	case m.inclusive:
		to = following(e.text, to)
	}
	e.operateOn(op, from, to, false)
}

// changedWords returns where the words end that cw changes: it leaves the spaces
// behind them.
func (e *Editor) changedWords(of func(rune) class) int {
	to := e.cursor
	for range e.viTimes(1) {
		to = wordEnd(e.text, to, of)
	}
	return to
}

// lastInLine returns the end of what stands between from and to, less what is
// behind the line of its last word.
func lastInLine(s string, from, to int) int {
	end := from + len(strings.TrimRight(s[from:to], " \t\n"))
	if n := strings.IndexByte(s[end:to], '\n'); n >= 0 {
		return end + n
	}
	return to
}

// operateLines operates on the line of the cursor and so many below it.
func (e *Editor) operateLines(op rune, more int) {
	to := lineEnd(e.text, e.cursor)
	for ; more > 0 && to < len(e.text); more-- {
		to = lineEnd(e.text, to+1)
	}
	e.operateOn(op, lineStart(e.text, e.cursor), to, true)
}

// operateOn deletes, changes or yanks what stands between from and to, which are
// the ends of lines if it is lines.
func (e *Editor) operateOn(op rune, from, to int, lines bool) {
	v := &e.vi
	v.forget()
	v.visual = false
	if from == to && !lines {
		if op == 'c' {
			v.normal = false
		}
		return
	}
	v.register, v.lines = strings.Clone(e.text[from:to]), lines
	switch {
	case op == 'y' && lines && lineStart(e.text, e.cursor) == from:
		// the cursor stays in its line
	case op == 'y':
		e.cursor = from
	case op == 'c':
		e.edit(from, to, "")
		v.normal = false
	case !lines:
		e.edit(from, to, "")
	default:
		e.deleteLines(from, to)
	}
}

// deleteLines takes lines out with one of the newlines around them.
func (e *Editor) deleteLines(from, to int) {
	if to < len(e.text) {
		to++
	} else if from > 0 {
		from--
	}
	e.edit(from, to, "")
	e.cursor = indentEnd(e.text, lineStart(e.text, e.cursor))
}

// viObject lets an operator, or the selection, take an object.
func (e *Editor) viObject(from, to int) {
	if op := e.vi.operator; op != 0 {
		e.operateOn(op, from, to, false)
		return
	}
	e.vi.mark, e.cursor = from, max(from, previous(e.text, to))
	e.vi.forget()
}

// object returns the ends of the object of a character around the cursor: a word,
// or what stands between quotes or brackets, with what is around it or without.
func (e *Editor) object(r rune, all bool) (from, to int, ok bool) {
	switch r {
	case 'w':
		return e.wordObject(asViWord, all)
	case 'W':
		return e.wordObject(asField, all)
	case '"', '\'', '`':
		return e.quoteObject(byte(r), all)
	case '(', ')', 'b':
		return e.bracketObject('(', ')', all)
	case '[', ']':
		return e.bracketObject('[', ']', all)
	case '{', '}', 'B':
		return e.bracketObject('{', '}', all)
	case '<', '>':
		return e.bracketObject('<', '>', all)
	}
	return 0, 0, false
}

func (e *Editor) wordObject(of func(rune) class, all bool) (from, to int, ok bool) {
	if e.cursor == lineEnd(e.text, e.cursor) {
		return 0, 0, false
	}
	line := e.text[:lineEnd(e.text, e.cursor)]
	c := classAt(line, e.cursor, of)
	start := lineStart(line, e.cursor)
	if from = e.cursor; c != chipped {
		from = max(start, skipBack(line, from, of, c))
	}
	to = skip(line, e.cursor, of, c)
	if after := skip(line, to, of, space); all && after > to {
		to = after
	} else if all {
		from = max(start, skipBack(line, from, of, space))
	}
	return alignBack(e.text, from), align(e.text, to), true
}

func (e *Editor) quoteObject(quote byte, all bool) (from, to int, ok bool) {
	start, end := lineStart(e.text, e.cursor), lineEnd(e.text, e.cursor)
	for at := start; ; {
		n := strings.IndexByte(e.text[at:end], quote)
		if n < 0 {
			return 0, 0, false
		}
		from = at + n
		n = strings.IndexByte(e.text[from+1:end], quote)
		if n < 0 {
			return 0, 0, false
		}
		to = from + 1 + n
		if to >= e.cursor {
			return e.inside(from, to, all)
		}
		at = to + 1
	}
}

func (e *Editor) bracketObject(left, right byte, all bool) (from, to int, ok bool) {
	depth := 0
	for from = e.cursor; ; from-- {
		if from < 0 {
			return 0, 0, false
		}
		if from < len(e.text) && e.text[from] == right && from < e.cursor {
			depth++
		} else if from < len(e.text) && e.text[from] == left {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	depth = 0
	for to = from + 1; to < len(e.text); to++ {
		switch e.text[to] {
		case left:
			depth++
		case right:
			if depth == 0 {
				return e.inside(from, to, all)
			}
			depth--
		}
	}
	return 0, 0, false
}

// inside returns what stands between two characters at from and to, or that with
// them.
func (e *Editor) inside(from, to int, all bool) (int, int, bool) {
	if all {
		return alignBack(e.text, from), align(e.text, to+1), true
	}
	return align(e.text, from+1), alignBack(e.text, to), true
}
