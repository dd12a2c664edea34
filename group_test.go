package ikigai_test

import (
	"strings"
	"testing"

	"ikigai"
)

// A reply with its calls and the results of a round stand together, and nothing
// else does.
func TestGroups(t *testing.T) {
	kinds := map[rune]ikigai.Kind{'s': ikigai.KindSystem, 'u': ikigai.KindUser, 'a': ikigai.KindAssistant, 'c': ikigai.KindToolCall, 'r': ikigai.KindToolResult}
	for script, want := range map[string]string{
		"":            "",
		"suau":        "s u a u",
		"uaccrracruu": "u acc rr ac r u u",
		"ucrcr":       "u c r c r",
		"uaac":        "u a ac",
	} {
		var messages []ikigai.Message
		for _, c := range script {
			messages = append(messages, ikigai.Message{Kind: kinds[c]})
		}
		var groups []string
		rest := script
		for group := range ikigai.Groups(messages) {
			groups, rest = append(groups, rest[:len(group)]), rest[len(group):]
		}
		if got := strings.Join(groups, " "); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
	for _, i := range []int{-1, 0, 1} {
		if ikigai.Joins([]ikigai.Message{{Kind: ikigai.KindToolCall}}, i) {
			t.Errorf("message %d of one joins another", i)
		}
	}
}
