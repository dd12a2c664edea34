package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// frontmatterResults are results as tools give them, and the text that is sent
// of each.
var frontmatterResults = map[string]struct {
	front  []ikigai.Fact
	output string
	want   string
}{
	"file_read": { // S1.30
		[]ikigai.Fact{{Name: "file", Value: "src/main.py"}, {Name: "lines", Value: "1-50 of 200"}, {Name: "language", Value: "python"}},
		`{"output":"def main():\n    pass\n","lines":"1-50","total_lines":200}`,
		"[file: src/main.py]\n[lines: 1-50 of 200]\n[language: python]\n\ndef main():\n    pass\n"},
	"bash": { // S1.31
		[]ikigai.Fact{{Name: "command", Value: "git status"}, {Name: "exit_code", Value: 0}, {Name: "cwd", Value: "/project"}},
		`{"output":"On branch main\nnothing to commit\n","exit_code":0}`,
		"[command: git status]\n[exit_code: 0]\n[cwd: /project]\n\nOn branch main\nnothing to commit\n"},
	"what is said on standard error is not lost": {
		[]ikigai.Fact{{Name: "exit_code", Value: 1}}, `{"stdout":"a\n","stderr":"b\nc\n","exit_code":1,"truncated":false}`,
		"[exit_code: 1]\n[stderr: \"b\\nc\\n\"]\n\na\n"},
	"no output":         {[]ikigai.Fact{{Name: "exit_code", Value: 0}}, `{"output":"","exit_code":0}`, "[exit_code: 0]"},
	"the tool's choice": {[]ikigai.Fact{}, `{"output":"x","count":3}`, "x"}, // S1.33
	"a part is chosen":  {[]ikigai.Fact{{Name: "file", Value: "a"}}, `{"file":"a","place":"Here","output":"x"}`, "[file: a]\n\nx"},
	"nothing chosen":    {nil, `{"count":2,"output":"a\nb","more":{"x":[1, 2]},"none":null}`, "[count: 2]\n[more: {\"x\":[1, 2]}]\n[none: null]\n\na\nb"},
	"the longest text":  {nil, `{"place":"Here","text":"It rains.","ok":true}`, "[place: Here]\n[ok: true]\n\nIt rains."},
	"no text":           {nil, `{"count":0,"list":[]}`, "[count: 0]\n[list: []]"},
	"plain text":        {[]ikigai.Fact{{Name: "a", Value: "b"}}, "just text", "[a: b]\n\njust text"},
	"text alone":        {nil, "just text", "just text"},
	"a list":            {nil, "[1,2]", "[1,2]"},
	"what needs quotes": {
		[]ikigai.Fact{{Name: "a", Value: "two\nlines"}, {Name: "b", Value: ""}, {Name: "c", Value: " x"}, {Name: "d", Value: "12"}, {Name: "e", Value: "true"},
			{Name: "f", Value: `"x"`}, {Name: "g", Value: "a[1]: <é>"}, {Name: "h", Value: "\x1b[2J"}, {Name: "i\nj", Value: []int{1}}},
		`{"output":"x"}`,
		"[a: \"two\\nlines\"]\n[b: \"\"]\n[c: \" x\"]\n[d: \"12\"]\n[e: \"true\"]\n[f: \"\\\"x\\\"\"]\n[g: a[1]: <é>]\n[h: \"\\u001b[2J\"]\n[\"i\\nj\": [1]]\n\nx"},
	"a long fact": {[]ikigai.Fact{{Name: "command", Value: strings.Repeat("é", 300)}}, `{"output":"x"}`, "[command: " + strings.Repeat("é", 200) + "…]\n\nx"},
}

// S1.32: facts, an empty line, the text; the setting switches it on.
func TestFrontmatter(t *testing.T) {
	a := Agent{ResultFormat: Frontmatter}
	asJSON, asFront := 0, 0
	for name, tt := range frontmatterResults {
		d := ikigai.ToolResultData{Output: tt.output}
		a.frame(&d, &ikigai.Result{Front: tt.front}, false)
		if diff := cmp.Diff(tt.want, d.Output); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		off := ikigai.ToolResultData{Output: tt.output}
		if new(Agent).frame(&off, &ikigai.Result{Front: tt.front}, true) || off.Output != tt.output {
			t.Errorf("%s: switched off, it is %s", name, off.Output)
		}
		if name == "bash" || name == "file_read" {
			asJSON += len(encode(tt.output))
			asFront += len(encode(d.Output))
		}
	}
	t.Logf("file_read and bash as a request holds them: %d bytes of JSON, %d of frontmatter", asJSON, asFront)
}

// D10, D11, S2.52: what is recorded is what is sent; failures stay JSON; the last
// result says so in its facts; the limit on a result holds for the whole.
func TestFrontmatterInTheLoop(t *testing.T) {
	report := func(_ context.Context, c ikigai.Call) ikigai.Result {
		return ikigai.Result{Output: ikigai.JSONOutput(map[string]any{"output": strings.Repeat("line\n", 100)}), Front: []ikigai.Fact{{Name: "lines", Value: 100}}}
	}
	broken := func(context.Context, ikigai.Call) ikigai.Result { return ikigai.Failure("X", "It broke", "Mend it") }
	a, l, m := newAgent(t, [][]any{calls("1 broken {}", "2 report {}"), says("done")}, tool("report", true, report), tool("broken", true, broken))
	a.ResultFormat, a.MaxToolTurns, a.MaxOutputSize = Frontmatter, 1, 300
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	results := l.results()
	if results[0].Output != `{"error":"It broke. Mend it.","error_code":"X"}` {
		t.Errorf("a failure: %s", results[0].Output)
	}
	got := results[1].Output
	want := "[lines: 100]\n[limit_reached: true]\n[limit_message: Tool call limit reached (1). Stopping tool loop.]\n\nline\n"
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "[OUTPUT TRUNCATED - showing ") || len(got) > 300 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for _, message := range m.requests[1].Messages {
		if r := message.Result; r != nil && r.CallID == "2" && r.Output != got {
			t.Errorf("sent: %s", r.Output)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add(`{"output":"a","x":1}`, "name", "value")
	f.Add(`[1]`, "", "\n")
	f.Add(`{"a":"\u0000","a":{}}`, "a", "\xff]")
	f.Fuzz(func(t *testing.T, output, name, value string) {
		for _, front := range [][]ikigai.Fact{nil, {{Name: name, Value: value}}} {
			d := ikigai.ToolResultData{Output: output}
			a := Agent{ResultFormat: Frontmatter}
			if !a.frame(&d, &ikigai.Result{Front: front}, true) {
				continue
			}
			head, _, _ := strings.Cut(d.Output, "\n\n")
			for line := range strings.Lines(head) {
				if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
					t.Errorf("line %q of %q", line, d.Output)
				}
			}
			if !strings.Contains(head, "[limit_reached: true]") {
				t.Errorf("the limit is not told: %q", d.Output)
			}
		}
	})
}

func BenchmarkFrontmatter(b *testing.B) {
	output := string(mustJSON(map[string]any{"output": strings.Repeat("a line of output\n", 1000), "exit_code": 0}))
	a := Agent{ResultFormat: Frontmatter}
	var d ikigai.ToolResultData
	for b.Loop() {
		d.Output = output
		a.frame(&d, &ikigai.Result{}, false)
	}
	b.ReportMetric(float64(len(encode(output))), "json-bytes")
	b.ReportMetric(float64(len(encode(d.Output))), "frontmatter-bytes")
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
