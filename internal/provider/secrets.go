package provider

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// redact replaces what must stay secret by a mark: the key, the values of
// headers, which may hold one, and what the base URL holds of the kind.
func (c Config) redact(s string) string {
	s = hide(s, c.Key, "[key]")
	for _, v := range c.Header {
		s = hide(s, credential(v), "[secret]")
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return s
	}
	if password, ok := base.User.Password(); ok {
		s = hide(s, password, "[secret]")
	}
	for name, values := range base.Query() {
		if isSecret(name) {
			s = hide(s, values[0], "[key]")
		}
	}
	return s
}

// conceal takes out of err what Authorize has given req, should a vendor
// repeat it.
func conceal(err error, req *http.Request) error {
	var told *ikigai.Error
	if !errors.As(err, &told) {
		return err
	}
	for name, values := range req.Header {
		if isSecret(name) {
			told.What = hide(told.What, credential(values[0]), "[key]")
			told.Do = hide(told.Do, credential(values[0]), "[key]")
		}
	}
	return err
}

// isSecret reports whether what a header or a member of a query holds, by its
// name, is likely to be secret.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "signature", "cookie"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// credential returns the value of a header without the scheme before it.
func credential(value string) string {
	_, value, _ = cutLast(strings.TrimSpace(value), " ")
	return value
}

// hide replaces secret in s, as it is and as it stands in an address. Nothing as
// short as a common word is a secret.
func hide(s, secret, mark string) string {
	const least = 8
	if len(secret) < least {
		return s
	}
	return hideForm(hideForm(s, secret, mark), url.QueryEscape(secret), mark)
}

// hideForm replaces secret in s, and what of its beginning is left where somebody
// has cut it off.
func hideForm(s, secret, mark string) string {
	const long = 16 // bytes that say more than which kind of secret it is
	begin := secret[:min(len(secret), long)]
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, begin)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := len(begin)
		for rest := s[len(before):]; n < min(len(secret), len(rest)) && rest[n] == secret[n]; {
			n++
		}
		s = s[len(before)+n:]
		if n < len(secret) && s != "" && isOfToken(s[0]) { // another secret, which only begins alike
			b.WriteString(secret[:len(begin)])
			s = after
			continue
		}
		b.WriteString(mark)
	}
}

// isOfToken reports whether a secret may hold c in its middle.
func isOfToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_+/=%~", c) >= 0
}

// cutOff returns the start of s, n bytes at most, and no part of a word that may
// be a secret, which would not be known any more.
func cutOff(s string, n int) string {
	return strings.TrimRightFunc(strings.ToValidUTF8(s[:n], ""), func(r rune) bool {
		return r == '.' || r < utf8.RuneSelf && isOfToken(byte(r))
	})
}
