package safetext

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands in the place of a secret.
const Redacted = "[redacted]"

// minSecret is the length in bytes below which a value is taken for a word,
// not for a secret.
const minSecret = 8

// A Redactor takes known secrets out of text. It may be used by several
// goroutines at once.
type Redactor struct{ replace *strings.Replacer }

// NewRedactor returns a Redactor for the given secrets: keys and the like.
// Values of fewer than 8 bytes are not secrets and are left alone.
func NewRedactor(secrets []string) *Redactor {
	var forms []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret {
			forms = append(forms, spellings(s)...)
		}
	}
	// The longest first: a secret may begin with another one.
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Redacted)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Redact returns s with "[redacted]" in place of every secret, as it is, as
// JSON or a URL escape it, and in base64 wherever it stands in the encoded text.
func (r *Redactor) Redact(s string) string { return r.replace.Replace(s) }

// Redact is NewRedactor(secrets).Redact(s).
func Redact(s string, secrets []string) string { return NewRedactor(secrets).Redact(s) }

// spellings returns the forms in which secret can occur in text.
func spellings(secret string) []string {
	html, _ := json.Marshal(secret) // escapes < > & too
	quoted := strings.Trim(string(html), `"`)
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(quoted)
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	forms := []string{
		secret, quoted, plain, strings.ReplaceAll(plain, "/", `\/`),
		query, path, lowerEscapes(query), lowerEscapes(path),
	}
	for offset := range 3 {
		forms = append(forms,
			base64Inside(base64.RawStdEncoding, secret, offset),
			base64Inside(base64.RawURLEncoding, secret, offset))
	}
	return forms
}

// lowerEscapes returns s, which is escaped for a URL, with hexadecimal digits
// in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}

// base64Inside returns the characters that secret has in common in all base64
// texts in which it begins offset bytes after a group of three, as in the
// "user:secret" of HTTP's basic authentication.
func base64Inside(enc *base64.Encoding, secret string, offset int) string {
	text := enc.EncodeToString([]byte("\x00\x00"[:offset] + secret))
	first := (offset*8 + 5) / 6           // shares no bit with what stands before
	end := (offset + len(secret)) * 8 / 6 // nor with what follows
	return text[first:end]
}
