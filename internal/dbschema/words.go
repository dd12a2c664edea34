package dbschema

import (
	"fmt"
	"strings"
	"unicode"

	"ikigai"
)

// Term is a part of what a person looks for: words that stand next to each
// other.
type Term struct {
	Words  []string // folded, at least one
	Prefix bool     // the last one is only the beginning of a word
}

// A search with more than this is a mistake, such as a pasted page.
const (
	maxTerms     = 64
	maxTermWords = 256
)

// ParseWords reads the words of a search: bare words, "phrases" and
// beginnings*. A name such as file_read becomes the phrase of its parts. Signs
// alone are passed over. Blank text has no terms. The error is an
// *ikigai.Error of kind usage.
func ParseWords(text string) ([]Term, error) {
	var terms []Term
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimLeftFunc(rest, unicode.IsSpace) {
		var part string
		var err error
		if part, rest, err = cutTerm(rest); err != nil {
			return nil, err
		}
		t := Term{Words: words(part)}
		if strings.HasPrefix(rest, "*") {
			t.Prefix, rest = true, strings.TrimLeft(rest, "*")
		}
		if len(t.Words) > 0 {
			terms = append(terms, t)
		}
		if len(terms) > maxTerms || len(t.Words) > maxTermWords {
			return nil, searchError("The search has too many words", fmt.Sprintf("Name at most %d words or phrases", maxTerms))
		}
	}
	if len(terms) == 0 && strings.TrimSpace(text) != "" {
		return nil, searchError(fmt.Sprintf("There is no word in the search %q", text), "Name a word with letters or digits")
	}
	return terms, nil
}

// cutTerm cuts a term off the beginning of s. Stars behind it stay in rest.
func cutTerm(s string) (term, rest string, err error) {
	if s[0] == '"' {
		term, rest, closed := strings.Cut(s[1:], `"`)
		if !closed {
			return "", "", searchError("A quotation mark in the search has no partner", `Close the phrase with "`)
		}
		return term, rest, nil
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
	if end < 0 {
		end = len(s)
	}
	term = strings.TrimRight(s[:end], "*")
	return term, s[len(term):], nil
}

func searchError(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do}
}
