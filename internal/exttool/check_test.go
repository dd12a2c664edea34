package exttool

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each rule is broken by a tool, and told; a tool that breaks it is told what to
// do.
func TestCheck(t *testing.T) {
	const who = `,"parameters":{"who":{"type":"string","required":true}},"returns":{"output":{"type":"string"}},"examples":[{"who":"me"}]`
	careful := `input=${1-$(cat)}
case $input in *unknown_*) echo '{"error":"There is no such parameter. Leave it out."}'; exit;; *who*:*[[]7*) echo '{"error":"The parameter who is no string. Correct it."}'; exit;;
*'"who"'*) ;; *) echo '{"error":"The parameter who is missing. Add it."}'; exit;; esac
`
	for _, test := range []struct {
		name, content string
		rule          string // that is broken, or ""
		status        Status
		why           string
	}{
		{"good", script("tool", who, careful+`echo '{"output":"hello"}'`), "", OK, ""},
		{"broken schema", "#!/bin/sh\nexit 1\n", "--schema is answered", Fail, "exit code 1"},
		{"no JSON", "#!/bin/sh\necho hello\n", "the schema is valid", Fail, "no JSON object: hello"},
		{"other name", script("other", who, careful+`echo '{"output":"hello"}'`), "the name is that of the file", Fail, "other"},
		{"chatty", "#!/bin/bash\necho loading >&2\n" + script("tool", who, careful+`echo '{"output":"hello"}'`), "--schema is silent on standard error", Warn, "loading"},
		{"clock", "#!/bin/bash\n[ \"$1\" = --schema ] && { echo '{\"name\":\"tool\",\"description\":\"'$BASHPID$RANDOM'\"}'; exit; }\necho '{}'\n", "--schema is the same each time", Fail, "another"},
		{"key", "#!/bin/bash\n: \"${KEY?is not set}\"\n" + script("tool", who, careful+`echo '{"output":"hello"}'`), "--schema needs no environment", Fail, "KEY"},
		{"lookahead", script("tool", `,"parameters":{"type":"object","properties":{"x":{"type":"string","pattern":"(?=a)"}}}`, `echo '{}'`), "input can be checked against it", Warn, ""},
		{"long-winded", script("tool", who+`,"description":"`+strings.Repeat("word ", 300)+`"`, careful+`echo '{"output":"hello"}'`), "the description is short", Warn, "1499 bytes"},
		{"takes all", script("tool", who, `echo '{"output":"hello"}'`), "a missing parameter is told", Warn, "nothing were wrong"},
		{"nameless", script("tool", who, `echo '{"error":"Something is wrong. Correct it."}'`), "a wrong type is told", Warn, "does not name who"},
		{"breaks", script("tool", who, `exit 2`), "a missing parameter is told", Warn, "exit code 2"},
		{"exit code", script("tool", who, careful+`echo '{"output":"hello"}'; exit 1`), "it answers with one JSON object", Fail, "exit code 1"},
		{"noise", script("tool", who, careful+`echo ready; echo '{"output":"hello"}'`), "it answers with one JSON object", Fail, "ready"},
		{"argument alone", script("tool", who, `[ $# = 1 ] || exit 1; `+careful+`echo '{"output":"hello"}'`), "input is read from standard input", Fail, "exit code 1"},
		{"alphabets", script("tool", who, `case ${1-$(cat)} in *unknown_*) printf '{"error":"\xe4"}';; *) echo '{"output":"hello"}';; esac`), "other alphabets break nothing", Fail, "UTF-8"},
		{"undeclared", script("tool", who, careful+`echo '{"output":"hello","more":1}'`), "the answer is what returns declares", Fail, "more"},
		{"mistyped", script("tool", who, careful+`echo '{"output":7}'`), "the answer is what returns declares", Fail, "7"},
		{"writes", script("tool", who+`,"read_only":true`, careful+`touch left; echo '{"output":"hello"}'`), "what only reads writes nothing", Fail, "left"},
		{"leaves", script("tool", who, careful+`setsid sleep 1000 >/dev/null 2>&1 & echo '{"output":"hello"}'`), "no process is left behind", Fail, "sleep 1000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, t.TempDir(), "tool", test.content)
			mark := "CHECK_TEST=" + filepath.Dir(path)
			report, err := Check(context.Background(), path, Trial{Env: append(env(), "KEY=1", mark)})
			if err != nil {
				t.Fatal(err)
			}
			for _, pid := range marked(mark) {
				for began := time.Now(); running(pid); { // it has been killed, and is just ending
					if time.Since(began) > time.Minute {
						t.Fatalf("left running: %s", commandLine(pid))
					}
				}
			}
			if test.rule == "" {
				if len(breaks(report)) > 0 || len(report.Rules) != 19 {
					t.Errorf("%+v", report.Rules)
				}
				return
			}
			i := slices.IndexFunc(report.Rules, func(r Rule) bool { return r.Name == test.rule })
			if i < 0 {
				t.Fatalf("no rule %s in %+v", test.rule, report.Rules)
			}
			if r := report.Rules[i]; r.Status != test.status || !strings.Contains(r.Why, test.why) || r.Do == "" {
				t.Errorf("%+v, want %s: %s", r, test.status, test.why)
			}
		})
	}
}

// breaks returns the rules that a tool breaks, but for the one that any tool breaks
// on a machine that does much else.
func breaks(r Report) (rules []Rule) {
	for _, rule := range r.Rules {
		if (rule.Status == Fail || rule.Status == Warn) && !strings.HasSuffix(rule.Name, "within 1 s") {
			rules = append(rules, rule)
		}
	}
	return rules
}

// A tool that may change something is not run with input that somebody made up.
func TestCheckDoesNoHarm(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "tool", script("tool", `,"parameters":{"force":{"type":"boolean"}}`, `[[ $1 == *wrong* ]] || touch `+dir+`/harm; echo '{"error":"force is no boolean. Correct it."}'`))
	report, err := Check(context.Background(), path, Trial{Env: env()})
	if err != nil || report.Count(Skip) != 8 || slices.ContainsFunc(breaks(report), func(r Rule) bool { return r.Status == Fail }) {
		t.Errorf("%v: %+v", err, report.Rules)
	}
	if beside := load(t, dir); len(beside.Problems()) > 0 || len(beside.List()) != 1 {
		t.Errorf("it was run: %v", beside.Problems())
	}
	if _, _, err := stampOf(dir + "/harm"); err == nil {
		t.Error("it was run")
	}
}

// What is no executable is told at once.
func TestCheckOfNothing(t *testing.T) {
	for path, want := range map[string]string{"/no/such/file": "no such file", t.TempDir(): "no file"} {
		report, err := Check(context.Background(), path, Trial{})
		if err != nil || len(report.Rules) != 1 || report.Rules[0].Status != Fail || !strings.Contains(report.Rules[0].Why, want) {
			t.Errorf("%v: %+v", err, report)
		}
	}
}
