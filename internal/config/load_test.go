package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
)

func TestDefaults(t *testing.T) {
	s := newTree(t).load()
	if s.MaxToolTurns != 50 { // S2.50, S2.83
		t.Errorf("max_tool_turns is %d", s.MaxToolTurns)
	}
	if s.MaxOutputSize != 1048576 { // S2.84
		t.Errorf("max_output_size is %d", s.MaxOutputSize)
	}
	if s.ToolConcurrency != 1 || s.BashResult != BashCombined || s.Approval != ApprovalNever ||
		s.ToolChoice != (ikigai.ToolChoice{}) || s.MaxRetries != 3 || s.Model != "" {
		t.Errorf("defaults are %+v", s)
	}
	if s.Tasks.Concurrency < s.Tasks.Max { // one call's tasks take as long as the longest
		t.Errorf("%d of %d tasks run at once", s.Tasks.Concurrency, s.Tasks.Max)
	}
	if want := (Timeouts{10 * time.Second, 5 * time.Minute, 5 * time.Minute}); s.Timeouts != want {
		t.Errorf("timeouts are %v", s.Timeouts)
	}
	for _, e := range s.Show() {
		if e.Origin != "default" {
			t.Errorf("%s has the origin %s", e.Key, e.Origin)
		}
	}
}

// Every preset has a value in each field that a vendor of one's own gets by
// default, and one that the field accepts.
func TestPresetsKeepTheRules(t *testing.T) {
	for name, v := range defaults(nil).Vendors {
		for _, f := range vendorTable {
			text := f.of(&v).String()
			if !f.of(&v).set(text) || f.def != "" && text == "" {
				t.Errorf("%s: %s is %q", name, f.name, text)
			}
		}
	}
}

// S2.88: each layer overrides the ones before it, and the origin says which.
func TestLayers(t *testing.T) {
	tr := newTree(t)
	want := func(layer string, turns int, origin string) {
		t.Helper()
		s := tr.load()
		if s.MaxToolTurns != turns || s.Origin("max_tool_turns") != origin {
			t.Errorf("%s: %d from %s, want %d from %s", layer, s.MaxToolTurns, s.Origin("max_tool_turns"), turns, origin)
		}
		if layer != "defaults" && s.MaxRetries != 7 {
			t.Errorf("%s: a value that later layers leave alone is lost", layer)
		}
	}
	want("defaults", 50, "default")
	tr.write(tr.userPath(), "{\n  // mine\n  \"max_tool_turns\": 10,\n  \"max_retries\": 7,\n}")
	want("user", 10, tr.userPath()+":3")
	tr.trusts(`{"max_tool_turns": 20}`)
	want("project", 20, tr.projectPath()+":1")
	tr.Environ = []string{"IKIGAI_MAX_TOOL_TURNS=30", "IKIGAI_SESSION=x", "IKIGAI_NONSENSE=1", "PATH=/bin"}
	want("environment", 30, "IKIGAI_MAX_TOOL_TURNS")
	tr.Flags = map[string]string{"max_tool_turns": "40"}
	want("flags", 40, "--max-tool-turns")
	tr.Environ = []string{"IKIGAI_MAX_TOOL_TURNS="}
	tr.Flags = nil
	want("empty variable", 20, tr.projectPath()+":1")
}

