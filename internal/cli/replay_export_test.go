package cli

import (
	"os"
	"strings"
	"testing"
)

// A session that was exported as a script, played, and exported again is the same
// script: what was said, answered, called and given back is the same, whatever
// it holds.
func TestScriptOfASession(t *testing.T) {
	t.Parallel()
	script := `user: one
think: {{"  It begins with blanks"}}
say:
  {{"  two blanks"}}
  {{"{{"}}braces}} and {single
  {{"a carriage return\r"}}

  {{"blanks at the end  "}}
  {{""}}
call: bash {"command": "printf 'x{{"{{"}}y\n  z'"}
call: bash {"command": 7}
call: none {{"  "}}not json{{" "}}
usage: input 120 output 30 cached 100 reasoning 10

reply:
say: fine

user: two
say: # no comment
finish: length

user:
  several lines

    with * and /slashes/
say: user: nobody
`
	p := newPlace(t, idle)
	must(t, os.WriteFile(p.file("first.script"), []byte(script), 0o600))
	p.run(exitAnswered, "demo", "first.script", "--database", p.database)
	first := p.run(exitAnswered, "export", "--format", "script").out.String()
	must(t, os.WriteFile(p.file("second.script"), []byte(first), 0o600))
	second := p.root + "/second.db"
	p.run(exitAnswered, "demo", "second.script", "--database", second)
	if got := p.run(exitAnswered, "export", "--format", "script", "--database", second).out.String(); withoutHead(got) != withoutHead(first) {
		t.Errorf("first:\n%s\nsecond:\n%s", first, got)
	}
	for _, want := range []string{"\nuser: one\n", `{{"  two blanks"}}`, `{{"{{braces}} and {single"}}`, `{{"a carriage return\r"}}`, `{{"  "}}not json{{" "}}`, "\nfinish: length\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in the script:\n%s", want, first)
		}
	}
	messages := func(database string) string {
		return p.run(exitAnswered, "sql", "--database", database, "SELECT kind, content, CASE WHEN kind <> 'tool_result' THEN data END FROM events WHERE kind IN ('user', 'assistant', 'tool_call', 'tool_result', 'thinking') ORDER BY seq").out.String()
	}
	if one, two := messages(p.database), messages(second); one != two {
		t.Errorf("the conversation was\n%s\nand is\n%s", one, two)
	}
}

// withoutHead returns a script without the line that names the session.
func withoutHead(script string) string {
	_, rest, _ := strings.Cut(script, "\n")
	return rest
}

// A session in which something was said that is not one plain line, such as one to
// which a file is attached, is played like any other.
func TestScriptOfOddStatements(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: *\nsay: Fine.\n")
	must(t, os.WriteFile(p.file("att.txt"), []byte("a\tb  \r\nc\n"), 0o600))
	p.run(exitAnswered, "run", "--file", "att.txt", "Review this")
	p.run(exitAnswered, "run", "--continue", "go on")
	p.run(exitAnswered, "run", "--continue", "*")
	p.run(exitAnswered, "export", "--format", "script", "-o", p.file("it.script"))
	if out := p.run(exitAnswered, "replay", "it.script").out.String(); out != "3 statements: no difference\n" {
		t.Errorf("%s", out)
	}
	script, err := os.ReadFile(p.file("it.script"))
	if err != nil || !strings.Contains(string(script), "\nuser: go on\n") || strings.Contains(string(script), "\nuser: *\n") {
		t.Errorf("%v\n%s", err, script)
	}
}

// What was said twice is played in its order, and a script that expects what its
// tools gave tells when they give something else.
func TestScriptThatExpects(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: look\ncall: bash {\"command\": \"cat name.txt\"}\nreply:\nsay: Fine.\n")
	must(t, os.WriteFile(p.file("name.txt"), []byte("Ada Lovelace\n"), 0o600))
	p.run(exitAnswered, "run", "look")
	p.run(exitAnswered, "export", "--format", "script", "--expect", "-o", p.file("it.script"))
	p.run(exitAnswered, "replay", "it.script")
	must(t, os.WriteFile(p.file("name.txt"), []byte("Bob\n"), 0o600))
	p.run(exitDiffers, "replay", "it.script").out.awaitText(t, "Ada Lovelace")
	p.run(exitUsage, "export", "--expect").err.awaitText(t, "Add --format script")
	p.run(exitAnswered, "run", "--continue", "look")
	p.run(exitAnswered, "export", "--format", "script", "-o", p.file("twice.script"))
	if said, err := os.ReadFile(p.file("twice.script")); err != nil || strings.Count(string(said), "user: look\n") != 2 {
		t.Errorf("what was said twice:\n%s", said)
	}
	if out := p.run(exitAnswered, "replay", "twice.script").out.String(); out != "2 statements: no difference\n" {
		t.Errorf("%s", out)
	}
}

// What happened beside the conversation is in the script, too, and what was said
// twice is answered in its order: the script plays the whole session.
func TestScriptOfSideInteractions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, idle)
	must(t, os.WriteFile(p.file("first.script"), []byte(`user: look
call: delegate_tasks {"tasks": [{"title": "See", "instructions": "See what there is."}]}
reply:
say: Seen.
user: look
say: Seen again.
side: task See
call: bash {"command": "echo one"}
reply:
expect: one
say: There is one.
side: objective
say: {"objective": "See what there is", "goal": "An overview", "title": "Overview"}
`), 0o600))
	must(t, os.WriteFile(p.root+"/home/.config/ikigai/config.json", []byte(`{"objectives": "model"}`), 0o600))
	export := func(script, database string) string {
		p.run(exitAnswered, "demo", script, "--database", database)
		return p.run(exitAnswered, "export", "--format", "script", "--database", database).out.String()
	}
	first := export("first.script", p.root+"/first.db")
	for _, want := range []string{"\nside: objective\n", "\nside: task See\ncall: bash ", "say: There is one.", "say: Seen again."} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in the script:\n%s", want, first)
		}
	}
	must(t, os.WriteFile(p.file("second.script"), []byte(first), 0o600))
	if second := export("second.script", p.root+"/second.db"); !strings.Contains(second, "say: There is one.") || !strings.Contains(second, "say: Seen again.") {
		t.Errorf("played again:\n%s", second)
	}
	if out := p.run(exitAnswered, "replay", "second.script").out.String(); out != "2 statements: no difference\n" {
		t.Errorf("%s", out)
	}
}
