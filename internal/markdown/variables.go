package markdown

import "strings"

// maxVariable bounds how far the end of a variable in brackets is looked for.
const maxVariable = 256

// variable takes in a variable that begins with a dollar sign.
func (l *lexer) variable() {
	end := l.at + 1
	if end < len(l.text) && (l.text[end] == '{' || l.text[end] == '(' && l.language.has(dollarCalls)) {
		near := l.text[end:min(len(l.text), end+maxVariable)]
		if n := strings.IndexAny(near, "})"); n > 0 {
			l.emit(l.at, end+n+1, Name)
			return
		}
	}
	for end < len(l.text) && (isLetter(l.text[end]) || '0' <= l.text[end] && l.text[end] <= '9') {
		end++
	}
	if end == l.at+1 && end < len(l.text) && strings.IndexByte("@*#?$!-<^", l.text[end]) >= 0 {
		end++
	}
	l.emit(l.at, end, Name)
}

// decorator takes in what stands behind an @.
func (l *lexer) decorator() {
	end := l.at + 1
	for end < len(l.text) && (l.inWord(l.text[end]) || l.text[end] == '.') {
		end++
	}
	l.emit(l.at, end, Meta)
}

// heredoc takes in what opens a here-document, and returns the word that ends
// it, or "".
func (l *lexer) heredoc() string {
	rest := l.text[l.at:]
	word := strings.TrimLeft(rest, "<")
	arrows := len(rest) - len(word)
	if arrows < 2 || arrows > 3 || arrows == 3 && !l.language.has(threeArrows) {
		l.at += arrows
		return ""
	}
	word = strings.TrimLeft(word, "-~")
	quote := ""
	if word != "" && strings.IndexByte(`'"`, word[0]) >= 0 {
		quote = word[:1]
		word = word[1:]
	}
	n := 0
	for n < len(word) && (isAlnum(word[n]) || word[n] == '_') {
		n++
	}
	if n == 0 || '0' <= word[0] && word[0] <= '9' || !strings.HasPrefix(word[n:], quote) {
		l.at += arrows
		return ""
	}
	l.emit(l.at, len(l.text)-len(word)+n+len(quote), String)
	return word[:n]
}
