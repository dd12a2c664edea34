package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/render"
	"ikigai/internal/tmuxtest"
)

// lookScript has a bit of everything that is rendered.
const lookScript = `
chunk: 5

user: Look around
think:
  I **look**
  around.
say:
  ## First

  A look at *all* of it, ` + "`ls` first." + `
call: bash {"command": "printf 'one\ntwo\n'"}

reply:
think: So it is.
say:
  # Result

  | file | lines |
  |------|------:|
  | one  | 1 |
  | a **longer** name | 1,000 |

  - [x] done
    1. nested

  ` + "```go" + `
  // main does nothing.
  func main() { x := "text" }
  ` + "```" + `

  It is a line that is longer than the terminal is wide, so that it breaks, and has a [link](http://example.org/).
`

// What a person has seen of a statement while it ran is what the log shows of it
// later: the same text, in the same colours.
//
// S2.47
func TestRunLooksLikeTheLog(t *testing.T) {
	p := newPlace(t, lookScript)
	cmd := p.command("run", "Look around")
	for _, env := range [][]string{{"COLORTERM=truecolor"}, {"NO_COLOR=1"}, {"LC_ALL=C", "IKIGAI_THEME=mono"}} {
		s := tmuxtest.Start(t, tmuxtest.Config{
			Args: []string{"sh", "-c", `"$0" run "Look around" && echo ===== && "$0" log && echo =====; read end`, cmd.Path},
			Env:  append(cmd.Env, env...), Dir: p.work, Width: 60, Height: 150,
		})
		s.Until("the log has ended", func(screen string) bool { return strings.Count(screen, "=====") == 2 })
		parts := strings.Split(s.Styled(), "=====")
		live, log := answerOn(t, parts[0]), answerOn(t, parts[1])
		if diff := cmp.Diff(log, live); diff != "" {
			t.Errorf("%q: what was seen is not what the log shows (-log +live):\n%s", env, diff)
		}
		if strings.Contains(live, "## First") != (env[0] == "NO_COLOR=1") || !strings.Contains(live, "1,000") {
			t.Errorf("%q: what is rendered is\n%s", env, live)
		}
		s.Send("Enter")
		s.Exited()
	}
}

// answerOn returns what stands between the first words of the script's answer and
// the last.
func answerOn(t *testing.T, screen string) string {
	_, rest, ok := strings.Cut(screen, "I **look**")
	text, _, ok2 := strings.Cut(rest, "http://example.org/")
	if !ok || !ok2 {
		t.Fatalf("the screen has\n%s", screen)
	}
	return text
}

func TestDepth(t *testing.T) {
	for env, want := range map[[2]string]render.Depth{
		{"xterm", ""}: render.Depth16, {"xterm-256color", ""}: render.Depth256, {"tmux-256color", "truecolor"}: render.TrueColor,
		{"xterm", "24bit"}: render.TrueColor, {"xterm-direct", ""}: render.TrueColor, {"linux", "yes"}: render.Depth16,
	} {
		got := depth(func(name string) string { return map[string]string{"TERM": env[0], "COLORTERM": env[1]}[name] })
		if got != want {
			t.Errorf("TERM=%s COLORTERM=%s: %d, want %d", env[0], env[1], got, want)
		}
	}
}
