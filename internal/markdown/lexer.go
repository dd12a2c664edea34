package markdown

import (
	"strings"
	"unicode/utf8"
)

// lexer takes a line of code apart.
type lexer struct {
	*code
	ink  *ink
	text string
	from int // of plain text that is not written yet
	at   int
	left int // spaces that the line begins with
}

// emit writes text[begin:end] in a role, and what is plain before it.
func (l *lexer) emit(begin, end int, role Role) {
	l.ink.put(l.text[l.from:begin])
	l.ink.put(l.text[begin:end], role)
	l.at, l.from = end, end
}

func (l *lexer) line() {
	if l.until != "" {
		if strings.Trim(l.text, " \t;),") == l.until {
			l.until = ""
		}
		l.emit(0, len(l.text), String)
		return
	}
	if l.close != nil {
		l.quoted(l.close, 0, 0)
	} else {
		l.beginning()
	}
	heredoc := ""
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == ' ' || c == '\t':
			l.at++
		case l.starts[c] && l.quote():
		case isLetter(c) || strings.IndexByte(l.language.letters, c) >= 0:
			l.word()
		case '0' <= c && c <= '9':
			l.number()
		case c == '$' && l.language.has(variables):
			l.variable()
		case c == '@' && l.language.has(decorators):
			l.decorator()
		case c == '<' && l.language.has(heredocs) && heredoc == "":
			heredoc = l.heredoc()
		default:
			l.at++
		}
	}
	l.ink.put(l.text[l.from:])
	l.until = heredoc
}

// quote takes in a comment or a quote, if one begins here.
func (l *lexer) quote() bool {
	rest := l.text[l.at:]
	for i := range l.language.quotes {
		q := &l.language.quotes[i]
		if !strings.HasPrefix(rest, q.open) || !l.mayBegin(q) {
			continue
		}
		l.depth = 1
		l.quoted(q, l.at, l.at+len(q.open))
		return true
	}
	return false
}

// mayBegin reports whether q may begin here.
func (l *lexer) mayBegin(q *quote) bool {
	switch q.where {
	case atLineStart:
		return l.at == l.left
	case atWordStart:
		return l.at == 0 || strings.IndexByte(" \t;([{,:=&|", l.text[l.at-1]) >= 0
	case aroundRune:
		rest := l.text[l.at+1:]
		if strings.HasPrefix(rest, `\`) {
			return true
		}
		_, n := utf8.DecodeRuneInString(rest)
		return n > 0 && strings.HasPrefix(rest[n:], "'")
	}
	return true
}

// quoted takes in what is left, from the byte at, of a comment or quote that began
// with the byte begin of the line.
func (l *lexer) quoted(q *quote, begin, at int) {
	l.close = nil
	end, closed := l.ending(q, at)
	role := q.role
	if closed && role == String && l.language.has(keys) && strings.HasPrefix(strings.TrimLeft(l.text[end:], " \t"), ":") {
		role = Name
	}
	if !closed && q.lines {
		l.close = q
	}
	l.emit(begin, end, role)
}

// ending returns where a comment or quote ends, and whether it does in this line.
func (l *lexer) ending(q *quote, at int) (end int, closed bool) {
	if q.close == "" {
		return len(l.text), false
	}
	for at < len(l.text) {
		switch rest := l.text[at:]; {
		case q.escape && rest[0] == '\\':
			at += 2
		case strings.HasPrefix(rest, q.close):
			at += len(q.close)
			if l.depth--; !q.nests || l.depth <= 0 {
				return at, true
			}
		case q.nests && strings.HasPrefix(rest, q.open):
			at += len(q.open)
			l.depth++
		default:
			at++
		}
	}
	return len(l.text), false
}

// word takes in a word.
func (l *lexer) word() {
	begin := l.at
	for l.at < len(l.text) && l.inWord(l.text[l.at]) {
		l.at++
	}
	word := l.text[begin:l.at]
	if l.language.has(caseless) {
		word = strings.ToLower(word)
	}
	role, known := l.words[word]
	switch {
	case known:
	case l.language.has(keys) && l.isKey():
		role = Name
	case l.at < len(l.text) && l.text[l.at] == '(' && !l.language.has(caseless):
		role = Name
	default:
		return
	}
	l.emit(begin, l.at, role)
}

// isKey reports whether a colon follows, and no second one.
func (l *lexer) isKey() bool {
	rest, colon := strings.CutPrefix(strings.TrimLeft(l.text[l.at:], " \t"), ":")
	spaced := rest == "" || rest[0] == ' '
	return colon && !strings.HasPrefix(rest, ":") && (spaced || l.language.separator == "")
}

func (l *lexer) inWord(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.IndexByte(l.language.letters, c) >= 0
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// number takes in a number, in whichever form.
func (l *lexer) number() {
	begin := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		sign := (c == '+' || c == '-') && l.at > begin+1 && l.text[l.at-1]|' ' == 'e' && !strings.HasPrefix(l.text[begin:], "0x")
		dot := c == '.' && l.at+1 < len(l.text) && '0' <= l.text[l.at+1] && l.text[l.at+1] <= '9'
		if !isAlnum(c) && c != '_' && !sign && !dot {
			break
		}
		l.at++
	}
	l.emit(begin, l.at, Number)
}

// beginning takes in what only the beginning of a line can be.
func (l *lexer) beginning() {
	text, indent := l.text[l.left:], l.left
	switch {
	case text == "":
	case text[0] == '#' && l.language.has(directives):
		word := strings.TrimLeft(text[1:], " \t")
		n := strings.IndexAny(word+" ", " \t<\"(")
		l.emit(indent, len(l.text)-len(word)+n, Meta)
	case text[0] == '[' && l.language.has(sections):
		l.emit(indent, len(l.text), Meta)
	case l.language.separator != "" && l.text[0] != '\t': // which begins a command of a makefile
		l.key(text, indent)
	}
}

// key takes in the key that a line begins with.
func (l *lexer) key(text string, indent int) {
	for strings.HasPrefix(text, "- ") {
		rest := strings.TrimLeft(text[2:], " ")
		indent += len(text) - len(rest)
		text = rest
	}
	n := strings.IndexAny(text, l.language.separator+"#\"'`{[")
	if n <= 0 || strings.IndexByte(l.language.separator, text[n]) < 0 {
		return
	}
	if l.language.has(keys) && n+1 < len(text) && text[n+1] != ' ' {
		return // it is the colon of a URL or of a time
	}
	if _, known := l.words[strings.TrimRight(text[:n], " \t")]; !known {
		l.emit(indent, indent+len(strings.TrimRight(text[:n], " \t+?:")), Name)
	}
}
