package tools

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"ikigai"
)

// mostCompared is the most bytes of a file in which something like a text that
// is not there is looked for.
const mostCompared = 8 << 20

func (e *editing) staleWords() string {
	if e.stale() {
		return ", which has changed since you read it"
	}
	return ""
}

func (e *editing) staleFailure(why string) *ikigai.Result {
	return e.fail(codeStaleFile, "file "+display(e.path)+" has changed since you read it, and "+why, "Read it again, then send the edits anew")
}

// nearest says, in words that go on a sentence, where the text is most like old,
// and in what they differ; and what to do about it.
func (e *editing) nearest(old string) (what, do string) {
	do = "Send old exactly as it stands in the file"
	if e.stale() {
		do = "Read the file again, then send the edits anew"
	}
	if len(e.text()) == 0 {
		return ". The file is empty", "Use file_write"
	}
	if words, line := e.misread(old); line > 0 {
		return fmt.Sprintf(". It is at line %d, but %s", line, words), "Send the text as it is in the file"
	}
	wanted := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	text := e.decode(e.text()[:min(len(e.text()), mostCompared)])
	have := strings.Split(strings.TrimSuffix(breaksOf(text), "\n"), "\n")
	first, ok := nearestBlock(have, wanted)
	if !ok {
		if !e.stale() {
			do = "Read the file, then send old exactly as it stands there"
		}
		return ". Nothing in it is like that", do
	}
	for i, want := range wanted {
		at := first + i
		got := ""
		if at >= 0 && at < len(have) {
			got = have[at]
		}
		if fits(got, want, i == 0, i == len(wanted)-1) {
			continue
		}
		if at < 0 || at >= len(have) {
			return fmt.Sprintf(". The nearest place is at line %d, but the file has no line for `%s` there", max(first, 0)+1, visible(want, 0)), do
		}
		differ := commonRunes(got, want)
		return fmt.Sprintf(". The nearest place is at line %d: the file has `%s`, old has `%s`%s", at+1, visible(got, differ), visible(want, differ), difference(got, want)), do
	}
	return fmt.Sprintf(". The nearest place is at line %d", first+1), do
}

// misread finds text that would be there if the model had not sent what stands
// for it: escapes for characters, or numbers before lines. line is 0 if that is
// not so.
func (e *editing) misread(old string) (words string, line int) {
	for _, try := range []struct{ text, words string }{
		{strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(old), `old has an escape (\n, \t, \" or \\) as two characters where the file has one`},
		{withoutNumbers(old), "old has line numbers that are not in the file"},
	} {
		if try.text == "" || try.text == old {
			continue
		}
		n, ok := newNeedle(e.document, breaksOf(try.text))
		if !ok {
			continue
		}
		for p := range n.all() {
			return try.words, e.line(p.start)
		}
	}
	return "", 0
}

// withoutNumbers returns text without the numbers that every line begins with,
// or "".
func withoutNumbers(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "" && i == len(lines)-1 {
			continue
		}
		rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
		switch {
		case strings.TrimSpace(line[:len(line)-len(rest)]) == "":
			return ""
		case strings.HasPrefix(rest, ": "), strings.HasPrefix(rest, "| "):
			lines[i] = rest[2:]
		case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "\t"), strings.HasPrefix(rest, "|"):
			lines[i] = rest[1:]
		default:
			return ""
		}
	}
	return strings.Join(lines, "\n")
}

// fits reports whether a line of the file has all of a line that is looked for,
// of which the first may begin and the last may end inside of it.
func fits(got, want string, first, last bool) bool {
	switch {
	case first && last:
		return strings.Contains(got, want)
	case first:
		return strings.HasSuffix(got, want)
	case last:
		return strings.HasPrefix(got, want)
	}
	return got == want
}

