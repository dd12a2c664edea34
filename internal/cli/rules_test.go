package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bashCall returns a call of bash as rules see it.
func bashCall(command string) ruledCall {
	args, _ := json.Marshal(map[string]any{"command": command, "timeout": 30, "working_dir": "."})
	return ruledCall{name: "bash", args: args, builtin: true, dir: "/work"}
}

// A rule for bash fits the commands that it says, and no other.
func TestCommandRules(t *testing.T) {
	tests := []struct {
		rule, command string
		want          bool
	}{
		{"bash(go test *)", "go test ./...", true},
		{"bash(go test *)", "go test", true},
		{"bash(go test *)", "  go   test  -run 'Test(A|B)$' ./x ", true},
		{"bash(go test *)", "go testing", false},
		{"bash(go test *)", "go vet ./...", false},
		{"bash(go test *)", "go test ./... && rm -rf /", false},
		{"bash(go test *)", "go test ./...; rm x", false},
		{"bash(go test *)", "go test | tee x", false},
		{"bash(go test *)", "go test &", false},
		{"bash(go test *)", "go test\nrm x", false},
		{"bash(go test *)", "go test > x", false},
		{"bash(go test *)", "go test < x", false},
		{"bash(go test *)", "go test $(rm x)", false},
		{"bash(go test *)", "go test `rm x`", false},
		{"bash(go test *)", `go test "$(rm x)"`, false},
		{"bash(go test *)", `go test "$HOME"`, false},
		{"bash(go test *)", "go test <(rm x)", false},
		{"bash(go test *)", "go test {a,b}", false},
		{"bash(go test *)", "GOFLAGS=-exec=./x go test", false},
		{"bash(go test *)", `go test \`, false},
		{"bash(go test *)", "go test # why", false},
		{"bash(go test *)", "go test 'x", false},
		{"bash(go test *)", "go test ~/x", false},
		{"bash(go test *)", "'go' \"test\" x", true},
		{"bash(go test *)", "go 'test x'", false},
		{"bash(go test)", "go test", true},
		{"bash(go test)", "go test x", false},
		{"bash(*)", "ls -l", true},
		{"bash(*)", "time ls", false},
		{"bash(*)", "a=b", false},
		{"bash(*)", "l?", false},
		{"bash(printf *)", "printf -v 'a[$(id)]' x", false},
		{"bash(test *)", "test -v 'a[`id`]'", false},
		{"bash(git log *)", "git log HEAD~3 main@2 HEAD^", true},
		{"bash(git commit -m 'a b')", "git commit -m 'a b'", true},
		{"bash(git commit -m 'a b')", "git commit -m a b", false},
		{"bash(cat src/*)", "cat src/a.go", true},
		{"bash(cat src/*)", "cat src/*.go", true},
		{"bash(cat src/*)", "cat src/a/b.go", false},
		{"bash(cat src/**)", "cat src/a/b.go", true},
		{"bash(cat src/**)", "cat src/../x", false},
		{"bash(cat src/*)", "cat src/..", false},
		{"bash(cat src/*)", "cat src/.env", false},
		{"bash(cat src/.*)", "cat src/.env", true},
		{"bash(cat src/.*)", "cat src/..", false},
		{"bash(cat src/.*)", "cat src/.?", false},
		{"bash(cat src/*)", "cat src/a src/b", false},
		{"bash(cat src/* *)", "cat src/a /etc/passwd", true},
		{"bash(sort *.txt)", "sort a.txt", true},
		{"bash(sort *.txt)", "sort -oa.txt", false},
		{"bash(sort *.txt)", "sort *.txt", false}, // one of them may be an option
		{"bash(sort '*.txt')", "sort *.txt", false},
		{"bash(sort '*.txt')", "sort '*.txt'", true},
		{"bash(cp * x)", "cp a x", true},
		{"bash(cp * x)", "cp a* x", false},
		{"bash(./bin/*)", "./bin/check", true},
		{"bash(./bin/*)", "./bin/../evil", false},
		{"bash(make)", "make", true},
		{"bash", "rm -rf / | sh", true},
		{"file_edit", "ls", false},
	}
	for _, test := range tests {
		r, err := parseRule(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.allows(bashCall(test.command)); got != test.want {
			t.Errorf("%s allows %q: %v", test.rule, test.command, got)
		}
	}
}

// What a rule allows is allowed where it holds: not in another directory, nor for
// a tool that somebody has put in the place of the program's own.
func TestCommandRulesHoldHere(t *testing.T) {
	r, err := parseRule("bash(make *)")
	must(t, err)
	for args, want := range map[string]bool{
		`{"command":"make x"}`:                                            true,
		`{"command":"make x","working_dir":"."}`:                          true,
		`{"command":"make x","working_dir":"/work"}`:                      true,
		`{"command":"make x","working_dir":"vendor/evil"}`:                false,
		`{"command":"make x","working_dir":"/tmp"}`:                       false,
		`{"command":"make x","command":"rm x"}`:                           false,
		`{"command":["make"]}`:                                            false,
		`{"command":"make x","timeout":5,"background":true}`:              true,
		`{"command":"make ` + strings.Repeat("x", 100) + "\\u0000" + `"}`: false,
	} {
		c := ruledCall{name: "bash", args: json.RawMessage(args), builtin: true, dir: "/work"}
		if got := r.allows(c); got != want {
			t.Errorf("%s: %v", args, got)
		}
		if c.builtin = false; r.allows(c) {
			t.Errorf("%s: allowed for another tool", args)
		}
	}
}

// P43: a rule for files goes by where a file really lies.
func TestPathRules(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	for _, d := range []string{"src/deep", ".git", "link-free"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	must(t, os.Symlink(away, filepath.Join(dir, "src", "out")))
	must(t, os.Symlink("../.git", filepath.Join(dir, "src", "git")))
	must(t, os.Symlink(filepath.Join(away, "no"), filepath.Join(dir, "src", "dangling")))
	must(t, os.Symlink("deep", filepath.Join(dir, "src", "in")))
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"src/*", "src/a.go", true},
		{"src/*", "./src/a.go", true},
		{"src/*", filepath.Join(dir, "src/a.go"), true},
		{"src/*", "src/deep/a.go", false},
		{"src/**", "src/deep/a.go", true},
		{"src/**/*.go", "src/a.go", true},
		{"src/**/*.go", "src/deep/new/a.go", true},
		{"src/**/*.go", "src/deep/a.c", false},
		{"src/*", "src/../a.go", false},
		{"src/*", "src/../src/a.go", false},
		{"**", "a.go", true},
		{"**", ".git/config", false},
		{"**", "src/.env", false},
		{".git/*", ".git/config", true},
		{"src/**", "src/out/x", false},
		{"**", "src/out/x", false},
		{"**", "src/git/config", false},
		{"**", "src/dangling", false},
		{"src/in/*", "src/in/a.go", false}, // it lies in src/deep
		{"src/deep/*", "src/in/a.go", true},
		{"**", "/etc/passwd", false},
		{"**", "~/x", false},
		{"**", "", false},
		{"*", "a\x00b", false},
	}
	for _, test := range tests {
		for _, tool := range []string{"file_edit", "file_write"} {
			r, err := parseRule(tool + "(" + test.pattern + ")")
			must(t, err)
			args, _ := json.Marshal(map[string]string{"path": test.path})
			c := ruledCall{name: tool, args: args, builtin: true, dir: dir, home: away}
			if got := r.allows(c); got != test.want {
				t.Errorf("%s allows %q: %v", r.text, test.path, got)
			}
		}
	}
}

// What is no rule is refused, with what to do.
func TestNoRules(t *testing.T) {
	for text, do := range map[string]string{
		"":                     "Write a tool's name",
		"rm -rf":               "Write a tool's name",
		"bash(ls":              "Close it",
		"bash()":               "Say which command",
		"bash(ls; rm)":         "quotation marks",
		"bash(echo $X)":        "quotation marks",
		"bash(ls ?)":           "quotation marks",
		"file_edit()":          "Say which files",
		"file_edit(/etc/*)":    "below this directory",
		"file_edit(../*)":      "without //, . and ..",
		"file_edit(a**/b)":     "whole names",
		"grep(x)":              "write grep alone",
		"bash(a\x1b[2J)":       "quotation marks",
		"mcp__x__y(z)":         "write mcp__x__y alone",
		"bash(ls) or so":       "Close it",
		"file_write(a//b)":     "without //",
		"file_write(~/notes/)": "below this directory",
	} {
		if r, err := parseRule(text); err == nil || !strings.Contains(err.Error(), do) {
			t.Errorf("%q: got %+v, %v", text, r, err)
		}
	}
}

// What is proposed fits the call that it is proposed for, and no other where the
// program could be told to run others.
func TestSuggestedRules(t *testing.T) {
	for command, want := range map[string]string{
		"ls -l":                      "bash(ls *)",
		"ls":                         "bash(ls *)",
		"git status":                 "bash(git status *)",
		"git":                        "bash(git)",
		"git -C x push":              "bash(git -C x push)",
		"git -c core.pager=x status": "bash(git -c core.pager=x status)",
		"git log -1":                 "bash(git log -1)",
		"git fetch":                  "bash(git fetch)",
		"go test ./...":              "bash(go test ./...)",
		"go run .":                   "bash(go run .)",
		"make check":                 "bash(make check)",
		"npm run build -- x":         "bash(npm run build -- x)",
		"docker run x":               "bash(docker run x)",
		"find . -name x":             "bash(find . -name x)",
		"rg x":                       "bash(rg x)", // --pre
		"sort a":                     "bash(sort a)",
		"busybox ls":                 "bash(busybox ls)",
		"setsid ls":                  "bash(setsid ls)",
		"env ls":                     "bash(env ls)",
		"xargs ls":                   "bash(xargs ls)",
		"./ls":                       "bash(./ls)",
		"rm -rf build":               "bash(rm -rf build)",
		"./check.sh 'a b'":           "bash(./check.sh 'a b')",
		`python3 -c "print('x')"`:    `bash(python3 -c "print('x')")`,
		"sudo ls":                    "bash(sudo ls)",
		"ls | wc":                    "",
		"ls *":                       "",
		"a=b ls":                     "",
	} {
		if got := suggestRule(bashCall(command)); got != want {
			t.Errorf("for %s %q is proposed, want %q", command, got, want)
		}
	}
	dir := t.TempDir()
	for path, want := range map[string][2]string{
		"a.go": {"file_edit(a.go)", "file_edit(*)"}, "src/x/a.go": {"file_edit(src/x/a.go)", "file_edit(src/x/*)"}, "../a": {}, "/etc/x": {},
		".env": {"file_edit(.env)", ""}, "src/.x/a": {"file_edit(src/.x/a)", "file_edit(src/.x/*)"}, "a*": {"", "file_edit(*)"}, "(a) b": {"file_edit((a) b)", "file_edit(*)"},
	} {
		args, _ := json.Marshal(map[string]string{"path": path})
		c := ruledCall{name: "file_edit", args: args, builtin: true, dir: dir}
		if got := [2]string{suggestRule(c), likeRule(c)}; got != want {
			t.Errorf("for %s %q is proposed, want %q", path, got, want)
		}
	}
	if got := suggestRule(ruledCall{name: "mcp__x", args: json.RawMessage("{}")}); got != "mcp__x" {
		t.Errorf("for a tool of a server %q is proposed", got)
	}
}

// runsInBash starts bash on a command in a directory of its own, where every command
// that it runs is noted, and programs are not to be found.
func runsInBash(t *testing.T, bash, command string) (ran []string, left []os.DirEntry) {
	t.Helper()
	dir, note := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	setup := filepath.Join(t.TempDir(), "setup")
	must(t, os.WriteFile(setup, []byte("set -T\ntrap 'builtin printf \"%s\\0\" \"$BASH_COMMAND\" >> \"$NOTE\"' DEBUG\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "-file"), nil, 0o600))
	cmd := exec.Command(bash, "-c", command)
	cmd.Dir, cmd.Env = dir, []string{"PATH=/nowhere", "BASH_ENV=" + setup, "NOTE=" + note, "LANG=C.UTF-8"}
	_ = cmd.Run() // whatever comes of it
	raw, _ := os.ReadFile(note)
	for line := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x00"), "\x00") {
		ran = append(ran, line)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	return ran, left
}

// What bash does beside echo is seen.
func TestRunsInBash(t *testing.T) {
	bash := findBash(t)
	for _, command := range []string{"echo a; set", "echo $(set)", "echo `set`", "echo <(set)", "X=$(set) echo a", "time set", "echo a > x"} {
		if ran, left := runsInBash(t, bash, command); len(ran) == 1 && ran[0] == "echo a" && len(left) == 1 {
			t.Errorf("%s looks like an echo", command)
		}
	}
	if ran, left := runsInBash(t, bash, "echo a b"); len(ran) != 1 || ran[0] != "echo a b" || len(left) != 1 {
		t.Errorf("an echo ran %q and left %v", ran, left)
	}
}

// commandSeeds are commands that try to get past a rule.
var commandSeeds = []string{
	"echo a b", "echo 'a b' \"c d\"", "echo *", "echo ?file", "echo [a]", "echo a;set", "echo a&&set", "echo a|set", "echo a&set", "echo a\nset",
	"echo a>x", "echo a 2>x", "echo <x", "echo $(set)", "echo `set`", "echo \"$(set)\"", "echo <(set)", "echo ${x:=y}", "echo $((1))",
	"echo {a,b}", "echo a\\", "echo \\\nset", "echo a#b", "echo #", "echo $'\\nset'", "echo $\"x\"", "echo !$", "X=1 echo", "echo~", "echo ~ a=~",
	"echo 'a", "echo \"a", "echo ''", "echo a''b", "echo a\"'\"b", "echo (set)", "echo a)", "e\"cho\" a", "echo\ta", "echo\u00a0a", "echo é", "echo 'é'",
	"echo - -- -n", "time echo a", "echo a\r", "echo\x00a", "echo %1", "echo ^a^b", "echo @(a)", "echo +(a)", "function echo", "echo coproc set", "echo \xff",
}

// Whatever bash(echo *) lets through runs echo, once, and nothing but echo.
func FuzzRuleRunsOnlyEcho(f *testing.F) {
	bash := findBash(f)
	for _, seed := range commandSeeds {
		f.Add(seed)
	}
	r, err := parseRule("bash(echo *)")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if !r.allows(bashCall(command)) {
			return
		}
		ran, left := runsInBash(t, bash, command)
		if len(ran) != 1 || !strings.HasPrefix(strings.NewReplacer("'", "", `"`, "").Replace(ran[0]), "echo") {
			t.Errorf("%q ran %q", command, ran)
		}
		if len(left) != 1 {
			t.Errorf("%q left %v", command, left)
		}
	})
}

