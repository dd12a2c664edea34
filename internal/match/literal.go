package match

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// literals is what is known of the texts that an expression matches.
type literals struct {
	exact []string // all of them, where they are few; nil otherwise
	any   []string // every match contains one of these; nil where nothing is known
}

const (
	mostLiterals = 8  // at most are looked for at once
	mostRunes    = 4  // of a class of characters are written out
	longestText  = 64 // bytes of a literal
)

// literalsOf returns the literals of a simplified expression. With fold the
// case of ASCII letters does not count, and they are in lower case.
func literalsOf(re *syntax.Regexp, fold bool) literals {
	switch re.Op {
	case syntax.OpLiteral:
		return spelled(re, fold)
	case syntax.OpCharClass:
		return oneOf(re.Rune, fold)
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return literals{exact: []string{""}}
	case syntax.OpCapture:
		return literalsOf(re.Sub[0], fold)
	case syntax.OpQuest:
		return either(literalsOf(re.Sub[0], fold), literals{exact: []string{""}})
	case syntax.OpPlus:
		return literals{any: literalsOf(re.Sub[0], fold).needed()}
	case syntax.OpConcat:
		parts := make([]literals, len(re.Sub))
		for i, sub := range re.Sub {
			parts[i] = literalsOf(sub, fold)
		}
		return inTurn(parts)
	case syntax.OpAlternate:
		l := literalsOf(re.Sub[0], fold)
		for _, sub := range re.Sub[1:] {
			l = either(l, literalsOf(sub, fold))
		}
		return l
	}
	return literals{}
}

// needed returns texts one of which every match contains.
func (l literals) needed() []string { return better(l.any, l.exact) }

// spelled returns the literals of a text. Letters that have forms beyond ASCII,
// like k and the sign for Kelvin, are left open where case does not count.
func spelled(re *syntax.Regexp, fold bool) literals {
	if !fold {
		text := string(re.Rune)
		if len(text) > longestText {
			return literals{any: []string{text[:longestText]}}
		}
		return literals{exact: []string{text}}
	}
	parts := make([]literals, len(re.Rune))
	for i, r := range re.Rune {
		if re.Flags&syntax.FoldCase == 0 || foldsInASCII(r) {
			parts[i].exact = []string{lower(string(r))}
		}
	}
	return inTurn(parts)
}

func foldsInASCII(r rune) bool {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if max(f, r) > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// lower returns text with ASCII letters in lower case.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

func oneOf(ranges []rune, fold bool) literals {
	var l literals
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(l.exact) == mostRunes || notEncoded(r) {
				return literals{}
			}
			l.exact = append(l.exact, string(r))
		}
	}
	if fold {
		for i, text := range l.exact {
			l.exact[i] = lower(text)
		}
	}
	return l
}

// either returns what is known of a match of one or the other.
func either(a, b literals) literals {
	if a.exact != nil && b.exact != nil && len(a.exact)+len(b.exact) <= mostLiterals {
		return literals{exact: slices.Concat(a.exact, b.exact)}
	}
	anyA, anyB := a.needed(), b.needed()
	if anyA == nil || anyB == nil || len(anyA)+len(anyB) > mostLiterals {
		return literals{}
	}
	return literals{any: slices.Concat(anyA, anyB)}
}

// inTurn returns what is known of matches that follow each other.
func inTurn(parts []literals) literals {
	var best []string
	run, exact := []string{""}, true
	for _, part := range parts {
		if joined := join(run, part.exact); joined != nil {
			run = joined
			continue
		}
		exact = false
		best = better(better(best, run), part.any)
		if run = part.exact; run == nil {
			run = []string{""}
		}
	}
	if exact {
		return literals{exact: run}
	}
	return literals{any: better(best, run)}
}

// join returns every text of one followed by every text of the other, nil if
// they are too many or too long.
func join(heads, tails []string) []string {
	if len(heads)*len(tails) > mostLiterals {
		return nil
	}
	var joined []string
	for _, head := range heads {
		for _, tail := range tails {
			if len(head)+len(tail) > longestText {
				return nil
			}
			joined = append(joined, head+tail)
		}
	}
	return joined
}

// better returns the texts that are found less often, nil if neither are worth
// looking for.
func better(a, b []string) []string {
	if worth(b) > worth(a) {
		a = b
	}
	if worth(a) < 3 {
		return nil
	}
	return a
}

// worth grows with the rarity of texts.
func worth(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	least := 100
	for _, text := range texts {
		sum := 0
		for _, c := range []byte(text) {
			sum += 1 + rarity(c)/16
		}
		least = min(least, sum)
	}
	return least - (len(texts) - 1)
}

// frequent holds the bytes that source text and prose are made of for the most
// part, the most frequent first.
const frequent = " et\tnrioas\nlcdup.mf,()g\"0h=_:bv1xyw-*;/T{}kS2"

// rarity returns the place of a byte among the frequent ones.
func rarity(c byte) int {
	if i := strings.IndexByte(frequent, c); i >= 0 {
		return i
	}
	return len(frequent)
}
