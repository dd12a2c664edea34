package foreign

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxShown is the most characters of a value that a summary shows. The whole
// value is in the event's data.
const maxShown = 120

// describeCall returns a call as people read it, name(k="v", …), parameters in
// the order received.
func describeCall(name, arguments string) string {
	dec := json.NewDecoder(strings.NewReader(arguments))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return name + "(" + cut(strings.TrimSpace(arguments)) + ")"
	}
	var shown []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return name + "(" + cut(arguments) + ")"
		}
		shown = append(shown, key.(string)+"="+cut(string(value)))
	}
	return name + "(" + strings.Join(shown, ", ") + ")"
}

// describeResult returns a result as people read it: the first line of it.
func describeResult(output string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	return cut(strings.TrimSpace(line))
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	runes := []rune(s[:min(len(s), 4*maxShown)])
	return string(runes[:maxShown]) + "…"
}
