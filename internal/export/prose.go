package export

import "strings"

// safeMarkdown returns Markdown without HTML, which may be in code alone.
// contained tells that nothing is open at its end: a block of code that was has
// been closed.
//
// Which lines are code is certain only of blocks that are not in a list or a
// quotation. If there are others, contained is false, and no "<" is left at all.
func safeMarkdown(text string) (safe string, contained bool) {
	lines := strings.Split(text, "\n")
	if !certain(lines) {
		return strings.ReplaceAll(text, "<", "&lt;"), false
	}
	spans := spansAreSafe(lines)
	var f fences
	for i, line := range lines {
		if !f.line(line) {
			lines[i] = withoutHTML(line, spans)
		}
	}
	if f.open() {
		lines = append(lines, f.mark)
	}
	return strings.Join(lines, "\n"), true
}

// certain reports whether all fences stand at the beginning of a line.
func certain(lines []string) bool {
	var f fences
	for _, line := range lines {
		if f.line(line) {
			continue
		}
		inner := strings.TrimLeft(line, " \t>-*+.)0123456789")
		if strings.HasPrefix(inner, "```") || strings.HasPrefix(inner, "~~~") {
			return false
		}
	}
	return true
}

// fences follows which lines of a Markdown text are in a fenced block of code
// that begins without indentation.
type fences struct{ mark string }

func (f *fences) open() bool { return f.mark != "" }

// line takes the next line in and reports whether it is code or a fence.
func (f *fences) line(line string) bool {
	mark, rest := fenceOf(line)
	switch {
	case f.open():
		if mark != "" && mark[0] == f.mark[0] && len(mark) >= len(f.mark) && strings.TrimSpace(rest) == "" {
			f.mark = ""
		}
		return true
	case mark != "" && mark[0] == line[0] && (mark[0] == '~' || !strings.Contains(rest, "`")):
		f.mark = mark
		return true
	}
	return false
}

// fenceOf returns the fence that a line begins with, "" if it does not.
func fenceOf(line string) (mark, rest string) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != '`' && text[0] != '~' {
		return "", ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 {
		return "", ""
	}
	return text[:n], text[n:]
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// spansAreSafe reports whether each span of code in a text ends on the line
// that it begins on, so that code can be told from text line by line.
func spansAreSafe(lines []string) bool {
	var f fences
	for _, line := range lines {
		if f.line(line) {
			continue
		}
		for rest := line; ; {
			_, _, after, ok := cutSpan(rest)
			if !ok {
				if strings.Contains(rest, "`") {
					return false
				}
				break
			}
			rest = after
		}
	}
	return true
}

// cutSpan cuts a line around its first span of code; ok is false if the first
// backtick begins none.
func cutSpan(line string) (before, span, after string, ok bool) {
	i := strings.IndexByte(line, '`')
	if i < 0 {
		return line, "", "", false
	}
	n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
	for j := i + n; j < len(line); {
		k := strings.IndexByte(line[j:], '`')
		if k < 0 {
			break
		}
		j += k
		m := len(line[j:]) - len(strings.TrimLeft(line[j:], "`"))
		if m == n {
			return line[:i], line[i : j+m], line[j+m:], true
		}
		j += m
	}
	return line, "", "", false
}

// withoutHTML returns a line of Markdown in which no HTML begins. If spans is
// true, what stands in spans of code stays as it is.
func withoutHTML(line string, spans bool) string {
	if !strings.Contains(line, "<") {
		return line
	}
	if !spans {
		return strings.ReplaceAll(line, "<", "&lt;")
	}
	var b strings.Builder
	for {
		before, span, after, ok := cutSpan(line)
		b.WriteString(strings.ReplaceAll(before, "<", "&lt;"))
		b.WriteString(span)
		if !ok {
			return b.String()
		}
		line = after
	}
}