// Every setting of the table can be given by variable and flag.
func TestEverySettingHasVariableAndFlag(t *testing.T) {
	for _, f := range table {
		text := map[string]string{
			"model": "a/b", "bash_result": "split", "tool_choice": "bash", "approval": "ask", "database": "/x.db",
			"timeouts.connect": "7s", "timeouts.first_byte": "7s", "timeouts.idle": "7s", "max_output_size": "2000",
			"thinking": "high", "fallback": "groq/b,xai/d:low", "tool_protocol": "prompt",
			"result_format": "frontmatter", "web_private_addresses": "false", "toolboxes": "/a/b,/c", "objectives": "text", "feedback": "auto", "small_model": "a/b", "instructions": "false", "tasks.depth": "3",
			"allow": "bash,file_edit(src/*)", "display": "compact", "theme": "light", "keys": "vi", "while_working": "queue", "notify_after": "0s", "screen_reader": "true",
		}[f.name]
		if text == "" {
			text = "7"
		}
		tr := newTree(t)
		tr.Environ = []string{envName(f.name) + "=" + text}
		if s := tr.load(); f.of(s).String() != text || s.Origin(f.name) != envName(f.name) {
			t.Errorf("%s=%s gives %s", envName(f.name), text, f.of(s))
		}
		tr.Environ, tr.Flags = nil, map[string]string{f.name: text}
		if s := tr.load(); f.of(s).String() != text || s.Origin(f.name) != tr.flagName(f.name) {
			t.Errorf("%s %s gives %s", tr.flagName(f.name), text, f.of(s))
		}
	}
}

// S1.9: tool choice by setting.
func TestToolChoice(t *testing.T) {
	for text, want := range map[string]ikigai.ToolChoice{
		"auto":      {},
		"none":      {Mode: ikigai.ToolChoiceNone},
		"required":  {Mode: ikigai.ToolChoiceRequired},
		"file_read": {Mode: ikigai.ToolChoiceNamed, Name: "file_read"},
	} {
		if got := mustParse(t, `{"tool_choice": "`+text+`"}`).ToolChoice; got != want {
			t.Errorf("%s gives %+v", text, got)
		}
	}
}

// P40: what a cloned repository brings is not even read here.
func TestProjectFileNeedsTrust(t *testing.T) {
	tr := newTree(t)
	tr.Environ = []string{"OPENAI_API_KEY=k"}
	tr.write(tr.projectPath(), `{"vendors": {"openai": {"base_url": "https://evil.example", "key_cmd": "touch /tmp/pwned"}}, "oops": [`)
	s, notices, err := Load(tr.Input)
	if err != nil || len(notices) > 0 {
		t.Fatal(notices, err)
	}
	got, err := s.Resolve(t.Context(), Keys{Command: func(_ context.Context, command string) (string, error) {
		t.Errorf("%q was run", command)
		return "", nil
	}})
	if err != nil || got.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("requests go to %s, %v", got.BaseURL, err)
	}
}

// Who names the project's file as their own has trusted it.
func TestProjectFileAsUserFile(t *testing.T) {
	tr := newTree(t)
	tr.Environ = []string{"IKIGAI_CONFIG=.ikigai/config.json"}
	tr.write(tr.projectPath(), `{"max_retries": 9}`)
	tr.trusts(`{"max_retries": 8}`)
	s, notices, err := Load(tr.Input)
	if err != nil || len(notices) > 0 || s.MaxRetries != 9 {
		t.Errorf("settings %+v, notices %v, error %v", s, notices, err)
	}
}

// A vendor's fields come from several layers, one by one.
func TestVendorFieldByField(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.userPath(), `{"vendors": {
		"openai": {"organization": "org-1", "headers": {"x-a": "1", "X-B": "2"}},
		"mine": {"base_url": "http://localhost:1/v1/"},
	}}`)
	tr.trusts(`{"vendors": {"openai": {"model": "gpt-5-mini", "headers": {"X-b": "3"}}}}`)
	s := tr.load()
	want := Vendor{API: "responses", BaseURL: "https://api.openai.com/v1", Model: "gpt-5-mini", KeyEnv: "OPENAI_API_KEY", Auth: "key",
		Organization: "org-1", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens"}, Headers: map[string]string{"X-A": "1", "X-B": "3"}}
	if diff := cmp.Diff(want, s.Vendors["openai"]); diff != "" {
		t.Errorf("openai (-want +got):\n%s", diff)
	}
	want = Vendor{API: "chat", BaseURL: "http://localhost:1/v1/", Auth: "key", Quirks: provider.Quirks{MaxOutput: "max_tokens", NoCacheKey: true}}
	if diff := cmp.Diff(want, s.Vendors["mine"]); diff != "" {
		t.Errorf("mine (-want +got):\n%s", diff)
	}
	for key, origin := range map[string]string{
		"vendors.openai.organization": tr.userPath() + ":2",
		"vendors.openai.headers.X-A":  tr.userPath() + ":2",
		"vendors.openai.headers.X-B":  tr.projectPath() + ":1",
		"vendors.openai.base_url":     "default",
		"vendors.mine.base_url":       tr.userPath() + ":3",
	} {
		if got := s.Origin(key); got != origin {
			t.Errorf("%s comes from %s, want %s", key, got, origin)
		}
	}
}