// A command that is let through is read as bash reads it, word by word.
func FuzzShellWords(f *testing.F) {
	bash := findBash(f)
	for _, seed := range commandSeeds {
		f.Add(strings.TrimPrefix(seed, "echo "))
	}
	f.Fuzz(func(t *testing.T, args string) {
		words, ok := shellWords("show " + args)
		if !ok || string(words[0]) != "show" {
			return
		}
		cmd := exec.Command(bash, "-c", "set -f\nshow() { builtin printf '%s\\0' \"$@\"; }\nshow "+args)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nowhere", "LANG=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v %s", args, err, out)
		}
		var want bytes.Buffer
		for _, w := range words[1:] {
			for _, r := range w {
				want.WriteRune(max(r, -r))
			}
			want.WriteByte(0)
		}
		if len(words) == 1 {
			want.WriteByte(0) // printf has its format alone
		}
		if !bytes.Equal(out, want.Bytes()) {
			t.Errorf("%q: bash has %q, read as %q", args, out, want.Bytes())
		}
	})
}

// A pattern with its wildcards fits what it says, whatever is proposed.
func FuzzSuggestedRule(f *testing.F) {
	for _, seed := range commandSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		c := bashCall(command)
		text := suggestRule(c)
		if text == "" {
			return
		}
		r, err := parseRule(text)
		if err != nil || !r.allows(c) {
			t.Errorf("for %q %q is proposed: %v", command, text, err)
		}
	})
}

