package tools

import (
	"bytes"
	"strings"
)

const blanks = " \t\r"

// looseNeedle is whole lines to be found whatever blanks they begin and end
// with.
type looseNeedle struct {
	needle      // of the lines without these blanks
	ended  bool // the text ends with a line break
	old    []string
}

// newLooseNeedle returns a needle for old; false if it has nothing but blanks.
func newLooseNeedle(d *document, old string) (looseNeedle, bool) {
	text, ended := strings.CutSuffix(old, "\n")
	l := looseNeedle{ended: ended, old: strings.Split(text, "\n")}
	bare := make([]string, len(l.old))
	for i, line := range l.old {
		bare[i] = strings.Trim(line, blanks)
	}
	var ok bool
	l.needle, ok = newNeedle(d, strings.Join(bare, "\n"))
	return l, ok && len(l.lines[l.anchor]) > 0
}

// places returns the first places where the needle is, at most most.
func (l looseNeedle) places(most int) []place {
	var all []place
	text, look := l.text(), l.lines[l.anchor]
	for at := l.index(text, look, 0); at >= 0 && len(all) < most; {
		if p, ok := l.around(at); ok {
			all = append(all, p)
		}
		_, next := l.lineEnd(at)
		if next <= at {
			break
		}
		at = l.index(text, look, next)
	}
	return all
}

// around reports whether the lines stand around the one that offset at is in,
// which is to be the anchor.
func (l looseNeedle) around(at int) (place, bool) {
	start := l.lineStart(at)
	for range l.anchor {
		if start == 0 {
			return place{}, false
		}
		start = l.lineStart(start - len(l.lf))
	}
	text := l.text()
	p := place{start: start, end: start}
	for i, bare := range l.lines {
		end, next := l.lineEnd(p.end)
		line := text[p.end:end]
		if !bytes.Equal(l.trim(line), bare) {
			return p, false
		}
		p.lines = append(p.lines, line)
		if i == len(l.lines)-1 && !l.ended {
			p.end = end
			return p, true
		}
		if next == end && i < len(l.lines)-1 {
			return p, false // the file ends before
		}
		p.breaks = append(p.breaks, text[end:next])
		p.end = next
	}
	p.lines = append(p.lines, nil) // what follows the last break
	return p, true
}

// trim returns a line without the blanks at its beginning and its end.
func (l looseNeedle) trim(line []byte) []byte {
	if l.width() == 1 {
		return bytes.Trim(line, blanks)
	}
	for _, b := range blanks {
		blank := l.ascii(string(b))
		if rest, ok := bytes.CutPrefix(line, blank); ok {
			return l.trim(rest)
		}
		if rest, ok := bytes.CutSuffix(line, blank); ok {
			return l.trim(rest)
		}
	}
	return line
}

// indents are the blanks that a line begins with, in the text that the model
// sent and in the file.
type indents struct{ sent, file string }

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// indentsOf returns the indents of the lines that have more than blanks, each
// pair once.
func indentsOf(d *document, old []string, lines [][]byte) []indents {
	var all []indents
	for i, line := range old {
		if strings.Trim(line, blanks) == "" {
			continue
		}
		pair := indents{indentOf(line), indentOf(d.decode(lines[i]))}
		known := false
		for _, other := range all {
			known = known || other == pair
		}
		if !known {
			all = append(all, pair)
		}
	}
	return all
}

// reindent returns lines that the model sent with the indentation that they have
// in the file, going by the lines that are in both. It returns false unless there
// is exactly one way to see it.
func reindent(lines []string, pairs []indents) ([]string, bool) {
	out := make([]string, len(lines))
	for i, line := range lines {
		indent := indentOf(line)
		if strings.Trim(line, blanks) == "" {
			out[i] = line
			continue
		}
		in, ok := inFile(indent, pairs)
		if !ok {
			return nil, false
		}
		out[i] = in + line[len(indent):]
	}
	return out, true
}

// inFile returns what an indent of the model's is in the file, if all rules that
// explain the known pairs agree on it, and there is one.
func inFile(indent string, pairs []indents) (in string, ok bool) {
	for _, rule := range []func(string, []indents) (string, bool, bool){sameIndent, moreIndent, lessIndent, otherUnit} {
		got, explains, applies := rule(indent, pairs)
		switch {
		case !explains:
		case !applies || ok && got != in:
			return "", false
		default:
			in, ok = got, true
		}
	}
	return in, ok
}

// Each rule returns what it makes of an indent, whether it explains all pairs,
// and whether it has anything to say about that indent.

// sameIndent: the model sent the indents of the file.
func sameIndent(indent string, pairs []indents) (in string, explains, applies bool) {
	for _, p := range pairs {
		if p.sent != p.file {
			return "", false, false
		}
	}
	return indent, true, true
}

// moreIndent: the file has the same blanks more before every line.
func moreIndent(indent string, pairs []indents) (in string, explains, applies bool) {
	more, ok := strings.CutSuffix(pairs[0].file, pairs[0].sent)
	for _, p := range pairs {
		ok = ok && p.file == more+p.sent
	}
	return more + indent, ok && more != "", uniform(more + indent)
}

// lessIndent: the file has the same blanks less before every line.
func lessIndent(indent string, pairs []indents) (in string, explains, applies bool) {
	less, ok := strings.CutSuffix(pairs[0].sent, pairs[0].file)
	for _, p := range pairs {
		ok = ok && p.sent == less+p.file
	}
	in, applies = strings.CutPrefix(indent, less)
	return in, ok && less != "", applies
}

// otherUnit: the model sent so many spaces for a tab, or the other way round, or
// steps of another width. One pair alone tells the unit only if it is a tab for
// few spaces: four spaces for two tabs may also be one level more, of two each.
func otherUnit(indent string, pairs []indents) (in string, explains, applies bool) {
	var unit indents
	for _, p := range pairs {
		if (p.sent == "") != (p.file == "") || !uniform(p.sent) || !uniform(p.file) || strings.HasPrefix(p.sent, "\t") && strings.HasPrefix(p.file, "\t") {
			return "", false, false
		}
		switch {
		case p.sent == "":
		case unit.sent == "":
			unit = p
		case p.sent[0] != unit.sent[0] || p.file[0] != unit.file[0] || len(p.sent)*len(unit.file) != len(p.file)*len(unit.sent):
			return "", false, false
		}
	}
	if unit.sent == "" || unit.sent == unit.file {
		return "", false, false
	}
	oneTab := min(len(unit.sent), len(unit.file)) == 1 && max(len(unit.sent), len(unit.file)) <= 4
	sure := len(pairs) > 1 || oneTab || indent == unit.sent
	n := len(indent) * len(unit.file)
	if !sure || !uniform(indent) || indent != "" && indent[0] != unit.sent[0] || n%len(unit.sent) != 0 {
		return "", true, false
	}
	return strings.Repeat(unit.file[:1], n/len(unit.sent)), true, true
}

// uniform reports whether an indent is of tabs alone or of spaces alone.
func uniform(indent string) bool {
	return strings.Trim(indent, " ") == "" || strings.Trim(indent, "\t") == ""
}
