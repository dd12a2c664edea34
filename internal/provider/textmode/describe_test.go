package textmode

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/tools"
)

var update = flag.Bool("update", false, "write what is presented into the golden files")

func builtin(form string) (specs []ikigai.ToolSpec) {
	for _, t := range tools.Builtin(tools.Config{BashResult: form}) {
		specs = append(specs, t.ToolSpec)
	}
	return specs
}

// The presentation is that of seed 000, to the letter. S0.1, S0.2, S0.3, S0.4,
// S0.5, S0.6, S0.7, S0.8
func TestPresentation(t *testing.T) {
	const parameters = `{"type":"object","properties":{
		"command":{"type":"string","description":"The bash command to execute"},
		"timeout":{"type":"integer","default":30,"description":"Command timeout in seconds"},
		"working_dir":{"type":"string","default":".","description":"Working directory for execution"}},
		"required":["command"]}`
	bash := builtin("split")[4]
	bash.Description, bash.Schema = "Execute bash commands with output capture and error handling.", json.RawMessage(parameters)
	want, err := os.ReadFile("testdata/seed.md")
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(describe(ikigai.Request{Tools: []ikigai.ToolSpec{bash}}, Options{}), "\n## Calling tools")
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All built-in tools, in both forms of bash's results and of the presentation.
// S0.1, S0.2
func TestBuiltin(t *testing.T) {
	for file, got := range map[string]string{
		"full.md":     describe(ikigai.Request{Tools: builtin("split")}, Options{}),
		"compact.md":  describe(ikigai.Request{Tools: builtin("split")}, Options{Compact: true}),
		"combined.md": describeTool(builtin("combined")[4]),
	} {
		file = "testdata/" + file
		if *update {
			if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// What does not fit a line is told by its schema. S0.3
func TestParameters(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":["string","null"]}`:                                        "- `p` (string or null, optional)",
		`{"type":"array","items":{"type":"integer"}}`:                       "- `p` (array of integer, optional)",
		`{"type":"array"}`:                                                  "- `p` (array, optional)",
		`{"description":"What."}`:                                           "- `p` (any, optional): What.",
		`{"type":"string","enum":["a","b"]}`:                                "- `p` (string, optional): One of: \"a\", \"b\"",
		`{"type":"string","enum":["a"],"description":"Which."}`:             "- `p` (string, optional): Which. One of: \"a\"",
		`{"type":"object","properties":{"q":{"type":"string"}}}`:            "- `p` (object, optional): JSON Schema: {\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\"}}}",
		`{"anyOf": [{"type":"string"}]}`:                                    "- `p` (any, optional): JSON Schema: {\"anyOf\":[{\"type\":\"string\"}]}",
		`{"type":"integer","minimum":1,"maximum":10,"description":"Days."}`: "- `p` (integer, optional): Days. From 1 to 10",
		`{"type":"number","minimum":0.5}`:                                   "- `p` (number, optional): From 0.5",
		`{"type":"integer","maximum":10}`:                                   "- `p` (integer, optional): Up to 10",
		`true`:                                                              "- `p` (any, optional)",
	} {
		got := describeTool(ikigai.ToolSpec{Name: "t", Schema: json.RawMessage(`{"type":"object","properties":{"p":` + schema + `}}`)})
		if !strings.HasSuffix(got, "\n"+want+"\n") {
			t.Errorf("%s:\n%s", schema, got)
		}
	}
	refers := `{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"$defs": {"P":{"type":"string"}}}`
	for _, describe := range []func(ikigai.ToolSpec) string{describeTool, describeCompact} {
		if got := describe(ikigai.ToolSpec{Name: "t", Schema: json.RawMessage(refers)}); !strings.HasSuffix(got, "\n- where $defs is {\"P\":{\"type\":\"string\"}}\n") {
			t.Errorf("definitions are not told:\n%s", got)
		}
	}
	if got := describeTool(ikigai.ToolSpec{Name: "t", Description: "D", Schema: json.RawMessage(`{"type":"object"}`)}); got != "### t\nD\n" {
		t.Errorf("without parameters:\n%s", got)
	}
}

// What bash returns stands under its name, in both forms. S0.18
func TestResult(t *testing.T) {
	for form, want := range map[string]string{
		"split":    `{"tool":"bash","result":{"stdout":"a\nb\n","stderr":"","exit_code":1,"truncated":false}}`,
		"combined": `{"tool":"bash","result":{"output":"a\nb\n","exit_code":1}}`,
	} {
		bash := tools.Builtin(tools.Config{BashResult: form, Env: []string{"PATH=/usr/bin:/bin"}})[4]
		ran := bash.Run(t.Context(), ikigai.Call{Dir: t.TempDir(), Args: json.RawMessage(`{"command":"echo a; echo b; exit 1"}`)})
		if got := appendResult(nil, &ikigai.ToolResult{Name: "bash", Output: ran.Output[0].Text}); string(got) != want {
			t.Errorf("%s: %s", form, got)
		}
	}
}

// S0.34, S0.35: what a call, a result and a tool cost, in bytes.
func TestBudget(t *testing.T) {
	call := appendCalling(nil, "", []*ikigai.ToolCall{{Name: "bash", Arguments: "{\n  \"command\": \"ls -la src/\"\n}"}})
	if want := `{"tool":"bash","params":{"command":"ls -la src/"}}`; string(call) != want {
		t.Errorf("a call: %s", call)
	}
	result := appendResult(nil, &ikigai.ToolResult{Name: "bash", Output: `{"stdout": "", "stderr": "", "exit_code": 0, "truncated": false}`})
	if len(result) > 100 || strings.ContainsAny(string(result), " \n") {
		t.Errorf("an empty result, %d bytes: %s", len(result), result)
	}
	for _, form := range []string{"split", "combined"} {
		if section := describeCompact(builtin(form)[4]); len(section) > 500 {
			t.Errorf("bash, %d bytes:\n%s", len(section), section)
		}
	}
	if compact, full := len(describe(ikigai.Request{Tools: builtin("split")}, Options{Compact: true})), len(describe(ikigai.Request{Tools: builtin("split")}, Options{})); compact > full/2 {
		t.Errorf("the compact form has %d bytes, the full one %d", compact, full)
	}
}
