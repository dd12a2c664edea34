package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// P7: the program dies while tasks are worked on. What they did by then is in the
// log, and the session goes on: of the call that handed them over its model is told
// that it may have run, and nothing of it runs again. Laws 1 and 2.
func TestKillTasks(t *testing.T) {
	t.Parallel()
	const script = `
user: work
call: delegate_tasks {"tasks": [{"title": "left", "instructions": "x"}, {"title": "right", "instructions": "x"}]}
reply:
say: Done.

side: task /left/
call: bash {"command": "echo one >> witness"}
reply:
call: bash {"command": "echo two >> witness"}
reply:
say: Left.

side: task /right/
call: bash {"command": "echo three >> witness"}
reply:
say: Right.
`
	for n := 2; n <= 7; n++ { // the first request is the one that hands over
		t.Run(fmt.Sprint("request ", n), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, script+goOn)
			started := make(chan *child, 1)
			p.onRequest(func(i int, _ scriptserver.Request) {
				if i == n {
					(<-started).kill()
				}
			})
			c := p.start("run", "work")
			started <- c
			within(t, c.ended, "end of the program")
			p.killedTasks(n == 7)
		})
	}
	t.Run("in a command", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, strings.Replace(script, "echo two >> witness", "exec 9>gate; echo two >> witness; echo there >&9; exec sleep 1000", 1)+goOn)
		g := p.gate("gate")
		c := p.start("run", "work")
		g.awaits("there")
		c.kill()
		p.killedTasks(false)
	})
}

// allSent returns the bodies of all requests.
func (p *place) allSent() string {
	var all strings.Builder
	for _, r := range p.server.Requests() {
		all.Write(r.Body)
	}
	return all.String()
}

// killedTasks checks, after a death, what is in the log of the tasks, and that the
// session goes on. done tells that the call had its result.
func (p *place) killedTasks(done bool) {
	p.t.Helper()
	before, witness := p.log(), p.lines("witness")
	p.calledIn(before)
	p.notTwice("one", "two", "three")
	main := in(ikigai.Main, before)
	lost := callsWithoutResult(main)
	if done != (len(lost) == 0) {
		p.t.Errorf("calls of the main interaction without a result: %q", lost)
	}
	for _, title := range []string{"left", "right"} {
		asked := slices.ContainsFunc(of(ikigai.KindUser, before), func(e ikigai.Event) bool { return strings.HasPrefix(e.Content, title) })
		if !asked && strings.Contains(p.allSent(), title+`\n\nx`) {
			p.t.Errorf("the task %s was sent, and is not in the log", title)
		}
	}
	next := p.run(exitAnswered, "run", "--continue", "go on")
	if got := next.out.String(); got != "I go on.\n" {
		p.t.Errorf("the session went on with %q", got)
	}
	p.allAccepted()
	if got := strings.Count(p.body(), "may have run"); got != len(lost) {
		p.t.Errorf("the model is told of %d calls that may have run, want %d", got, len(lost))
	}
	if got := p.lines("witness"); !slices.Equal(got, witness) {
		p.t.Errorf("going on changed what the tasks had done: %q, then %q", witness, got)
	}
	after := p.log()
	for i, e := range before {
		if e.ID != after[i].ID {
			p.t.Errorf("event %d was replaced", i+1)
		}
	}
}
