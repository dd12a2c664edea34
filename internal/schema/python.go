package schema

import (
	"encoding/json"
	"errors"
	"regexp/syntax"
	"strings"
)

// isPython reports whether Python can compile a regular expression, as far as
// that can be told: escapes and groups that JavaScript alone has, and what no
// language takes.
func isPython(quoted []byte) bool {
	var pattern string
	if json.Unmarshal(quoted, &pattern) != nil {
		return false
	}
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i+1:]
		switch {
		case pattern[i] == '\\':
			if rest == "" || isLetter(rest[0]) && !strings.Contains("AbBdDsSwWZafnrtvxuUN", rest[:1]) || strings.HasPrefix(rest, "u{") {
				return false
			}
			i++
		case pattern[i] == '(' && strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!"):
			return false
		}
	}
	_, err := syntax.Parse(lookaround.Replace(pattern), syntax.Perl)
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return true
	}
	switch wrong.Code {
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument,
		syntax.ErrTrailingBackslash, syntax.ErrInvalidCharRange:
		return false
	}
	return true // what Go does not have is not known
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// lookaround makes groups that look around, which Go does not have, plain ones.
var lookaround = strings.NewReplacer("(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:")
