package exttool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ikigai"
)

// Directories in Amp's form: descriptions as JSON or as lines, and the input in
// the same form.
func TestToolbox(t *testing.T) {
	const schema = `"properties":{"dir":{"type":"string","description":"the directory"},"fast":{"type":"boolean","description":"be quick"}},"required":["dir"],"additionalProperties":false}`
	for _, test := range []struct{ name, described, schema, input string }{
		{"args", `{"name":"run-tests","description":"Runs tests.","args":{"dir":["string","the directory"],"fast":["boolean","(optional) be quick"]}}`,
			`{"type":"object",` + schema, `{"dir":"a b","fast":true}`},
		{"schema", `{"name":"run-tests","description":"Runs tests.","inputSchema":{"type":"object",` + schema + `}`,
			`{"type":"object",` + schema, `{"dir":"a b","fast":true}`},
		{"lines", "name: run-tests\ndescription: Runs\ndescription: tests.\ndir: string the directory\nfast: boolean? be quick\n",
			`{"type":"object",` + schema, "dir: a b\nfast: true"},
		{"lines without types", "name: run tests\ndescription: Runs tests.\ndir: the directory\n",
			`{"type":"object","properties":{"dir":{"type":"string","description":"the directory"}},"required":["dir"],"additionalProperties":false}`, "dir: a b\nfast: true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "any-file.sh", "#!/bin/bash\nif [ $TOOLBOX_ACTION = describe ]; then cat <<'END'\n"+test.described+"\nEND\nelse echo \"$TOOLBOX_ACTION $#:\"; cat; fi\n")
			set := loaded(Config{Dirs: []Dir{{Path: dir, Toolbox: true}}, Env: env()})
			tool := only(t, set)
			if Fold(tool.Name) != "run_tests" || string(tool.Schema) != test.schema {
				t.Errorf("%s: %s", tool.Name, tool.Schema)
			}
			r := tool.Run(context.Background(), ikigai.Call{Dir: dir, Args: json.RawMessage(`{"dir":"a b","fast":true}`)})
			var got struct {
				Output string `json:"output"`
			}
			if err := json.Unmarshal([]byte(text(r)), &got); err != nil || strings.TrimSpace(got.Output) != "execute 0:\n"+test.input {
				t.Errorf("%v: %s", err, text(r))
			}
		})
	}
}

// A line break in a value would be the next parameter.
func TestToolboxLineBreak(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x", "#!/bin/sh\n[ $TOOLBOX_ACTION = describe ] && printf 'name: x\\ndescription: X.\\ntext: string\\n' || touch ran\n")
	set := loaded(Config{Dirs: []Dir{{Path: dir, Toolbox: true}}, Env: env()})
	r := call(t, only(t, set), `{"text":"a\npath: /etc"}`)
	if !r.Failed || !strings.Contains(text(r), "INVALID_PARAMS") || !strings.Contains(text(r), "text") {
		t.Errorf("%+v", r)
	}
}

// An object that a toolbox answers is taken as it is; one that fails says why.
func TestToolboxAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`echo '{"a":1}'`:     `{"a":1}`,
		`echo no >&2; false`: "TOOL_CRASHED",
	} {
		dir := t.TempDir()
		write(t, dir, "x", "#!/bin/sh\nif [ $TOOLBOX_ACTION = describe ]; then printf 'name: x\\ndescription: X.\\n'; else "+body+"; fi\n")
		set := loaded(Config{Dirs: []Dir{{Path: dir, Toolbox: true}}, Env: env()})
		if r := call(t, only(t, set), `{}`); !strings.Contains(text(r), want) {
			t.Errorf("%s: %s", body, text(r))
		}
	}
}
