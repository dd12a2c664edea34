package fuzzy

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a letter that matches is worth, and more by where it stands.
const (
	worth   = 16
	inRow   = 12 // behind the letter before it
	atPart  = 14 // begins a part of a path, or all
	atWord  = 11 // begins a word behind _ - . or a space
	atCase  = 9  // begins one by its case
	inLast  = 3  // in the last part of the path
	gap     = 3  // is lost with the first letter between two that match
	further = 1  // and with each other one
)

const never = -1 << 40 // the score of what does not match

// word is one of a query, with what is known of it in the candidate that is being
// read.
type word struct {
	letters []rune
	fold    bool
	where   [utf8.RuneSelf]uint64 // of each ASCII character the letters that it is, a bit each
	ends    []end                 // of each letter
}

// end is the best way in which the letters of a word up to one stand in what was
// read of a candidate.
type end struct {
	last int // score of what ends at character at
	at   int
	best int // of what ended before that; as if it ended at the first character
}

// mostLetters of a word are looked at.
const mostLetters = 64

func newWord(text string, fold bool) *word {
	w := &word{letters: []rune(text), fold: fold}
	w.letters = w.letters[:min(len(w.letters), mostLetters)]
	w.ends = make([]end, len(w.letters))
	for r := range rune(utf8.RuneSelf) {
		w.where[r] = w.find(r)
	}
	return w
}

// find returns the letters that r is, a bit each.
func (w *word) find(r rune) (set uint64) {
	if w.fold {
		r = unicode.ToLower(r)
	}
	for i, l := range w.letters {
		if l == r {
			set |= 1 << i
		}
	}
	return set
}

// score returns how well the best way in which the letters stand in a candidate
// is, and whether there is one.
func (w *word) score(candidate string) (score int, ok bool) {
	for i := range w.ends {
		w.ends[i] = end{last: never, best: never}
	}
	if !w.matches(candidate) {
		return never, false
	}
	part := strings.LastIndexByte(candidate, '/')
	best, n, before := never, 0, '/'
	reached := uint64(1) // the letters that what was read can go on with
	for i, r := range candidate {
		if set := w.is(r) & reached; set != 0 {
			reached |= set << 1
			here := worth + beginning(before, r)
			if i > part {
				here += inLast
			}
			best = max(best, w.take(set, n, here))
		}
		before = r
		n++
	}
	return best, true
}

// matches reports whether the letters stand in a candidate in their order.
func (w *word) matches(candidate string) bool {
	n := 0
	for _, r := range candidate {
		if w.is(r)>>n&1 == 0 {
			continue
		}
		if n++; n == len(w.letters) {
			return true
		}
	}
	return false
}

// is is find with what is known of ASCII.
func (w *word) is(r rune) uint64 {
	if r < utf8.RuneSelf {
		return w.where[r]
	}
	return w.find(r)
}

// take reads character n of the candidate, which is these letters and worth that
// much. It returns the score of the whole word, if it ends here.
func (w *word) take(set uint64, n, here int) int {
	whole := never
	for set != 0 { // the last one first, so that none follows on itself
		i := bits.Len64(set) - 1
		set &^= 1 << i
		score := here
		if i > 0 {
			score += w.ends[i-1].followed(n)
		}
		e := &w.ends[i]
		e.best = max(e.best, e.last+further*e.at)
		e.last, e.at = score, n
		if i == len(w.letters)-1 {
			whole = score
		}
	}
	return whole
}

// followed returns the score of what ends before character n and goes on there.
func (e *end) followed(n int) int {
	if e.at == n-1 {
		return max(e.last+inRow, e.best-gap-further*(n-2))
	}
	return max(e.last+further*e.at, e.best) - gap - further*(n-2)
}

// beginning returns what r is worth more behind another letter.
func beginning(before, r rune) int {
	switch before {
	case '/', '\\':
		return atPart
	case '_', '-', '.', ' ':
		return atWord
	}
	if unicode.IsUpper(r) && !unicode.IsUpper(before) || unicode.IsDigit(r) && !unicode.IsDigit(before) {
		return atCase
	}
	return 0
}
