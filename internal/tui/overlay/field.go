package overlay

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ikigai/internal/tty"
)

// field is a line of text that is typed, for searches and short answers.
type field struct {
	text string
	at   int // of the cursor, in bytes
}

const mostTyped = 10_000 // bytes that a field takes

// newField returns a field that holds text, with the cursor behind it.
func newField(text string) field {
	text = typed(text)
	return field{text, len(text)}
}

// handle takes in a key, with the usual ones of emacs. It reports whether it was
// one of a field's.
func (f *field) handle(k tty.Key) bool {
	switch {
	case k.Printable():
		f.insert(string(k.Rune))
	case k.Code == tty.KeyPaste:
		f.insert(typed(k.Text))
	case k.Is(tty.KeyBackspace, 0):
		f.remove(f.before(), f.at)
	case k.Is(tty.KeyDelete, 0), k.Ctrl('d'):
		f.remove(f.at, f.behind())
	case k.Is(tty.KeyLeft, 0), k.Ctrl('b'):
		f.at = f.before()
	case k.Is(tty.KeyRight, 0), k.Ctrl('f'):
		f.at = f.behind()
	case k.Is(tty.KeyHome, 0), k.Ctrl('a'):
		f.at = 0
	case k.Is(tty.KeyEnd, 0), k.Ctrl('e'):
		f.at = len(f.text)
	case k.Ctrl('u'):
		f.remove(0, f.at)
	case k.Ctrl('k'):
		f.remove(f.at, len(f.text))
	case k.Ctrl('w'), k.Is(tty.KeyBackspace, tty.Alt):
		f.remove(f.word(), f.at)
	default:
		return false
	}
	return true
}

func (f *field) insert(text string) {
	if len(f.text)+len(text) > mostTyped {
		return
	}
	f.text = f.text[:f.at] + text + f.text[f.at:]
	f.at += len(text)
}

func (f *field) remove(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.at = from
}

// before returns where the character before the cursor begins.
func (f *field) before() int {
	from := 0
	for from < f.at {
		n := clusterSize(f.text[from:])
		if from+n >= f.at {
			break
		}
		from += n
	}
	return from
}

// behind returns where the character at the cursor ends.
func (f *field) behind() int {
	if f.at == len(f.text) {
		return f.at
	}
	return min(f.at+clusterSize(f.text[f.at:]), len(f.text))
}

// word returns where the word before the cursor begins.
func (f *field) word() int {
	text := strings.TrimRightFunc(f.text[:f.at], unicode.IsSpace)
	i := strings.LastIndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(text[i:])
	return i + n
}

// view returns the part of the text around the cursor that width columns have room
// for, and the cursor's column.
func (f *field) view(columns int) (text string, col int) {
	from := 0
	for col = width(f.text[:f.at]); col >= columns && from < f.at; col = width(f.text[from:f.at]) {
		from += clusterSize(f.text[from:])
	}
	r, _ := fill(f.text, from, max(columns, 1), "")
	if from == len(f.text) || columns <= 0 {
		return "", 0
	}
	return draw(f.text, r, columns, nil), col
}

func clusterSize(text string) int {
	together, _ := cluster(text)
	return len(together)
}

// typed returns text as one line of what can be typed.
func typed(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r) && r != '\u200d' && r != '\u200c':
			return -1
		}
		return r
	}, text)
}
