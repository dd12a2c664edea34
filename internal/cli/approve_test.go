package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/render"
	"ikigai/internal/tools"
)

// asksOnly returns permits of a session in which ask is asked about everything.
func asksOnly(ask approval) *permits {
	return &permits{
		app: &app{settings: &config.Settings{Approval: config.ApprovalAsk}}, ask: ask, told: map[string]bool{},
		change: func(context.Context, agent.Approval) tools.Change { return tools.Change{} },
	}
}

// called returns a call of a built-in tool.
func called(name, args string) agent.Approval {
	return agent.Approval{
		Call: ikigai.ToolCall{ID: "1", Name: name, Arguments: args}, Args: json.RawMessage(args),
		Tool: ikigai.Tool{ToolSpec: ikigai.ToolSpec{Name: name}}, Summary: name,
	}
}

// S2.81: what the person has said holds as far as they have said, and the log tells
// who has allowed a call.
func TestConsent(t *testing.T) {
	const test, build, list = `{"command":"go test ./..."}`, `{"command":"go build"}`, `{"command":"ls | wc"}`
	const status = `{"command":"git status"}`
	tests := []struct {
		name   string
		says   consent
		first  string // the call that is asked about
		second string
		reason string // of the first
		asked  int
	}{
		{"once", consent{allowed: true}, test, test, "by the person, once", 2},
		{"for this session", consent{allowed: true, reach: reachSession}, status, `{"command":"git status --short"}`, "by the person, for this session", 1},
		{"not with options that run programs", consent{allowed: true, reach: reachSession}, test, `{"command":"go test -exec sh ./x"}`, "by the person, for this session", 2},
		{"not for others", consent{allowed: true, reach: reachSession}, test, build, "by the person, for this session", 2},
		{"this very call", consent{allowed: true, reach: reachSession}, list, list, "by the person, for this session", 1},
		{"nothing like it", consent{allowed: true, reach: reachSession}, list, `{"command":"ls | sh"}`, "by the person, for this session", 2},
		{"a rule", consent{allowed: true, reach: reachRule, rule: "bash(go *)"}, test, build, "by the person, with the rule bash(go *)", 1},
		{"another rule", consent{allowed: true, reach: reachRule, rule: "bash(cargo *)"}, test, test, "by the person, once", 2},
		{"no", consent{}, test, test, "the person said no", 2},
		{"no, with words", consent{words: "use make"}, test, test, "the person said no: use make", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			p := asksOnly(func(context.Context, inquiry) consent {
				asked++
				return test.says
			})
			p.dir, p.Env, p.Err = t.TempDir(), []string{"HOME=" + t.TempDir()}, io.Discard
			v := p.judge(t.Context(), called("bash", test.first))
			if v.Allowed != test.says.allowed || v.Reason != test.reason {
				t.Errorf("got %+v", v)
			}
			if v = p.judge(t.Context(), called("bash", test.second)); v.Allowed != test.says.allowed || asked != test.asked {
				t.Errorf("asked %d times, then %+v", asked, v)
			}
		})
	}
}

// Without asking nothing is recorded; with plan and deny nobody is asked; and what
// is switched in mid-session holds from the next call on.
func TestModes(t *testing.T) {
	p := asksOnly(func(context.Context, inquiry) consent { return consent{allowed: true} })
	call := called("bash", `{"command":"make"}`)
	for _, test := range []struct {
		mode string
		want agent.Verdict
		tell string
	}{
		{config.ApprovalPlan, agent.Verdict{Planned: true}, "answer with the plan"},
		{config.ApprovalDeny, agent.Verdict{}, "the setting approval is deny"},
		{config.ApprovalNever, agent.Verdict{Allowed: true, Unasked: true}, ""},
		{config.ApprovalAsk, agent.Verdict{Allowed: true}, "by the person, once"},
	} {
		if err := p.setApproval(test.mode); err != nil {
			t.Fatal(err)
		}
		v := p.judge(t.Context(), call)
		if !strings.Contains(v.Reason, test.tell) {
			t.Errorf("%s: the reason is %q", test.mode, v.Reason)
		}
		if v.Reason = ""; v != test.want {
			t.Errorf("%s: got %+v, want %+v", test.mode, v, test.want)
		}
	}
	if p.setApproval("maybe") == nil || p.approvalMode() != config.ApprovalAsk {
		t.Error("a mode that there is none of was taken")
	}
}

// S2.81: with approval ask, every call that changes something is asked about by
// itself, with what it does; what was typed before the question does not answer
// it, and anything but a clear answer is asked again.
func TestAsk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "echo one >> witness"}
call: file_read {"path": "witness"}
call: bash {"command": "echo two >> witness"}
call: file_edit {"path": "witness", "edits": [{"old": "one\n", "new": "uno\ndue\n"}]}

