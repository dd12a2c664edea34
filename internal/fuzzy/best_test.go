package fuzzy

import (
	"strings"
	"testing"
)

// The score is that of the best of all ways in which the letters stand in the
// candidate.
func FuzzBestWay(f *testing.F) {
	f.Add("ab", "a_ab/Ab-b")
	f.Add("aaa", "aaxaaaxa/aAa")
	f.Add("é1", "é/1É-1")
	f.Add("ab", "axa.b")
	f.Add("abc", "ab/bxxabxc")
	f.Fuzz(func(t *testing.T, query, candidate string) {
		query = strings.ToLower(query)
		if n := len([]rune(query)); n == 0 || n > 4 || len(candidate) > 14 || strings.ToValidUTF8(query, "") != query {
			return
		}
		w := newWord(query, true)
		got, ok := w.score(candidate)
		want := bestOf(w, candidate)
		if ok != (want > never/2) || ok && got != want {
			t.Errorf("%q in %q: %d, %v, want %d", query, candidate, got, ok, want)
		}
	})
}

// bestOf tries all ways.
func bestOf(w *word, candidate string) int {
	var worths []int
	var is []uint64
	part, before := strings.LastIndexByte(candidate, '/'), '/'
	for i, r := range candidate {
		here := worth + beginning(before, r)
		if i > part {
			here += inLast
		}
		worths, is = append(worths, here), append(is, w.is(r))
		before = r
	}
	var try func(letter, last int) int
	try = func(letter, last int) int {
		if letter == len(w.letters) {
			return 0
		}
		best := never
		for n := last + 1; n < len(worths); n++ {
			if is[n]>>letter&1 == 0 {
				continue
			}
			way := worths[n] + try(letter+1, n)
			switch {
			case letter > 0 && n == last+1:
				way += inRow
			case letter > 0:
				way -= gap + further*(n-last-2)
			}
			best = max(best, way)
		}
		return best
	}
	return try(0, -1)
}
