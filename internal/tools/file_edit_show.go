package tools

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ikigai"
)

const (
	mostSpots     = 10       // places that are named with their lines
	mostContext   = 5        // places that are shown with the lines around them
	mostSpotLines = 9        // of one of these
	mostLine      = 160      // characters of a line that is shown
	mostDiffed    = 32 << 10 // bytes of the part of a file that a diff is made of
	diffContext   = 3        // lines
)

// spot is where a part of the text is that was changed.
type spot struct{ start, end int }

// make makes the changes of one edit, which are in order.
func (e *editing) make(all iter.Seq[change]) {
	var first []change // what is shown of them
	var made []spot
	moved := slices.Clone(e.spots)
	count, shift, shown := 0, 0, 0
	for c := range all {
		grows := len(c.by) - (c.end - c.start)
		for i, s := range e.spots {
			moved[i] = moved[i].after(c, s, shift)
		}
		if len(e.spots)+len(made) < mostSpots {
			made = append(made, spot{c.start + shift, c.end + shift + grows})
		}
		if shown += len(c.by); count == 0 || shown <= mostDiffed && c.end-first[0].start <= mostDiffed {
			c.by = bytes.Clone(c.by)
			first = append(first, c)
		}
		count++
		shift += grows
	}
	e.diffs = append(e.diffs, e.diff(first, count))
	e.spots = append(moved, made...)
	e.replaced += count
	if count == 1 {
		e.replace(first[0])
	} else {
		e.replaceAll(all, len(e.raw)+shift)
	}
}

// after returns where s, as far as other changes have moved it from where it was,
// is after c as well; they have made what stands before c longer by shift. A spot
// that is changed itself becomes part of that change.
func (s spot) after(c change, was spot, shift int) spot {
	grows := len(c.by) - (c.end - c.start)
	switch {
	case c.end <= was.start:
		return spot{s.start + grows, s.end + grows}
	case c.start < was.end:
		return spot{min(s.start, c.start+shift), max(s.end, c.end+shift) + grows}
	}
	return s
}

// diff returns the first changes, of count, as a unified diff without a header.
func (e *editing) diff(first []change, count int) string {
	text := e.text()
	start, end := first[0].start, first[len(first)-1].end
	if by := first[0].by; end-start > 2*mostDiffed || len(by) > 2*mostDiffed {
		return fmt.Sprintf("@@ line %d @@\n(%s in the place of %s)\n", e.line(start), size(int64(len(by))), size(int64(end-start)))
	}
	from, to := e.lineStart(start), end
	for range diffContext {
		from = e.lineStart(max(from-len(e.lf), 0))
	}
	for range diffContext + 1 {
		_, to = e.lineEnd(to)
	}
	if to-from > 3*mostDiffed {
		return fmt.Sprintf("@@ line %d @@\n(in a very long line)\n", e.line(start))
	}
	var after []byte
	at := from
	for _, c := range first {
		after = append(append(after, text[at:c.start]...), c.by...)
		at = c.end
	}
	after = append(after, text[at:to]...)
	shown := unified(e.decode(text[from:to]), e.decode(after), e.line(from))
	if more := count - len(first); more > 0 {
		shown += fmt.Sprintf("(and %s further on)\n", plural(more, "place"))
	}
	return shown
}

// unified returns the difference of two parts of a file that begin with a line.
func unified(before, after string, line int) string {
	var b strings.Builder
	for i, l := range strings.SplitAfter(string(diff.Diff("", []byte(before), "", []byte(after))), "\n") {
		var old, oldLines, new, newLines int
		switch n, _ := fmt.Sscanf(l, "@@ -%d,%d +%d,%d @@", &old, &oldLines, &new, &newLines); {
		case i < 3: // the names of the files
		case n == 4:
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", old+line-1, oldLines, new+line-1, newLines)
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}

// lines are lines of the text, from first to last, of which the first begins at
// an offset.
type lines struct{ first, last, at int }

// changedLines returns which lines the spots are in, in order, those that touch
// put together.
func (e *editing) changedLines() []lines {
	slices.SortFunc(e.spots, func(a, b spot) int { return a.start - b.start })
	var all []lines
	at, number := 0, 1
	for _, s := range e.spots {
		if s.start < at {
			at, number = 0, 1
		}
		number += e.count(e.text()[at:s.start], e.lf)
		at = s.start
		l := lines{number, number + e.count(e.text()[s.start:s.end], e.lf), e.lineStart(s.start)}
		if l.last > l.first && s.end == e.lineStart(s.end) {
			l.last-- // it ends with a line break
		}
		if n := len(all); n > 0 && l.first <= all[n-1].last+1 {
			all[n-1].last = max(all[n-1].last, l.last)
			continue
		}
		all = append(all, l)
	}
	return all
}

func (l lines) String() string {
	if l.first == l.last {
		return fmt.Sprint(l.first)
	}
	return fmt.Sprintf("%d-%d", l.first, l.last)
}

// result tells what was done.
func (e *editing) result(target, sum string) ikigai.Result {
	all := e.changedLines()
	summary := "Edited " + e.path + ", line"
	if len(all) > 1 || all[0].last > all[0].first {
		summary += "s"
	}
	for i, l := range all {
		if i > 0 {
			summary += ","
		}
		summary += " " + l.String()
	}
	if more := e.replaced - len(e.spots); more > 0 {
		summary += fmt.Sprintf(" and %s more", group(int64(more)))
	}
	output := summary
	if len(all) <= mostContext {
		output += ":\n" + e.around(all)
	}
	return ikigai.Result{
		Output:    ikigai.JSONOutput(fileEditOutput{output, e.replaced}),
		Note:      strings.Join(e.notes, " "),
		Report:    summary + "\n" + strings.Join(e.diffs, ""),
		Resources: []ikigai.Resource{{URI: target, Changed: true, SHA256: sum}},
	}
}

// around returns lines with their numbers, and one before and behind each part.
func (e *editing) around(all []lines) string {
	var b strings.Builder
	shown := 0 // the last line shown
	for _, l := range all {
		at, number := l.at, l.first
		if number > 1 && number-1 > shown {
			at, number = e.lineStart(at-len(e.lf)), number-1
		}
		for ; number <= l.last+1 && (at < len(e.text()) || number == 1); number++ {
			end, next := e.lineEnd(at)
			if half := mostSpotLines / 2; number <= l.first+half || number > l.last-half {
				fmt.Fprintf(&b, "%d: %s\n", number, cutLine(e.decode(e.text()[at:min(end, at+4*mostLine)])))
			} else if number == l.first+half+1 {
				b.WriteString("…\n")
			}
			at, shown = next, number
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cutLine returns at most mostLine characters of a line.
func cutLine(line string) string {
	n := 0
	for i := range line {
		if n++; n > mostLine {
			return line[:i] + "…"
		}
	}
	return line
}
