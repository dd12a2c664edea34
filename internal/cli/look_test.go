package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/sqlite"
	"ikigai/internal/tmuxtest"
	"ikigai/internal/transcript"
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

// The same for the sessions that earlier versions recorded, however their replies
// came in.
//
// S2.47
func TestCorpusLooksLikeTheLog(t *testing.T) {
	files, err := filepath.Glob("../sqlite/testdata/corpus/*.db")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in the corpus: %v", len(files), err)
	}
	for _, file := range files {
		store, err := sqlite.Open(t.Context(), copied(t, file))
		must(t, err)
		sessions, err := collect(store.Sessions(t.Context(), ikigai.SessionQuery{}))
		must(t, err)
		for _, s := range sessions {
			events, err := collect(store.Events(t.Context(), s.ID, 0))
			must(t, err)
			for _, style := range []render.Style{{Markdown: true, Color: true, Width: 80}, {Markdown: true, Compact: true, Width: 40}, {}} {
				log, live := looks(style, events)
				if diff := cmp.Diff(log, live); diff != "" || log == "" {
					t.Errorf("%s, %s, %+v (-log +live):\n%s", file, s.ID, style, diff)
				}
			}
		}
		must(t, store.Close())
	}
}

// looks returns how events look in the log, and how they do while they happen.
func looks(style render.Style, events []ikigai.Event) (log, live string) {
	page, show := render.Page{Style: style}, render.Live{Style: style}
	fold := transcript.Transcript{Brief: true, Folded: true}
	write := func(pieces []render.Piece) {
		for _, p := range pieces {
			live += p.Text
		}
	}
	for _, e := range events {
		if e.Interaction == ikigai.Main && (e.Kind == ikigai.KindThinking || e.Kind == ikigai.KindAssistant) {
			for i, r := range e.Content {
				if e.Kind == ikigai.KindAssistant {
					write(show.Delta(ikigai.Delta{Text: e.Content[i : i+utf8.RuneLen(r)]}))
				} else {
					write(show.Delta(ikigai.Delta{Thinking: e.Content[i : i+utf8.RuneLen(r)]}))
				}
			}
		}
		for _, b := range fold.Add(e) {
			log += page.Block(b)
			write(show.Block(b))
		}
	}
	write(show.End())
	return log + page.End(), live
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
