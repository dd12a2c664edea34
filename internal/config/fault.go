package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/safetext"
)

// fault returns the error about something at offset at of the file.
func (f *file) fault(at int, what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: f.position(at) + ": " + what, Do: do}
}

// badValue returns the error about a setting whose value does not fit. shown is
// the value as it may be repeated.
func badValue(origin, key, shown, accepts string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("%s: %s is %s", origin, quoteKey(key), shown),
		Do:   "Write " + accepts}
}

// shown returns a value as an error repeats it.
func shown(text string, private bool) string {
	if private || strings.Contains(text, "://") && strings.Contains(text, "@") {
		return "not acceptable" // it may hold a key or a password
	}
	return strconv.Quote(clip(text))
}

// unknown returns the error about a member whose name is none of known.
func (f *file) unknown(m member, known []string) error {
	what := "no setting is called " + quoteKey(m.key)
	switch fold(m.name) {
	case "apikey", "key", "token", "secret", "authtoken", "apitoken":
		return f.fault(m.at, what, "Name the variable that holds the key in key_env, or a command that prints it in key_cmd, or store it with `ikigai login`")
	}
	return f.fault(m.at, what, suggest(m.name, known))
}

// unknownFlag returns the error about a flag that names no setting.
func unknownFlag(in Input, userFile string) error {
	var names []string
	for _, f := range table {
		names = append(names, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(in.Flags)) {
		if slices.Contains(names, name) {
			continue
		}
		what := "No setting is called " + quoteKey(name)
		if typed := in.FlagNames[name]; typed != "" {
			what = clip(typed) + ": no setting is called " + quoteKey(name)
		}
		if group, _, _ := strings.Cut(name, "."); group == "vendors" || group == "models" {
			return usage(what, "Set "+group+" in a file: "+userFile)
		}
		return usage(what, suggest(name, names))
	}
	return nil
}

// siblings returns the names that stand in the same object as name: those of
// fields and, in the outermost object, those of beside.
func siblings[T any](fields []field[T], beside []string, name string) []string {
	parent := name[:strings.LastIndexByte(name, '.')+1]
	var names []string
	for _, f := range fields {
		rest, inside := strings.CutPrefix(f.name, parent)
		first, _, _ := strings.Cut(rest, ".")
		if inside && !slices.Contains(names, first) {
			names = append(names, first)
		}
	}
	if parent == "" {
		names = append(names, beside...)
	}
	return names
}

// suggest says which of known was probably meant by name, or what there is.
func suggest(name string, known []string) string {
	if near := Nearest(name, known); len(near) > 0 {
		return "Perhaps " + strings.Join(near, " or ") + " is meant"
	}
	return "Known are " + strings.Join(known, ", ")
}

// quoteKey returns key as it is when it is a plain name, and quoted otherwise.
func quoteKey(key string) string {
	key = clip(key)
	plain := strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$") == ""
	if plain && key != "" {
		return key
	}
	return strconv.Quote(key)
}

// maxShown bounds in bytes what an error repeats of a file.
const maxShown = 80

// clip returns s as an error may repeat it: not too much of it, and no key.
func clip(s string) string { return cut(safetext.RedactKeys(s), maxShown) }

// cut returns s, or the beginning of it when it is longer than most bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
