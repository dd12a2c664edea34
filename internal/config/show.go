package config

import (
	"maps"
	"slices"
	"strings"

	"ikigai/internal/safetext"
)

// Entry is one setting as a person is shown it.
type Entry struct {
	Key    string `json:"key"`    // with dots: vendors.local.base_url
	Value  string `json:"value"`  // as it is written; secrets are masked
	Origin string `json:"origin"` // "default", FILE:LINE, a variable or a flag
}

// Show returns the settings in force: the table in its order, then of vendors,
// models and MCP servers, by name, what was set or is otherwise than a vendor has
// it by default. The values of headers, a server's variables, and whatever looks
// like a key elsewhere, are replaced by safetext.Redacted.
func (s *Settings) Show() []Entry {
	entries := s.entries()
	for i, e := range entries {
		switch {
		case strings.HasPrefix(e.Key, mcpServersKey+"."):
		case strings.Contains(e.Key, ".headers."):
			entries[i].Value = safetext.Redacted
		case e.Key == "database":
			entries[i].Value = s.Database.String()
		case strings.HasSuffix(e.Key, ".key_cmd"):
			entries[i].Value = maskKeys(e.Value)
		default:
			entries[i].Value = safetext.RedactKeys(e.Value)
		}
	}
	return entries
}

// entries is Show with everything in the clear, but for MCP servers.
func (s *Settings) entries() []Entry {
	entries := list(s, "", table, s)
	for _, name := range slices.Sorted(maps.Keys(s.Vendors)) {
		v, key := s.Vendors[name], "vendors."+name+"."
		for i, e := range list(s, key, vendorTable, &v) {
			if e.Origin != "default" || e.Value != "" && e.Value != vendorTable[i].def {
				entries = append(entries, e)
			}
		}
		for _, member := range slices.Sorted(maps.Keys(v.Quirks.Body)) {
			memberKey := key + "body." + member
			entries = append(entries, Entry{memberKey, string(v.Quirks.Body[member]), s.Origin(memberKey)})
		}
		for _, header := range slices.Sorted(maps.Keys(v.Headers)) {
			headerKey := key + "headers." + header
			entries = append(entries, Entry{headerKey, v.Headers[header], s.Origin(headerKey)})
		}
	}
	for _, model := range slices.Sorted(maps.Keys(s.models)) {
		o := s.models[model]
		for _, e := range list(s, "models."+model+".", modelTable, &o) {
			if e.Origin != "default" {
				entries = append(entries, e)
			}
		}
	}
	return append(entries, s.mcpEntries()...)
}

func list[T any](s *Settings, prefix string, fields []field[T], from *T) []Entry {
	entries := make([]Entry, len(fields))
	for i, f := range fields {
		key := prefix + f.name
		entries[i] = Entry{key, f.of(from).String(), s.Origin(key)}
	}
	return entries
}

// Origin returns where the value of a setting comes from, as in Entry.
func (s *Settings) Origin(key string) string {
	if origin, ok := s.origins[key]; ok {
		return origin
	}
	return "default"
}

// maskKeys masks the words of a command line that might be keys, of whatever
// vendor: long, of letters and digits both. Somebody will have written `echo`
// and the key.
func maskKeys(command string) string {
	command = safetext.RedactKeys(command)
	isSeparator := func(r rune) bool { return strings.ContainsRune(" \t'\"=/:;|&()<>", r) }
	for _, word := range strings.FieldsFunc(command, isSeparator) {
		if len(word) >= 16 && strings.ContainsAny(word, "0123456789") && strings.ContainsFunc(word, isLetter) {
			command = strings.ReplaceAll(command, word, safetext.Redacted)
		}
	}
	return command
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
