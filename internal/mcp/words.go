package mcp

import (
	"strings"
	"unicode/utf8"

	"ikigai"
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

// plain returns the text of an error from elsewhere as part of a sentence.
func plain(err error) string {
	return clip(strings.TrimRight(ikigai.CleanText(err.Error()), ". \n"), 1000)
}

// quoteName returns the name of a server as a shell takes it.
func quoteName(name string) string {
	if name != "" && legal(name) == name {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