reply:
expect: DENIED
say: As you like.
`)
	a := p.asks(t)
	first, second := "bash(echo one >> witness)", "bash(echo two >> witness)"
	a.await("the first question", a.asked(first, "this very call"))
	a.type_("what?")
	a.await("the first question again", func(s string) bool {
		return strings.Count(s, "Run "+first+"?") == 2 && a.asked(first, "this very call")(s)
	})
	a.type_("y")
	a.await("the second question", a.asked(second, "this very call"))
	a.type_("n")
	// What an edit would make of the file is seen before it is agreed to.
	a.await("the third question", func(s string) bool {
		_, shown, ok := strings.Cut(s, "-one")
		return ok && strings.Contains(shown, "+uno") && strings.Contains(shown, "Run file_edit(")
	})
	a.type_("n")
	a.ends(exitDenied)
	if got := strings.Join(p.lines("witness"), " "); got != "one" {
		t.Errorf("the tools left %q\n%s", got, a.screen)
	}
}

// A call's like is allowed for the session, and a rule from then on: the next run
// in this directory asks about nothing that it fits.
func TestAskForRules(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "touch a"}

reply:
call: bash {"command": "touch b"}
call: file_write {"path": "src/x", "content": "new\n"}

reply:
call: file_write {"path": "src/y", "content": "new\n"}

reply:
say: Done.
`)
	a := p.asks(t)
	a.await("the first question", a.asked(`bash(touch a)`, "bash(touch *) in this session, r = as a rule"))
	a.type_("a")
	a.await("the second question", a.asked(`file_write(src/x)`, "file_write(src/*) in this session, r = as a rule"))
	a.type_("r")
	a.await("the rule", func(s string) bool { return strings.HasSuffix(s, "Enter for file_write(src/x), - for none: ") })
	a.type_("file_write(/etc/*)")
	a.await("the rule again", func(s string) bool {
		return strings.Contains(s, "Write a path below this directory") && strings.HasSuffix(s, "- for none: ")
	})
	a.type_("file_write(s*/**)")
	a.ends(0)
	for _, name := range []string{"a", "b", "src/x", "src/y"} {
		if _, err := os.Stat(p.file(name)); err != nil {
			t.Errorf("%v\n%s", err, a.screen)
		}
	}
	_ = p.run(0, "rules").out.String()
	out := p.run(0, "rules", "--json").out.String()
	if !strings.Contains(out, `"rule":"file_write(s*/**)","from":"saved"`) {
		t.Errorf("the rules are %s", out)
	}
	b := p.asks(t)
	b.await("the first question", b.asked(`bash(touch a)`, "bash(touch *) in this session, r = as a rule"))
	b.type_("a")
	b.ends(0)
}

// asking is a run at a terminal that asks.
type asking struct {
	t      *testing.T
	screen *output
	keys   *os.File
	child  *child
}

// asks starts a run that asks, in which something was typed before the question.
func (p *place) asks(t *testing.T) *asking {
	ours, theirs, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	cmd := p.command("run", "--approval", "ask", "work")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	a := &asking{t: t, screen: newOutput(), keys: ours}
	go io.Copy(a.screen, ours) // until the terminal is closed
	_, err = io.WriteString(ours, "y\ny\n")
	must(t, err)
	a.child = startChild(t, cmd)
	return a
}

func (a *asking) await(what string, ok func(string) bool) {
	a.t.Helper()
	defer func() {
		if a.t.Failed() {
			a.t.Logf("%s", a.screen)
		}
	}()
	a.screen.await(a.t, what, ok)
}

// asked tells whether a call is asked about right now, and proposes something.
func (a *asking) asked(call, proposes string) func(string) bool {
	return func(s string) bool {
		return strings.HasSuffix(s, "Run "+call+"? [y/N, a = "+proposes+"] ") ||
			strings.HasSuffix(s, "Run "+call+"? [y/N, a = "+proposes+" in this session] ")
	}
}

func (a *asking) type_(line string) {
	a.t.Helper()
	_, err := io.WriteString(a.keys, line+"\n")
	must(a.t, err)
}

func (a *asking) ends(code int) {
	a.t.Helper()
	a.child.ends(code)
}

// A question names a call of our own by what it is about, and others with their
// arguments. Where that is not all of it, the call is shown above.
func TestPromptNames(t *testing.T) {
	for _, test := range []struct {
		name, args, source string
		want               string
		bare               bool
	}{
		{"bash", `{"command":"echo x > x1"}`, "", "Run bash(echo x > x1)?", true},
		{"bash", `{"command":"rm -r build","working_dir":"/"}`, "", "Run bash(rm -r build)?", false},
		{"bash", `{"command":"a\nb"}`, "", "Run bash(a …)?", false},
		{"file_edit", `{"path":"a.txt","edits":[]}`, "", "Run file_edit(a.txt)?", false},
		{"file_write", `{"content":"two","path":"two.txt"}`, "", "Run file_write(two.txt)?", false},
		{"bash", `{"command":"ls"}`, "/tools/bash", `Run bash({"command":"ls"})?`, true},
		{"file_edit", `{}`, "", "Run file_edit({})?", true},
		{"notes__add", `{"text":"x"}`, "notes", `Run notes__add({"text":"x"})?`, true},
	} {
		q := inquiry{Approval: called(test.name, test.args)}
		q.Summary, q.Tool.Source = test.name+"("+test.args+")", test.source
		if got := q.prompt(); got != test.want || q.bare(render.Style{}) != test.bare {
			t.Errorf("%s %s: %q, bare %v", test.name, test.args, got, q.bare(render.Style{}))
		}
	}
}

// A question says what a call is about, however long that is.
func TestPrompt(t *testing.T) {
	long := strings.Repeat("x", 200)
	for want, call := range map[string][2]string{
		`Run file_write(big.txt)?`:                                  {"file_write", `{"content":"` + long + `","path":"big.txt"}`},
		`Run bash(echo first …)?`:                                   {"bash", `{"command":"echo first\n` + long + `"}`},
		`Run bash(` + strings.Repeat("x", maxPrompt) + ` …)?`:       {"bash", `{"command":"` + long + `"}`},
		`Run notes__add(` + strings.Repeat("x", maxPrompt) + ` …)?`: {"notes__add", `{"many":[1],"text":"` + long + `"}`},
		`Run notes__add()?`:                                         {"notes__add", `{"many":[1]}`},
	} {
		q := inquiry{Approval: called(call[0], call[1])}
		if q.Summary = call[0] + "(" + call[1] + long + ")"; q.prompt() != want {
			t.Errorf("%s asks %q, not %q", call[1], q.prompt(), want)
		}
	}
}
