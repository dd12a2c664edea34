// Package fuzzy finds what was meant by a few typed letters.
package fuzzy

import (
	"slices"
	"strings"
	"unicode"
)

// Rank returns the indexes of the candidates that query matches, the best first,
// limit at most.
//
// Query matches where its letters stand in a candidate in their order; words of
// it, parted by spaces, each on its own. Beginnings of words (after / _ - . and
// space, and where the case changes), letters in a row and the last part of a
// path count more, and a shorter candidate before a longer one. Case counts if
// query has a letter in upper case. An empty query matches all, in the order in
// which they are given.
//
// It takes memory for twice limit results alone, and looks at 64 letters of a word.
func Rank(query string, candidates []string, limit int) []int {
	fold := !strings.ContainsFunc(query, unicode.IsUpper)
	var words []*word
	for text := range strings.FieldsSeq(query) {
		words = append(words, newWord(text, fold))
	}
	if len(words) == 0 {
		return first(min(len(candidates), limit))
	}
	best := ranking{limit: max(limit, 0)}
	for i, c := range candidates {
		if score, ok := score(words, c); ok {
			best.add(result{i, score, len(c)})
		}
	}
	return best.indexes()
}

// score returns how well a candidate matches all the words, and whether it does.
func score(words []*word, candidate string) (score int, ok bool) {
	for _, w := range words {
		s, ok := w.score(candidate)
		if !ok {
			return 0, false
		}
		score += s
	}
	return score, true
}

func first(n int) []int {
	all := make([]int, max(n, 0))
	for i := range all {
		all[i] = i
	}
	return all
}

// result is a candidate that matches.
type result struct {
	index  int
	score  int
	length int
}

// compare orders the better one first.
func compare(a, b result) int {
	switch {
	case a.score != b.score:
		return b.score - a.score
	case a.length != b.length:
		return a.length - b.length
	}
	return a.index - b.index
}

// ranking keeps the best results, and now and then drops the others.
type ranking struct {
	limit   int
	results []result
}

func (r *ranking) add(one result) {
	if r.results = append(r.results, one); len(r.results)/2 >= r.limit {
		r.cut()
	}
}

// cut leaves the best, in their order.
func (r *ranking) cut() {
	slices.SortFunc(r.results, compare)
	r.results = r.results[:min(len(r.results), r.limit)]
}

func (r *ranking) indexes() []int {
	r.cut()
	all := make([]int, len(r.results))
	for i, one := range r.results {
		all[i] = one.index
	}
	return all
}
