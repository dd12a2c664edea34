package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func system(s string) ikigai.Event    { return ikigai.NewEvent(ikigai.KindSystem, s, nil) }
func user(s string) ikigai.Event      { return ikigai.NewEvent(ikigai.KindUser, s, nil) }
func assistant(s string) ikigai.Event { return ikigai.NewEvent(ikigai.KindAssistant, s, nil) }

func call(id, args string) ikigai.Event {
	return ikigai.Message{Kind: ikigai.KindToolCall, Content: "bash(…)",
		Call: &ikigai.ToolCall{ID: id, Name: "bash", Arguments: args}}.Event()
}

func result(id, output string) ikigai.Event {
	return ikigai.Message{Kind: ikigai.KindToolResult, Content: "exit code 0",
		Result: &ikigai.ToolResult{CallID: id, Name: "bash", Output: output, Success: true}}.Event()
}

// fold adds events to a new line, numbering them from 1.
func fold(events ...ikigai.Event) *Line {
	l := New(ikigai.Main)
	for i, e := range events {
		e.Seq = ikigai.Seq(i + 1)
		l.Add(e)
	}
	return l
}

// script writes a conversation a line a message, short enough to compare by eye.
func script(messages []ikigai.Message) string {
	var b strings.Builder
	for _, m := range messages {
		switch m.Kind {
		case ikigai.KindToolCall:
			fmt.Fprintf(&b, "call %s %s %s\n", m.Call.ID, m.Call.Name, m.Call.Arguments)
		case ikigai.KindToolResult:
			output := m.Result.Output
			if strings.Contains(output, "may have run") {
				output = "MAY HAVE RUN"
			}
			fmt.Fprintf(&b, "result %s %s\n", m.Result.CallID, output)
		default:
			fmt.Fprintf(&b, "%s %s\n", m.Kind, m.Content)
		}
	}
	return b.String()
}

