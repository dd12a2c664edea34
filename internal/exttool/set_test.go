package exttool

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// S0.15, S0.33: tools of later directories replace those of earlier ones,
// whichever way the name is written; the list is sorted.
func TestDirectories(t *testing.T) {
	root := t.TempDir()
	system, user, project := filepath.Join(root, "system"), filepath.Join(root, "user"), filepath.Join(root, "sealed")
	write(t, system, "get-time", script("get-time", "", `echo '{"from":"system"}'`))
	write(t, system, "zeta", script("zeta", "", `echo '{}'`))
	write(t, user, "alpha.py", script("alpha", "", `echo '{}'`))
	write(t, user, "get_time", script("get_time", `,"read_only":true,"timeout":5`, `echo '{"from":"user"}'`))
	write(t, project, "get-time.sh", script("get_time", "", `echo '{"from":"project"}'`))
	set := loaded(Config{Env: env(), Dirs: []Dir{
		{Path: system, Origin: "system"}, {Path: filepath.Join(root, "none")}, {Path: user, Origin: "user"},
		{Path: project, Shown: "/work/.ikigai/tools", Origin: "project"}}})
	if got := names(set); got != "alpha get_time zeta" || len(set.Problems()) > 0 {
		t.Fatalf("%s, %v", got, set.Problems())
	}
	got := set.List()[1]
	if got.Source != "/work/.ikigai/tools/get-time.sh" || got.Origin != "project" || got.Limit != defaultTimeout {
		t.Errorf("%s %s %s", got.Source, got.Origin, got.Limit)
	}
	if r := call(t, got, `{}`); text(r) != `{"from":"project"}` {
		t.Errorf("%+v", r)
	}
	want := []Shadow{
		{"get_time", filepath.Join(system, "get-time"), filepath.Join(user, "get_time")},
		{"get_time", filepath.Join(user, "get_time"), "/work/.ikigai/tools/get-time.sh"},
	}
	if diff := cmp.Diff(want, set.Shadowed()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever is wrong with a file is told, with what to do; a file that cannot be
// used does not let one of the same name be used instead.
func TestProblems(t *testing.T) {
	for _, test := range []struct{ name, file, content, want string }{
		{"not executable", "a-", "#!/bin/sh\n", "chmod +x"},
		{"other name", "a", script("b", "", ""), "name is b"},
		{"exit code", "a", "#!/bin/sh\necho no such >&2; exit 3\n", "exit code 3: no such"},
		{"no JSON", "a", "#!/bin/sh\necho hello\n", "no JSON object: hello"},
		{"noise", "a", "#!/bin/sh\necho loading; echo '{}'\n", "nothing else"},
		{"no program", "a", "#!/no/such\n", "first line"},
		{"no description", "a", `#!/bin/sh` + "\n" + `echo '{"name":"a"}'`, "no description"},
		{"illegal name", "a", `#!/bin/sh` + "\n" + `echo '{"name":"a b","description":"x"}'`, "letters"},
		{"wrong member", "a", script("a", `,"timeout":"30"`, ""), "timeout"},
		{"negative time", "a", script("a", `,"timeout":-1`, ""), "negative"},
		{"input", "a", script("a", `,"input":"file"`, ""), `"stdin"`},
		{"parameters", "a", script("a", `,"parameters":[]`, ""), "no JSON object"},
		{"flat parameter", "a", script("a", `,"parameters":{"x":"string"}`, ""), "parameter x is no object"},
		{"unknown type", "a", script("a", `,"parameters":{"x":{"type":"str"}}`, ""), `"str" of x`},
		{"unknown type within", "a", script("a", `,"parameters":{"type":"object","properties":{"x":{"type":"array","items":{"type":"text"}}}}`, ""), `"text" of x[]`},
		{"required of properties", "a", script("a", `,"parameters":{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"string","required":true}}}}}`, ""), "required of x.y"},
		{"required without property", "a", script("a", `,"parameters":{"type":"object","properties":{},"required":["y"]}`, ""), "y is required"},
		{"no object", "a", script("a", `,"parameters":{"type":"array"}`, ""), `"type": "object"`},
		{"returns", "a", script("a", `,"returns":{"x":{"type":"int"}}`, ""), "In returns"},
		{"limits", "a", script("a", `,"output_limits":7`, ""), "output_limits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			earlier, later := filepath.Join(root, "earlier"), filepath.Join(root, "later")
			write(t, earlier, "a", script("a", "", ""))
			file, notExecutable := strings.CutSuffix(test.file, "-")
			path := write(t, later, file, test.content)
			if notExecutable {
				if err := os.Chmod(path, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			set := loaded(Config{Dirs: []Dir{{Path: earlier}, {Path: later}}, Env: env()})
			list := set.Problems()
			if len(list) != 1 || list[0].Path != path || !strings.Contains(list[0].String(), test.want) || list[0].Do == "" {
				t.Errorf("%q, want %s", problems(set), test.want)
			}
			if got := names(set); got != "" && !notExecutable {
				t.Errorf("used: %s", got)
			}
		})
	}
}

// Two files of one directory that are the same tool are none.
func TestAmbiguous(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"a-b", "a_b", "a-b.py"} {
		write(t, dir, file, script("a_b", "", ""))
	}
	set := load(t, dir)
	if names(set) != "" || len(set.Problems()) != 2 || !strings.Contains(problems(set), "neither is used") {
		t.Errorf("%s: %s", names(set), problems(set))
	}
}

// What lies beside the tools is no problem.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "greet", greet)
	write(t, filepath.Join(dir, "lib"), "helper", greet)
	write(t, dir, ".hidden", "")
	write(t, dir, "greet~", "")
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("read"), 0o644); err != nil {
		t.Fatal(err)
	}
	only(t, load(t, dir))
}

