package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// What a person is asked about is shown whole, whatever the style folds.
func TestAsked(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	edits, err := json.Marshal(map[string]any{"path": "a.go", "edits": []map[string]string{{"old": "a\x1b[2J", "new": long}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, arguments, want string
	}{
		{"bash", `{"command":"rm -r x","timeout":5}`, "! bash  timeout=5  $ rm -r x\n"},
		{"bash", `{"command":"cd x\nmake"}`, "! bash\n  $ cd x\n    make\n"},
		{"file_edit", string(edits), "! file_edit  path=\"a.go\"  1 edit\n    -a\n" + strings.Repeat("    +line\n", 100)},
		{"file_write", `{"path":"a","content":"b\nc"}`, "! file_write  path=\"a\"  2 lines - 3 B\n    b\n    c\n"},
		{"", `{"a":`, "! no name\n  arguments, which are no JSON object:\n    {\"a\":\n"},
	} {
		call := transcript.CallOf(ikigai.ToolCall{Name: c.name, Arguments: c.arguments})
		for _, style := range []render.Style{{ASCII: true}, {ASCII: true, Compact: true}, {ASCII: true, Verbose: true, Markdown: true}} {
			if got := style.Asked(call, "no name"); got != c.want {
				t.Errorf("%+v: %s %s\n got %q\nwant %q", style, c.name, c.arguments, got, c.want)
			}
		}
	}
}
