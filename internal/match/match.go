// Package match finds the lines of a text that a pattern matches, many lines at
// once.
//
// Most patterns cannot match without one of a few texts (see literals). Those
// are looked for by their rarest byte, and the expression is tried on lines with
// one of them alone. An automaton tries it, which tells whether a line matches but
// not where the match begins: nobody asks, and so it looks at each byte once.
package match

import (
	"errors"
	"regexp/syntax"
)

// Pattern says which lines match. It may be used by several goroutines.
type Pattern struct {
	needles []needle     // one of them stands in every line that matches; none where nothing is known
	prog    *syntax.Prog // nil where a needle is enough
	every   bool         // every line matches
}

// ErrLineBreak is the error of Compile for a pattern with a line break in it,
// which could match nothing.
var ErrLineBreak = errors.New("a line break in a pattern for lines")

// mostInstructions bounds a program, and with it what a character costs.
const mostInstructions = 1 << 15

// Compile compiles a pattern of RE2, as lines are matched by it: it cannot match
// a line break, ^ and $ are the ends of a line, and a carriage return before a
// line break is no part of the line. Errors of syntax are *syntax.Error.
func Compile(pattern string, ignoreCase bool) (*Pattern, error) {
	flags := syntax.PerlX | syntax.UnicodeGroups // no OneLine: ^ and $ are for lines
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	if asks(tree, isLineBreak) {
		return nil, ErrLineBreak
	}
	tree = inLine(tree)
	if emptyAt(tree, syntax.OpBeginLine) || emptyAt(tree, syntax.OpEndLine) {
		return &Pattern{every: true}, nil
	}
	fold := asks(tree, isFolded)
	tree = tree.Simplify()
	literals := literalsOf(tree, fold)
	p := &Pattern{needles: needles(literals.needed(), fold)}
	if literals.exact != nil && len(p.needles) > 0 && !fold && !asks(tree, isAnchor) {
		return p, nil
	}
	if p.prog, err = syntax.Compile(tree); err == nil && len(p.prog.Inst) > mostInstructions {
		err = &syntax.Error{Code: syntax.ErrLarge, Expr: pattern}
	}
	return p, err
}