// What a model is told does not depend on the dialect, nor on what stands around
// it; the order of the parameters is the author's.
func TestDialects(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", script("a", `, "parameters" : { "z": {"type":"string","description":"<b>","required": true}, "type": {"type":"integer","default":3}, "properties":{"type":"array","items":{"type":"string"}} },
		"returns":{"out":{"type":"string","description":"What"}}, "output_limits":{"stdout":"10KB max"}, "usage":"Often.", "read_only":true`, ""))
	got := only(t, load(t, dir))
	want := ikigai.ToolSpec{
		Name: "a", Description: "Does a.",
		Schema: []byte(`{"type":"object","properties":{"z":{"type":"string","description":"<b>"},"type":{"type":"integer","default":3},` +
			`"properties":{"type":"array","items":{"type":"string"}}},"required":["z"],"additionalProperties":false}`),
		Returns:      []byte(`{"type":"object","properties":{"out":{"type":"string","description":"What"}}}`),
		OutputLimits: []string{"stdout: 10KB max"}, Usage: "Often.",
	}
	if diff := cmp.Diff(want, got.ToolSpec); diff != "" || !got.ReadOnly {
		t.Errorf("read-only %v, -want +got:\n%s", got.ReadOnly, diff)
	}
	full := `,"parameters":{"properties":{"x":{"type":"string"}},"$comment":"c"}`
	write(t, dir, "a", script("a", full, ""))
	if got := string(only(t, load(t, dir)).Schema); got != `{"type":"object","properties":{"x":{"type":"string"}},"$comment":"c"}` {
		t.Errorf("%s", got)
	}
}

// A tool that was described once is not run again for its schema, as long as
// its content stays; what is known survives a cache that is damaged.
func TestCache(t *testing.T) {
	root := t.TempDir()
	dir, store := filepath.Join(root, "tools"), filepath.Join(root, "cache")
	asked := filepath.Join(root, "asked")
	tool := "#!/bin/sh\necho x >>" + asked + "\n" + `echo '{"name":"a","description":"<A> & b","parameters":{"x":{"type":"string","description":"<y>"}}}'`
	path := write(t, dir, "a", tool)
	age(t, path)
	look := func(times int) ikigai.ToolSpec {
		t.Helper()
		set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: env(), Cache: store})
		spec := only(t, set).ToolSpec
		if raw, err := os.ReadFile(asked); err != nil || len(raw) != 2*times {
			t.Errorf("asked %d times, want %d (%v)", len(raw)/2, times, err)
		}
		return spec
	}
	first := look(1)
	if diff := cmp.Diff(first, look(1)); diff != "" {
		t.Errorf("the cache changes what a model is told:\n%s", diff)
	}
	moved := filepath.Join(root, "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	dir = moved
	look(1) // the content is known
	good, err := os.ReadFile(cacheFile(store))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(good), `"version":1`, `"version":99`, 1)
	for _, garbage := range []string{"", "garbage", "{}", `{"version":1}`, other, `{"version":1,"files":{"` + filepath.Join(dir, "a") + `":7}}`} {
		if err := os.WriteFile(cacheFile(store), []byte(garbage), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(asked); err != nil {
			t.Fatal(err)
		}
		look(1)
		look(1)
	}
	age(t, write(t, dir, "a", strings.Replace(tool, "<A>", "<B>", 1)))
	if got := look(2).Description; got != "<B> & b" {
		t.Errorf("after a change it is %s", got)
	}
	if left, err := filepath.Glob(filepath.Join(store, "*")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// age makes the change of a file lie so far back that its times tell of it.
func age(t testing.TB, path string) {
	t.Helper()
	for {
		s, _, err := stampOf(path)
		if err != nil {
			t.Fatal(err)
		}
		if !s.fresh(time.Now()) {
			return
		}
	}
}

// Between statements only what has changed is asked, and a change is reported.
func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a", script("a", "", ""))
	set := load(t, dir)
	ctx := context.Background()
	steps := []struct {
		name    string
		change  func()
		changed bool
		want    string
	}{
		{"nothing", func() {}, false, "a"},
		{"new", func() { write(t, dir, "b", script("b", "", "")) }, true, "a b"},
		{"nothing again", func() {}, false, "a b"},
		{"changed", func() { write(t, dir, "a", script("a", `,"usage":"x"`, "")) }, true, "a b"},
		{"broken", func() { write(t, dir, "a", "#!/bin/sh\nexit 1\n") }, true, "b"},
		{"still broken", func() {}, false, "b"},
		{"gone", func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, true, "b"},
	}
	for _, step := range steps {
		step.change()
		if changed := set.Refresh(ctx); changed != step.changed || names(set) != step.want {
			t.Errorf("%s: changed %v, %s; want %v, %s", step.name, changed, names(set), step.changed, step.want)
		}
	}
}

// A tool that takes long to say what it is holds nobody up twice: it joins once
// it has answered.
func TestSlow(t *testing.T) {
	root := t.TempDir()
	dir, store, gate := filepath.Join(root, "tools"), filepath.Join(root, "cache"), filepath.Join(root, "gate")
	age(t, write(t, dir, "quick", script("quick", "", "")))
	cfg := Config{Dirs: []Dir{{Path: dir}}, Env: env(), Cache: store}
	loaded(cfg).Close() // so that it is known, however busy this machine is
	age(t, write(t, dir, "slow", "#!/bin/sh\nwhile [ ! -e "+gate+" ]; do sleep 0.02; done\n"+`echo '{"name":"slow","description":"Slow."}'`))
	ctx, cancel := context.WithCancel(context.Background())
	set := Load(ctx, cfg)
	if names(set) != "quick" || !strings.Contains(problems(set), "within 1s") {
		t.Errorf("%s: %s", names(set), problems(set))
	}
	if set.Refresh(ctx) {
		t.Error("nothing has changed")
	}
	cancel()          // as at the end of a process
	set = loaded(cfg) // and is not waited for again: it waits for this test
	if names(set) != "quick" || !strings.Contains(problems(set), "within 1s") {
		t.Errorf("%s: %s", names(set), problems(set))
	}
	if err := os.WriteFile(gate, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for !set.Refresh(context.Background()) {
	}
	if names(set) != "quick slow" || problems(set) != "" {
		t.Errorf("%s: %s", names(set), problems(set))
	}
	for len(readCache(store).Said) == 0 || !strings.Contains(string(encode(readCache(store))), `"Slow."`) {
		runtime.Gosched() // it is written just now
	}
	set = Load(context.Background(), cfg)
	if names(set) != "quick slow" {
		t.Errorf("what came late is not remembered: %s", names(set))
	}
}

// Whoever is patient waits for slow tools, and for another answer of those that
// could not say what they are: a repair beside the file is seen at once.
func TestPatient(t *testing.T) {
	root := t.TempDir()
	dir, store, gate := filepath.Join(root, "tools"), filepath.Join(root, "cache"), filepath.Join(root, "gate")
	age(t, write(t, dir, "a", "#!/bin/sh\n[ -e "+gate+` ] || exit 1`+"\n"+`echo '{"name":"a","description":"A."}'`))
	age(t, write(t, dir, "slow", "#!/bin/sh\n[ -e "+gate+" ] && sleep 1.2\n"+`echo '{"name":"slow","description":"Slow."}' && [ -e `+gate+` ]`))
	cfg := Config{Dirs: []Dir{{Path: dir}}, Env: env(), Cache: store, Patient: true}
	for _, want := range []string{"", "a slow"} {
		set := Load(context.Background(), cfg)
		set.Close()
		if names(set) != want {
			t.Errorf("%q, want %q: %s", names(set), want, problems(set))
		}
		if err := os.WriteFile(gate, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Closing a set ends what is being asked, with all that it has started.
func TestClose(t *testing.T) {
	root := t.TempDir()
	dir, pids := filepath.Join(root, "tools"), filepath.Join(root, "pids")
	write(t, dir, "slow", "#!/bin/sh\nsleep 1000 & echo $! >"+pids+"; echo $$ >>"+pids+"; wait\n")
	set := Load(context.Background(), Config{Dirs: []Dir{{Path: dir}}, Env: env()})
	var raw []byte
	for strings.Count(string(raw), "\n") < 2 { // it may take long to start
		raw, _ = os.ReadFile(pids)
		runtime.Gosched()
	}
	set.Close()
	for _, line := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(line); err != nil || running(pid) {
			t.Errorf("%s still runs (%v)", line, err)
		}
	}
}

// The time of a tool that has a parameter for it is what calls get that do not
// give it.
func TestLimit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", script("a", `,"timeout":7`, ""))
	write(t, dir, "b", script("b", `,"parameters":{"timeout":{"type":"integer","default":60}}`, ""))
	write(t, dir, "c", script("c", `,"parameters":{"timeout":{"type":"integer"}}`, ""))
	for i, want := range []time.Duration{7 * time.Second, 65 * time.Second, defaultTimeout} {
		if got := load(t, dir).List()[i].Limit; got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}
