package exttool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ikigai"
)

// env is the environment of tools in tests.
func env() []string { return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"} }

// greet is the smallest tool that takes a parameter.
const greet = `#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name":"greet","description":"Greets.","parameters":{"who":{"type":"string","required":true}}}'
  exit
fi
printf '{"output":"hello"}'
`

// script returns a tool of the given name and further members of the schema,
// that runs body.
func script(name, members, body string) string {
	return "#!/bin/bash\nif [ \"$1\" = --schema ]; then\n  cat <<'END'\n{\"name\":\"" + name + "\",\"description\":\"Does " + name + ".\"" + members +
		"}\nEND\n  exit\nfi\n" + body + "\n"
}

// write puts an executable into a directory.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads the tools of one directory.
func load(t testing.TB, dir string) *Set {
	t.Helper()
	return loaded(Config{Dirs: []Dir{{Path: dir, Origin: "user"}}, Env: env(), SpillDir: filepath.Join(t.TempDir(), "spill")})
}

// loaded returns the tools of cfg. They are waited for as long as it takes: how
// busy this machine is, is no matter of a test.
func loaded(cfg Config) *Set {
	cfg.patience = time.Minute
	return Load(context.Background(), cfg)
}

// only returns the one tool that there is.
func only(t testing.TB, s *Set) Tool {
	t.Helper()
	if list := s.List(); len(list) != 1 || len(s.Problems()) != 0 {
		t.Fatalf("%d tools, problems %v", len(list), s.Problems())
	}
	return s.List()[0]
}

// call runs a tool the way the agent does: what is validated, with defaults.
func call(t testing.TB, tool Tool, args string) ikigai.Result {
	t.Helper()
	checked, err := tool.Check(json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return tool.Run(context.Background(), ikigai.Call{ID: "call-1", Dir: t.TempDir(), Args: checked})
}

// text returns the output that a model sees.
func text(r ikigai.Result) string {
	if len(r.Output) == 0 {
		return ""
	}
	return r.Output[0].Text
}

func names(s *Set) string {
	var all []string
	for _, t := range s.Tools() {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

func problems(s *Set) string {
	var all []string
	for _, p := range s.Problems() {
		all = append(all, p.String())
	}
	return strings.Join(all, "\n")
}
