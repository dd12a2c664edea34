package walk

import "strings"

// segment is the pattern of one name of a path, byte by byte as git has it.
type segment struct {
	deep    bool   // "**": any number of names
	literal string // the name itself, when it has no wildcards
	suffix  bool   // "*" and then literal
	tokens  []token
}

// token matches one byte, or with star any number of them.
type token struct {
	star bool
	set  set
}

// set is a set of bytes.
type set [4]uint64

func (s *set) add(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// matchPath reports whether the path matches the segments. A "**" matches any
// number of names; one at the end matches at least one.
func matchPath(segments []segment, path string) bool {
	if path == "" { // what follows a prefix that is the whole path
		return len(segments) == 1 && (segments[0].deep || segments[0].match(""))
	}
	i, deep, resume := 0, -1, ""
	for path != "" {
		if i < len(segments) && segments[i].deep {
			if i++; i == len(segments) {
				return true
			}
			deep, resume = i, path
			continue
		}
		name, rest, _ := strings.Cut(path, "/")
		if i < len(segments) && segments[i].match(name) {
			i, path = i+1, rest
			continue
		}
		if deep < 0 {
			return false
		}
		_, resume, _ = strings.Cut(resume, "/") // the "**" takes one name more
		i, path = deep, resume
	}
	return i == len(segments)
}

func (s *segment) match(name string) bool {
	switch {
	case s.tokens == nil && s.suffix:
		return strings.HasSuffix(name, s.literal)
	case s.tokens == nil:
		return name == s.literal
	}
	i, star, resume := 0, -1, 0
	for at := 0; at < len(name); {
		switch {
		case i < len(s.tokens) && s.tokens[i].star:
			i++
			star, resume = i, at
		case i < len(s.tokens) && s.tokens[i].set.has(name[at]):
			i++
			at++
		case star < 0:
			return false
		default: // the "*" takes one byte more
			resume++
			i, at = star, resume
		}
	}
	for i < len(s.tokens) && s.tokens[i].star {
		i++
	}
	return i == len(s.tokens)
}

// parsePath splits a pattern into segments. It returns false for one that
// matches nothing: with an unclosed bracket or an unfinished escape.
func parsePath(pattern string) ([]segment, bool) {
	var segments []segment
	for rest := pattern; ; {
		var s segment
		var ok, more bool
		if s, rest, more, ok = parseSegment(rest); !ok {
			return nil, false
		}
		if n := len(segments); !s.deep || n == 0 || !segments[n-1].deep {
			segments = append(segments, s)
		}
		if !more {
			return segments, true
		}
	}
}

// parseSegment reads a pattern up to the next slash.
func parseSegment(pattern string) (s segment, rest string, more, ok bool) {
	end := len(pattern)
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '/':
			end, more = i, true
		case '*':
			if n := len(s.tokens); n == 0 || !s.tokens[n-1].star {
				s.tokens = append(s.tokens, token{star: true})
			}
			i++
			continue
		case '?':
			var t token
			t.set.add(0, 255)
			s.tokens = append(s.tokens, t)
			i++
			continue
		case '[':
			t, n := parseSet(pattern[i:])
			if n == 0 {
				return s, "", false, false
			}
			s.tokens = append(s.tokens, t)
			i += n
			continue
		case '\\':
			if i++; i == len(pattern) {
				return s, "", false, false
			}
			if pattern[i] == '/' {
				end, more = i, true
				break
			}
			fallthrough
		default:
			var t token
			t.set.add(pattern[i], pattern[i])
			s.tokens = append(s.tokens, t)
			i++
			continue
		}
		break
	}
	text := pattern[:end]
	if more {
		rest = pattern[end+1:]
	}
	s.deep = len(text) >= 2 && strings.Trim(text, "*") == ""
	s.simplify(text)
	return s, rest, more, true
}

// simplify replaces the tokens of the two most common forms, a name and "*"
// before the end of a name.
func (s *segment) simplify(text string) {
	literal, suffix := strings.CutPrefix(text, "*")
	if !strings.ContainsAny(literal, `*?[\`) {
		s.literal, s.suffix, s.tokens = literal, suffix, nil
	}
}

// parseSet reads a bracket expression and returns its length, 0 if it is not
// closed.
func parseSet(pattern string) (t token, length int) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	var before byte // the byte that may begin a range
	for first := true; ; first = false {
		if i >= len(pattern) {
			return t, 0
		}
		c := pattern[i]
		switch {
		case c == ']' && !first:
			if negated {
				for j := range t.set {
					t.set[j] = ^t.set[j]
				}
			}
			return t, i + 1
		case c == '[' && strings.HasPrefix(pattern[i:], "[:"):
			end := strings.IndexByte(pattern[i+2:], ']')
			if end < 0 {
				return t, 0
			}
			name, closed := strings.CutSuffix(pattern[i+2:i+2+end], ":")
			if !closed { // an ordinary "["
				t.set.add(c, c)
				before = c
				i++
				continue
			}
			if !t.set.addClass(name) {
				return t, 0
			}
			before = 0
			i += end + 3
			continue
		case c == '-' && before != 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if pattern[i] == '\\' {
				i++
			}
			if i >= len(pattern) {
				return t, 0
			}
			if before <= pattern[i] {
				t.set.add(before, pattern[i])
			}
			before = 0
			i++
			continue
		case c == '\\':
			if i++; i >= len(pattern) {
				return t, 0
			}
			c = pattern[i]
		}
		t.set.add(c, c)
		before = c
		i++
	}
}

// addClass adds the bytes of a class like alpha, and returns false if there is
// none of that name.
func (s *set) addClass(name string) bool {
	switch name {
	case "alnum":
		return s.addClass("alpha") && s.addClass("digit")
	case "alpha":
		return s.addClass("lower") && s.addClass("upper")
	case "blank":
		s.add(' ', ' ')
		s.add('\t', '\t')
	case "cntrl":
		s.add(0, 31)
		s.add(127, 127)
	case "digit":
		s.add('0', '9')
	case "graph":
		s.add('!', '~')
	case "lower":
		s.add('a', 'z')
	case "print":
		s.add(' ', '~')
	case "punct":
		s.add('!', '/')
		s.add(':', '@')
		s.add('[', '`')
		s.add('{', '~')
	case "space":
		s.add(' ', ' ')
		s.add('\t', '\r')
	case "upper":
		s.add('A', 'Z')
	case "xdigit":
		s.add('0', '9')
		s.add('a', 'f')
		s.add('A', 'F')
	default:
		return false
	}
	return true
}
