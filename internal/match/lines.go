package match

import "bytes"

// Line is a line with the place in it where a pattern matches first.
type Line struct {
	Start, End int // of the line, without its line break
	At         int
}

// Shift returns the line with its places n bytes further on.
func (l Line) Shift(n int) Line { return Line{l.Start + n, l.End + n, l.At + n} }

// Lines goes through a text and finds the lines that match.
type Lines struct {
	*Pattern
	hay  haystack
	text []byte
	from int // where the lines begin that were not looked at

	places [][]int // of matches of re that were not handed out
	base   int     // where they are counted from
	last   bool    // there are no more beyond them
}

// mostAtOnce bounds the matches of an expression that are held at once.
const mostAtOnce = 1 << 12

// Lines returns Lines without a text.
func (p *Pattern) Lines() *Lines { return &Lines{Pattern: p, hay: haystack{needles: p.needles}} }

// Reset begins with a text, of which only the last line may lack its line break.
func (l *Lines) Reset(text []byte) {
	l.text, l.from, l.places, l.last = text, 0, nil, false
	l.hay.reset(text)
}

// Next returns the next line that matches.
func (l *Lines) Next() (Line, bool) {
	switch {
	case l.every:
		return l.take(l.from)
	case len(l.needles) > 0:
		return l.nextByNeedle()
	}
	return l.nextByEngine()
}

// nextByNeedle tries the expression on lines with a needle alone.
func (l *Lines) nextByNeedle() (Line, bool) {
	for {
		line, ok := l.take(l.hay.next(l.from))
		if !ok || l.re == nil {
			return line, ok
		}
		if place := l.re.FindIndex(l.text[line.Start:line.End]); place != nil {
			line.At = line.Start + place[0]
			return line, true
		}
	}
}

// nextByEngine tries the expression on the whole text.
func (l *Lines) nextByEngine() (Line, bool) {
	for {
		for len(l.places) > 0 {
			at := l.base + l.places[0][0]
			l.places = l.places[1:]
			if line, ok := l.take(at); ok {
				return line, true
			}
		}
		if l.last || l.from >= len(l.text) {
			return Line{}, false
		}
		l.base = l.from
		l.places = l.re.FindAllIndex(l.text[l.from:], mostAtOnce)
		l.last = len(l.places) < mostAtOnce
	}
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