func TestWhereTheUserFileIs(t *testing.T) {
	tr := newTree(t)
	xdg := filepath.Join(tr.Home, "xdg")
	named := filepath.Join(tr.Dir, "other.json")
	tr.write(tr.userPath(), `{"max_retries": 1}`)
	tr.write(filepath.Join(xdg, "ikigai/config.json"), `{"max_retries": 2}`)
	tr.write(named, `{"max_retries": 4}`)
	for _, test := range []struct {
		name    string
		environ []string
		want    int
	}{
		{"home", nil, 1},
		{"XDG", []string{"XDG_CONFIG_HOME=" + xdg}, 2},
		{"XDG relative is ignored", []string{"XDG_CONFIG_HOME=xdg"}, 1},
		{"named", []string{"IKIGAI_CONFIG=" + named, "XDG_CONFIG_HOME=" + xdg}, 4},
		{"named, relative", []string{"IKIGAI_CONFIG=other.json"}, 4},
		{"named, in the home directory", []string{"IKIGAI_CONFIG=~/../work/other.json"}, 4},
		{"none", []string{"IKIGAI_CONFIG=/dev/null"}, 3},
	} {
		tr.Environ = test.environ
		if got := tr.load().MaxRetries; got != test.want {
			t.Errorf("%s: max_retries is %d, want %d", test.name, got, test.want)
		}
	}
}

func TestNoHome(t *testing.T) {
	in := Input{Dir: t.TempDir()}
	_, _, err := Load(in)
	wantUsage(t, err, "There is no home directory to keep the log in. Set HOME, or IKIGAI_DATABASE to the path of a file.")
	in.Environ = []string{"IKIGAI_DATABASE=log.db"}
	if s, _, err := Load(in); err != nil || s.UserFile != "" || s.Database.Path() != filepath.Join(in.Dir, "log.db") {
		t.Errorf("settings %+v, error %v", s, err)
	}
}

