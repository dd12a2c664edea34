package editor

import "strings"

// motion is where a motion of vi leads.
type motion struct {
	to        int
	inclusive bool             // an operator takes the character there, too
	lines     bool             // an operator takes whole lines
	word      func(rune) class // it leads to the beginning of a word of this kind
}

// viMotion returns the motion of a character, and whether it is one.
func (e *Editor) viMotion(r rune) (m motion, ok bool) {
	n, at := e.viTimes(1), e.cursor
	switch r {
	case 'h', 'l', 'w', 'b', 'e', 'W', 'B', 'E', ' ':
		return e.viStep(r, n), true
	case 'j', 'k':
		return e.viVertical(r, n), true
	case '0':
		return motion{to: lineStart(e.text, at)}, true
	case '^':
		return motion{to: indentEnd(e.text, at)}, true
	case '$':
		for ; n > 1 && lineEnd(e.text, at) < len(e.text); n-- {
			at = lineEnd(e.text, at) + 1
		}
		return motion{to: lineEnd(e.text, at)}, true
	case 'G':
		lines := strings.Count(e.text, "\n") + 1
		return motion{to: e.viLine(e.viTimes(lines)), lines: true}, true
	case ';', ',':
		return e.viSought(r == ','), true
	}
	return m, false
}

// viStep moves by characters or words, n times.
func (e *Editor) viStep(r rune, n int) motion {
	text, at := e.text, e.cursor
	of := asViWord
	if r < 'a' && r != ' ' {
		of = asField
	}
	for range n {
		switch r {
		case 'h':
			at = max(lineStart(text, e.cursor), previous(text, at))
		case 'l', ' ':
			at = min(lineEnd(text, e.cursor), following(text, at))
		case 'w', 'W':
			at = nextWord(text, at, of)
		case 'b', 'B':
			at = wordStart(text, at, of)
		case 'e', 'E':
			at = previous(text, wordEnd(text, following(text, at), of))
		}
	}
	m := motion{to: at, inclusive: r == 'e' || r == 'E'}
	if r == 'w' || r == 'W' {
		m.word = of
	}
	return m
}

// viVertical moves by lines under an operator, else by rows and on into the
// history.
func (e *Editor) viVertical(r rune, n int) motion {
	by := 1
	if r == 'k' {
		by = -1
	}
	if e.vi.operator != 0 {
		line := strings.Count(e.text[:e.cursor], "\n") + 1
		if line+by < 1 || line+by > strings.Count(e.text, "\n")+1 {
			return motion{to: e.cursor}
		}
		return motion{to: e.viLine(line + by*n), lines: true}
	}
	e.vi.once = true
	for range n {
		switch {
		case e.vi.visual:
			e.moveRow(by)
		case by < 0:
			e.upOrOlder()
		default:
			e.downOrNewer()
		}
	}
	return motion{to: e.cursor}
}

// viLine returns the beginning of the n-th line, or of the last one, behind its
// spaces.
func (e *Editor) viLine(n int) int {
	at := 0
	for ; n > 1; n-- {
		next := lineEnd(e.text, at)
		if next == len(e.text) {
			break
		}
		at = next + 1
	}
	return indentEnd(e.text, at)
}

// viSought repeats the last search for a character, or does it in the other
// direction.
func (e *Editor) viSought(back bool) motion {
	f := e.vi.sought
	if f.char == "" {
		return motion{to: e.cursor}
	}
	if back {
		f.how = otherWay(f.how)
	}
	return e.viTo(f, true)
}

func otherWay(how rune) rune {
	if how >= 'a' {
		return how - 'a' + 'A'
	}
	return how - 'A' + 'a'
}

// viTo returns the motion of a search for a character. A repeated t is not content
// with where it stands.
func (e *Editor) viTo(f sought, again bool) motion {
	text, at := e.text, e.cursor
	start, end := lineStart(text, at), lineEnd(text, at)
	till := f.how == 't' || f.how == 'T'
	forward := f.how >= 'a'
	for n := e.viTimes(1); n > 0; n-- {
		from := at
		for {
			if forward {
				at = following(text, at)
			} else if at == start {
				return motion{to: e.cursor}
			} else {
				at = previous(text, at)
			}
			if at >= end {
				return motion{to: e.cursor}
			}
			next := till && again && (at == following(text, from) || at == previous(text, from))
			if cluster(text[at:]) == f.char && !next {
				break
			}
		}
		again = false
	}
	if till && forward {
		at = previous(text, at)
	} else if till {
		at = following(text, at)
	}
	return motion{to: at, inclusive: forward}
}
