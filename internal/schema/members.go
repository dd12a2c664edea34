package schema

import (
	"bytes"
	"encoding/json"
)

// member is one key of an object with the bytes of its value.
type member struct {
	key   string
	value []byte
}

// members splits an object into its members, in order, duplicates included. It
// does not decode the values. raw must be valid JSON; anything but an object
// has no members.
func members(raw []byte) []member {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil
	}
	var all []member
	i = space(raw, i+1)
	for i < len(raw) && raw[i] == '"' {
		end := valueEnd(raw, i)
		var key string
		if json.Unmarshal(raw[i:end], &key) != nil {
			return nil
		}
		start := space(raw, space(raw, end)+1) // past the colon
		end = valueEnd(raw, start)
		all = append(all, member{key, raw[start:end]})
		if i = space(raw, end); i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return all
}

// space returns the index of the first byte from i on that is no white space.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 { // the end of what holds a number or a word
				return i
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return len(raw)
		}
		i += n + 1
		escapes := 0
		for raw[i-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return i
}

func keys(all []member) []string {
	names := make([]string, 0, len(all))
	for _, m := range all {
		names = append(names, m.key)
	}
	return names
}

// elements splits a list into its values. It does not decode them. raw must be
// valid JSON; anything but a list has none.
func elements(raw []byte) [][]byte {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	var all [][]byte
	for i = space(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := valueEnd(raw, i)
		all = append(all, raw[i:end])
		if i = space(raw, end); i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return all
}