func TestDatabase(t *testing.T) {
	tr := newTree(t)
	for _, test := range []struct{ name, file, environ, want string }{
		{"default", `{}`, "", tr.Home + "/.local/share/ikigai/ikigai.db"},
		{"XDG", `{}`, "XDG_DATA_HOME=/data", "/data/ikigai/ikigai.db"},
		{"empty", `{"database": ""}`, "", tr.Home + "/.local/share/ikigai/ikigai.db"},
		{"home", `{"database": "~/logs/../log.db"}`, "", tr.Home + "/log.db"},
		{"beside the file", `{"database": "log.db"}`, "", filepath.Dir(tr.userPath()) + "/log.db"},
		{"by variable", `{"database": "log.db"}`, "IKIGAI_DATABASE=log.db", tr.Dir + "/log.db"},
	} {
		tr.write(tr.userPath(), test.file)
		tr.Environ = []string{test.environ}
		if got := tr.load().Database.Path(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// P41: the address of a database is told without its password, however it is
// printed, and addresses of the same tables have the same key.
func TestDatabaseAddress(t *testing.T) {
	const secret = "s3cr3t%2Fword"
	tr := newTree(t)
	tr.write(tr.userPath(), `{"database": "postgres://me:`+secret+`@DB.example:5432/log?sslmode=require&password=other"}`)
	s := tr.load()
	if got := s.Database.URL(); !strings.Contains(got, secret) {
		t.Errorf("URL is %s", got)
	}
	const want = "postgres://me@DB.example:5432/log?sslmode=require"
	for _, text := range []string{
		s.Database.String(), fmt.Sprint(s.Database), fmt.Sprintf("%v %+v %#v", s, *s, s.Database), fmt.Sprint(s.Show()),
	} {
		if strings.Contains(text, "s3cr3t") || strings.Contains(text, "other") || !strings.Contains(text, want) {
			t.Errorf("the database is shown as %s", text)
		}
	}
	if diff := cmp.Diff([]string{"s3cr3t/word", "other"}, s.Database.Secrets()); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if d, err := ParseDatabase("FROM", "postgres://postgres:postgres@db.example/log", tr.Dir, tr.Home); err != nil || d.Secrets() != nil {
		t.Errorf("secrets %q, error %v", d.Secrets(), err)
	}
	same, err := ParseDatabase("FROM", "postgresql://me@db.example/log?connect_timeout=3", tr.Dir, tr.Home)
	if err != nil || same.Key() != s.Database.Key() || len(same.Key()) != 16 {
		t.Errorf("%s: key %q, want %q, error %v", same, same.Key(), s.Database.Key(), err)
	}
	for _, other := range []string{"postgres://me@db.example/log2", "postgres://me@db.example:5433/log", "postgres://me@db.example/log?search_path=b"} {
		if d, err := ParseDatabase("FROM", other, tr.Dir, tr.Home); err != nil || d.Key() == same.Key() {
			t.Errorf("%s: key %q, error %v", other, d.Key(), err)
		}
	}
	if s.Database.Path() != "" || s.DataDir != tr.Home+"/.local/share/ikigai" {
		t.Errorf("path %q, data directory %q", s.Database.Path(), s.DataDir)
	}
}

// A database that cannot be read as one is an error that repeats no password.
func TestDatabaseFaults(t *testing.T) {
	const accepts = `. Write the path of a file, such as "~/ikigai.db", or the address of a PostgreSQL database, such as "postgres://me@db.example.com/ikigai".`
	for text, shown := range map[string]string{
		"postgres://me:s3cr3t@host:port/x":   "not acceptable",
		"postgres://me:s3cr3t%zz@host/x":     "not acceptable",
		"mysql://me:s3cr3t@host/x":           "not acceptable",
		"https://db.example/x":               `"https://db.example/x"`,
		"postgres://h/x y":                   `"postgres://h/x y"`,
		"postgres://h/x?a=%zz":               `"postgres://h/x?a=%zz"`,
		"postgres://me:s3cr3t@h/x#fragments": "not acceptable",
	} {
		tr := newTree(t)
		tr.Flags = map[string]string{"database": text}
		_, _, err := Load(tr.Input)
		wantUsage(t, err, "--database: database is "+shown+accepts)
		_, err = ParseDatabase("TO", text, tr.Dir, tr.Home)
		wantUsage(t, err, "TO is "+shown+accepts)
	}
	_, _, err := Load(Input{Dir: t.TempDir(), Environ: []string{"IKIGAI_DATABASE=postgres://h/x"}})
	wantUsage(t, err, "There is no home directory to keep what the database does not take. Set HOME.")
}

// A file that cannot be used is an error that names it, and it stays as it is.
func TestUnusableUserFile(t *testing.T) {
	tr := newTree(t)
	tr.Environ = []string{"IKIGAI_CONFIG=gone.json"}
	_, _, err := Load(tr.Input)
	wantUsage(t, err, "The settings in "+tr.Dir+"/gone.json cannot be read: no such file or directory. "+
		"Correct the variable IKIGAI_CONFIG or unset it.")

	tr.Environ = nil
	tr.write(tr.userPath(), strings.Repeat(" ", maxFileSize+1))
	_, _, err = Load(tr.Input)
	wantUsage(t, err, "The settings in "+tr.userPath()+" cannot be read: it is larger than 256 KiB. Make it a file that you may read.")

	const broken = `{"max_retries": 1`
	tr.write(tr.userPath(), broken)
	if _, _, err = Load(tr.Input); err == nil {
		t.Error("a broken file is accepted")
	}
	if got := readText(t, tr.userPath()); got != broken {
		t.Errorf("the broken file now holds %q", got)
	}

	if err := os.Remove(tr.userPath()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tr.userPath(), 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err = Load(tr.Input)
	wantUsage(t, err, "The settings in "+tr.userPath()+" cannot be read: is a directory. Make it a file that you may read.")
}

// A slip in a variable's name stops nothing, and is not passed over in silence.
func TestSlipsInVariables(t *testing.T) {
	tr := newTree(t)
	tr.Environ = []string{
		"IKIGAI_MODLE=openai/sk-x", "IKIGAI_database=x", "IKIGAI_CONFG=x", "IKIGAI_MAXTOOLTURNS=3", "IKIGAI_MODELL=",
		"IKIGAI_SESSION=x", "IKIGAI_TOOL_CALL_ID=x", "IKIGAI_FIXTURES=x", "IKIGAI_CONFIG=/dev/null", "IKIGAI_NONSENSE=x", "IKIGAI_=x", "MODLE=x",
	}
	_, notices, err := Load(tr.Input)
	want := []Notice{
		{"The variable IKIGAI_MODLE sets nothing. Perhaps IKIGAI_MODEL is meant."},
		{"The variable IKIGAI_database sets nothing. Perhaps IKIGAI_DATABASE is meant."},
		{"The variable IKIGAI_CONFG sets nothing. Perhaps IKIGAI_CONFIG is meant."},
		{"The variable IKIGAI_MAXTOOLTURNS sets nothing. Perhaps IKIGAI_MAX_TOOL_TURNS is meant."},
	}
	if diff := cmp.Diff(want, notices); diff != "" || err != nil {
		t.Errorf("%v, notices (-want +got):\n%s", err, diff)
	}
}

func TestVariablesAndFlagsThatDoNotFit(t *testing.T) {
	tr := newTree(t)
	tr.Environ = []string{"IKIGAI_APPROVAL=always"}
	_, _, err := Load(tr.Input)
	wantUsage(t, err, `IKIGAI_APPROVAL: approval is "always". Write never, ask, plan or deny.`)

	tr.Environ, tr.Flags = nil, map[string]string{"timeouts.idle": "ten"}
	_, _, err = Load(tr.Input)
	wantUsage(t, err, `--timeouts-idle: timeouts.idle is "ten". Write a time from 1ms to 24h, such as 500ms, 10s or 2m.`)

	tr.Flags = map[string]string{"max_retry": "1"}
	_, _, err = Load(tr.Input)
	wantUsage(t, err, "No setting is called max_retry. Perhaps max_retries is meant.")

	// As the person has typed them.
	tr.FlagNames = map[string]string{"max_retry": "--set max_retry", "timeouts.idle": "--set timeouts.idle"}
	_, _, err = Load(tr.Input)
	wantUsage(t, err, "--set max_retry: no setting is called max_retry. Perhaps max_retries is meant.")
	tr.Flags = map[string]string{"timeouts.idle": "ten"}
	_, _, err = Load(tr.Input)
	wantUsage(t, err, `--set timeouts.idle: timeouts.idle is "ten". Write a time from 1ms to 24h, such as 500ms, 10s or 2m.`)
	tr.Flags = map[string]string{"timeouts.idle": "2m"}
	if origin := tr.load().Origin("timeouts.idle"); origin != "--set timeouts.idle" {
		t.Errorf("origin %s", origin)
	}
}

// No files, no variables: what every start pays.
func BenchmarkLoadNothing(b *testing.B) {
	in := Input{Dir: b.TempDir(), Home: b.TempDir(), Environ: os.Environ()}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Load(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadFile(b *testing.B) {
	in := Input{Dir: b.TempDir(), Home: b.TempDir(), Environ: os.Environ()}
	dir := filepath.Join(in.Home, ".config/ikigai")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	const content = `{"model": "local/any", "max_tool_turns": 20, "vendors": {"local": {"base_url": "http://127.0.0.1:8080/v1"}}}`
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Load(in); err != nil {
			b.Fatal(err)
		}
	}
}
