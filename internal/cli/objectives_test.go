package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/scriptserver"
)

// withObjectives makes the place ask for objectives.
func (p *place) withObjectives(mode string) *place {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"),
		fmt.Appendf(nil, `{"model": "test/scripted", "objectives": %q, "vendors": {"test": {"base_url": %q}}}`, mode, p.server.URL), 0o600))
	return p
}

// isObjective reports whether a request is one of the side.
func isObjective(r scriptserver.Request) bool {
	return bytes.Contains(r.Body, []byte(ikigai.SidePrompt+string(ikigai.PurposeObjective)))
}

// answersBehindObjective has the first request of a statement answered once its
// objective is in the log: who says no more waits for it a second at most.
func (p *place) answersBehindObjective() {
	var once sync.Once
	p.onRequest(func(_ int, r scriptserver.Request) {
		if isObjective(r) {
			return
		}
		once.Do(func() {
			for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
				c := p.start("log", "--json")
				within(p.t, c.ended, "end of log")
				if strings.Contains(c.out.String(), `"content":"Objective","data":{"statement":`) {
					return
				}
			}
			p.t.Error("the log has no objective")
		})
	})
}

// purposeOf returns what the log says of the purpose.
func purposeOf(events []ikigai.Event) *history.Purpose {
	purpose := history.NewPurpose()
	for _, e := range events {
		purpose.Add(e)
	}
	return purpose
}

const objectiveSays = `{"title": "Title", "goal": "Goal", "objective": "Objective"}`

// D18, S4.9: whatever becomes of the request for the objective, the statement is
// answered, its own words stand where there is no answer, the person is not
// bothered, and one request is all.
func TestObjectivesThatFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ side, goal, objective string }{
		"answered":          {"side: objective\nsay: " + objectiveSays, "Goal", "Objective"},
		"fenced":            {"side: objective\nsay:\n  ```json\n  " + objectiveSays + "\n  ```", "Goal", "Objective"},
		"only a part of it": {"side: objective\nsay: {\"objective\": \"Objective\", \"goal\": 7}", "Do it.", "Objective"},
		"no JSON":           {"side: objective\nsay: I shall.", "Do it.", "Do it."},
		"a list":            {"side: objective\nsay: [1]", "Do it.", "Do it."},
		"nothing":           {"side: objective\nsay:", "Do it.", "Do it."},
		"refused":           {"", "Do it.", "Do it."},
		"overloaded":        {"side: objective\nsay: x\nfault: status 400", "Do it.", "Do it."},
		"cut":               {"side: objective\nsay: " + objectiveSays + "\nfault: cut", "Do it.", "Do it."},
		"silent":            {"side: objective\nsay: x\nfault: hang", "Do it.", "Do it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.side+"\n\nuser: Do it. Now.\nsay: Done.\n").withObjectives(config.ObjectivesModel)
			if c.objective == "Objective" {
				p.answersBehindObjective()
			}
			run := p.run(exitAnswered, "run", "Do it. Now.")
			if run.out.String() != "Done.\n" || strings.Contains(run.err.String(), "ikigai:") {
				t.Errorf("output %q, and %q", run.out, run.err)
			}
			purpose := purposeOf(p.log())
			if got := purpose.Objectives(); len(got) != 1 || got[0].Text != c.objective || purpose.Goal() != c.goal {
				t.Errorf("goal %q, objectives %v", purpose.Goal(), got)
			}
			if n := len(slices.DeleteFunc(p.server.Requests(), func(r scriptserver.Request) bool { return !isObjective(r) })); n != 1 {
				t.Errorf("%d requests for the objective", n)
			}
		})
	}
}

// D18: the statement's request goes out first, and asks for nothing of the kind;
// text and off ask nobody.
func TestObjectivesAreAskedBeside(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{config.ObjectivesModel, config.ObjectivesText, config.ObjectivesOff} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "side: objective\nsay: "+objectiveSays+"\n\nuser: go\ncall: bash {\"command\": \"true\"}\nreply:\nsay: Done.\n").withObjectives(mode)
			if mode == config.ObjectivesModel {
				p.answersBehindObjective()
			}
			p.run(exitAnswered, "run", "go")
			events := p.log()
			sides := 0
			for _, e := range events {
				if e.Kind == ikigai.KindInteraction {
					sides++
				}
			}
			feedback := of(ikigai.KindFeedback, events)
			if len(feedback) != 1 {
				t.Fatalf("%d feedbacks", len(feedback))
			}
			bare := !strings.Contains(feedback[0].Content, "Goal") && !strings.Contains(feedback[0].Content, "Objective")
			if sides != map[string]int{config.ObjectivesModel: 1}[mode] || bare != (mode == config.ObjectivesOff) {
				t.Errorf("%d side interactions, and the model is told\n%s", sides, feedback[0].Content)
			}
			p.allAccepted()
		})
	}
}

// openWork opens a new session in the test's own process. Its events come out as
// lines of JSON.
func (p *place) openWork() (*work, *output) {
	p.t.Helper()
	out := newOutput()
	a := &app{Process: Process{Env: p.env(), In: strings.NewReader(""), Out: out, Err: out},
		flags: map[string]string{}, flagNames: map[string]string{}, leave: make(chan struct{}), dir: p.work}
	must(p.t, a.load())
	endpoint, _, err := a.endpoint(p.t.Context(), "")
	must(p.t, err)
	w, err := a.open(p.t.Context(), which{}, endpoint, <-a.openStore(p.t.Context(), openTime), a.newView(true))
	must(p.t, err)
	p.t.Cleanup(w.close)
	return w, out
}

