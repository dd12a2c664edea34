package history

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// callNames is the IDs of calls that a conversation has used. The zero value is
// ready.
type callNames struct{ used map[string]bool }

// maxCallID is the longest ID of a call that every vendor takes: OpenAI's limit
// of 40 characters is the lowest.
const maxCallID = 40

// unique returns id if a conversation may use it, and otherwise a new one that
// depends on the place of the call alone.
func (n *callNames) unique(id string, seq ikigai.Seq) string {
	if len(id) > maxCallID || !isName(id) || n.used[id] {
		id = fmt.Sprintf("call_%d", seq)
		for i := 2; n.used[id]; i++ {
			id = fmt.Sprintf("call_%d_%d", seq, i)
		}
	}
	if n.used == nil {
		n.used = map[string]bool{}
	}
	n.used[id] = true
	return id
}

// maxToolName is the longest name of a tool that vendors take.
const maxToolName = 64

// toolName returns a name that vendors take for a tool, which a model may have
// called by any.
func toolName(s string) string {
	if len(s) <= maxToolName && isName(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isNameByte(byte(r)) {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "unknown"
	}
	return s[:min(len(s), maxToolName)]
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