func TestLine(t *testing.T) {
	tests := []struct {
		name   string
		events []ikigai.Event
		want   string
	}{
		{"a tool turn", // S1.21, S1.22, S0.23
			[]ikigai.Event{system("s"), user("u"), assistant("a"), call("1", `{"x":1}`), result("1", "r"), assistant("b")},
			"system s\nuser u\nassistant a\ncall 1 bash {\"x\":1}\nresult 1 r\nassistant b\n"},
		{"results come in call order whatever order they were recorded in", // S1.18
			[]ikigai.Event{user("u"), call("1", ""), call("2", ""), call("3", ""), result("3", "c"), result("1", "a"), result("2", "b")},
			"user u\ncall 1 bash {}\ncall 2 bash {}\ncall 3 bash {}\nresult 1 a\nresult 2 b\nresult 3 c\n"},
		{"a call without a result may have run", // P1, S1.19, S2.25, S5.7
			[]ikigai.Event{user("u"), call("1", ""), user("go on")},
			"user u\ncall 1 bash {}\nresult 1 MAY HAVE RUN\nuser go on\n"},
		{"one of several parallel results is missing", // P1
			[]ikigai.Event{user("u"), call("1", ""), call("2", ""), result("2", "b"), user("go on")},
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 MAY HAVE RUN\nresult 2 b\nuser go on\n"},
		{"an open round is answered provisionally", // P1
			[]ikigai.Event{user("u"), call("1", "")},
			"user u\ncall 1 bash {}\nresult 1 MAY HAVE RUN\n"},
		{"a result without a call is left out", // P1
			[]ikigai.Event{user("u"), result("9", "r"), assistant("a"), result("1", "x")},
			"user u\nassistant a\n"},
		{"a second result for a call is left out", // P1
			[]ikigai.Event{user("u"), call("1", ""), result("1", "first"), result("1", "second")},
			"user u\ncall 1 bash {}\nresult 1 first\n"},
		{"a late result is left out",
			[]ikigai.Event{user("u"), call("1", ""), user("v"), result("1", "late")},
			"user u\ncall 1 bash {}\nresult 1 MAY HAVE RUN\nuser v\n"},
		{"two calls of one reply with one id", // P1
			[]ikigai.Event{user("u"), call("1", ""), call("1", ""), result("1", "a"), result("1", "b")},
			"user u\ncall 1 bash {}\ncall call_3 bash {}\nresult 1 a\nresult call_3 b\n"},
		{"the same id in two rounds", // P1
			[]ikigai.Event{user("u"), call("c", ""), result("c", "a"), call("c", ""), result("c", "b")},
			"user u\ncall c bash {}\nresult c a\ncall call_4 bash {}\nresult call_4 b\n"},
		{"an id that the next vendor does not take", // P5
			[]ikigai.Event{user("u"), call(strings.Repeat("x", 41), ""), result(strings.Repeat("x", 41), "a"), call("a b/ä", ""), result("a b/ä", "b")},
			"user u\ncall call_2 bash {}\nresult call_2 a\ncall call_4 bash {}\nresult call_4 b\n"},
		{"empty messages", // P6
			[]ikigai.Event{system(" "), user("u"), assistant(""), assistant(" \n"), user("")},
			"user u\n"},
		{"two system messages", // P6
			[]ikigai.Event{system("one"), user("u"), system("two"), assistant("a")},
			"system two\nuser u\nassistant a\n"},
		{"nothing comes before the person", // P6
			[]ikigai.Event{system("s"), assistant("a"), call("1", ""), result("1", "r"), user("u")},
			"system s\nuser u\n"},
		{"text that vendors refuse", // P2
			[]ikigai.Event{user("a\x00b\xff"), call("1", `{"a":"\ud800 \u0000 \ud83d\ude00 \\ud800"}`), result("1", "\x00\xc3")},
			"user a\uFFFDb\uFFFD\ncall 1 bash {\"a\":\"\\ufffd \\ufffd \\ud83d\\ude00 \\\\ud800\"}\nresult 1 \uFFFD\uFFFD\n"},
		{"arguments that are no JSON object",
			[]ikigai.Event{user("u"), call("1", `{"a":`), call("2", `[1]`), result("1", "r"), result("2", "r")},
			"user u\ncall 1 bash {\"invalid_json\":\"{\\\"a\\\":\"}\ncall 2 bash {\"invalid_json\":\"[1]\"}\nresult 1 r\nresult 2 r\n"},
		{"an interrupted reply",
			[]ikigai.Event{user("u"), ikigai.NewEvent(ikigai.KindInterrupted, "half an ans\n", nil), user("go on")},
			"user u\nassistant half an ans\n\n[This reply was interrupted here.]\nuser go on\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := fold(test.events...).Request().Messages
			if diff := cmp.Diff(test.want, script(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// S3.25, S3.26: side interactions are in the log and not in the history.
func TestLineTakesItsInteractionAlone(t *testing.T) {
	side := user("what is the title?")
	side.Interaction = "title"
	if got := script(fold(user("u"), side).Request().Messages); got != "user u\n" {
		t.Errorf("got %q", got)
	}
}

func TestLineIgnoresDamagedEvents(t *testing.T) {
	damaged := call("1", "")
	damaged.Data = []byte(`{"id": 5}`)
	if got := script(fold(user("u"), damaged).Request().Messages); got != "user u\n" {
		t.Errorf("got %q", got)
	}
}

func TestMemo(t *testing.T) {
	l := fold(system("s"), user("u"))
	first := l.Request()
	for i, e := range []ikigai.Event{assistant("a"), call("1", ""), result("1", "r")} {
		e.Seq = ikigai.Seq(3 + i)
		l.Add(e)
	}
	if l.Request().Memo != first.Memo {
		t.Error("a tool turn lost the memo: every turn would encode the whole conversation")
	}
	l.Add(call("2", ""))
	open := l.Request()
	l.Add(result("2", "r"))
	if l.Request().Memo == open.Memo {
		t.Error("the memo of a request with made-up results was kept")
	}
	l.Add(ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{{Name: "x"}}}))
	if next := l.Request(); next.Memo == open.Memo || len(next.Tools) != 1 {
		t.Error("new tools kept the memo, or were not taken in")
	}
}

// What was kept of a file last is known after a restart, too.
func TestPreImage(t *testing.T) {
	change := func(path, blob string) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{Path: path, Blob: blob})
	}
	l := fold(change("/a", "1"), change("/b", "2"), change("/a", "3"), change("/b", ""))
	for path, want := range map[string]string{"/a": "3", "/b": "2", "/c": ""} {
		if got := l.PreImage(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// P13, S5.6: the conversation after rewinds, clears, marks and forks, which may
// stand in each other's past.
func TestTimeTravel(t *testing.T) {
	mark := ikigai.NewEvent(ikigai.KindMark, "here", nil)
	cleared := ikigai.NewEvent(ikigai.KindClear, "", nil)
	fork := ikigai.NewEvent(ikigai.KindFork, "", ikigai.ForkData{Session: "other", Seq: 3})
	tests := []struct {
		name   string
		events []ikigai.Event
		want   string
	}{
		{"a mark says nothing to the model",
			[]ikigai.Event{user("u"), mark, assistant("a")},
			"user u\nassistant a\n"},
		{"back to a statement",
			[]ikigai.Event{user("u"), assistant("a"), user("v"), assistant("b"), rewind(2), user("w")},
			"user u\nassistant a\nuser w\n"},
		{"back into a round, whose open calls may have run",
			[]ikigai.Event{user("u"), call("1", ""), call("2", ""), result("1", "r"), result("2", "s"), assistant("a"), rewind(4), result("2", "late"), user("v")},
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 r\nresult 2 MAY HAVE RUN\nuser v\n"},
		{"to a branch that was left",
			[]ikigai.Event{user("u"), user("v"), rewind(1), user("w"), rewind(2), assistant("a")},
			"user u\nuser v\nassistant a\n"},
		{"to a place after a rewind",
			[]ikigai.Event{user("u"), user("v"), rewind(1), user("w"), user("x"), rewind(4), assistant("a")},
			"user u\nuser w\nassistant a\n"},
		{"to a rewind",
			[]ikigai.Event{user("u"), user("v"), rewind(1), user("w"), rewind(3), assistant("a")},
			"user u\nassistant a\n"},
		{"to an event of the record",
			[]ikigai.Event{user("u"), mark, user("v"), rewind(2), assistant("a")},
			"user u\nassistant a\n"},
		{"to before everything",
			[]ikigai.Event{mark, system("s"), user("u"), rewind(1), user("v")},
			"user v\n"},
		{"to nowhere",
			[]ikigai.Event{user("u"), rewind(0), rewind(3), rewind(9), user("v")},
			"user u\nuser v\n"},
		{"a clear leaves the system prompt",
			[]ikigai.Event{system("s"), user("u"), call("1", ""), cleared, result("1", "late"), user("v")},
			"system s\nuser v\n"},
		{"back to before a clear",
			[]ikigai.Event{system("s"), user("u"), cleared, user("v"), rewind(2), assistant("a")},
			"system s\nuser u\nassistant a\n"},
		{"an id that was used before a clear",
			[]ikigai.Event{user("u"), call("1", ""), result("1", "r"), cleared, user("v"), call("1", ""), result("1", "s")},
			"user v\ncall 1 bash {}\nresult 1 s\n"},
		{"an id that was used on a branch that was left",
			[]ikigai.Event{user("u"), call("1", ""), result("1", "r"), rewind(1), call("1", ""), result("1", "s")},
			"user u\ncall 1 bash {}\nresult 1 s\n"},
		{"the system prompt of then",
			[]ikigai.Event{system("s"), user("u"), system("t"), rewind(2), user("v")},
			"system s\nuser u\nuser v\n"},
		{"a fork in a round",
			[]ikigai.Event{user("u"), call("1", ""), fork, user("v")},
			"user u\ncall 1 bash {}\nresult 1 MAY HAVE RUN\nuser v\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := fold(test.events...).Request().Messages
			if diff := cmp.Diff(test.want, script(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	l := fold(tools("old"), user("u"), tools("new"), rewind(2), cleared)
	if got := l.Request().Tools; len(got) != 1 || got[0].Name != "new" {
		t.Errorf("tools %v: what is offered is what the program has now", got)
	}
}

// P2: what is told of a tool is clean, too: not all tools are our own.
func TestToolsAreClean(t *testing.T) {
	e := ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{
		{Name: "x", Description: "a\x00b", Schema: []byte(`{"description":"\ud800"}`)}, {Name: "y"},
	}})
	got := fold(e).Request().Tools
	if got[0].Description != "a\uFFFDb" || string(got[0].Schema) != `{"description":"\ufffd"}` || len(got[1].Schema) != 0 {
		t.Errorf("%q", got)
	}
}
