package tty

import "strings"

// slack is empty rows below the live region that tmux takes for one line. There is
// none until it is known how many rows stand above the region.
//
// When a terminal gets narrower, lines take more rows, and rows leave at the top of
// the screen before the program is told. In tmux as many leave as there are more,
// also where the screen is not full: the empty rows at its end count. With little
// above the live region its own first rows would leave, and stand in the scrollback
// for good. The slack becomes one row when tmux breaks its lines anew, so that those
// rows stay. It goes as lines are printed above, and is gone when there are enough:
// where a shell has filled the screen before, there is none.
type slack struct {
	on    bool // the terminal is tmux
	known bool // where the cursor stood at first
	rows  int  // that stand below the live region
	above int  // rows that stand above it on the screen, at least
}

const (
	narrowest = 30 // columns that are reckoned with

	// A wide character in the last column goes to the next row instead, and the line
	// goes on there with nothing in the row that it leaves. It is erased at once.
	nextRow = "\x1b[999C\u3000\x1b[2D\x1b[2X"
)

// takes is how many rows a slack of rows takes on that width.
func takes(rows, width int) int {
	if rows == 0 {
		return 0
	}
	return 1 + 2*(rows-1)/width
}

// grow is how many more rows lines take on that width.
func grow(lines []line, width int) (rows int) {
	for _, l := range lines {
		rows += l.breaks(width, l.width)
	}
	return rows
}

// stood takes in that so many rows stood above the cursor before anything was
// painted.
func (p *painter) stood(rows int) {
	s := &p.slack
	s.above, s.known = s.above+rows, true
	if p.height > 0 {
		s.above = min(s.above, p.height-len(p.lines)-s.rows)
	}
}

// reckon returns how many rows of slack are to stand below lines, when printed was
// printed on a terminal of that size, and takes in what that changes.
func (p *painter) reckon(printed string, lines []line, width, height int) (rows int) {
	s := &p.slack
	if !s.on {
		return 0
	}
	if p.width > 0 {
		s.resized(p.lines, p.width, p.height, width, height)
	}
	s.above += strings.Count(printed, "\n")
	if lack := grow(lines, narrowest) - s.above; lack > 0 && s.known {
		rows = max(0, min(lack+takes(lack+2, narrowest), height-1-len(lines)))
	}
	if p.stays(printed, lines, width, height) {
		rows = max(rows, s.rows)
	}
	s.above = min(s.above, height-len(lines)-rows)
	return rows
}

// resized takes in that the terminal has got another size, with lines in its live
// region.
func (s *slack) resized(lines []line, width, height, newWidth, newHeight int) {
	if newWidth < width { // as many have left as there are more
		s.above -= max(0, grow(lines, newWidth)+takes(s.rows, newWidth)-s.rows)
	}
	s.above = max(0, s.above-max(0, height-newHeight))
}

// slacken draws n rows of slack below the live region.
func (p *painter) slacken(n int) {
	if n == p.slack.rows {
		return
	}
	p.move(len(p.lines)-1, -1)
	p.wrap(true)
	for range n {
		p.add("\r\n")
	}
	p.up(n - 1)
	p.add(" ")
	for range n - 1 {
		p.add(nextRow)
	}
	p.slack.rows = n
	p.row, p.col = len(p.lines)-1+n, -1
}
