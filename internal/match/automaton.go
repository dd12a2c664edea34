package match

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// automaton runs an expression over lines, character by character, with states
// that are made when they are first reached. It is for one goroutine.
type automaton struct {
	prog    *syntax.Prog
	begin   *state            // at the beginning of a line
	matched *state            // the line matches, whatever follows
	states  map[string]*state // by key
	room    int               // for transitions and threads, before all states are forgotten
	stop    func() bool       // ends a search, however many states it takes; nil for none

	set  []uint32 // instructions of the state that is being made
	seen []bool   // instructions that were followed for it
}

// state is the instructions before which threads of the program wait, and what
// the character before was, on which anchors depend.
type state struct {
	threads []uint32
	before  rune
	ascii   [utf8.RuneSelf]*state // the state after each character; '\n' is the end of the line
	others  map[rune]*state
}

// Characters that stand for others, as anchors see them, and for none.
const (
	noRune    rune = -1 // before the first and after the last of a line
	notUTF8   rune = -2 // a byte that is no character: nothing matches it
	someWord  rune = 'a'
	someOther rune = ' '
)

// mostTransitions bounds what an automaton remembers, transitions and threads of
// states: some megabytes.
const mostTransitions = 1 << 18

func newAutomaton(prog *syntax.Prog, stop func() bool) *automaton {
	a := &automaton{prog: prog, stop: stop, matched: &state{}, seen: make([]bool, len(prog.Inst))}
	a.forget()
	return a
}

// forget begins anew, so that the states do not fill the memory.
func (a *automaton) forget() {
	a.states, a.room = map[string]*state{}, mostTransitions
	a.set = a.set[:0]
	a.begin = a.state(noRune)
}

// find returns a place in the first line of text at or after from, where a line
// begins, that matches: there the match is seen to be one. It is -1 if none does,
// and when the search is stopped.
func (a *automaton) find(text []byte, from int) int {
	s, at := a.run(a.begin, text, from, len(text))
	switch {
	case s == a.matched:
		return at
	case s != nil && len(text) > from && text[len(text)-1] != '\n' && a.step(s, '\n') == a.matched:
		return len(text)
	}
	return -1
}

// run goes on from state s with the characters of text that begin between from
// and to. It returns the state after them, and where they end: if that is
// matched, where the last one begins; nil, if the search is stopped.
func (a *automaton) run(s *state, text []byte, from, to int) (*state, int) {
	i := from
	for i < to {
		c, at := text[i], i
		var next *state
		if c < utf8.RuneSelf {
			next = s.ascii[c]
			i++
			if next == nil {
				next = a.step(s, rune(c))
			}
		} else {
			r, size := utf8.DecodeRune(text[i:])
			i += size
			if r == utf8.RuneError && size == 1 {
				r = notUTF8
			}
			if next = s.others[r]; next == nil {
				next = a.step(s, r)
			}
		}
		switch next {
		case a.matched, nil:
			return next, at
		}
		s = next
	}
	return s, i
}

// step makes the state that follows s after a character, and remembers it. It
// returns nil when the search is stopped.
func (a *automaton) step(s *state, r rune) *state {
	if a.stop != nil && a.stop() {
		return nil
	}
	if a.room--; a.room <= 0 {
		a.forget()
	}
	next := a.follow(s, r)
	if 0 <= r && r < utf8.RuneSelf {
		s.ascii[r] = next
		return next
	}
	if s.others == nil {
		s.others = map[rune]*state{}
	}
	s.others[r] = next
	return next
}

func (a *automaton) follow(s *state, r rune) *state {
	around := r
	switch r {
	case '\n':
		r, around = noRune, noRune
	case notUTF8:
		around = someOther
	}
	anchors := syntax.EmptyOpContext(s.before, around)
	clear(a.seen)
	a.set = a.set[:0]
	for _, pc := range s.threads {
		if a.try(pc, r, anchors) {
			return a.matched
		}
	}
	switch { // a match may begin at every character
	case a.try(uint32(a.prog.Start), r, anchors):
		return a.matched
	case r == noRune:
		return a.begin
	case syntax.IsWordChar(r):
		return a.state(someWord)
	}
	return a.state(someOther)
}

// try follows a thread up to the instructions that take a character, adds what
// comes after those that take r, and reports whether it has reached a match.
func (a *automaton) try(pc uint32, r rune, anchors syntax.EmptyOp) bool {
	if a.seen[pc] {
		return false
	}
	a.seen[pc] = true
	inst := &a.prog.Inst[pc]
	switch inst.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return a.try(inst.Out, r, anchors) || a.try(inst.Arg, r, anchors)
	case syntax.InstCapture, syntax.InstNop:
		return a.try(inst.Out, r, anchors)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(inst.Arg)&^anchors == 0 && a.try(inst.Out, r, anchors)
	case syntax.InstFail:
		return false
	}
	if takes(inst, r) {
		a.set = append(a.set, inst.Out)
	}
	return false
}

func takes(inst *syntax.Inst, r rune) bool {
	switch {
	case r < 0:
		return false
	case inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL:
		return true
	}
	return inst.MatchRune(r)
}

// state returns the state of the threads in set.
func (a *automaton) state(before rune) *state {
	slices.Sort(a.set)
	threads := slices.Compact(a.set)
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if s := a.states[string(key)]; s != nil {
		return s
	}
	s := &state{threads: slices.Clone(threads), before: before}
	a.states[string(key)] = s
	a.room -= utf8.RuneSelf + len(threads)
	return s
}
