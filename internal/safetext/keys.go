package safetext

import "strings"

// keyShapes says how the keys of well-known vendors begin, how many characters
// follow at least, and whether those may be all of base64's.
var keyShapes = [...]struct {
	prefix string
	min    int
	base64 bool
}{
	{"sk-", 16, false}, // OpenAI, Anthropic, OpenRouter and many who follow them
	{"sk_live_", 16, false},
	{"sk_test_", 16, false},
	{"xai-", 20, false},
	{"gsk_", 20, false},
	{"csk-", 20, false},
	{"pplx-", 20, false},
	{"nvapi-", 20, false},
	{"hf_", 20, false},
	{"r8_", 20, false},
	{"AIza", 30, false},
	{"AKIA", 16, false},
	{"ASIA", 16, false},
	{"ghp_", 20, false},
	{"gho_", 20, false},
	{"ghu_", 20, false},
	{"ghs_", 20, false},
	{"ghr_", 20, false},
	{"github_pat_", 20, false},
	{"glpat-", 16, false},
	{"xoxb-", 16, false},
	{"xoxp-", 16, false},
	{"Bearer ", 16, true},
	{"bearer ", 16, true},
	{"Basic ", 16, true},
	{"basic ", 16, true},
}

// RedactKeys returns s with the secret part of everything that has the shape
// of a well-known key replaced, so that sk-abc… becomes "sk-[redacted]". It is
// for text in which keys may be that nobody has told us of. Its own result it
// leaves as it is.
func RedactKeys(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		from, to := keyAt(s, i)
		if from == to {
			continue
		}
		b.WriteString(s[done:from])
		b.WriteString(Redacted)
		done, i = to, to-1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// keyAt returns where the secret part of the key that begins at s[i] stands;
// from equals to if none does.
func keyAt(s string, i int) (from, to int) {
	switch s[i] {
	case 's', 'x', 'g', 'c', 'p', 'n', 'h', 'r', 'A', 'B', 'b': // what a prefix begins with
	default:
		return 0, 0
	}
	if !startsWord(s, i) {
		return 0, 0
	}
	for _, shape := range &keyShapes {
		if !strings.HasPrefix(s[i:], shape.prefix) {
			continue
		}
		from = i + len(shape.prefix)
		to = from
		digit := false
		for to < len(s) && (keyByte(s[to]) || shape.base64 && base64Byte(s[to])) {
			digit = digit || s[to] >= '0' && s[to] <= '9'
			to++
		}
		// Keys are random: what has no digit is a word with hyphens.
		if to-from >= shape.min && digit {
			return from, to
		}
	}
	return 0, 0
}

func keyByte(c byte) bool { return alphanumeric(c) || c == '-' || c == '_' }

func base64Byte(c byte) bool { return strings.IndexByte("+/=.~", c) >= 0 }

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// startsWord reports whether a word can begin at s[i]: no letter or digit
// stands before it, or one that ends an escape of JSON (\n, \u003d) or of a
// URL (%3D).
func startsWord(s string, i int) bool {
	return i == 0 || !alphanumeric(s[i-1]) ||
		i >= 2 && s[i-2] == '\\' ||
		i >= 3 && s[i-3] == '%' ||
		i >= 6 && s[i-6] == '\\' && s[i-5] == 'u'
}
