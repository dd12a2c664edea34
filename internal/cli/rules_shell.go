package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// word is a word of a command after its quotes are removed. A * or ? that the
// shell would replace by names of files is negative.
type word []rune

const (
	anyRunes rune = -'*'
	anyRune  rune = -'?'
)

// shellWords reads a simple command as a shell would, and nothing else: words
// apart by blanks, in quotation marks or not. It is false for all that could do
// more than run one program with these words: lists, pipes, redirection,
// substitution, expansion, braces, assignments, comments, reserved words, several
// lines. It knows which characters are harmless, not which are dangerous, so there
// are commands that do nothing else for which it is false all the same.
//
// Only * and ? are left to the shell, outside of the program's name.
func shellWords(text string) ([]word, bool) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		return nil, false
	}
	l := shellLexer{rest: text}
	for l.rest != "" {
		if !l.next() {
			return nil, false
		}
	}
	l.end()
	return l.words, isSimple(l.words)
}

func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }

// isSimple reports whether words run one program, which they name.
func isSimple(words []word) bool {
	if len(words) == 0 {
		return false
	}
	program := words[0]
	if len(program) == 0 || program.hasGlob() || slices.Contains(program, '=') || slices.Contains(reserved(), string(program)) {
		return false
	}
	return !slices.ContainsFunc(words, expandsLater)
}

// reserved returns the words that begin something else than a simple command.
func reserved() []string {
	return []string{"case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select",
		"then", "time", "until", "while"}
}

// expandsLater reports whether w holds what a builtin could have the shell expand
// although it was quoted, as printf -v, test -v and unset do with an index.
func expandsLater(w word) bool {
	text := string(w)
	return slices.ContainsFunc([]string{"$(", "${", "$[", "`", "<(", ">("}, func(s string) bool { return strings.Contains(text, s) })
}

type shellLexer struct {
	rest  string
	words []word
	now   word
	open  bool // a word has begun
}

// next takes a character, or what stands in quotation marks. It is false if it is
// not known to be harmless.
func (l *shellLexer) next() bool {
	c := l.rest[0]
	switch {
	case c == ' ':
		l.end()
	case c == '\'':
		return l.quoted('\'', "")
	case c == '"':
		return l.quoted('"', "$`\\")
	case c == '*' || c == '?':
		l.take(-rune(c))
		return true
	case c == '~':
		// It is a home directory at the beginning of a word and behind = and :.
		if n := len(l.now); n == 0 || l.now[n-1] == '=' || l.now[n-1] == ':' || !l.open {
			return false
		}
		l.take('~')
		return true
	case isLetterOrDigit(c) || strings.IndexByte("-_./,:=@%+^]", c) >= 0:
		l.take(rune(c))
		return true
	default:
		return false
	}
	l.rest = l.rest[1:]
	return true
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// take adds a character to the word.
func (l *shellLexer) take(r rune) {
	l.now, l.open = append(l.now, r), true
	l.rest = l.rest[1:]
}

// quoted adds to the word what stands up to the next quotation mark. It is false
// if there is none, or one of the characters without stands before it.
func (l *shellLexer) quoted(mark byte, without string) bool {
	end := strings.IndexByte(l.rest[1:], mark)
	if end < 0 {
		return false
	}
	text := l.rest[1 : 1+end]
	l.now, l.open = append(l.now, []rune(text)...), true
	l.rest = l.rest[end+2:]
	return !strings.ContainsAny(text, without)
}

// end ends the word.
func (l *shellLexer) end() {
	if l.open {
		l.words = append(l.words, l.now)
	}
	l.now, l.open = nil, false
}

// commandPattern is the pattern of bash.
type commandPattern []word

// parseCommandPattern reads a pattern, which is written as a command is. do says
// what to do about one that is none.
func parseCommandPattern(text string) (p pattern, do string) {
	const quote = "Write words such as go test *, with quotation marks around what is not letters, digits or one of - _ . / , : = @ % + ^"
	l := shellLexer{rest: text}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		return nil, quote
	}
	for l.rest != "" {
		if !l.next() {
			return nil, quote
		}
	}
	l.end()
	for _, w := range l.words {
		if slices.Contains(w, anyRune) {
			return nil, "Put ? in quotation marks; it stands for itself"
		}
	}
	if len(l.words) == 0 {
		return nil, "Say which command, or write bash alone to allow all of them"
	}
	return commandPattern(l.words), ""
}

