package tty

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// model is a small terminal that has no size of scrollback, and breaks lines anew
// when its width changes. It panics at what the painter must not write.
type model struct {
	width, height int
	rows          []row // the scrollback and the screen
	top           int   // first row of the screen
	row, col      int   // of the cursor; the row from the top of the screen
	nowrap        bool
	hidden        bool
	full          bool // the last column is written, and the cursor waits there
	tmux          bool // it breaks lines anew as tmux does
}

type row struct {
	cells []string // one per column; the second of a wide character is empty
	wraps bool     // the line goes on in the next row
}

func newModel(width, height int) *model {
	m := &model{width: width, height: height}
	m.rows = make([]row, height)
	return m
}

func (m *model) write(b []byte) {
	for s := string(b); s != ""; {
		seq, width, n, _ := ansi.DecodeSequence(s, 0, nil)
		s = s[n:]
		switch {
		case width > 0:
			m.put(seq, width)
		case strings.HasPrefix(seq, "\x1b["):
			m.control(seq[2:len(seq)-1], seq[len(seq)-1])
		case seq == "\r":
			m.col, m.full = 0, false
		case seq == "\n":
			m.feed()
		case seq[0] >= 0xc3: // combines with what stands before
			m.combine(seq)
		default:
			panic(fmt.Sprintf("written: %q", seq))
		}
	}
}

func (m *model) at() *row { return &m.rows[m.top+m.row] }

func (m *model) put(text string, width int) {
	if m.full || m.col+width > m.width {
		if m.nowrap {
			m.col = m.width - width
		} else {
			m.at().wraps = true
			m.feed()
			m.col = 0
		}
		m.full = false
	}
	r := m.at()
	for len(r.cells) < m.col+width {
		r.cells = append(r.cells, " ")
	}
	r.cells[m.col] = text
	for i := 1; i < width; i++ {
		r.cells[m.col+i] = ""
	}
	if m.col += width; m.col >= m.width {
		m.col, m.full = m.width-1, true
	}
}

func (m *model) combine(text string) {
	i := m.col - 1
	if m.full {
		i = m.col
	}
	for i > 0 && m.at().cells[i] == "" {
		i--
	}
	m.at().cells[i] += text
}

func (m *model) feed() {
	m.full = false
	if m.row < m.height-1 {
		m.row++
		return
	}
	m.rows = append(m.rows, row{})
	m.top++
}

func (m *model) control(params string, final byte) {
	n := 1
	if params != "" && params[0] != '?' {
		_, _ = fmt.Sscan(params, &n)
	}
	if final != 'm' && final != 'h' && final != 'l' {
		m.full = false
	}
	switch {
	case final == 'm':
	case final == 'A':
		m.row = max(m.row-n, 0)
	case final == 'B':
		m.row = min(m.row+n, m.height-1)
	case final == 'C':
		m.col = min(m.col+n, m.width-1)
	case final == 'D':
		m.col = max(m.col-n, 0)
	case final == 'X':
		for i := m.col; i < m.col+n; i++ {
			m.at().cells[i] = " "
		}
	case final == 'K' && params == "":
		m.erase()
	case final == 'J' && params == "":
		m.erase()
		for i := m.top + m.row + 1; i < len(m.rows); i++ {
			m.rows[i] = row{}
		}
	case params == "?7":
		m.nowrap = final == 'l'
	case params == "?25":
		m.hidden = final == 'l'
	case params == "?2026":
	default:
		panic(fmt.Sprintf("written: ESC [ %s %c", params, final))
	}
}

func (m *model) erase() {
	r := m.at()
	if m.tmux && m.col > 0 { // the row is as long as before
		for i := m.col; i < len(r.cells); i++ {
			r.cells[i] = " "
		}
		return
	}
	r.cells = r.cells[:min(len(r.cells), m.col)]
	r.wraps = false
}

// resize breaks all lines anew: the last row stays the last, the cursor stays at
// its character. In tmux the last row is the screen's, in others the last that has
// anything in it.
func (m *model) resize(width, height int) {
	if m.tmux {
		m.heighten(height)
	}
	cursor := m.top + m.row
	used := len(m.rows)
	for !m.tmux && used > cursor+1 && len(m.rows[used-1].cells) == 0 {
		used--
	}
	var rows []row
	for i := 0; i < used; {
		var cells []string
		at := -1
		for more := true; more; i++ {
			if i == cursor {
				at = len(cells) + min(m.col, max(len(m.rows[i].cells)-1, 0))
			}
			cells = append(cells, m.rows[i].cells...)
			more = m.rows[i].wraps && i+1 < used
		}
		first := len(rows)
		broken, where := rebreak(cells, width, at)
		rows = append(rows, broken...)
		if at >= 0 {
			m.row = first + where // from the beginning, for now
		}
	}
	m.rows, m.width, m.height, m.full = rows, width, height, false
	m.top = max(len(rows)-height, 0)
	for len(m.rows) < m.top+height {
		m.rows = append(m.rows, row{})
	}
	m.row, m.col = m.row-m.top, min(m.col, width-1)
	if m.row < 0 {
		m.row = 0
	}
}

// heighten makes the screen higher or lower: rows come from the scrollback, or go
// from below the cursor before they go there.
func (m *model) heighten(height int) {
	gone := min(max(m.height-height, 0), m.height-1-m.row)
	m.rows = m.rows[:len(m.rows)-gone]
	top := max(len(m.rows)-height, 0)
	m.row += m.top - top
	m.top, m.height = top, height
	for len(m.rows) < height {
		m.rows = append(m.rows, row{})
	}
}

// rebreak breaks a line into rows, and says in which the cell at is.
func rebreak(cells []string, width, at int) (rows []row, where int) {
	for begin := 0; ; {
		end := min(begin+width, len(cells))
		if end < len(cells) && cells[end] == "" {
			end-- // a wide character is not broken
		}
		if at >= begin {
			where = len(rows)
		}
		rows = append(rows, row{cells: cells[begin:end:end], wraps: end < len(cells)})
		if begin = end; begin >= len(cells) {
			return rows, where
		}
	}
}

// lines are all lines from the scrollback on, those that are broken whole.
func (m *model) lines() []string {
	all := []string{}
	line := ""
	for _, r := range m.rows {
		line += strings.Join(r.cells, "")
		if !r.wraps {
			all = append(all, strings.TrimRight(line, " "))
			line = ""
		}
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}