// D18, S4.5, S4.8: nobody waits for an objective, not even the next statement,
// which cancels nothing; an answer that comes late is that of its own statement.
// A goal that has come meanwhile stands.
func TestLateObjectives(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
side: objective /second/
say: {"title": "Early", "goal": "Early goal", "objective": "Second objective"}
side: objective
say: {"title": "Late", "goal": "Late goal", "objective": "First objective"}
user: *
say: Done.
`).withObjectives(config.ObjectivesModel)
	answer := make(chan struct{})
	p.onRequest(func(_ int, r scriptserver.Request) {
		if isObjective(r) && !bytes.Contains(r.Body, []byte("the second")) {
			within(t, answer, "objective of the second statement")
		}
	})
	w, events := p.openWork()
	for _, text := range []string{"the first", "the second"} {
		if _, err := w.agent.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, text, nil)); err != nil {
			t.Fatal(err)
		}
	}
	objective := func(text string) string { return `"content":"` + text + `","data":{"statement":` }
	events.awaitText(t, objective("Second objective"))
	close(answer)
	events.awaitText(t, objective("First objective"))
	var got []string
	for _, o := range w.purpose.Objectives() {
		got = append(got, o.Text)
	}
	if diff := cmp.Diff([]string{"First objective", "Second objective"}, got); diff != "" || w.purpose.Goal() != "Early goal" {
		t.Errorf("goal %q, objectives (-want +got):\n%s", w.purpose.Goal(), diff)
	}
	if n := strings.Count(events.String(), `"kind":"title"`); n != 1 {
		t.Errorf("%d titles", n)
	}
}

// P22: who interrupts the program waits for no objective.
func TestInterruptedObjectives(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "side: objective\nsay: x\nfault: hang\n\nuser: *\nsay: x\nfault: hang\n").withObjectives(config.ObjectivesModel)
	all := make(chan struct{})
	var count sync.WaitGroup
	count.Add(2)
	p.onRequest(func(int, scriptserver.Request) { count.Done() })
	go func() { count.Wait(); close(all) }()
	c := p.start("run", "go")
	within(t, all, "both requests")
	c.signal(syscall.SIGINT)
	c.ends(exitInterrupted)
	errors := of(ikigai.KindError, p.log())
	if len(errors) != 2 {
		t.Errorf("errors %v", errors)
	}
}

func TestStatementHead(t *testing.T) {
	long := strings.Repeat("目", 5000)
	for text, want := range map[string]string{
		"short":                         "short",
		"own\n\n[file: a.go]\n\nlong":   "own",
		long + "end":                    "",
		strings.Repeat("x", 2000):       strings.Repeat("x", 2000),
		strings.Repeat("x", 2000) + "y": strings.Repeat("x", 1500) + "\n[…]\n" + strings.Repeat("x", 499) + "y",
	} {
		got := statementHead(text)
		if len(got) > maxAskedStatement+len("\n[…]\n") || !utf8.ValidString(got) || want != "" && got != want {
			t.Errorf("%d bytes became %d: %q", len(text), len(got), got)
		}
	}
}

// D18: what the request for the objective costs a statement: nothing that it
// waits for. The times are told, not judged; -v shows them. A side request takes
// 50 ms here, and a statement two requests of 5 ms.
func TestObjectivesCost(t *testing.T) {
	t.Parallel()
	const statements = 40
	off, model := newMeasured(t, config.ObjectivesOff), newMeasured(t, config.ObjectivesModel)
	for range statements {
		off.statement()
		model.statement()
	}
	model.w.close()
	if sides := slices.DeleteFunc(model.p.server.Requests(), func(r scriptserver.Request) bool { return !isObjective(r) }); len(sides) != statements {
		t.Errorf("%d side requests for %d statements", len(sides), statements)
	}
	if slices.ContainsFunc(off.p.server.Requests(), isObjective) {
		t.Error("objectives are off, and were asked for")
	}
	for i, what := range []string{"first request", "next turn"} {
		a, b := median(off.waits[i]), median(model.waits[i])
		t.Logf("median time to the %s: off %v, model %v, ratio %.2f", what, a, b, float64(b)/float64(a))
	}
}

// measured is a session whose requests are timed.
type measured struct {
	p     *place
	w     *work
	waits [2][]time.Duration // from a statement to its first request, and to the one after its tools
}

func newMeasured(t *testing.T, mode string) *measured {
	p := newPlace(t, `
side: objective
say: {"title": "Title", "goal": "Goal", "objective": "Objective"}
delay: 50ms
user: *
call: glob {"pattern": "*"}
delay: 5ms
reply:
say: Done.
delay: 5ms
`).withObjectives(mode)
	w, _ := p.openWork()
	return &measured{p: p, w: w}
}

func (m *measured) statement() {
	m.p.t.Helper()
	before, began := len(m.p.server.Requests()), time.Now()
	if _, err := m.w.agent.Run(m.p.t.Context(), ikigai.NewEvent(ikigai.KindUser, "go", nil)); err != nil {
		m.p.t.Fatal(err)
	}
	for i, r := range slices.DeleteFunc(m.p.server.Requests()[before:], isObjective) {
		m.waits[i] = append(m.waits[i], r.Received.Sub(began))
	}
}

func median(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] }
