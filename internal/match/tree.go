package match

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// asks reports whether what is asked is true of a part of re.
func asks(re *syntax.Regexp, what func(*syntax.Regexp) bool) bool {
	return what(re) || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return asks(sub, what) })
}

func isLineBreak(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n')
}

func isFolded(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0
}

func isAnchor(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return false
}

// emptyAt reports whether re matches the empty text wherever the anchor does.
func emptyAt(re *syntax.Regexp, anchor syntax.Op) bool {
	empty := func(sub *syntax.Regexp) bool { return emptyAt(sub, anchor) }
	switch re.Op {
	case anchor, syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return empty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || empty(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, empty)
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !empty(sub) })
	}
	return false
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
	case syntax.OpLiteral:
		if slices.ContainsFunc(re.Rune, notEncoded) {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
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

// notEncoded reports whether no text in UTF-8 holds r: it is half a character.
func notEncoded(r rune) bool { return !utf8.ValidRune(r) }

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
