package wirejson

import "encoding/json"

// IsString reports whether raw, which is JSON without white space around it, is
// a string.
func IsString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// Concat returns one JSON string of two. It costs what the second is long, for
// it may use the memory behind the first, which is of no use after it.
func Concat(s, more json.RawMessage) json.RawMessage {
	return append(s[:len(s)-1], more[1:]...)
}
