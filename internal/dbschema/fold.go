package dbschema

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the most bytes of a word that count. Nobody types more, and data
// in base 64 would fill the index with words that occur once.
const maxWord = 64

// Fold returns the words of text as both stores index them and look for them:
// in lower case, without accents, no longer than 64 bytes, separated by single
// spaces. A word is a run of letters and digits, so that file_read is two. Of
// scripts that are written without spaces each character is a word.
//
// Because the text is folded here, the tokenisers of the databases have only
// spaces to find, and agree.
func Fold(text string) string {
	if !isASCII(text) {
		// Around invalid bytes, norm leaves characters as they are.
		text = norm.NFKD.String(strings.ToValidUTF8(text, " "))
	}
	f := folder{out: make([]byte, 0, len(text))}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			f.ascii(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		f.rune(r)
		i += size
	}
	return string(f.out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// folder collects words.
type folder struct {
	out  []byte
	word int  // bytes of the word under way, 0 between words
	full bool // the rest of the word does not count
}

func (f *folder) ascii(c byte) {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
	case 'A' <= c && c <= 'Z':
		c += 'a' - 'A'
	default:
		f.end()
		return
	}
	if f.room(1) {
		f.out = append(f.out, c)
	}
}

func (f *folder) rune(r rune) {
	switch {
	case 0x0300 <= r && r <= 0x036f && r != 0x034f: // the accents of Latin, Greek and Cyrillic
		return
	case unspaced(r):
		f.end()
	case unicode.IsLetter(r), unicode.IsNumber(r):
	case unicode.IsMark(r) && f.word > 0: // a vowel of an Indic script, for one
	default:
		f.end()
		return
	}
	// By way of the upper case, as the two lower-case forms of sigma.
	r = unicode.ToLower(unicode.ToUpper(r))
	if f.room(utf8.RuneLen(r)) {
		f.out = utf8.AppendRune(f.out, r)
	}
}

// unspaced reports whether r is of a script without spaces between words.
func unspaced(r rune) bool {
	const prolonged = 'ー' // the mark of a long vowel, which belongs to two scripts
	return r >= 0x2e80 && (r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana))
}

// room makes room for the next size bytes of a word, and reports whether they
// count.
func (f *folder) room(size int) bool {
	if f.word == 0 && len(f.out) > 0 {
		f.out = append(f.out, ' ')
	}
	if f.full || f.word+size > maxWord {
		f.full = true
		return false
	}
	f.word += size
	return true
}

func (f *folder) end() { f.word, f.full = 0, false }

// words returns the words of text, folded.
func words(text string) []string { return strings.Fields(Fold(text)) }
