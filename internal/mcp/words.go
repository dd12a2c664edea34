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
	return clip(strings.TrimRight(l.hide(withoutSteps(ikigai.CleanText(err.Error()))), ". \n"), 1000)
}

// withoutSteps cuts off what the library says of its own steps.
func withoutSteps(text string) string {
	for {
		rest := strings.TrimPrefix(text, "rejected by transport: ")
		for _, step := range []string{`calling "`, `sending "`} {
			if after, ok := strings.CutPrefix(rest, step); ok {
				if _, what, found := strings.Cut(after, `": `); found {
					rest = what
				}
			}
		}
		if rest == text {
			return text
		}
		text = rest
	}
}

// hide returns text without the secrets of the server, and without what looks
// like a key: arguments of a program may hold some.
func (l *link) hide(text string) string {
	return safetext.RedactKeys(safetext.Redact(text, l.server.Secrets()))
}

// minSecret is the least length of what is taken for a secret: less would be
// found everywhere.
const minSecret = 8

// Secrets returns what must not be shown of the settings of a server: the values
// of its headers, of variables that are named like a secret, those in its
// address, and that of a login.
func (s Server) Secrets() []string {
	var all []string
	add := func(text string) {
		if len(text) >= minSecret {
			all = append(all, text)
		}
	}
	for name, value := range s.Env {
		if secretName(name) {
			add(value)
		}
	}
	for _, value := range s.Headers {
		add(value)
		add(strings.TrimPrefix(value, "Bearer "))
	}
	add(s.OAuth.ClientSecret)
	if address, err := url.Parse(s.URL); err == nil {
		add(address.RawQuery)
		if password, ok := address.User.Password(); ok {
			add(password)
		}
	}
	return all
}

func secretName(variable string) bool {
	variable = strings.ToUpper(variable)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"} {
		if strings.Contains(variable, word) {
			return true
		}
	}
	return false
}

// quoteName returns the name of a server as a shell takes it.
func quoteName(name string) string {
	if name != "" && legal(name) == name {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
