package scriptserver

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ikigai"
)

// Pattern is what a text is compared with: a part of it as it is, in which {{"…"}}
// stands for the text of a JSON string, a regular expression between slashes, or *
// for any text. In regular expressions ^ and $ also match at the ends of lines.
type Pattern string

// literal reports whether p is compared as it is.
func (p Pattern) literal() bool {
	_, isRegexp := p.regexp()
	return p != "*" && !isRegexp
}

// text returns the text of a literal p, its quotes replaced.
func (p Pattern) text() (string, error) {
	var b strings.Builder
	for rest := string(p); ; {
		plain, quoted, found := strings.Cut(rest, `{{"`)
		b.WriteString(plain)
		if !found {
			return b.String(), nil
		}
		s, after, err := cutLiteral(`"` + quoted)
		if err != nil {
			return "", fmt.Errorf("%.40q: %w", `{{"`+quoted, err)
		}
		b.WriteString(s)
		rest = after
	}
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
	part, err := p.text()
	return func(text string) bool { return strings.Contains(text, part) }, err
}

// compileSaid is compile for what somebody says, as bare returns it. It returns the
// text of p, too; "" if p is not literal.
func (p Pattern) compileSaid() (fits func(text string) bool, said string, err error) {
	if !p.literal() {
		fits, err = p.compile()
		return fits, "", err
	}
	if said, err = p.text(); err != nil {
		return nil, "", err
	}
	if said = bare(said); said == "" {
		return nil, "", errors.New("nothing but white space is to be found")
	}
	return func(text string) bool { return strings.Contains(text, said) }, said, nil
}

// bare returns what is said as it is compared: as models are sent it, and without
// white space around it, which vendors do not keep.
func bare(text string) string { return strings.TrimSpace(ikigai.CleanText(text)) }

// compileRegexp compiles expr so that ^ and $ match at the ends of lines.
func compileRegexp(expr string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return nil, err // names the expression as it was written
	}
	return regexp.Compile("(?m:" + expr + ")")
}
