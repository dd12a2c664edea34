package match

import "bytes"

// Line is a line that matches.
type Line struct {
	Start, End int // without the line break
	At         int // a place in the first match, or its end
}

// Shift returns the line with its places n bytes further on.
func (l Line) Shift(n int) Line { return Line{l.Start + n, l.End + n, l.At + n} }

// Lines goes through a text and finds the lines that match.
type Lines struct {
	*Pattern
	hay  haystack
	auto *automaton
	text []byte
	from int // where the lines begin that were not looked at
}

// Lines returns Lines without a text, for one goroutine. Once stop, which may be
// nil, is true, a search that takes long ends, and what it would find is not.
func (p *Pattern) Lines(stop func() bool) *Lines {
	l := &Lines{Pattern: p, hay: haystack{needles: p.needles}}
	if p.prog != nil {
		l.auto = newAutomaton(p.prog, stop)
	}
	return l
}

// Reset begins with a text, of which only the last line may lack its line break.
func (l *Lines) Reset(text []byte) {
	l.text, l.from = text, 0
	l.hay.reset(text)
}

// Next returns the next line that matches.
func (l *Lines) Next() (Line, bool) {
	switch {
	case l.every:
		return l.take(l.from)
	case len(l.needles) == 0:
		return l.take(l.auto.find(l.text, l.from))
	}
	for {
		line, ok := l.take(l.hay.next(l.from))
		if !ok || l.auto == nil {
			return line, ok
		}
		if line.At = l.auto.find(l.text[:min(line.End+1, len(l.text))], line.Start); line.At >= 0 {
			return line, true
		}
	}
}

// Ahead is how many bytes have to follow a part of a line, unless the line ends
// with it.
const Ahead = longestText

// Long is a line of which only a part at a time is in memory.
type Long struct {
	lines *Lines
	state *state // of the automaton after the parts before; nil once the search is stopped
}

// Long begins with a line, and ends with the text of Reset.
func (l *Lines) Long() *Long {
	l.Reset(nil)
	if l.auto == nil {
		return &Long{lines: l}
	}
	return &Long{l, l.auto.begin}
}

// Part looks at the next part of the line, which is text between from and to. The
// line ends with text if to does, or goes on with it. Part returns a place in the
// first match, or its end, after which nothing more may be asked, or -1, and where
// the next part begins: at to, or behind a character that is cut there.
func (l *Long) Part(text []byte, from, to int) (at, next int) {
	auto := l.lines.auto
	switch {
	case l.lines.every:
		return from, to
	case auto == nil:
		l.lines.hay.reset(text)
		if at = l.lines.hay.next(from); at < to {
			return at, to
		}
		return -1, to
	case l.state == nil:
		return -1, to
	}
	l.state, next = auto.run(l.state, text, from, to)
	switch {
	case l.state == auto.matched:
		return next, to
	case l.state == nil:
		return -1, to
	case to == len(text) && auto.step(l.state, '\n') == auto.matched:
		return to, to
	}
	return -1, next
}

// take returns the line around a place, unless the place lies in a line that
// was looked at, or behind the last one.
func (l *Lines) take(at int) (Line, bool) {
	if at < l.from || at > len(l.text) || l.from >= len(l.text) {
		return Line{}, false
	}
	line := Around(l.text, at)
	l.from = line.End + 1
	return line, line.Start < len(l.text)
}

// Around returns the line in which b has a match at i.
func Around(b []byte, i int) Line {
	start := bytes.LastIndexByte(b[:i], '\n') + 1
	end := bytes.IndexByte(b[i:], '\n')
	if end < 0 {
		end = len(b) - i
	}
	return Line{start, i + end, i}
}
