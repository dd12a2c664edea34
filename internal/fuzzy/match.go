package fuzzy

import (
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

const mostLetters = 512 // of a candidate that are looked at: its last ones

const never = -1 << 20 // the score of what does not match

// matcher scores candidates for words.
type matcher struct {
	words [][]rune
	fold  bool

	// Of the candidate, and used again for the next one:
	letters []rune // folded, if that is wanted
	bonus   []int  // of each letter
	last    []int  // the best score of the letters of a word so far that ends at each letter
	next    []int
}

func newMatcher(words []string, fold bool) *matcher {
	m := &matcher{fold: fold}
	for _, w := range words {
		m.words = append(m.words, []rune(w))
	}
	return m
}

// score returns how well the candidate matches, and whether it does.
func (m *matcher) score(candidate string) (score int, ok bool) {
	for _, w := range m.words {
		if !m.has(candidate, w) {
			return 0, false
		}
	}
	m.take(candidate)
	for _, w := range m.words {
		s := m.best(w)
		if s <= never/2 {
			return 0, false // it stands in what is too long to be looked at
		}
		score += s
	}
	return score, true
}

// has reports whether the letters of word stand in s in their order.
func (m *matcher) has(s string, word []rune) bool {
	n := 0
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		if m.folded(r) != word[n] {
			continue
		}
		if n++; n == len(word) {
			return true
		}
	}
	return false
}

func (m *matcher) folded(r rune) rune {
	switch {
	case !m.fold:
		return r
	case r < utf8.RuneSelf:
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// take reads the letters of a candidate, and where they stand.
func (m *matcher) take(s string) {
	m.letters, m.bonus = m.letters[:0], m.bonus[:0]
	if over := len(s) - mostLetters; over > 0 {
		s = s[over:]
	}
	before, part := '/', 0
	for _, r := range s {
		m.letters = append(m.letters, m.folded(r))
		m.bonus = append(m.bonus, beginning(before, r))
		if before == '/' {
			part = len(m.letters) - 1
		}
		before = r
	}
	for i := part; i < len(m.bonus); i++ {
		m.bonus[i] += inLast
	}
}

// beginning returns what r is worth more behind another letter.
func beginning(before, r rune) int {
	switch before {
	case '/', '\\':
		return atPart
	case '_', '-', '.', ' ':
		return atWord
	}
	switch {
	case before < utf8.RuneSelf && r < utf8.RuneSelf:
		upper := r >= 'A' && r <= 'Z' && !(before >= 'A' && before <= 'Z')
		digit := r >= '0' && r <= '9' && !(before >= '0' && before <= '9')
		if !upper && !digit {
			return 0
		}
	case !unicode.IsUpper(r) || unicode.IsUpper(before):
		return 0
	}
	return atCase
}

// best returns the score of the best way in which the letters of word stand in
// the candidate.
func (m *matcher) best(word []rune) int {
	n := len(m.letters)
	m.last, m.next = grown(m.last, n), grown(m.next, n)
	for i, r := range m.letters {
		m.last[i] = never
		if r == word[0] {
			m.last[i] = worth + m.bonus[i]
		}
	}
	for _, w := range word[1:] {
		m.follow(w)
	}
	best := never
	for _, s := range m.last {
		best = max(best, s)
	}
	return best
}

// follow takes one more letter of the word in: what ends at each letter of the
// candidate now follows on what ended before it.
func (m *matcher) follow(w rune) {
	apart := never // the best that ended before, less the gap since then
	row := never   // what ended just before
	for i, r := range m.letters {
		m.next[i] = never
		if r == w {
			m.next[i] = max(row+inRow, apart) + m.bonus[i] + worth
		}
		apart = max(apart-further, row-gap)
		row = m.last[i]
	}
	m.last, m.next = m.next, m.last
}

func grown(s []int, n int) []int {
	if cap(s) < n {
		return make([]int, n, 2*n)
	}
	return s[:n]
}
