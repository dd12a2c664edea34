package history

import (
	"strings"
	"unicode"
)

// maxSentence is the most characters of a first sentence.
const maxSentence = 200

// firstSentence returns the first sentence of a text on one line, or its
// beginning where the sentence is long. An empty line ends it, too; so what is
// attached to a statement, behind one, is no part of it.
func firstSentence(text string) string {
	var sentence []rune
	space, breaks, words := false, 0, false // since the last rune that was taken; any in the sentence
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = true
			if r == '\n' {
				breaks++
			}
			continue
		}
		n := len(sentence)
		if n > 0 && space {
			if breaks > 1 || words && ends(sentence[n-1], r) {
				break
			}
			sentence = append(sentence, ' ')
		}
		if n >= maxSentence-1 {
			return strings.TrimSpace(string(sentence[:maxSentence-1])) + "…"
		}
		sentence = append(sentence, r)
		space, breaks, words = false, 0, words || unicode.IsLetter(r)
		if words && strings.ContainsRune("。！？", r) {
			break
		}
	}
	return string(sentence)
}

// ends reports whether a sentence ends with a rune, where next follows behind a
// space: a full stop before a small letter is that of an abbreviation.
func ends(last, next rune) bool {
	switch last {
	case '!', '?', '…':
		return true
	case '.':
		return !unicode.IsLower(next)
	}
	return false
}
