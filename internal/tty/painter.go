package tty

import "strconv"

// painter knows what stands in the live region, and writes what makes another of
// it. It moves the cursor by rows from where it stands, so nothing above the
// region is touched, wherever on the screen that is.
//
// Lines of the region never reach the last column, so each takes one row until the
// terminal gets narrower and breaks them. Lines whose characters terminals disagree
// about are drawn while the terminal does not wrap. All others may wrap: if the
// terminal got narrower before it saw what was drawn, they take as many rows as if
// it had broken them afterwards, and nothing that was printed is taken for theirs.
type painter struct {
	reflows bool // the terminal breaks lines anew when its width changes
	ascii   bool
	sync    bool // the terminal shows what is written between two marks at once

	width, height int    // of the terminal when it was painted last; 0 before
	lines         []line // as they are drawn
	row, col      int    // where the cursor stands, from the first of lines; col is -1 where that is not known
	hidden        bool   // the cursor
	nowrap        bool
	slack         slack

	buf []byte
}

const (
	beginSync  = "\x1b[?2026h"
	endSync    = "\x1b[?2026l"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	wrapOff    = "\x1b[?7l"
	wrapOn     = "\x1b[?7h"
	right      = "\x1b[C"
	eraseLine  = "\x1b[K"
	eraseBelow = "\x1b[J"
)

// paint returns what prints text above the live region and has live stand there,
// on a terminal of that size. It is valid until the next call, and empty if there
// is nothing to do.
func (p *painter) paint(printed string, live Live, width, height int) []byte {
	lines, row, col := p.fit(live, width, height)
	p.begin()
	began := len(p.buf)
	rows := p.reckon(printed, lines, width, height)
	if !p.stays(printed, lines, width, height) || rows != p.slack.rows {
		p.erase(width)
		p.print(printed)
		p.width, p.height = width, height
	}
	p.draw(lines)
	p.slacken(rows)
	p.move(row, col)
	if len(p.buf) == began && live.Blind == p.hidden {
		return nil
	}
	p.end(live.Blind)
	return p.buf
}

// stays reports whether lines can be drawn over those that are there.
func (p *painter) stays(printed string, lines []line, width, height int) bool {
	return printed == "" && width == p.width && height == p.height && (p.slack.rows == 0 || len(lines) == len(p.lines))
}

// clear returns what takes the live region away and leaves the cursor where it
// began, shown.
func (p *painter) clear(width int) []byte {
	p.begin()
	p.erase(width)
	p.end(false)
	p.width, p.height, p.slack = 0, 0, slack{on: p.slack.on}
	return p.buf
}

// begin begins what is to be seen at once.
func (p *painter) begin() {
	p.buf = p.buf[:0]
	switch {
	case p.sync:
		p.add(beginSync)
	case !p.hidden:
		p.add(hideCursor)
	}
}

func (p *painter) end(hidden bool) {
	p.wrap(true)
	switch {
	case hidden && p.sync && !p.hidden:
		p.add(hideCursor)
	case !hidden && (!p.sync || p.hidden):
		p.add(showCursor)
	}
	p.hidden = hidden
	if p.sync {
		p.add(endSync)
	}
}

// fit cuts the live region to the terminal: each line to one row, and the lines to
// those around the cursor.
func (p *painter) fit(live Live, width, height int) (lines []line, row, col int) {
	most := max(height-1, 1)
	first := max(len(live.Lines)-most, 0)
	if !live.Blind {
		first = min(first, max(live.Row, 0))
	}
	for _, text := range live.Lines[first:min(len(live.Lines), first+most)] {
		lines = append(lines, cut(text, width-1, p.ascii))
	}
	row = min(max(live.Row-first, 0), max(len(lines)-1, 0))
	return lines, row, min(max(live.Col, 0), max(width-1, 0))
}

// erase empties the live region, and leaves the cursor where it begins. The rest of
// the screen is erased from the second column on: tmux keeps in its history what is
// erased from the first one of a screen.
func (p *painter) erase(width int) {
	p.up(p.above(width))
	p.add("\r" + eraseLine + right + eraseBelow + "\r")
	p.lines, p.row, p.col, p.slack.rows = nil, 0, 0, 0
}

// above is how many rows of the live region are above the cursor's, now that the
// terminal has that width. Where terminals differ in where the cursor goes, it is
// the least: rather a row is left of the region than one taken of what was printed.
func (p *painter) above(width int) int {
	if !p.reflows || width >= p.width || width <= 0 {
		return p.row
	}
	rows := 0
	for i, l := range p.lines[:min(p.row+1, len(p.lines))] {
		col := l.width
		if i == p.row {
			col = max(p.col, 0)
		}
		row := l.breaks(width, col)
		if rows += row; i < p.row {
			rows++
		}
	}
	return rows
}

// print prints lines from the row of the cursor on; the region begins below them.
func (p *painter) print(text string) {
	if text == "" {
		return
	}
	p.buf = printable(p.buf, text, p.ascii)
	p.add(reset)
	if text[len(text)-1] != '\n' {
		p.add("\r\n")
	}
}

// draw has lines stand in the live region.
func (p *painter) draw(lines []line) {
	for i, is := range lines {
		was := line{}
		if i < len(p.lines) {
			was = p.lines[i]
		}
		if i >= max(len(p.lines), 1) {
			p.move(i-1, -1)
			p.add("\r\n")
			p.row, p.col = i, 0
		}
		if was == is {
			continue
		}
		if p.slack.on && is.width < was.width { // tmux breaks also what was erased, but for a whole row
			p.move(i, 0)
			p.add(eraseLine)
			was = line{}
		}
		col, style, rest := shared(was, is)
		p.wrap(is.certain)
		p.move(i, col)
		p.add(style)
		p.add(rest)
		p.add(eraseLine)
		p.col = -1
	}
	if len(lines) < len(p.lines) {
		p.move(len(lines), 0)
		p.add(eraseBelow)
	}
	p.lines = lines
}

// wrap has the terminal break long lines, or not.
func (p *painter) wrap(on bool) {
	if p.nowrap == !on {
		return
	}
	if p.nowrap = !on; on {
		p.add(wrapOn)
	} else {
		p.add(wrapOff)
	}
}

// move moves the cursor within the live region; col is -1 if any will do.
func (p *painter) move(row, col int) {
	if row < p.row {
		p.up(p.row - row)
	} else {
		p.by(row-p.row, 'B')
	}
	p.row = row
	if col < 0 || col == p.col {
		return
	}
	p.add("\r")
	p.by(col, 'C')
	p.col = col
}

func (p *painter) up(rows int) { p.by(rows, 'A') }

// by moves the cursor n steps in a direction.
func (p *painter) by(n int, direction byte) {
	if n <= 0 {
		return
	}
	p.add("\x1b[")
	if n > 1 {
		p.buf = strconv.AppendInt(p.buf, int64(n), 10)
	}
	p.buf = append(p.buf, direction)
}

func (p *painter) add(s string) { p.buf = append(p.buf, s...) }
