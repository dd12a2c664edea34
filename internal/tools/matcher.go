package tools

import (
	"bytes"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"

	re2 "github.com/wasilibs/go-re2"

	"ikigai"
)

// matcher finds the lines that match a pattern, many lines at once.
type matcher struct {
	literal []byte      // what every match contains; may be empty
	re      *re2.Regexp // nil when the literal is the whole pattern
}

// match is a line with the place in it where a pattern matches first.
type match struct {
	start, end int // of the line, without its line break
	at         int
}

func (m match) shift(n int) match { return match{m.start + n, m.end + n, m.at + n} }

// newMatcher compiles a pattern of RE2, as lines are matched by it: it cannot
// match a line break, ^ and $ are the ends of a line, and a carriage return
// before a line break is no part of the line.
func newMatcher(pattern string, ignoreCase bool) (*matcher, *ikigai.Result) {
	flags := syntax.PerlX | syntax.UnicodeGroups // no OneLine: ^ and $ are for lines
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, badPattern(pattern, err)
	}
	if hasLineBreak(tree) {
		failure := ikigai.Failure(codeBadPattern, "Bad pattern: a line break in it can match nothing, for lines are matched one by one",
			"Search for a part that is on one line, and use context to see the lines around it")
		return nil, &failure
	}
	literal, whole := required(tree)
	m := &matcher{literal: []byte(literal)}
	if whole {
		return m, nil
	}
	// The rest of the line belongs to the match, so that there is one for each
	// line.
	m.re, err = re2.Compile("(?:" + inLine(tree).String() + ")(?-s:.*)")
	if err != nil {
		return nil, badPattern(pattern, err)
	}
	return m, nil
}

func badPattern(pattern string, err error) *ikigai.Result {
	what := fmt.Sprintf("Bad pattern %s: %v", display(pattern), err)
	var fault *syntax.Error
	if errors.As(err, &fault) {
		what = fmt.Sprintf("Bad pattern: %s at %s", fault.Code, display(fault.Expr))
	}
	failure := ikigai.Failure(codeBadPattern, what,
		`Write an RE2 regular expression, with \ before ( ) [ ] { } . * + ? | meant as themselves; it has no lookaround and no backreferences`)
	return &failure
}

// hasLineBreak reports whether a line break is asked for as such.
func hasLineBreak(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, hasLineBreak)
}

// inLine changes re so that it matches within a line.
func inLine(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpAnyChar:
		return &syntax.Regexp{Op: syntax.OpAnyCharNotNL}
	case syntax.OpBeginText:
		return &syntax.Regexp{Op: syntax.OpBeginLine}
	case syntax.OpEndText, syntax.OpEndLine:
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
			{Op: syntax.OpQuest, Sub: []*syntax.Regexp{{Op: syntax.OpLiteral, Rune: []rune{'\r'}}}},
			{Op: syntax.OpEndLine},
		}}
	case syntax.OpCharClass:
		re.Rune = withoutLineBreak(re.Rune)
		if len(re.Rune) == 0 {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
	}
	for i := range re.Sub {
		re.Sub[i] = inLine(re.Sub[i])
	}
	return re
}

// withoutLineBreak returns the ranges of a character class without '\n'.
func withoutLineBreak(ranges []rune) []rune {
	var rest []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo > '\n' || hi < '\n' {
			rest = append(rest, lo, hi)
			continue
		}
		if lo < '\n' {
			rest = append(rest, lo, '\n'-1)
		}
		if hi > '\n' {
			rest = append(rest, '\n'+1, hi)
		}
	}
	return rest
}

// required returns the longest text that every match of re contains, and
// whether it is all that re matches.
func required(re *syntax.Regexp) (literal string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune), true
		}
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		literal, _ = required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			literal, _ = required(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if text, _ := required(sub); len(text) > len(literal) {
				literal = text
			}
		}
	}
	return literal, false
}

// mostAtOnce bounds the matches that are held at once.
const mostAtOnce = 1 << 16

// lines returns the lines of b that match. Only the last may lack its line
// break.
func (m *matcher) lines(b []byte) []match {
	var found []match
	for at := 0; at < len(b); {
		if len(m.literal) > 0 {
			i := bytes.Index(b[at:], m.literal)
			if i < 0 {
				break
			}
			if m.re == nil {
				line := lineAround(b, at+i)
				found = append(found, line)
				at = line.end + 1
				continue
			}
			at += bytes.LastIndexByte(b[at:at+i], '\n') + 1
		}
		places := m.re.FindAllIndex(b[at:], mostAtOnce)
		for _, p := range places {
			if line := lineAround(b, at+p[0]); line.start < len(b) && (len(found) == 0 || found[len(found)-1].end < line.start) {
				found = append(found, line)
			}
		}
		if len(places) < mostAtOnce {
			break
		}
		at = found[len(found)-1].end + 1
	}
	return found
}

// lineAround returns the line in which b has a match at i.
func lineAround(b []byte, i int) match {
	start := bytes.LastIndexByte(b[:i], '\n') + 1
	end := bytes.IndexByte(b[i:], '\n')
	if end < 0 {
		end = len(b) - i
	}
	return match{start, i + end, i}
}
