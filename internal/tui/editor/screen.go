package editor

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// screen says how lines are broken into rows.
type screen struct {
	columns int      // of a row, for text
	long    []broken // long lines that were broken before
}

// broken is a line with the bytes at which its rows begin.
type broken struct {
	line string
	rows []int
}

// cell is a cluster as it is shown.
type cell struct {
	size  int // bytes of the text
	width int // columns
	show  string
}

const (
	tabWidth    = 4
	mostCluster = 64 // bytes that are shown of one
)

// cell returns the first cell of s, which is not empty.
func (e *Editor) cell(s string) cell {
	most := e.screen.columns
	c := s[0]
	switch {
	case c == '\t':
		n := min(tabWidth, most)
		return cell{1, n, "    "[:n]}
	case c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return cell{1, 1, s[:1]}
	case strings.HasPrefix(s, chipLead):
		label := e.chipAt(s).label
		if w := ansi.StringWidth(label); w <= most {
			return cell{chipSize, w, label}
		}
		label = ansi.Truncate(label, most, e.mark("…", "~"))
		return cell{chipSize, ansi.StringWidth(label), label}
	}
	return e.clusterCell(cluster(s))
}

func (e *Editor) clusterCell(c string) cell {
	size := len(c)
	if r, n := utf8.DecodeRuneInString(c); n == size && plainWide(r) && e.screen.columns > 1 {
		return cell{size, 2, c}
	}
	if size > mostCluster {
		c = strings.ToValidUTF8(c[:mostCluster], "")
	}
	if r, _ := utf8.DecodeRuneInString(c); unicode.Is(unicode.M, r) {
		c = "◌" + c // else it would combine with what stands before it on the screen
	}
	width := ansi.StringWidth(c)
	if width > e.screen.columns {
		return cell{size, 1, e.mark("…", "~")}
	}
	return cell{size, width, c}
}

// rowEnd returns where the row ends that begins at byte from of line, and whether
// there is another one behind it. A row ends behind a space if it can; one space
// that does not fit in is not shown.
func (e *Editor) rowEnd(line string, from int) (end int, more bool) {
	col, afterSpace := 0, from
	for i := from; i < len(line); {
		c := e.cell(line[i:])
		blank := line[i] == ' ' || line[i] == '\t'
		if col+c.width > e.screen.columns && i > from {
			switch {
			case line[i] == ' ' && c.size == 1:
				return i + 1, true
			case afterSpace > from:
				return afterSpace, true
			}
			return i, true
		}
		i += c.size
		col += c.width
		if blank {
			afterSpace = i
		}
	}
	return len(line), false
}

// longLine is how many bytes make a line worth remembering, and mostLong how many
// of them are.
const (
	longLine = 2 << 10
	mostLong = 8
)

// rows returns the bytes at which the rows of a line begin. Of a long line that has
// changed a little, the rows far from the change are not found anew.
func (e *Editor) rows(line string) []int {
	if len(line) < longLine {
		return e.breakFrom(line, []int{0}, nil, 0)
	}
	known := e.screen.long
	best, common := -1, 0
	for i := range known {
		if known[i].line == line {
			return known[i].rows
		}
		if n := commonPrefix(known[i].line, line) + commonSuffix(known[i].line, line); n > common {
			best, common = i, n
		}
	}
	b := broken{line: line}
	if best < 0 {
		b.rows = e.breakFrom(line, []int{0}, nil, 0)
	} else {
		b.rows = e.breakAnew(line, known[best])
	}
	e.screen.long = append([]broken{b}, known[:min(len(known), mostLong-1)]...)
	return b.rows
}

// breakAnew returns the rows of line, given those of what it was before.
func (e *Editor) breakAnew(line string, was broken) []int {
	prefix := commonPrefix(was.line, line)
	// Where a row ends depends on the two rows behind it at most.
	keep := max(1, sort.SearchInts(was.rows, prefix)-3)
	rows := append(make([]int, 0, len(was.rows)+4), was.rows[:keep]...)
	return e.breakFrom(line, rows, &was, commonSuffix(was.line, line))
}

// breakFrom completes rows of line. Once one begins where one began before, within
// the last suffix bytes that are as they were, the others are where they were.
func (e *Editor) breakFrom(line string, rows []int, was *broken, suffix int) []int {
	for {
		end, more := e.rowEnd(line, rows[len(rows)-1])
		if !more {
			return rows
		}
		rows = append(rows, end)
		if was == nil || end < len(line)-suffix {
			continue
		}
		moved := len(line) - len(was.line)
		if i := sort.SearchInts(was.rows, end-moved); i < len(was.rows) && was.rows[i] == end-moved {
			for _, at := range was.rows[i+1:] {
				rows = append(rows, at+moved)
			}
			return rows
		}
	}
}

const stride = 256 // bytes that are compared at once

func commonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[n:n+stride] == b[n:n+stride] {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[len(a)-n-stride:len(a)-n] == b[len(b)-n-stride:len(b)-n] {
		n += stride
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
