package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/schema"
)

// S0.31: the output of every tool is an object of the form that the tool
// declares, whatever it was asked for; that of a failure has an error besides.
func TestOutputsAreAsDeclared(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]http.HandlerFunc{"/page": says("text/html", "<title>t</title>x"), "/long": says("text/plain", strings.Repeat("line\n", 20_000)),
		"/zip": says("application/zip", "PK\x00"), "/there": http.RedirectHandler("/page", http.StatusFound).ServeHTTP})
	inputs := map[string][]string{
		"glob":      {`{"pattern":"*"}`, `{"pattern":"none"}`, `{"pattern":"many/*"}`, `{"pattern":"["}`},
		"file_read": {`{"path":"a"}`, `{"path":"a","offset":2,"limit":1}`, `{"path":"long"}`, `{"path":"empty"}`, `{"path":"image.png"}`, `{"path":"none"}`, `{"path":"."}`},
		"grep":      {`{"pattern":"e"}`, `{"pattern":"none at all"}`, `{"pattern":"line","path":"long"}`, `{"pattern":"("}`},
		"file_write": {`{"path":"new/file","content":"x\n"}`, `{"path":"a","content":"one\ntwo\nthree\n"}`, `{"path":"empty","content":""}`,
			`{"path":".","content":""}`},
		"file_edit": {`{"path":"a","edits":[{"old":"one","new":"1"}]}`, `{"path":"a","edits":[{"old":"none","new":""}]}`, `{"path":"none","edits":[{"old":"a","new":"b"}]}`},
		"bash": {`{"command":"echo out; echo err >&2"}`, `{"command":"exit 3"}`, `{"command":"kill -9 $$"}`, `{"command":"cat long long"}`,
			`{"command":"echo begun; sleep 100","timeout":1}`, `{"command":"x","working_dir":"none"}`, `{"command":"sleep 100","background":true}`},
		"job_output": {`{"job":1}`, `{"job":99}`},
		"job_stop":   {`{"job":1}`, `{"job":99}`},
		"web_fetch":  {`{"url":"` + at + `/page"}`, `{"url":"` + at + `/long"}`, `{"url":"` + at + `/zip"}`, `{"url":"` + at + `/there"}`, `{"url":"` + at + `/none"}`, `{"url":"x:y"}`},
	}
	for _, form := range []string{"combined", "split"} {
		jobs := new(Jobs)
		cfg := Config{BashResult: form, MaxOutput: 20_000, SpillDir: t.TempDir(), WebPrivate: true, Jobs: jobs}
		b := newBench(t, cfg)
		b.write("a", "one\ntwo\nthree\n", "empty", "", "long", strings.Repeat("a line\n", 10_000), "image.png", "\x89PNG\r\n\x1a\n")
		for i := range 2000 {
			b.write(fmt.Sprintf("many/a file with a name of some length %d", i), "")
		}
		for _, tool := range Builtin(cfg) { // a job is begun before it is looked at
			if len(inputs[tool.Name]) == 0 {
				t.Errorf("nothing is asked of %s", tool.Name)
			}
			for _, args := range inputs[tool.Name] {
				declares := b.tools[tool.Name]
				if strings.Contains(args, "background") {
					declares = b.tools["job_output"] // what is told of a job is told by either
				}
				checkOutput(t, declares, args, b.call(tool.Name, args))
			}
		}
		jobs.Close()
	}
}

// checkOutput holds a result against the form that its tool declares. Members
// that the form does not name are faults, too.
func checkOutput(t *testing.T, tool ikigai.Tool, args string, r ikigai.Result) {
	t.Helper()
	var declared struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(tool.Returns, &declared); err != nil || len(declared.Properties) == 0 {
		t.Fatalf("%s returns %s: %v", tool.Name, tool.Returns, err)
	}
	if _, err := schema.Checker(tool.Returns)(json.RawMessage(r.Output[0].Text)); err != nil {
		t.Errorf("%s %s: %s: %v", tool.Name, args, r.Output[0].Text, err)
	}
	var output map[string]any
	if err := json.Unmarshal([]byte(r.Output[0].Text), &output); err != nil {
		t.Fatalf("%s %s: %v", tool.Name, args, err)
	}
	_, hasError := output["error"].(string)
	if hasError != r.Failed {
		t.Errorf("%s %s: failed is %t, and the output %s", tool.Name, args, r.Failed, r.Output[0].Text)
	}
	for _, name := range slices.Sorted(maps.Keys(output)) {
		if ofFailure := r.Failed && (strings.HasPrefix(name, "error") || tool.Name == "web_fetch"); declared.Properties[name] == nil && !ofFailure {
			t.Errorf("%s %s: %q is not declared: %s", tool.Name, args, name, tool.Returns)
		}
	}
}
