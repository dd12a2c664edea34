package render

import (
	"encoding/json"
	"slices"
	"strings"

	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// editCall shows the edits of a file: the lines that go and those that come.
func editCall(s Style, params []transcript.Field) (head, below string, ok bool) {
	at := slices.IndexFunc(params, func(f transcript.Field) bool { return f.Name == "edits" })
	if at < 0 {
		return "", "", false
	}
	edits, n, ok := editsOf(params[at].Value)
	if !ok {
		return "", "", false
	}
	rest := slices.Delete(slices.Clone(params), at, at+1)
	return beside(s.inlined(rest), s.paint(faint, count(n, "edit"))), s.below(rest) + s.diff(edits), true
}

// editsOf returns edits as a difference, and how many they are; false if they
// are not as the tool takes them.
func editsOf(raw json.RawMessage) (text string, n int, ok bool) {
	var edits []map[string]any
	if json.Unmarshal(raw, &edits) != nil {
		return "", 0, false
	}
	var b strings.Builder
	for i, e := range edits {
		from, ok := e["old"].(string)
		to, ok2 := e["new"].(string)
		all, ok3 := e["replace_all"].(bool)
		known := 2
		if ok3 {
			known++
		}
		if !ok || !ok2 || len(e) != known {
			return "", 0, false
		}
		if all {
			b.WriteString("@@ everywhere @@\n")
		} else if i > 0 {
			b.WriteString("@@\n")
		}
		writeDifference(&b, safetext.Terminal(from), safetext.Terminal(to))
	}
	return b.String(), len(edits), true
}

// writeDifference writes two texts, the lines that they begin and end with once.
func writeDifference(b *strings.Builder, from, to string) {
	old, new := lines(from), lines(to)
	head := 0
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	write := func(sign string, some []string) {
		for _, l := range some {
			b.WriteString(sign + l + "\n")
		}
	}
	write(" ", old[:head])
	write("-", old[head:len(old)-tail])
	write("+", new[head:len(new)-tail])
	write(" ", old[len(old)-tail:])
}

// lines returns the lines of a text; none of an empty one.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// changeField shows what was changed of a file, as the report has it, in the
// place of the lines that the model is told.
func changeField(v *resultView, r transcript.Result, f transcript.Field) bool {
	changes := changesOf(r)
	switch {
	case v.Verbose:
		return false
	case changes == "" && f.Name == "output":
		text, _ := f.Text()
		return text == v.summary // which stands in one line with the rest
	case changes == "":
		return false
	case f.Name == "replacements":
		return true
	case f.Name != "output":
		return false
	}
	if v.reported = true; !v.asShown {
		v.WriteString(v.diff(safetext.Terminal(changes)))
	}
	return true
}

// asShown reports whether a call has done to a file what the person was shown when
// they were asked about it.
func (s Style) asShown(r transcript.Result) bool {
	if r.Call == nil || !r.Call.Asked || !r.Success {
		return false
	}
	changes := changesOf(r)
	if r.Call.Shown == "" {
		return changes == "" && s.Late(*r.Call) != ""
	}
	return changes == ended(r.Call.Shown)
}

// changesOf returns the difference that a result tells of, "" if there is none.
func changesOf(r transcript.Result) string {
	_, changes, _ := strings.Cut(r.Report, "\n")
	if !r.Success || !strings.HasPrefix(changes, "@@") || !slices.ContainsFunc(r.Fields, isOutput) {
		return ""
	}
	return ended(changes)
}

func isOutput(f transcript.Field) bool { return f.Name == "output" }

// What Compact leaves of a difference.
const (
	foldDiffHead = 16
	foldDiffTail = 8
)

// diff shows lines that go and come, which their first characters tell.
func (s Style) diff(text string) string {
	all := strings.SplitAfter(text, "\n")
	all = all[:len(all)-1]
	hidden := len(all) - foldDiffHead - foldDiffTail
	var b strings.Builder
	for i, l := range all {
		if s.Compact && hidden > 1 && i >= foldDiffHead && i < foldDiffHead+hidden {
			if i == foldDiffHead {
				b.WriteString("    " + s.paint(faint, s.glyph(ellipsis)+" "+count(hidden, "more line")+s.more()) + "\n")
			}
			continue
		}
		how := plain
		switch l[0] {
		case '+':
			how = added
		case '-':
			how = removed
		case '@':
			how = faint
		}
		if s.Compact {
			l = s.shortLines([]string{l})
		}
		b.WriteString(s.behind("    ", "    ", how, l))
	}
	return b.String()
}
