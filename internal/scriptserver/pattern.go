package scriptserver

import (
	"regexp"
	"strings"
)

// Pattern is what a text is compared with: a part of it as it is, a regular
// expression between slashes, or * for any text. In regular expressions ^ and $
// also match at the ends of lines.
type Pattern string

// literal reports whether p is compared as it is.
func (p Pattern) literal() bool {
	_, isRegexp := p.regexp()
	return p != "*" && !isRegexp
}

// regexp returns what stands between the slashes.
func (p Pattern) regexp() (string, bool) {
	if len(p) > 2 && p[0] == '/' && p[len(p)-1] == '/' {
		return string(p[1 : len(p)-1]), true
	}
	return "", false
}

// compile returns a function that reports whether p is found in a text.
func (p Pattern) compile() (func(text string) bool, error) {
	if expr, ok := p.regexp(); ok {
		re, err := compileRegexp(expr)
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	}
	if p == "*" {
		return func(string) bool { return true }, nil
	}
	return func(text string) bool { return strings.Contains(text, string(p)) }, nil
}

// compileRegexp compiles expr so that ^ and $ match at the ends of lines.
func compileRegexp(expr string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return nil, err // names the expression as it was written
	}
	return regexp.Compile("(?m:" + expr + ")")
}
