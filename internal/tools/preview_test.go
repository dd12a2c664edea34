package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

// S2.81: what a call would change of a file is told as the file is now, and nothing
// is changed by it.
func TestPreview(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	const content = "one\r\ntwo\r\n"
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "binary"), []byte("a\x00b"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ tool, args, lines, fails string }{
		{"file_edit", `{"path":"a.txt","edits":[{"old":"two","new":"zwei"}]}`, "-two", ""},
		{"file_edit", `{"path":"a.txt","edits":[{"old":"two","new":"zwei"}]}`, "+zwei", ""},
		{"file_edit", `{"path":"a.txt","edits":[{"old":"two","new":"x"},{"old":"x","new":"y"}]}`, "+y", ""},
		{"file_edit", `{"path":"a.txt","edits":[{"old":"three","new":"x"}]}`, "", "old text not found in a.txt"},
		{"file_edit", `{"path":"b.txt","edits":[{"old":"three","new":"x"}]}`, "", "File not found: b.txt"},
		{"file_write", `{"path":"a.txt","content":"one\nthree\n"}`, "+three", ""},
		{"file_write", `{"path":"a.txt","content":"one\r\ntwo\r\n"}`, "nothing changes", ""},
		{"file_write", `{"path":"new/b.txt","content":"x"}`, "", ""},
		{"file_write", `{"path":"binary","content":"x"}`, "", ""},
		{"file_write", `{"path":"` + dir + `","content":"x"}`, "", "is a directory"},
		{"bash", `{"command":"touch b.txt"}`, "", ""},
	}
	for _, test := range tests {
		c := Preview(t.Context(), Config{}, test.tool, ikigai.Call{Dir: dir, Args: json.RawMessage(test.args)})
		if !strings.Contains(c.Lines, test.lines) || (c.Lines == "") != (test.lines == "") {
			t.Errorf("%s: lines %q", test.args, c.Lines)
		}
		if !strings.Contains(strings.ToLower(c.Fails), strings.ToLower(test.fails)) || (c.Fails == "") != (test.fails == "") {
			t.Errorf("%s: fails %q", test.args, c.Fails)
		}
	}
	stale := Config{Known: func(string) (string, bool) { return strings.Repeat("0", 64), true }}
	if c := Preview(t.Context(), stale, "file_write", ikigai.Call{Dir: dir, Args: json.RawMessage(`{"path":"a.txt","content":"x"}`)}); c.Fails == "" {
		t.Error("a write that would fail, since the file is another one by now, is told as one that would not")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != content {
		t.Errorf("the file holds %q, %v", raw, err)
	}
}
