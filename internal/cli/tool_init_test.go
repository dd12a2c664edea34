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
				begin.Env = append(begin.Env, "GOCACHE="+goCache(t))
			}
			startChild(t, begin).ends(exitAnswered)
			report := p.run(exitAnswered, "tool", "check", "my-"+lang).out.String()
			if !strings.HasSuffix(report, "\n  19 ok\n") {
				t.Errorf("%s", report)
			}
			if got := p.run(exitAnswered, "tool", "run", "my_"+lang, "text=ä", "--json").out.String(); !strings.Contains(got, `ä\\nä\\n`) ||
				!strings.Contains(got, `"report":"2 times"`) {
				t.Errorf("%s", got)
			}
		})
	}
}

func goCache(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(goCommand(t, "env", "GOCACHE"))
}
