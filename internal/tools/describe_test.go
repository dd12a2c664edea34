package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/schema"
)

// What a tool is said to return is what it returns: each member, and no other.
// S0.5, S0.18 in both forms.
func TestReturns(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"combined", "split"} {
		b := newBench(t, Config{BashResult: form})
		b.write("a.txt", "one\ntwo\nthree\n")
		b.call("bash", `{"command":"echo x; sleep 1000","background":true}`)
		for _, tc := range []struct{ name, call string }{
			{"bash", `{"command":"echo x"}`}, {"bash", `{"command":"seq 9999; seq 9999 >&2"}`},
			{"job_output", `{"job":1}`}, {"job_stop", `{"job":1}`},
			{"glob", `{"pattern":"*"}`},
			{"grep", `{"pattern":"t"}`},
			{"file_read", `{"path":"a.txt"}`}, {"file_read", `{"path":"a.txt","limit":2}`},
			{"file_write", `{"path":"b.txt","content":"x"}`},
			{"file_edit", `{"path":"a.txt","edits":[{"old":"two","new":"2"}]}`},
		} {
			properties := told(t, b.tools[tc.name])
			output := b.call(tc.name, tc.call).Output[0].Text
			var members map[string]any
			if err := json.Unmarshal([]byte(output), &members); err != nil {
				t.Fatal(err)
			}
			for member := range members {
				if properties[member] == nil {
					t.Errorf("%s does not tell of %s in %s", tc.name, member, output)
				}
			}
			if _, err := schema.Checker(b.tools[tc.name].Returns)(json.RawMessage(output)); err != nil {
				t.Errorf("%s: %s: %v", tc.name, output, err)
			}
			if b.tools[tc.name].Usage == "" {
				t.Errorf("%s has no usage", tc.name)
			}
		}
		if got := len(told(t, b.tools["bash"])); form == "split" && got != 4 || form == "combined" && got != 3 {
			t.Errorf("%s: %d members", form, got)
		}
	}
}

func told(t *testing.T, tool ikigai.Tool) map[string]any {
	t.Helper()
	var told struct{ Properties map[string]any }
	if err := json.Unmarshal(tool.Returns, &told); err != nil {
		t.Fatal(err)
	}
	return told.Properties
}

// S0.6: the limits that bash is said to have are those that it has.
func TestOutputLimits(t *testing.T) {
	b := newBench(t, Config{BashResult: "split"})
	limits := strings.Join(b.tools["bash"].OutputLimits, "\n")
	if limits != "stdout: 10KB max\nstderr: 4KB max\nTruncated output includes warning message" {
		t.Errorf("%s", limits)
	}
	output := b.call("bash", `{"command":"seq 9999; seq 9999 >&2"}`).Output[0].Text
	for _, marker := range []string{"exceeded 10KB limit", "exceeded 4KB limit", `"truncated":true`} {
		if !strings.Contains(output, marker) {
			t.Errorf("no %q", marker)
		}
	}
}
