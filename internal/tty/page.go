package tty

import "strconv"

// page is what stands on the alternate screen.
type page struct {
	lines    []string
	row, col int
}

// pager knows what stands on the alternate screen, and writes what makes another
// of it.
type pager struct {
	ascii, sync   bool
	enter, exit   string // go to the alternate screen and back
	width, height int    // 0: it is not shown
	lines         []line
	buf           []byte
}

// paint returns what has the alternate screen show the page.
func (p *pager) paint(g page, width, height int) []byte {
	p.buf = p.buf[:0]
	if p.sync {
		p.add(beginSync)
	}
	if p.width == 0 {
		p.add(p.enter)
	}
	p.add(hideCursor + wrapOff)
	if p.width != width || p.height != height {
		p.add("\x1b[H\x1b[2J")
		p.lines = make([]line, height)
		p.width, p.height = width, height
	}
	for i := range p.lines {
		is := line{}
		if i < len(g.lines) {
			is = cut(g.lines[i], width, p.ascii)
		}
		if is != p.lines[i] {
			p.to(i, 0)
			p.add(eraseLine)
			p.add(is.text)
			p.lines[i] = is
		}
	}
	p.add(wrapOn)
	if g.row >= 0 {
		p.to(min(g.row, height-1), min(max(g.col, 0), width-1))
		p.add(showCursor)
	}
	if p.sync {
		p.add(endSync)
	}
	return p.buf
}

// leave returns what goes back to the normal screen, if that is not shown. The
// cursor is as it was there.
func (p *pager) leave(hidden bool) []byte {
	if p.width == 0 {
		return nil
	}
	p.width, p.height, p.lines = 0, 0, nil
	p.buf = append(p.buf[:0], p.exit...)
	if p.add(showCursor); hidden {
		p.add(hideCursor)
	}
	return p.buf
}

func (p *pager) to(row, col int) {
	p.add("\x1b[")
	p.buf = strconv.AppendInt(p.buf, int64(row)+1, 10)
	p.add(";")
	p.buf = strconv.AppendInt(p.buf, int64(col)+1, 10)
	p.add("H")
}

func (p *pager) add(s string) { p.buf = append(p.buf, s...) }
