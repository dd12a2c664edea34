package tools

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ikigai/internal/match"
)

const (
	shownLine   = 1000 // bytes of a line that are shown at most
	beforeMatch = 200  // bytes of a longer line that are shown before its match
)

// entry is a match as it is shown, with the lines around it.
type entry struct {
	text  string
	apart bool // its first line does not follow the entry before
}

// printer shows the matches of one file.
type printer struct {
	file    string
	context int

	data    []byte // the block
	at      int    // an offset in it
	line    int    // the number of the line that begins there
	printed int    // the number of the last line that was shown
}

// begin takes the next block, whose first line has the given number.
func (p *printer) begin(data []byte, line int) {
	p.data, p.at, p.line = data, 0, line
}

// entry shows a match: with the lines before it that are not shown yet, and
// the lines after it up to next, where the next match begins.
func (p *printer) entry(m match.Line, next int) entry {
	p.line += bytes.Count(p.data[p.at:m.Start], []byte{'\n'})
	p.at = m.Start
	n := p.line
	before := max(0, min(p.context, n-p.printed-1))
	e := entry{apart: p.printed == 0 || n-before > p.printed+1}
	var b strings.Builder
	for at := lastLines(p.data[:m.Start], before); at < m.Start; {
		line := match.Around(p.data, at)
		lines := bytes.Count(p.data[at:m.Start], []byte{'\n'})
		fmt.Fprintf(&b, "%s-%d- %s\n", p.file, n-lines, showLine(line, p.data))
		at = line.End + 1
	}
	b.WriteString(p.file + ":" + strconv.Itoa(n) + ": " + showLine(m, p.data))
	p.printed = n
	for at := m.End + 1; at < next && p.printed < n+p.context; p.printed++ {
		line := match.Around(p.data, at)
		fmt.Fprintf(&b, "\n%s-%d- %s", p.file, p.printed+1, showLine(line, p.data))
		at = line.End + 1
	}
	e.text = b.String()
	return e
}

// showLine returns a line as text. Of a long one the part around the match is
// shown.
func showLine(m match.Line, data []byte) string {
	line := bytes.TrimSuffix(data[m.Start:m.End], []byte{'\r'})
	if len(line) <= shownLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	return strings.ToValidUTF8(string(partOf(line, m.At-m.Start, shownLine, false, false)), "\uFFFD") + lengthOf(len(line))
}

// partOf returns at most a number of bytes of a line, from shortly before a place
// in it on. Where there is more of the line, also before and after what is given,
// the part says so.
func partOf(line []byte, at, most int, before, after bool) []byte {
	start := max(0, min(at, len(line))-beforeMatch)
	end := min(len(line), start+most)
	for n := 1; n < utf8.UTFMax && start > 0 && !utf8.RuneStart(line[start]); n++ {
		start--
	}
	for n := 1; n < utf8.UTFMax && end < len(line) && end > start && !utf8.RuneStart(line[end]); n++ {
		end--
	}
	var part []byte
	if before || start > 0 {
		part = append(part, "…"...)
	}
	part = append(part, line[start:end]...)
	if after || end < len(line) {
		part = append(part, "…"...)
	}
	return part
}

// lengthOf tells how long a line is that is not shown as a whole.
func lengthOf(line int) string { return fmt.Sprintf(" [line of %s bytes]", group(int64(line))) }
