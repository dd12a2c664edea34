package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// In the front a call is shown whole before it runs, an edit as what would become
// of the file as it is now; the person says yes once, for the session or by a rule,
// or no, with words that the model is told. The log says who has allowed what.
// S2.81, P42
func TestFrontAsks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "touch a"}

reply:
call: bash {"command": "touch b \u001b]0;owned\u0007"}
call: file_edit {"path": "src/text", "edits": [{"old": "two", "new": "zwei\ndrei"}]}

reply:
call: file_write {"path": "src/text", "content": "nothing\n"}
call: file_edit {"path": "src/text", "edits": [{"old": "one", "new": "eins"}]}

reply:
expect: the person said no: leave that file
say: As you like.
`)
	must(t, os.Mkdir(p.file("src"), 0o755))
	must(t, os.WriteFile(p.file("src/text"), []byte("one\ntwo\nthree\n"), 0o644))
	s := p.types("--approval", "ask")
	s.enters("work")
	s.asked("Run bash(touch a)?", "s yes, bash(touch *) in this session")
	s.Send("s")
	s.asked("Run bash(", "this very call") // it is no simple command
	if title := s.Format("#{pane_title}"); strings.Contains(title, "owned") {
		t.Errorf("a command has set the title to %q", title)
	}
	s.Send("y")
	s.asked("Run file_edit(src/text)?", "-two", "+zwei", "+drei", "r yes, and save a rule")
	if got := strings.Join(p.lines("src/text"), " "); got != "one two three" {
		t.Errorf("before it is allowed the file holds %q", got)
	}
	s.Send("r")
	s.WaitFor("› file_edit(src/text)")
	s.Send("C-w")
	s.Type("file_edit(src/**)")
	s.WaitFor("› file_edit(src/**)")
	s.Send("Enter")
	s.asked("Run file_write(", "-zwei", "+nothing")
	s.Send("w")
	s.Type("leave that file")
	s.WaitFor("› leave that file")
	s.Send("Enter")
	s.answered("As you like.")
	s.leaves()
	if got := strings.Join(p.lines("src/text"), " "); got != "eins zwei drei three" {
		t.Errorf("the file holds %q", got)
	}
	want := []string{
		"bash: by the person, for this session", "bash: by the person, once",
		"file_edit: by the person, with the rule file_edit(src/**)",
		"file_write denied: the person said no: leave that file",
		"file_edit: by the rule file_edit(src/**)",
	}
	if got := verdicts(t, p.log()); !slices.Equal(got, want) {
		t.Errorf("the log has %q", got)
	}
}

// asked waits until a question stands on the screen, with all that it is about.
func (s *typist) asked(texts ...string) {
	s.t.Helper()
	s.Until("the question "+texts[0], func(screen string) bool {
		at := strings.LastIndex(screen, texts[0])
		return at >= 0 && strings.Contains(screen[at:], "y yes, once") &&
			!slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(unbroken(screen), unbroken(text)) })
	})
}

// verdicts returns who has said what of which calls.
func verdicts(t *testing.T, events []ikigai.Event) (all []string) {
	t.Helper()
	for _, e := range of(ikigai.KindApproval, events) {
		var d ikigai.ApprovalData
		must(t, e.DecodeData(&d))
		if !d.Allowed {
			d.Name += " denied"
		}
		all = append(all, d.Name+": "+d.Reason)
	}
	return all
}

// With plan only tools that read run, and the model is told to make a plan. It is
// switched in mid-session without a change of what was sent before.
func TestFrontPlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: glob {"pattern": "*"}
call: bash {"command": "touch a"}

reply:
expect: answer with the plan
say: I would touch a.

user: do it
call: bash {"command": "touch a"}

reply:
say: Done.
`)
	s := p.types("--approval", "plan")
	s.enters("work")
	s.answered("I would touch a.")
	if _, err := os.Stat(p.file("a")); err == nil {
		t.Error("something was changed")
	}
	s.says("/approval never", "Approval is never: tools run without asking.")
	s.enters("do it")
	s.answered("Done.")
	if _, err := os.Stat(p.file("a")); err != nil {
		t.Error(err)
	}
	s.says("/approval nonsense", "Choose never, ask, plan or deny.")
	s.leaves()
	all := p.server.Requests()
	for i := range all[1:] {
		before := strings.TrimRight(string(all[i].Body), "]}")
		if !strings.HasPrefix(string(all[i+1].Body), before) {
			t.Errorf("request %d does not begin as the one before it:\n%s\n%s", i+2, all[i].Body, all[i+1].Body)
		}
	}
	if got := verdicts(t, p.log()); len(got) != 1 || !strings.HasPrefix(got[0], "bash denied: the person wants a plan first") {
		t.Errorf("the log has %q", got)
	}
}

// In lines a question is answered by a key or its words, and nothing that was not
// asked for counts as a yes. S2.81, P26
func TestFrontAsksInLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "touch once"}
call: bash {"command": "touch never"}
call: file_write {"path": "a.txt", "content": "one\n"}
call: file_write {"path": "b.txt", "content": "two\n"}
call: file_write {"path": "c/c.txt", "content": "three\n"}

reply:
expect: the person said no: not there
say: As you like.
`)
	shown := p.inLines([]lineStep{
		{"you: ", "work\n"},
		{"s: yes, bash(touch *) in this session", ""},
		{"answer: ", "\n"},
		{"Answer with one of: y, s, r, n, w.", ""},
		{"answer: ", "yes, once\n"},
		{"touch never", ""},
		{"answer: ", "n\n"},
		{"r: yes, and save a rule", ""},
		{"answer: ", "r\n"},
		{`an empty line is "file_write(a.txt)": `, "file_write(\n"},
		{"is no rule", ""},
		{"answer: ", "r\n"},
		{`an empty line is "file_write(a.txt)": `, "\n"},
		{"s: yes, file_write(*) in this session", ""},
		{"answer: ", "s\n"},
		{"c/c.txt", ""},
		{"answer: ", "w\n"},
		{"in words: ", "not there\n"},
		{"As you like.\r\nyou: ", "\x04"},
	}, "TERM=dumb", "--approval", "ask")
	want := []string{
		"bash: by the person, once", "bash denied: the person said no", "file_write: by the person, with the rule file_write(a.txt)",
		"file_write: by the person, for this session", "file_write denied: the person said no: not there",
	}
	if got := verdicts(t, p.log()); !slices.Equal(got, want) {
		t.Errorf("the log has %q, and there was\n%s", got, shown)
	}
}

// On 20 columns all of a call can be read before it is allowed.
func TestFrontAsksNarrow(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "echo one two three four five six seven eight nine ten > file"}

reply:
say: As you like.
`)
	s := p.typesOn(20, "scripted", "--approval", "ask")
	s.enters("work")
	s.Until("the question", func(screen string) bool {
		question := screen[strings.LastIndex(screen, "Run")+1:]
		return strings.Contains(unbroken(screen), unbroken("one two three four five six seven eight nine ten > file")) &&
			strings.Contains(question, "w no, with words")
	})
	s.Send("y")
	s.answered("As you like.")
	s.leaves()
	if got := verdicts(t, p.log()); !slices.Equal(got, []string{"bash: by the person, once"}) {
		t.Errorf("the log has %q", got)
	}
}
