package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/transcript"
)

func call(id, args string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindToolCall, "bash(…)", ikigai.ToolCallData{
		ID: id, Type: "function", Function: ikigai.ToolCallFunction{Name: "bash", Arguments: args}})
}

func result(id, output string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindToolResult, "done", ikigai.ToolResultData{
		ToolCallID: id, Name: "bash", Output: output, Success: true})
}

func says(kind ikigai.Kind, text string) ikigai.Event { return ikigai.NewEvent(kind, text, nil) }

func side(e ikigai.Event) ikigai.Event {
	e.Interaction = "title"
	return e
}

// add takes in events, numbered, and returns all blocks.
func add(t *transcript.Transcript, events ...ikigai.Event) (blocks []transcript.Block) {
	for i, e := range events {
		if e.Seq == 0 {
			e.Seq = ikigai.Seq(i + 1)
		}
		blocks = append(blocks, t.Add(e)...)
	}
	return blocks
}

// outline returns a line for each block: what it is and where it stands.
func outline(blocks []transcript.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		fmt.Fprintf(&b, "%d %s %d.%d", block.Seq, block.Kind, block.Statement, block.Round)
		if block.Interaction != ikigai.Main {
			fmt.Fprintf(&b, " [%s]", block.Interaction)
		}
		switch body := block.Body.(type) {
		case transcript.Call:
			fmt.Fprintf(&b, " %s may have run: %t", body.ID, body.MayHaveRun)
		case transcript.Result:
			fmt.Fprintf(&b, " of %s, known: %t, follows: %t", body.ToolCallID, body.Call != nil, body.Follows)
		case transcript.Change:
			fmt.Fprintf(&b, " of %s, known: %t, follows: %t", body.CallID, body.Call != nil, body.Follows)
		case transcript.Approval:
			fmt.Fprintf(&b, " of %s, known: %t, follows: %t", body.CallID, body.Call != nil, body.Follows)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A live view is spared the changes that the next result tells of, and no
// others; what follows a call follows it then, too.
func TestBrief(t *testing.T) {
	change := func(d ikigai.ChangeData) ikigai.Event { return ikigai.NewEvent(ikigai.KindChange, "", d) }
	fold := transcript.Transcript{Brief: true}
	blocks := add(&fold, says(ikigai.KindUser, "edit"), call("a", "{}"), call("b", "{}"),
		change(ikigai.ChangeData{CallID: "b", Path: "/x", Existed: true}), result("b", "{}"),
		change(ikigai.ChangeData{CallID: "a", Path: "/new"}),
		change(ikigai.ChangeData{CallID: "a", Path: "/x", Existed: true, NotKept: "too large"}),
		change(ikigai.ChangeData{CallID: "a", Path: "/x", Existed: true, Noticed: true}),
		change(ikigai.ChangeData{CallID: "a", Path: "/y", Existed: true}),
		result("a", "{}"),
		change(ikigai.ChangeData{CallID: "a", Path: "/x", Existed: true}),
		change(ikigai.ChangeData{CallID: "a", Noticed: true, Unrecorded: "a notice says why", Files: 2}))
	want := `1 user 1.0
2 tool_call 1.1 a may have run: false
3 tool_call 1.1 b may have run: false
5 tool_result 1.1 of b, known: true, follows: true
6 change 1.0 of a, known: true, follows: false
7 change 1.0 of a, known: true, follows: true
8 change 1.0 of a, known: true, follows: true
10 tool_result 1.1 of a, known: true, follows: true
11 change 1.0 of a, known: false, follows: false
`
	if diff := cmp.Diff(want, outline(blocks)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// S3.24, S3.29
func TestBlocksSayWhereTheyStand(t *testing.T) {
	var fold transcript.Transcript
	blocks := add(&fold,
		says(ikigai.KindSystem, "you are"),
		says(ikigai.KindUser, "first"),
		call("a", "{}"), call("b", "{}"),
		ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{}),
		result("b", "{}"), result("a", "{}"),
		side(says(ikigai.KindUser, "a title")), side(call("a", "{}")), side(result("a", "x")),
		ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{}),
		call("c", "{}"),
		ikigai.NewEvent(ikigai.KindApproval, "", ikigai.ApprovalData{CallID: "c", Allowed: true}),
		ikigai.NewEvent(ikigai.KindChange, "", ikigai.ChangeData{CallID: "c"}),
		result("c", "{}"),
		says(ikigai.KindAssistant, "done"),
		says(ikigai.KindUser, "second"),
		call("d", "{}"),
		ikigai.NewEvent(ikigai.KindChange, "", ikigai.ChangeData{CallID: "other"}),
		result("d", "{}"),
		result("d", "{}"),
	)
	want := `1 system 0.0
2 user 1.0
3 tool_call 1.1 a may have run: false
4 tool_call 1.1 b may have run: false
5 usage 1.0
6 tool_result 1.1 of b, known: true, follows: true
7 tool_result 1.1 of a, known: true, follows: false
8 user 1.0 [title]
9 tool_call 1.1 [title] a may have run: false
10 tool_result 1.1 [title] of a, known: true, follows: true
11 request 1.0
12 tool_call 1.2 c may have run: false
13 approval 1.0 of c, known: true, follows: true
14 change 1.0 of c, known: true, follows: true
15 tool_result 1.2 of c, known: true, follows: true
16 assistant 1.0
17 user 2.0
18 tool_call 2.1 d may have run: false
19 change 2.0 of other, known: false, follows: false
20 tool_result 2.1 of d, known: true, follows: false
21 tool_result 2.1 of d, known: false, follows: false
`
	if diff := cmp.Diff(want, outline(blocks)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := fold.Statements(); got != 2 {
		t.Errorf("%d statements", got)
	}
}

// What belongs to a call stands below it, or below its name.
func TestWhatBelongsToACall(t *testing.T) {
	approval := func(id string, allowed bool) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindApproval, "", ikigai.ApprovalData{CallID: id, Allowed: allowed})
	}
	change := func(id string) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindChange, "", ikigai.ChangeData{CallID: id})
	}
	var fold transcript.Transcript
	blocks := add(&fold,
		call("a", "{}"), call("b", "{}"), call("c", "{}"),
		approval("a", true), change("a"), change("a"), result("a", "{}"),
		approval("b", false), result("b", "{}"),
		change("c"), side(change("c")), result("c", "{}"))
	want := `1 tool_call 0.1 a may have run: false
2 tool_call 0.1 b may have run: false
3 tool_call 0.1 c may have run: false
4 approval 0.0 of a, known: true, follows: false
5 change 0.0 of a, known: true, follows: true
6 change 0.0 of a, known: true, follows: true
7 tool_result 0.1 of a, known: true, follows: true
8 approval 0.0 of b, known: true, follows: false
9 tool_result 0.1 of b, known: true, follows: true
10 change 0.0 of c, known: true, follows: false
11 change 0.0 [title] of c, known: false, follows: false
12 tool_result 0.1 of c, known: true, follows: false
`
	if diff := cmp.Diff(want, outline(blocks)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, denied := range map[int]bool{6: false, 8: true, 11: false} {
		if got := blocks[i].Body.(transcript.Result).Call.Denied; got != denied {
			t.Errorf("block %d: denied: %t", i+1, got)
		}
	}
}