// nearestBlock returns the index of the line at which have is most like wanted,
// which may begin before the first; false if it is like it nowhere.
func nearestBlock(have, wanted []string) (int, bool) {
	places := map[string][]int{} // where lines stand in wanted, by what they say
	longest := 0
	for i, line := range wanted {
		if f := folded(line); f != "" {
			places[f] = append(places[f], i)
		}
		if len(line) > len(wanted[longest]) {
			longest = i
		}
	}
	votes := map[int]int{} // by the line of have at which wanted would begin
	best, most := 0, 0
	look := folded(wanted[longest])
	similar, at := 0.5, -1 // a line that says more or less what the longest says
	marks := marksOf(look)
	for i, line := range have {
		f := folded(line)
		for _, j := range places[f] {
			if votes[i-j]++; votes[i-j] > most {
				best, most = i-j, votes[i-j]
			}
		}
		if s := marks.share(f); s > similar {
			similar, at = s, i
		}
	}
	switch {
	case most > 0 && (most > 1 || len(wanted) == 1 || at < 0):
		return best, true
	case at >= 0:
		return at - longest, true
	}
	return best, most > 0
}

// folded returns what a line says, whatever its blanks, quotes, dashes and
// letters look like.
func folded(line string) string {
	var b strings.Builder
	b.Grow(len(line))
	blank := true
	for _, r := range line {
		switch {
		case unicode.IsSpace(r):
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		case r < 0x80:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			} else if r == '"' || r == '`' {
				r = '\''
			}
		case strings.ContainsRune("‘’‚‛“”„«»´", r):
			r = '\''
		case strings.ContainsRune("‐‑‒–—−", r):
			r = '-'
		default:
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
		blank = false
	}
	return strings.TrimRight(b.String(), " ")
}

// marks are the groups of three letters of a text, each as one of 256 bits.
type marks [4]uint64

func marksOf(s string) (m marks) {
	for i := 0; i+3 <= len(s); i++ {
		h := uint8((uint32(s[i])*31+uint32(s[i+1]))*31 + uint32(s[i+2]))
		m[h>>6] |= 1 << (h & 63)
	}
	return m
}

// share returns how much of m is in s, from 0 to 1, a little less if s has much
// more than that.
func (m marks) share(s string) float64 {
	other := marksOf(s)
	both, mine, others := 0, 0, 0
	for i := range m {
		both += bits.OnesCount64(m[i] & other[i])
		mine += bits.OnesCount64(m[i])
		others += bits.OnesCount64(other[i])
	}
	if mine == 0 {
		return 0
	}
	return float64(both)/float64(mine) - float64(others)/4096
}

// difference says, in words that go on a sentence, in what two lines differ, if
// that is hard to see.
func difference(got, want string) string {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	switch {
	case strings.TrimLeft(got, " \t") == strings.TrimLeft(want, " \t"):
		if strings.Contains(indentOf(got), "\t") != strings.Contains(indentOf(want), "\t") {
			return " (tabs and spaces)"
		}
		return " (the indentation differs)"
	case strings.TrimRight(got, blanks) == strings.TrimRight(want, blanks):
		return " (blanks at the end)"
	case squeeze(got) == squeeze(want):
		return " (blanks differ)"
	case strings.EqualFold(got, want):
		return " (small and capital letters)"
	case folded(got) == folded(want):
		return " (quotes or dashes of another form)"
	}
	return ""
}

// commonRunes returns the length in bytes of what two lines begin with.
func commonRunes(a, b string) int {
	n := commonPrefix([]byte(a), []byte(b))
	for n > 0 && n < len(a) && a[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

// visible returns a line, or the part of it around an offset, with its blanks
// and control characters so that they can be told from each other.
func visible(line string, offset int) string {
	before, after := "", ""
	if offset > mostLine/2 {
		line, before = strings.ToValidUTF8(line[min(offset-mostLine/2, len(line)):], ""), "…"
	}
	if len(line) > mostLine {
		line, after = strings.ToValidUTF8(line[:mostLine], ""), "…"
	}
	var b strings.Builder
	for _, r := range line {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return before + b.String() + after
}
