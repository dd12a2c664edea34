package mcp

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/safetext"
)

// clip returns s, or its first n bytes or a few less, so that no character is
// split.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// words says why the server failed, with its own last words.
func (l *link) words(err error) string {
	why := l.plain(err)
	if said := l.hide(l.beside.last(3)); said != "" {
		why += "; its last words: " + clip(said, 600)
	}
	return why
}

// plain returns the text of an error from elsewhere as part of a sentence.
func (l *link) plain(err error) string {
	return clip(strings.TrimRight(l.hide(ikigai.CleanText(err.Error())), ". \n"), 1000)
}

// minSecret is the least length of what is taken for a secret: less would be
// found everywhere.
const minSecret = 8

// hide returns text without what may be secret in the settings of the server:
// the values of its variables and headers, and those in its address.
func (l *link) hide(text string) string {
	var secrets []string
	add := func(s string) {
		if len(s) >= minSecret {
			secrets = append(secrets, s)
		}
	}
	for _, values := range []map[string]string{l.server.Env, l.server.Headers} {
		for _, value := range values {
			add(value)
			add(strings.TrimPrefix(value, "Bearer "))
		}
	}
	if address, err := url.Parse(l.server.URL); err == nil {
		add(address.RawQuery)
		if password, ok := address.User.Password(); ok {
			add(password)
		}
	}
	return safetext.Redact(text, secrets)
}

// quoteName returns the name of a server as a shell takes it.
func quoteName(name string) string {
	if name != "" && legal(name) == name {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
