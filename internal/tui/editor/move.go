package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineStart and lineEnd return the ends of the line in which pos stands.
func lineStart(s string, pos int) int { return strings.LastIndexByte(s[:pos], '\n') + 1 }

func lineEnd(s string, pos int) int {
	if n := strings.IndexByte(s[pos:], '\n'); n >= 0 {
		return pos + n
	}
	return len(s)
}

// indentEnd returns where the first character of the line stands that is no
// space.
func indentEnd(s string, pos int) int {
	start, end := lineStart(s, pos), lineEnd(s, pos)
	return align(s, end-len(strings.TrimLeft(s[start:end], " \t")))
}

// class says what characters make a word together.
type class int

const (
	space class = iota
	letters
	other
	chipped // each is a word by itself
)

// asWord is the class of a character for words as readline has them.
func asWord(r rune) class {
	switch {
	case r >= firstChip:
		return chipped
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return letters
	}
	return space
}

// asField is the class for words that spaces part.
func asField(r rune) class {
	if unicode.IsSpace(r) {
		return space
	}
	return letters
}

// asViWord is the class for the small words of vi.
func asViWord(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return space
	case r >= firstChip:
		return chipped
	case r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M):
		return letters
	}
	return other
}

// skip returns how far characters of class c reach from pos on; of chips it takes
// one.
func skip(s string, pos int, of func(rune) class, c class) int {
	for pos < len(s) {
		r, size := utf8.DecodeRuneInString(s[pos:])
		if of(r) != c {
			break
		}
		pos += size
		if c == chipped {
			break
		}
	}
	return pos
}

// skipBack is skip towards the beginning.
func skipBack(s string, pos int, of func(rune) class, c class) int {
	for pos > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:pos])
		if of(r) != c {
			break
		}
		pos -= size
		if c == chipped {
			break
		}
	}
	return pos
}

func classAt(s string, pos int, of func(rune) class) class {
	r, _ := utf8.DecodeRuneInString(s[pos:])
	return of(r)
}

func classBefore(s string, pos int, of func(rune) class) class {
	r, _ := utf8.DecodeLastRuneInString(s[:pos])
	return of(r)
}

// wordEnd returns the end of the word at pos, or of the next one.
func wordEnd(s string, pos int, of func(rune) class) int {
	pos = skip(s, pos, of, space)
	if pos < len(s) {
		pos = skip(s, pos, of, classAt(s, pos, of))
	}
	return align(s, pos)
}

// wordStart returns the beginning of the word before pos.
func wordStart(s string, pos int, of func(rune) class) int {
	pos = skipBack(s, pos, of, space)
	if pos > 0 {
		pos = skipBack(s, pos, of, classBefore(s, pos, of))
	}
	return alignBack(s, pos)
}

// alignBack returns the last boundary of clusters in s at pos or before it.
func alignBack(s string, pos int) int {
	if after := align(s, pos); after != pos {
		return previous(s, after)
	}
	return pos
}

// nextWord returns the beginning of the word behind the one at pos.
func nextWord(s string, pos int, of func(rune) class) int {
	if pos < len(s) {
		if c := classAt(s, pos, of); c != space {
			pos = skip(s, pos, of, c)
		}
	}
	return align(s, skip(s, pos, of, space))
}