func findBash(t testing.TB) string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("there is no bash on this machine")
	}
	return bash
}

// Rules are kept by directory, for the person alone, whoever else saves some at
// the same moment; a file that others can write allows nothing.
func TestRuleBook(t *testing.T) {
	b := ruleBook{filepath.Join(t.TempDir(), "deep", "rules.json")}
	done := make(chan error)
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, name := range names {
		go func() { done <- b.add("/here", rule{text: name}) }()
	}
	for range names {
		must(t, <-done)
	}
	must(t, b.add("/here", rule{text: "a"})) // again
	must(t, b.add("/there", rule{text: "z"}))
	texts := func(dir string) (all []string) {
		saved, err := b.of(dir)
		must(t, err)
		for _, s := range saved {
			all = append(all, s.Rule)
		}
		slices.Sort(all)
		return all
	}
	if got := texts("/here"); !slices.Equal(got, names) {
		t.Errorf("here are %q", got)
	}
	saved, err := b.of("/there")
	must(t, err)
	must(t, b.remove(saved[0]))
	if got := texts("/there"); got != nil {
		t.Errorf("there are %q", got)
	}
	info, err := os.Stat(b.path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	must(t, os.Chmod(b.path, 0o666))
	if saved, err := b.of("/here"); err == nil || len(saved) > 0 {
		t.Errorf("a file that others can write allows %v", saved)
	}
}

// The rules that docs/terminal.md tells of are some, and every value of the setting
// approval stands there.
func TestRulesInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/terminal.md")
	must(t, err)
	_, section, found := strings.Cut(string(page), "\n## Approval\n")
	section, table, rules := strings.Cut(section, "| rule | what it allows |\n|---|---|\n")
	table, _, ends := strings.Cut(table, "\n\n")
	if !found || !rules || !ends {
		t.Fatal("there are no rules")
	}
	for line := range strings.SplitSeq(table, "\n") {
		if r, err := parseRule(strings.Split(line, "`")[1]); err != nil {
			t.Errorf("%s: %+v, %v", line, r, err)
		}
	}
	for _, mode := range approvals() {
		if !strings.Contains(section, "\n| `"+mode+"` | ") {
			t.Errorf("the approval %s is not told", mode)
		}
	}
}
