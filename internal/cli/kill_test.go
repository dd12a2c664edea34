package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
	"ikigai/internal/sqlite"
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

// P7, law 2: the program is killed when a request has arrived. By then all that
// the request is made of is in the log.
func TestKillAtRequest(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, steps)
			started := make(chan *child, 1)
			p.onRequest(func(got int, r scriptserver.Request) {
				inStore(t, p, r)
				if got == n {
					(<-started).kill()
				}
			})
			c := p.start("run", "work")
			started <- c
			<-c.ended
			p.survives(c)
			p.notTwice("one", "two", "three")
		})
	}
}

// P7: the program is killed when it has printed an event, whichever. What
// happens between that and its end is as the system has it: all of it is fine.
func TestKillAtEvent(t *testing.T) {
	t.Parallel()
	whole := newPlace(t, steps)
	total := len(printed(whole.run(exitAnswered, "run", "--json", "work")))
	if total < 20 {
		t.Fatalf("only %d events are printed", total)
	}
	for n := 1; n <= total; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, steps)
			p.onRequest(func(_ int, r scriptserver.Request) { inStore(t, p, r) })
			c := p.start("run", "--json", "work")
			c.out.await(t, fmt.Sprintf("event %d", n), func(s string) bool { return strings.Count(s, "\n") >= n })
			c.kill()
			shown := printed(c)
			p.survives(c)
			for i, e := range p.log()[:len(shown)] {
				if e.ID != shown[i].ID || e.Content != shown[i].Content {
					t.Errorf("event %d was printed as\n%s\nand is in the log as\n%s", i+1, asJSON(shown[i]), asJSON(e))
				}
			}
			p.notTwice("one", "two", "three")
		})
	}
}

// P7: the program is killed in mid-stream, after each piece of what it showed.
func TestKillInReply(t *testing.T) {
	t.Parallel()
	const think, say = "Thoughts-in-pieces.", "An answer in several pieces, too"
	const piece = 5
	for n := 1; n*piece <= len(think)+len(say); n++ {
		thought := think[:min(n*piece, len(think))]
		said := ""
		if thinking := (len(think) + piece - 1) / piece; n > thinking {
			said = say[:min((n-thinking)*piece, len(say))]
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, fmt.Sprintf("user: work\nchunk: %d\nthink: %s\nsay: %s\nfault: hang after %d\n%s",
				piece, think, say, n+1, goOn))
			c := p.start("run", "work")
			c.err.awaitText(t, thought)
			c.out.awaitText(t, said)
			c.kill()
			p.survives(c)
			cut := of(ikigai.KindInterrupted, p.log())
			var d ikigai.InterruptedData
			if len(cut) != 1 || cut[0].DecodeData(&d) != nil || cut[0].Content != said || d.Thinking != thought {
				t.Errorf("shown %q and %q, kept %s", thought, said, asJSON(cut))
			}
			if !strings.Contains(p.body(), strings.TrimSpace(said)) { // the model knows what the person saw
				t.Errorf("the model is not told what it had said: %s", p.body())
			}
		})
	}
}

// P7, S2.25, S5.7, S1.19, law 2: the program is killed while a tool runs, or
// when it is about to end. It may have run, is told so, and does not run again.
func TestKillInTool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, calls string
		lost        int // calls without a result, at least
	}{
		{"running", `call: bash {"command": "exec 9>gate; echo one >> witness; echo there >&9; exec sleep 1000"}`, 1},
		{"ending", `call: bash {"command": "exec 9>gate; echo one >> witness; echo there >&9"}`, 0},
		{"others wait", `
call: bash {"command": "exec 9>gate; echo one >> witness; echo there >&9; exec sleep 1000"}
call: file_write {"path": "never.txt", "content": "x"}
call: bash {"command": "echo two >> witness"}`, 3},
		{"one is done", `
call: bash {"command": "echo zero >> witness"}
call: bash {"command": "exec 9>gate; echo one >> witness; echo there >&9; exec sleep 1000"}`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "user: work\nsay: I begin.\n"+test.calls+"\nreply:\nsay: Done.\n"+goOn)
			g := p.gate("gate")
			c := p.start("run", "work")
			g.awaits("there")
			c.kill()
			g.awaitGone()
			if lost := len(p.lost()); lost < test.lost {
				t.Errorf("%d calls have no result, want %d", lost, test.lost)
			}
			p.survives(c)
			p.notTwice("zero", "one")
			if slices.Contains(p.lines("witness"), "two") || len(p.lines("never.txt")) > 0 {
				t.Error("a call has run that came after the death")
			}
		})
	}
}

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
	<-c.ended
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

func (p *place) lost() []string { return callsWithoutResult(p.log()) }

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

// inStore checks that what a request holds is in the database when it arrives.
func inStore(t *testing.T, p *place, r scriptserver.Request) {
	var body struct {
		Messages []struct {
			Role    string            `json:"role"`
			Content string            `json:"content"`
			ID      string            `json:"tool_call_id"`
			Calls   []json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Error(err)
		return
	}
	sent := map[ikigai.Kind]int{}
	for _, m := range body.Messages {
		switch {
		case m.Role == "tool" && !strings.Contains(m.Content, "may have run"):
			sent[ikigai.KindToolResult]++
		case m.Role == "user":
			sent[ikigai.KindUser]++
		}
		sent[ikigai.KindToolCall] += len(m.Calls)
	}
	stored := map[ikigai.Kind]int{}
	for _, e := range storedEvents(t, p) {
		stored[e.Kind]++
	}
	for kind, n := range sent {
		if stored[kind] < n {
			t.Errorf("a request holds %d events of kind %s, the database %d", n, kind, stored[kind])
		}
	}
}

// storedEvents reads the last session from the database, which the program has
// open.
func storedEvents(t *testing.T, p *place) []ikigai.Event {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, p.database)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer store.Close()
	found, err := collect(store.Sessions(ctx, ikigai.SessionQuery{Limit: 1}))
	if err != nil || len(found) == 0 {
		t.Errorf("there is no session in the database: %v", err)
		return nil
	}
	events, err := collect(store.Events(ctx, found[0].ID, 0))
	if err != nil {
		t.Error(err)
	}
	return events
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
