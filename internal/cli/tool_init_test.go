package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The beginnings of tools work as they are, and keep every rule of the protocol,
// in each language.
func TestToolBeginnings(t *testing.T) {
	t.Parallel()
	for lang, program := range map[string]string{"bash": "bash", "python": "python3", "js": "node", "go": "go"} {
		t.Run(lang, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			p := newPlace(t, "user: none\nsay: none\n")
			begin := p.command("tool", "init", "--lang", lang, "my-"+lang)
			if lang == "go" { // what is compiled of the library already
				begin.Env = append(begin.Env, "GOCACHE="+goCache(t), "CGO_ENABLED=0")
			}
			startChild(t, begin).ends(exitAnswered)
			check := p.start("tool", "check", "my-"+lang)
			within(t, check.ended, "end of the check")
			report := check.out.String()
			if rules := strings.Count(report, "\n  ok    ") + strings.Count(report, "\n  FAIL  "); rules != 19 || len(brokenRules(report)) > 0 {
				t.Errorf("%d rules are judged: %s%s", rules, report, check.err)
			}
			if got := p.run(exitAnswered, "tool", "run", "my_"+lang, "text=ä", "--json").out.String(); !strings.Contains(got, `ä\\nä\\n`) ||
				!strings.Contains(got, `"report":"2 times"`) {
				t.Errorf("%s", got)
			}
		})
	}
}

// brokenRules returns the rules that a tool breaks, by the report of its check, but
// for the one that any tool breaks on a machine that does much else.
func brokenRules(report string) (broken []string) {
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, "  FAIL  ") && !strings.HasSuffix(line, " within 1 s\n") {
			broken = append(broken, strings.TrimSpace(line))
		}
	}
	return broken
}

func goCache(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(goCommand(t, "env", "GOCACHE"))
}
