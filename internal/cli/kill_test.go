package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// goOn is what every script of these tests has for the statement after a death.
const goOn = `
user: go on
say: I go on.
`

const steps = `
chunk: 8

user: work
think: First-the-plan.
say: I begin the work.
call: bash {"command": "echo one >> witness"}
call: bash {"command": "echo two >> witness"}
reply:
say: The first half is done.
call: file_write {"path": "made.txt", "content": "made"}
call: bash {"command": "echo three >> witness"}
reply:
say: All of the work is done.
` + goOn

// P7: a session survives death after death: of the program, then of the one
// that goes on with it, whatever that was at.
func TestKillAgainAndAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
chunk: 4
user: work
say: Words that end in silence.
fault: hang after 3

user: more
call: bash {"command": "exec 9>gate; echo one >> witness; echo there >&9; exec sleep 1000"}

user: again
say: I say it again.
`+goOn)
	c := p.start("run", "work")
	c.out.awaitText(t, "Words")
	c.kill()

	g := p.gate("gate")
	c = p.start("run", "--continue", "more")
	g.awaits("there")
	c.kill()

	started := make(chan *child, 1)
	p.onRequest(func(int, scriptserver.Request) { (<-started).kill() })
	c = p.start("run", "--continue", "again")
	started <- c
	within(t, c.ended, "end of the program, which is killed")
	c.tells(1, "may have run")
	p.onRequest(func(int, scriptserver.Request) {})

	p.survives(c)
	p.notTwice("one")
	events := p.log()
	if n := len(of(ikigai.KindInterrupted, events)); n != 1 {
		t.Errorf("the unfinished reply is kept %d times", n)
	}
	if n := len(of(ikigai.KindUser, events)); n != 4 {
		t.Errorf("%d statements are in the log, want 4", n)
	}
}

// survives checks, after the death of c, that its session goes on in another
// process and that nothing of it is lost.
func (p *place) survives(c *child) {
	p.t.Helper()
	before := p.log()
	lost := callsWithoutResult(before)
	witness := p.lines("witness")
	p.calledIn(before)
	if len(p.server.Requests()) > 0 && len(of(ikigai.KindUser, before)) == 0 {
		p.t.Error("the statement is not in the log")
	}

	next := p.run(exitAnswered, "run", "--continue", "go on")
	if got := next.out.String(); got != "I go on.\n" {
		p.t.Errorf("the session went on with %q", got)
	}
	p.allAccepted()
	if got := strings.Count(p.body(), "may have run"); got != len(lost) {
		p.t.Errorf("the model is told of %d calls that may have run, want %d:\n%s", got, len(lost), p.body())
	}
	next.tells(len(callsWithoutResult(lastStatement(before))), "may have run") // those before were told before
	if got := p.lines("witness"); !slices.Equal(got, witness) {
		p.t.Errorf("going on changed what the tools had done: %q, then %q", witness, got)
	}
	after := p.log()
	for i, e := range before {
		if e.ID != after[i].ID {
			p.t.Errorf("event %d was replaced", i+1)
		}
	}
	if !strings.HasPrefix(c.out.String(), "{") {
		p.keptText(c.out.String(), after)
	}
}

// printed returns the events of a new session that a program printed with
// --json.
func printed(c *child) []ikigai.Event {
	events := parseEvents(c.t, c.out.String())
	checkLog(c.t, events)
	return events
}

// keptText checks that what the person was shown of answers is in the log.
func (p *place) keptText(painted string, events []ikigai.Event) {
	p.t.Helper()
	var kept strings.Builder
	for _, e := range events {
		if e.Kind == ikigai.KindAssistant || e.Kind == ikigai.KindInterrupted {
			kept.WriteString(e.Content)
		}
	}
	if !strings.HasPrefix(kept.String(), strings.ReplaceAll(painted, "\n", "")) {
		p.t.Errorf("the person saw %q, the log has %q", painted, kept.String())
	}
}

// calledIn checks that whatever a tool left in the file witness has its call
// in the log.
func (p *place) calledIn(events []ikigai.Event) {
	p.t.Helper()
	calls := ""
	for _, e := range of(ikigai.KindToolCall, events) {
		calls += e.Content
	}
	for _, word := range p.lines("witness") {
		if !strings.Contains(calls, "echo "+word+" >") {
			p.t.Errorf("a tool wrote %q, and its call is not in the log", word)
		}
	}
}

// notTwice checks that each word is in the file witness once at most.
func (p *place) notTwice(words ...string) {
	p.t.Helper()
	for _, word := range words {
		if n := strings.Count(strings.Join(p.lines("witness"), " "), word); n > 1 {
			p.t.Errorf("the tool that writes %q has run %d times", word, n)
		}
	}
}

func callsWithoutResult(events []ikigai.Event) []string {
	var lost []string
	for _, e := range events {
		m, _ := e.Message()
		if m.Call != nil {
			lost = append(lost, m.Call.ID)
		}
		if m.Result != nil {
			lost = slices.DeleteFunc(lost, func(id string) bool { return id == m.Result.CallID })
		}
	}
	return lost
}

// lastStatement returns the events from the person's last words on.
func lastStatement(events []ikigai.Event) []ikigai.Event {
	for i, e := range slices.Backward(events) {
		if e.Kind == ikigai.KindUser {
			return events[i:]
		}
	}
	return nil
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
