package scriptserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// text is a text of a script, taken apart at its quotes.
type text []piece

// piece is plain text or a quote, which yields text from the request.
type piece struct {
	plain string
	quote func(m *moment) (string, error) // nil for plain text
	fixed bool                            // the quote yields the same for every request
}

// maxFill bounds {{fill N}}.
const maxFill = 64 << 20

// parseText takes src apart. In the arguments of a call what is quoted stands
// inside a JSON string, so inJSON has it escaped.
func parseText(src string, inJSON bool) (text, error) {
	var t text
	for {
		plain, rest, found := strings.Cut(src, "{{")
		if plain != "" {
			t = append(t, piece{plain: plain})
		}
		if !found {
			return t, nil
		}
		p, after, err := parseQuote(rest)
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", "{{"+rest, err)
		}
		if inJSON {
			p = p.escaped()
		}
		t, src = append(t, p), after
	}
}

// fixed reports whether t is the same for every request.
func (t text) fixed() bool {
	for _, p := range t {
		if p.quote != nil && !p.fixed {
			return false
		}
	}
	return true
}

// render returns t as it reads at m.
func (t text) render(m *moment) (string, error) {
	var b strings.Builder
	for _, p := range t {
		s := p.plain
		if p.quote != nil {
			var err error
			if s, err = p.quote(m); err != nil {
				return "", err
			}
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

// escaped returns p with what it yields escaped for the inside of a JSON string.
func (p piece) escaped() piece {
	plain := p.quote
	p.quote = func(m *moment) (string, error) {
		s, err := plain(m)
		return escapeJSON(s), err
	}
	return p
}

func escapeJSON(s string) string {
	quoted := string(appendJSON(nil, s))
	return quoted[1 : len(quoted)-1]
}

// quoteHead is the name of a quote, what it points at, and what follows.
var quoteHead = lazyRegexp(`^(result|output|user|feedback|fill|n)(?:\[(\d+)\])?((?:\.[^.{}\s/]+)*)(?:[ ]+(\d+))?[ ]*`)

// parseQuote reads a quote after its opening braces and returns what follows
// its closing ones.
func parseQuote(src string) (p piece, rest string, err error) {
	if strings.HasPrefix(src, `"`) {
		return parseLiteral(src)
	}
	m := quoteHead().FindStringSubmatch(src)
	if m == nil {
		return p, "", errors.New(`no such quote; there are result, output, user, feedback, fill N, n and "text"`)
	}
	name, path, rest := m[1], strings.Split(m[3], ".")[1:], src[len(m[0]):]
	if (m[2] != "" || len(path) > 0) && name != "result" && name != "output" ||
		len(path) > 0 && name == "output" || (m[4] != "") != (name == "fill") {
		return p, "", fmt.Errorf("%s does not go with the rest", name)
	}
	index, number := atoi(m[2]), atoi(m[4])
	switch name {
	case "result":
		p.quote = func(m *moment) (string, error) { return m.field(index, path) }
	case "output":
		p.quote = func(m *moment) (string, error) { return m.output(index) }
	case "user":
		p.quote = func(m *moment) (string, error) { return m.user, nil }
	case "feedback":
		p.quote = (*moment).quoteFeedback
	case "n":
		p.quote = func(m *moment) (string, error) { return strconv.Itoa(m.repetition), nil }
	case "fill":
		if number > maxFill {
			return p, "", fmt.Errorf("more than %d bytes", maxFill)
		}
		p.fixed = true
		p.quote = func(*moment) (string, error) { return fill(number), nil }
	}
	if strings.HasPrefix(rest, "/") && !p.fixed {
		if p.quote, rest, err = parseRewrite(p.quote, rest); err != nil {
			return p, "", err
		}
	}
	if rest, ok := strings.CutPrefix(rest, "}}"); ok {
		return p, rest, nil
	}
	return p, "", errors.New("the closing }} is missing or something stands before it")
}

// atoi returns the number that s, digits or nothing, writes; huge ones are cut.
func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the value on overflow is the largest int
	return n
}

// parseLiteral reads the quote of a JSON string, which yields that string.
func parseLiteral(src string) (p piece, rest string, err error) {
	s, rest, err := cutLiteral(src)
	return piece{quote: func(*moment) (string, error) { return s, nil }, fixed: true}, rest, err
}

// cutLiteral reads the quote of a JSON string after its opening braces. It returns
// that string, and what follows the closing braces.
func cutLiteral(src string) (s, rest string, err error) {
	dec := json.NewDecoder(strings.NewReader(src))
	if err := dec.Decode(&s); err != nil {
		return "", "", errors.New("no JSON string follows")
	}
	rest, ok := strings.CutPrefix(src[dec.InputOffset():], "}}")
	if !ok {
		return "", "", errors.New("no }} follows the JSON string")
	}
	return s, rest, nil
}

// parseRewrite reads "/regexp/ template": what was quoted is replaced by its
// matches, each rewritten by the template, one a line.
func parseRewrite(from func(*moment) (string, error), src string) (func(*moment) (string, error), string, error) {
	loc := rewriteExpr().FindStringSubmatchIndex(src)
	if loc == nil {
		return nil, "", errors.New("the regular expression has no closing slash")
	}
	expr := src[loc[2]:loc[3]]
	re, err := compileRegexp(expr)
	if err != nil {
		return nil, "", err
	}
	template, rest, found := strings.Cut(src[loc[1]:], "}}")
	if !found {
		return nil, "", errors.New("the closing }} is missing")
	}
	if template == "" {
		template = "$0"
	}
	quote := func(m *moment) (string, error) {
		s, err := from(m)
		if err != nil {
			return "", err
		}
		return rewrite(re, expr, template, s)
	}
	return quote, "}}" + rest, nil
}

// rewriteExpr matches an expression between slashes; in it \/ is a slash.
var rewriteExpr = lazyRegexp(`^/((?:[^/\\\n]|\\[^\n])+)/ ?`)

func rewrite(re *regexp.Regexp, expr, template, s string) (string, error) {
	var lines []string
	for _, loc := range re.FindAllStringSubmatchIndex(s, -1) {
		lines = append(lines, string(re.ExpandString(nil, template, s, loc)))
	}
	if lines == nil {
		return "", fmt.Errorf("nothing matches /%s/ in %s", expr, excerpt(s))
	}
	return strings.Join(lines, "\n"), nil
}

// fill returns n bytes of text in lines of 64 bytes.
func fill(n int) string {
	const line = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n"
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// lazyRegexp compiles expr when it is first needed.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
