// Package fuzzy finds what was meant by a few typed letters.
package fuzzy

// Rank returns the indexes of the candidates that query matches, the best first,
// limit at most.
//
// Query matches where its letters stand in a candidate in their order; words of
// it, parted by spaces, each on its own. Beginnings of words (after / _ - . and
// space, and where the case changes), letters in a row and the last part of a
// path count more, and a shorter candidate before a longer one. Case counts if
// query has a letter in upper case. An empty query matches all, in the order in
// which they are given.
func Rank(query string, candidates []string, limit int) []int { panic("not built") }
