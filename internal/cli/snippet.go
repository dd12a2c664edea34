package cli

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/dbschema"
)

// How many bytes of a text stand in a snippet before the first word that was
// found, and in all.
const (
	snippetBefore = 60
	snippetSize   = 200
	// snippetScan bounds the search for the words in one text.
	snippetScan = 1 << 20
)

// hitTexts returns what an event says, the most telling first.
func hitTexts(e ikigai.Event) []string {
	switch e.Kind {
	case ikigai.KindToolCall:
		if m, err := e.Message(); err == nil {
			return append([]string{e.Content}, jsonTexts(m.Call.Arguments)...)
		}
	case ikigai.KindToolResult:
		if m, err := e.Message(); err == nil {
			return append(jsonTexts(m.Result.Output), m.Result.Note, e.Content)
		}
	case ikigai.KindInterrupted:
		var d ikigai.InterruptedData
		_ = e.DecodeData(&d) // what cannot be read is not shown
		return []string{e.Content, d.Thinking}
	}
	return []string{e.Content}
}

// jsonTexts returns the texts in JSON, those that are values first, then the
// names of fields; or s itself if it is no JSON.
func jsonTexts(s string) []string {
	if !json.Valid([]byte(s)) {
		return []string{s}
	}
	var values, names []string
	dec := json.NewDecoder(strings.NewReader(s))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return append(values, names...)
		}
		if err != nil {
			return []string{s}
		}
		text, ok := token.(string)
		switch rest := s[dec.InputOffset():]; {
		case !ok:
		case strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":"):
			names = append(names, text)
		default:
			values = append(values, text)
		}
	}
}

// snippet returns a piece of the first of texts that holds one of the terms, on
// one line, and where in it words that were found stand. If none does, it is
// the beginning of the first text.
func snippet(texts []string, terms []dbschema.Term) (text string, found [][2]int) {
	for _, t := range texts {
		if text, found := excerpt(t, terms); len(found) > 0 {
			return text, found
		}
	}
	i := slices.IndexFunc(texts, func(t string) bool { return strings.TrimSpace(t) != "" })
	if i < 0 {
		return "", nil
	}
	text, _ = excerpt(texts[i], nil)
	return text, nil
}

// excerpt returns the piece of text around the first of the terms in it.
func excerpt(text string, terms []dbschema.Term) (string, [][2]int) {
	if len(text) > snippetScan {
		text = strings.ToValidUTF8(text[:snippetScan], "")
	}
	tokens := tokens(text)
	first := slices.IndexFunc(tokens, func(t token) bool { return matches(tokens[t.at:], terms) > 0 })
	if len(terms) > 0 && first < 0 {
		return "", nil
	}
	begin := 0
	if first > 0 {
		for begin = first; begin > 0 && tokens[first].from-tokens[begin-1].from <= snippetBefore; {
			begin--
		}
	}
	return compose(text, tokens, begin, terms)
}

// compose returns the text from a token on, with its blanks folded, and the
// places of the terms in it.
func compose(text string, tokens []token, begin int, terms []dbschema.Term) (string, [][2]int) {
	var b strings.Builder
	var found [][2]int
	from := 0
	if begin > 0 {
		b.WriteString("…")
		from = tokens[begin].from
	}
	until := 0 // the token behind the last one that was found
	for i := begin; i < len(tokens) && b.Len() < snippetSize; i++ {
		t := tokens[i]
		b.WriteString(blanks(text[from:t.from]))
		at := b.Len()
		b.WriteString(text[t.from:t.to])
		from = t.to
		if n := matches(tokens[i:], terms); n > 0 {
			until = max(until, i+n)
		}
		if i < until {
			found = append(found, [2]int{at, b.Len()})
		}
	}
	const tail = 40
	rest := "…"
	if len(text)-from <= tail {
		rest = blanks(text[from:])
	}
	return strings.TrimRight(b.String()+rest, " "), found
}

// blanks returns what stands between words with its blanks folded.
func blanks(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// token is a word in a text.
type token struct {
	at       int // its number
	from, to int
	words    []string // folded
}

// tokens returns the words of text.
func tokens(text string) []token {
	var all []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			i += size
			continue
		}
		end := i + size
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !inWord(r) {
				break
			}
			end += size
		}
		all = append(all, token{len(all), i, end, nil})
		i = end
	}
	for i := range all {
		all[i].words = strings.Fields(dbschema.Fold(text[all[i].from:all[i].to]))
	}
	return all
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// matches returns how many of the tokens, from the first on, one of the terms
// stands in; 0 if none begins there.
func matches(tokens []token, terms []dbschema.Term) int {
	longest := 0
	for _, term := range terms {
		longest = max(longest, spans(tokens, term))
	}
	return longest
}

// spans returns how many tokens the term takes from the first on. A token of
// several words, as of scripts without spaces, holds it where its words do.
func spans(tokens []token, term dbschema.Term) int {
	if len(tokens) > 0 && len(tokens[0].words) > 1 {
		for i := range tokens[0].words {
			if begins(tokens[0].words[i:], term) {
				return 1
			}
		}
	}
	var words []string
	for n, t := range tokens {
		words = append(words, t.words...)
		if len(words) >= len(term.Words) {
			if begins(words, term) {
				return n + 1
			}
			return 0
		}
	}
	return 0
}

// begins reports whether words begin with the term.
func begins(words []string, term dbschema.Term) bool {
	if len(words) < len(term.Words) {
		return false
	}
	last := len(term.Words) - 1
	for i, w := range term.Words {
		if words[i] != w && !(term.Prefix && i == last && strings.HasPrefix(words[i], w)) {
			return false
		}
	}
	return true
}