// fits implements pattern. A command fits that is simple and runs in the
// directory that the rule is for, since a relative name of a program, or of a file
// that it reads, means another file elsewhere.
func (p commandPattern) fits(c ruledCall) bool {
	in, ok := rawArgs[struct {
		Command    string `json:"command"`
		WorkingDir string `json:"working_dir"`
	}](c.args)
	if !ok || in.WorkingDir != "" && in.WorkingDir != "." && filepath.Clean(in.WorkingDir) != c.dir {
		return false
	}
	words, ok := shellWords(in.Command)
	return ok && p.matches(words)
}

func (p commandPattern) matches(words []word) bool {
	for i, w := range p {
		if w.isAny() && i == len(p)-1 {
			return i > 0 || len(words) > 0
		}
		if i >= len(words) {
			return false
		}
		if w.isAny() {
			if words[i].hasGlob() { // it may become several
				return false
			}
		} else if !w.matches(words[i]) {
			return false
		}
	}
	return len(p) == len(words)
}

// isAny reports whether a word of a pattern stands for any word.
func (w word) isAny() bool { return len(w) == 1 && w[0] == anyRunes }

// hasGlob reports whether the shell replaces w by names of files.
func (w word) hasGlob() bool {
	return slices.ContainsFunc(w, func(r rune) bool { return r < 0 })
}

// matches reports whether a word of a command, with all that the shell could make
// of it, fits w, a word of a pattern.
func (w word) matches(of word) bool {
	if !w.hasGlob() {
		return slices.Equal(w, of)
	}
	if of.hasGlob() && slices.ContainsFunc(of.names(), func(name word) bool { return len(name) > 0 && name[0] == '.' }) {
		return false // .? and .* are also ..
	}
	if len(of) > 0 && (of[0] == '-' || of[0] < 0) && len(w) > 0 && w[0] == anyRunes {
		return false // it is an option, or may become one
	}
	return namesMatch(w.names(), of.names())
}

// names returns the parts of w between slashes.
func (w word) names() []word {
	var all []word
	for {
		i := slices.Index(w, '/')
		if i < 0 {
			return append(all, w)
		}
		all, w = append(all, w[:i]), w[i+1:]
	}
}

// namesMatch reports whether names fit those of a pattern, of which a ** stands
// for any number of names, none of them empty.
func namesMatch(pattern, names []word) bool {
	for len(pattern) > 0 {
		if slices.Equal(pattern[0], word{anyRunes, anyRunes}) {
			for skip := range len(names) + 1 {
				if namesMatch(pattern[1:], names[skip:]) {
					return true
				}
				if skip == len(names) || len(names[skip]) == 0 || names[skip][0] == '.' {
					break
				}
			}
			return false
		}
		if len(names) == 0 || !nameMatches(pattern[0], names[0]) {
			return false
		}
		pattern, names = pattern[1:], names[1:]
	}
	return len(names) == 0
}

// nameMatches reports whether one name fits one of a pattern.
func nameMatches(pattern, name word) bool {
	if !pattern.hasGlob() {
		return slices.Equal(pattern, name)
	}
	up := slices.Equal(name, word{'.'}) || slices.Equal(name, word{'.', '.'})
	if len(name) == 0 || up || pattern[0] == anyRunes && name[0] == '.' {
		return false
	}
	return runesMatch(pattern, name)
}

// runesMatch is a match with * alone: back to the last one where the rest does not
// fit.
func runesMatch(pattern, name word) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == anyRunes:
			star, from = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == anyRunes {
		p++
	}
	return p == len(pattern)
}