// S2.25, P1: a call without a result is shown as one that may have run, at the
// end of the log and where the conversation goes on, and then no more.
func TestCallWithoutResult(t *testing.T) {
	var fold transcript.Transcript
	add(&fold, says(ikigai.KindUser, "go"), call("a", "{}"), call("b", "{}"), result("a", "{}"))
	want := "3 tool_call 1.1 b may have run: true\n"
	if diff := cmp.Diff(want, outline(fold.Open())); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	next := says(ikigai.KindUser, "go on")
	next.Seq = 5
	if diff := cmp.Diff(want+"5 user 2.0\n", outline(fold.Add(next))); diff != "" {
		t.Errorf("at the next statement (-want +got):\n%s", diff)
	}
	if open := fold.Open(); len(open) != 0 {
		t.Errorf("still open: %s", outline(open))
	}
}

func TestResult(t *testing.T) {
	var fold transcript.Transcript
	r := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{
		ToolCallID: "a", Output: `{"z":1,"a":"two\u00e9","z":[3]}`,
		Executed: json.RawMessage(`{"command":"ls","timeout":30,"list":[1,2]}`)})
	blocks := add(&fold, call("a", `{ "command" : "ls", "list": [ 1, 2 ], "timeout": 5 }`), r)
	got := blocks[1].Body.(transcript.Result)
	field := func(name, value string) transcript.Field {
		return transcript.Field{Name: name, Value: json.RawMessage(value)}
	}
	if diff := cmp.Diff([]transcript.Field{field("z", "1"), field("a", `"two\u00e9"`), field("z", "[3]")}, got.Fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if text, ok := got.Fields[1].Text(); text != "twoé" || !ok {
		t.Errorf("text %q, %t", text, ok)
	}
	if _, ok := got.Fields[0].Text(); ok {
		t.Error("a number is text")
	}
	// S2.89
	if diff := cmp.Diff([]transcript.Field{field("timeout", "30")}, got.Added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	if !got.Received("timeout") || got.Received("working_dir") {
		t.Error("what was received is not known")
	}
}

func TestWhatIsNoObjectHasNoFields(t *testing.T) {
	for _, text := range []string{"", " ", "plain", "[1]", "7", `"x"`, "null", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1}}`, `{"a":1} x`, `{a:1}`, strings.Repeat(`{"a":`, 20_000)} {
		blocks := add(new(transcript.Transcript), result("a", text), call("a", text))
		if f := blocks[0].Body.(transcript.Result).Fields; f != nil {
			t.Errorf("%.20q has fields %v", text, f)
		}
		if f := blocks[1].Body.(transcript.Call).Params; f != nil {
			t.Errorf("%.20q has parameters %v", text, f)
		}
	}
	if f := add(new(transcript.Transcript), result("a", " {} "))[0].Body.(transcript.Result).Fields; f == nil || len(f) > 0 {
		t.Errorf("an empty object has fields %v", f)
	}
}

func TestDamagedDataKeepsTheRest(t *testing.T) {
	e := ikigai.Event{Seq: 7, Kind: ikigai.KindToolCall, Content: "bash(…)",
		Data: json.RawMessage(`{"id":7,"function":{"name":"bash","arguments":"{}"}}`)}
	b := new(transcript.Transcript).Add(e)[0]
	if c := b.Body.(transcript.Call); c.Name != "bash" || b.Text != "bash(…)" || !strings.Contains(b.Damage, "event 7") {
		t.Errorf("got %+v", b)
	}
}

// events returns a session out of a program: each byte is an event.
func events(program []byte, text, data string) (all []ikigai.Event) {
	kinds := []ikigai.Kind{
		ikigai.KindUser, ikigai.KindAssistant, ikigai.KindUsage, ikigai.KindChange, ikigai.KindThinking,
		ikigai.KindSession, ikigai.KindInterrupted, ikigai.KindFeedback, ikigai.KindInteraction, ikigai.KindObjective,
		ikigai.KindProjection, ikigai.KindError,
	}
	for i, c := range program {
		id := string('a' + c>>4&3)
		var e ikigai.Event
		switch n := int(c & 15); {
		case n < 2:
			e = call(id, text)
		case n < 4:
			e = result(id, text)
		default:
			e = ikigai.Event{Kind: kinds[n-4], Content: text, Interaction: ikigai.Main}
			if c>>4&3 == 1 {
				e.Data = json.RawMessage(data)
			}
		}
		if c >= 0xC0 {
			e.Interaction = "title"
		}
		e.Seq = ikigai.Seq(i + 1)
		all = append(all, e)
	}
	return all
}

// ofEvent returns the block of the event itself, which an End may follow.
func ofEvent(blocks []transcript.Block) transcript.Block {
	last := blocks[len(blocks)-1]
	if last.Kind == transcript.End && len(blocks) > 1 {
		return blocks[len(blocks)-2]
	}
	return last
}

// FuzzFold holds that any events can be shown, that every one of them is, that
// they give the same blocks after they were restored, and that a transcript
// can be asked for its open calls at any time without changing.
//
// S2.47, S3.30
func FuzzFold(f *testing.F) {
	f.Add([]byte{8, 0, 10, 4, 9}, `{"a":1}`, `{"tool_call_id":"a"}`)
	f.Add([]byte{8, 0, 16, 32, 20, 8, 0xC0, 0xC4}, "", "7")
	f.Add([]byte{0, 0, 4, 4, 4, 15, 31, 29, 30}, "{", "{}")
	f.Add([]byte{4, 0xDC, 0xC0, 0xC2, 6, 0xC6, 13, 0xCF, 14, 4, 4}, "x", `{"purpose":"task","parent":"title"}`)
	f.Fuzz(func(t *testing.T, program []byte, text, data string) {
		all := events(program, ikigai.CleanText(text), ikigai.CleanText(data))
		whole := add(new(transcript.Transcript), all...)

		var fold, restored transcript.Transcript
		var step, again []transcript.Block
		for _, e := range all {
			blocks := fold.Add(e)
			if own := ofEvent(blocks); own.Seq != e.Seq || own.Kind != e.Kind || own.Text != e.Content {
				t.Errorf("event %+v is shown as %+v", e, own)
			}
			step = append(step, blocks...)
			fold.Open()
			if len(e.Data) > 0 && !json.Valid(e.Data) {
				continue
			}
			var back ikigai.Event
			if err := json.Unmarshal(transcript.JSONLine(e), &back); err != nil {
				t.Fatal(err)
			}
			again = append(again, restored.Add(back)...)
		}
		if diff := cmp.Diff(whole, step); diff != "" {
			t.Errorf("asked in between (-whole +steps):\n%s", diff)
		}
		if json.Valid([]byte(data)) {
			if diff := cmp.Diff(outline(whole), outline(again)); diff != "" {
				t.Errorf("restored (-live +restored):\n%s", diff)
			}
		}
		for _, b := range fold.Open() {
			if c, ok := b.Body.(transcript.Call); !ok || !c.MayHaveRun {
				t.Errorf("open: %+v", b)
			}
		}
	})
}

// P38: one event is one line, whatever it holds, and P42: the line can be
// printed.
func FuzzJSONLine(f *testing.F) {
	f.Add("text\n<b>", `{"b":1,"a":[1, 2]}`, "main")
	f.Add("\u009b2J\u202e\u2028\U000E0041 日本\x7f", `{"a":"`+"\u009b\x7f\ufeff"+`"}`, "")
	f.Add("\xff", "{", "side\n")
	f.Add("", "\"\xff\"", "")
	f.Fuzz(func(t *testing.T, content, data, interaction string) {
		e := ikigai.Event{Session: "s", Seq: 1, ID: "i", Interaction: interaction, Kind: ikigai.KindUser,
			Time: 5, Content: content, Data: json.RawMessage(data)}
		line := transcript.JSONLine(e)
		n := bytes.IndexByte(line, '\n')
		if n != len(line)-1 || !utf8.Valid(line) {
			t.Fatalf("%q is not one line of UTF-8", line)
		}
		for _, r := range string(line[:n]) {
			if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("%q holds %U", line, r)
			}
		}
		var back ikigai.Event
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if utf8.ValidString(content) && back.Content != content {
			t.Errorf("content %q came back as %q", content, back.Content)
		}
		if utf8.ValidString(data) && json.Valid([]byte(data)) {
			var want, got any
			_ = json.Unmarshal([]byte(data), &want)
			_ = json.Unmarshal(back.Data, &got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
		}
	})
}

// The keys of the line are those of the event, in its order, and data keeps
// its own order. S2.24: arguments keep their bytes.
func TestJSONLine(t *testing.T) {
	e := call("c1", `{"b": "<1>", "a":2}`)
	e.Session, e.Seq, e.ID, e.Time = "s", 3, "i", 1_750_000_000_000_000
	want := `{"session":"s","seq":3,"id":"i","interaction":"main","kind":"tool_call","time":1750000000000000,` +
		`"content":"bash(…)","data":{"id":"c1","type":"function","function":{"name":"bash",` +
		`"arguments":"{\"b\": \"<1>\", \"a\":2}"}}}` + "\n"
	if diff := cmp.Diff(want, string(transcript.JSONLine(e))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(transcript.JSONLine(ikigai.Event{Data: json.RawMessage("{\n \"a\" :1}")})); !strings.Contains(got, `"data":{"a":1}`) {
		t.Errorf("got %s", got)
	}
}

// What was passed leaves the same state as what was added: the next statement
// finds the same calls without a result, with the same numbers.
func TestPass(t *testing.T) {
	call := func(id string) ikigai.Event {
		return ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: id, Name: "bash", Arguments: "{}"}}.Event()
	}
	result := func(id string) ikigai.Event {
		return ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Output: "{}"}}.Event()
	}
	user := ikigai.NewEvent(ikigai.KindUser, "u", nil)
	for name, past := range map[string][]ikigai.Event{
		"nothing open":      {user, call("1"), result("1"), user, call("2"), call("3"), result("2"), result("3")},
		"one open":          {user, call("1"), result("1"), call("2"), call("3"), result("3")},
		"left by an answer": {user, call("1"), user, call("2"), result("2")},
	} {
		var added, passed transcript.Transcript
		for i, e := range past {
			e.Seq = ikigai.Seq(i + 1)
			added.Add(e)
			passed.Pass(e)
		}
		next := user
		next.Seq = ikigai.Seq(len(past) + 1)
		if diff := cmp.Diff(added.Add(next), passed.Add(next)); diff != "" {
			t.Errorf("%s: added (-), passed (+)\n%s", name, diff)
		}
	}
}
