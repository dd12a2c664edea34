package provider

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

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
	return strings.NewReplacer(secret, mark, url.QueryEscape(secret), mark).Replace(s)
}
