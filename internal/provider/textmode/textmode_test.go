package textmode

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/wirejson"
)

// script is a model that answers with the same pieces of text to everything.
type script struct {
	pieces []string
	stop   ikigai.StopReason
	err    error
	got    []ikigai.Request
}

func (s *script) Stream(_ context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	s.got = append(s.got, req)
	return func(yield func(ikigai.Delta, error) bool) {
		for _, p := range s.pieces {
			if !yield(ikigai.Delta{Text: p}, nil) {
				return
			}
		}
		if s.err != nil {
			yield(ikigai.Delta{}, s.err)
			return
		}
		stop := s.stop
		if stop == "" {
			stop = ikigai.StopEnd
		}
		yield(ikigai.Delta{Stop: stop, Usage: &ikigai.Usage{Input: 1}}, nil)
	}
}

var kit = []ikigai.ToolSpec{
	{Name: "bash", Description: "Runs a command.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)},
	{Name: "glob", Description: "Finds files.", Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"}}}`)},
}

// answer returns what becomes of a reply that comes in the given pieces.
func answer(t testing.TB, req ikigai.Request, stop ikigai.StopReason, pieces ...string) providertest.Reply {
	t.Helper()
	r := providertest.Collect(t, New(&script{pieces: pieces, stop: stop}, Options{}), req)
	seen := map[string]bool{}
	for i := range r.Calls {
		id := &r.Calls[i].ID
		if !strings.HasPrefix(*id, "call_") || len(*id) > 40 || seen[*id] {
			t.Fatalf("the ID of a call: %q", *id)
		}
		seen[*id], *id = true, ""
	}
	return r
}

// callsOf returns the calls of a reply in short.
func callsOf(r providertest.Reply) string {
	var all []string
	for _, c := range r.Calls {
		all = append(all, c.Name+" "+c.Arguments)
	}
	return strings.Join(all, "\n")
}

const (
	ls     = `{"tool":"bash","params":{"command":"ls"}}`
	result = `{"tool":"bash","result":{"output":"x"}}`
)

// S0.9, S0.10, and what models write in place of it.
func TestReplies(t *testing.T) {
	for _, tt := range []struct{ name, reply, text, calls string }{
		{"alone", ls, "", `bash {"command":"ls"}`},
		{"white space around it", "\n\n " + ls + "\n", "", `bash {"command":"ls"}`},
		{"white space inside it", "{\n  \"tool\": \"bash\",\n  \"params\": {\n    \"command\": \"ls\"\n  }\n}", "", `bash {"command":"ls"}`},
		{"reasoning", `{"reasoning":"I'll look.","tool_calls":[` + ls + `,{"tool":"glob","params":{}}]}`, "I'll look.", "bash {\"command\":\"ls\"}\nglob {}"},
		{"reasoning beside one call", `{"reasoning":"I'll look.","tool":"bash","params":{"command":"ls"}}`, "I'll look.", `bash {"command":"ls"}`},
		{"a call in the reasoning", `{"reasoning":"{\"tool\":\"bash\",\"params\":{\"command\":\"rm x\"}}","tool_calls":[` + ls + `]}`, `{"tool":"bash","params":{"command":"rm x"}}`, `bash {"command":"ls"}`},
		{"prose before it", "Let me look:\n\n" + ls, "Let me look:", `bash {"command":"ls"}`},
		{"prose and reasoning", "Well.\n" + `{"reasoning":"I'll look.","tool_calls":[` + ls + `]}`, "Well.\n\nI'll look.", `bash {"command":"ls"}`},
		{"in a fence", "Let me look:\n```json\n" + ls + "\n```\n", "Let me look:", `bash {"command":"ls"}`},
		{"in a fence without a word", "```\n" + ls + "\n```", "", `bash {"command":"ls"}`},
		{"in a fence of one line", "```json " + ls + " ```", "", `bash {"command":"ls"}`},
		{"two lines", ls + "\n" + `{"tool":"glob","params":{"pattern":"*"}}`, "", "bash {\"command\":\"ls\"}\nglob {\"pattern\":\"*\"}"},
		{"two fences", "```json\n" + ls + "\n```\n\n```json\n" + ls + "\n```", "", "bash {\"command\":\"ls\"}\nbash {\"command\":\"ls\"}"},
		{"a list", "[" + ls + ", " + ls + "]", "", "bash {\"command\":\"ls\"}\nbash {\"command\":\"ls\"}"},
		{"a result that was made up", ls + "\n\n" + result + "\n" + result + "\n", "", `bash {"command":"ls"}`},
		{"a result that was cut", ls + "\n" + result + result[:len(result)-3], "", `bash {"command":"ls"}`},
		{"a bracket too many", `{"tool":"bash","params":{"command":"ls"}}}` + "\n", "", `bash {"command":"ls"}`},
		{"marks of another dialect", "<tool_call>\n" + ls + "\n</tool_call>\n<tool_call>\n" + ls + "\n</tool_call>", "<tool_call>", "bash {\"command\":\"ls\"}\nbash {\"command\":\"ls\"}"},
		{"no parameters", `{"tool":"glob"}`, "", `glob {}`},
		{"null for parameters", `{"tool":"glob","params":null}`, "", `glob {}`},
		{"parameters beside the name", `{"tool":"bash","command":"ls"}`, "", `bash {"command":"ls"}`},
		{"parameters in a string", `{"tool":"bash","params":"{\"command\":\"ls\"}"}`, "", `bash {"command":"ls"}`},
		{"parameters that are a word", `{"tool":"bash","params":"ls"}`, "", `bash ls`},
		{"names of another dialect", `{"name":"bash","arguments":{"command":"ls"}}`, "", `bash {"command":"ls"}`},
		{"a tool that is not there", `{"tool":"hammer","params":{"weight":3}}`, "", `hammer {"weight":3}`},
		{"lines inside a string", "{\"tool\":\"bash\",\"params\":{\"command\":\"echo a \\\necho\tb\"}}", "", `bash {"command":"echo a \\\necho\tb"}`},
		{"a call of no tool, in another dialect", `{"tool_calls":[{"name":"nosuch","arguments":{}}]}`, "", `nosuch {"name":"nosuch","arguments":{}}`},
		{"a call that does not say how", `{"tool_calls":[{"name":"bash"}]}`, "", `unknown {"name":"bash"}`},
		{"calls that are none", `{"tool_calls":["bash",{"tool":"glob","params":{}}]}`, "", "unknown \"bash\"\nglob {}"},
		{"no calls after all", `{"reasoning":"It is 4.","tool_calls":[]}`, "It is 4.", ""},
		{"no calls in a fence", "```json\n" + `{"reasoning":"It is 4.","tool_calls":[]}` + "\n```\nYes.", "It is 4.\nYes.", ""},
		{"a comma too many", `{"tool":"bash","params":{"command":"ls",}}`, "", `bash {"tool":"bash","params":{"command":"ls",}}`},
		{"a brace too few", `{"tool":"bash","params":{"command":"ls"}`, "", `bash {"tool":"bash","params":{"command":"ls"}`},
		{"broken behind a whole one", ls + "\n" + `{"tool":"glob","params":{"pattern"`, "", "bash {\"command\":\"ls\"}\nglob {\"tool\":\"glob\",\"params\":{\"pattern\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := answer(t, ikigai.Request{Tools: kit}, "", tt.reply)
			if r.Text != tt.text || callsOf(r) != tt.calls {
				t.Errorf("text %q, calls\n%s", r.Text, callsOf(r))
			}
			if want := tt.calls != ""; want != (r.Stop == ikigai.StopToolCalls) {
				t.Errorf("stop %s", r.Stop)
			}
		})
	}
}

// Thinking that a server leaves in the text is thinking, and no call in it is
// one. S0.10
func TestThinking(t *testing.T) {
	for _, tt := range []struct{ reply, thinking, text, calls string }{
		{"<think>\nHm.\n" + ls + "\n</think>\n\nHello.\n", "\nHm.\n" + ls + "\n", "Hello.\n", ""},
		{"\n<think>a</th</think>" + ls, "a</th", "", `bash {"command":"ls"}`},
		{"<think>a</thi", "a</thi", "", ""},
		{"<thin", "", "<thin", ""},
		{"Hi.\n<think>a</think>", "", "Hi.\n<think>a</think>", ""},
	} {
		r := answer(t, ikigai.Request{Tools: kit}, "", tt.reply)
		if r.Thinking != tt.thinking || r.Text != tt.text || callsOf(r) != tt.calls {
			t.Errorf("%q became\n%s", tt.reply, r)
		}
		if bytewise := answer(t, ikigai.Request{Tools: kit}, "", strings.Split(tt.reply, "")...); bytewise.String() != r.String() {
			t.Errorf("%q byte by byte became\n%s", tt.reply, bytewise)
		}
	}
}

// prose is replies that are nothing but text, and stay as they are.
var prose = []string{
	"", "Hello.", "\n\n  Hello.\n", "{", "{}", "[", "[]", "`", "```", "```\n", "{\"", "[{", "Use `{\"tool\":\"bash\"}` here.",
	"Write " + ls + " to list.",
	"- [x] done\n- [ ] to do\n[link](a)\n[\"a\", \"b\"]\n",
	`{"answer": 42}`, `{"reasoning":"It is so.","answer":42}`, `{"tool":"hammer"}`, `{"tool":3,"params":{}}`,
	`{"name":"Bob","arguments":["none"]}`, `{"name":"Bob","age":3}`, `{"tool":"bash","result":{}}`,
	"{\n  \"steps\": [\n    " + ls + "\n  ]\n}\nSo.",
	"```go\n" + ls + "\n```\n", "```json\n{\"a\":1}\n```\nfine\n", "``` one line ```\ntext", "{ braces } and {more",
	"```\ncode\n```\n\n  {not json}\n", "```json\n\nnothing", "[{\"a\":\n" + ls + "\n", "``\n" + "x",
	`{"name":"Bob`, "{'tool':'bash'}", "[" + ls + ",1]", `{"a\"b":` + ls + `}`, "{\"reasoning\": 1, \"x\": \"\\\"}\"}\n",
}

// quoted is calls that are only shown: more stands behind them.
var quoted = []string{
	"Here is how one deletes everything, do not do it:\n" + ls + "\nAs I said, do not do it.",
	"For example:\n```json\n" + ls + "\n```\nThat is how it goes.",
	ls + "\nThis lists the files.", ls + " and so on", ls + "\n\n" + ls + "\nSo.", ls + "\n{", ls + "\n}", ls + "\n[1]", ls + "\n``",
	"```json\n" + ls + "\n```\n```go\nf()\n```", "```json\n" + ls + "\n```python", ls + "\n<b>", ls + "\n</tool_",
	ls + "\n" + result + "\nThere is x.", ls + "\n" + result + "\n" + ls, ls + "\nNow the next:\n" + ls,
	ls + "\n" + `{"tool":"bash","result":{},"more":1}`, ls + "\n" + `{"reasoning":"Do not.","tool_calls":[]}`,
	`{"reasoning":"I'd look.","tool_calls":[` + ls + `]}` + "\nI don't.", ls + "\n" + result + "\n" + `{"tool":"ba`,
}

// A call that prose follows is quoted: it does not run, and no text is lost.
func TestQuotedCalls(t *testing.T) {
	for _, text := range quoted {
		for _, pieces := range [][]string{{text}, strings.Split(text, "")} {
			if r := answer(t, ikigai.Request{Tools: kit}, "", pieces...); r.Text != text || len(r.Calls) > 0 || r.Stop != ikigai.StopEnd {
				t.Errorf("%q in %d pieces became\n%s", text, len(pieces), r)
			}
		}
	}
}

func TestProse(t *testing.T) {
	for _, text := range prose {
		if r := answer(t, ikigai.Request{Tools: kit}, "", text); r.Text != text || len(r.Calls) > 0 || r.Stop != ikigai.StopEnd {
			t.Errorf("%q became\n%s", text, r)
		}
	}
	// Where there are no tools nothing is a call.
	if r := answer(t, ikigai.Request{}, "", ls); r.Text != ls || len(r.Calls) > 0 {
		t.Errorf("without tools:\n%s", r)
	}
}

// P32: a call that was cut off is told as one that was.
func TestCutCall(t *testing.T) {
	whole := "Let me.\n" + `{"reasoning":"I'll look.","tool_calls":[{"tool":"bash","params":{"command":"ls"}}]}`
	for cut := strings.Index(whole, "{") + len(`{"reasoning"`); cut < len(whole); cut++ {
		r := answer(t, ikigai.Request{Tools: kit}, ikigai.StopLength, whole[:cut])
		if r.Stop != ikigai.StopLength || len(r.Calls) != 1 || json.Valid([]byte(r.Calls[0].Arguments)) || r.Text != "Let me." {
			t.Fatalf("%q became\n%s", whole[:cut], r)
		}
	}
}

// An answer in JSON may begin as a call does. Cut off, it is an answer.
func TestCutAnswer(t *testing.T) {
	const cut = `{"reasoning":"It is so beca`
	r := answer(t, ikigai.Request{Tools: kit, Format: &ikigai.Format{Name: "a"}}, ikigai.StopLength, cut)
	if r.Text != cut || len(r.Calls) > 0 {
		t.Errorf("%s", r)
	}
}

// Text is passed on as it comes, as long as it cannot be a call.
func TestTextStreams(t *testing.T) {
	var got []string
	s := &script{pieces: []string{"He", "llo", " you", "\n", "and ", "{x} ", "\n{", `"a`, `":`, "1}"}}
	for d := range New(s, Options{}).Stream(t.Context(), ikigai.Request{Tools: kit}) {
		if d.Text != "" {
			got = append(got, d.Text)
		}
	}
	want := []string{"He", "llo", " you", "\nand ", "{x} ", "\n{\"a\":", "1}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is no text passes as it is, and what broke off keeps its text.
func TestOtherDeltas(t *testing.T) {
	s := &script{pieces: []string{"Hm.\n{"}, err: &ikigai.Error{Kind: ikigai.ErrorServer}}
	if r := providertest.Collect(t, New(s, Options{}), ikigai.Request{Tools: kit}); r.Text != "Hm.\n{" || ikigai.KindOf(r.Err) != ikigai.ErrorServer {
		t.Errorf("%s", r)
	}
	s = &script{pieces: []string{"Hm.\n" + `{"tool":"bash",`}, err: &ikigai.Error{Kind: ikigai.ErrorServer}}
	if r := providertest.Collect(t, New(s, Options{}), ikigai.Request{Tools: kit}); r.Text != "Hm." || len(r.Calls) > 0 {
		t.Errorf("%s", r)
	}
}

// A consumer that has had enough is sent nothing more.
func TestStopEarly(t *testing.T) {
	for most := 1; most < 5; most++ {
		n := 0
		s := &script{pieces: []string{"a", "\n" + `{"reasoning":"b","tool_calls":[` + ls + "," + ls + "]}"}}
		for range New(s, Options{}).Stream(t.Context(), ikigai.Request{Tools: kit}) {
			if n++; n == most {
				break
			}
		}
		if n != most {
			t.Errorf("%d of %d deltas", n, most)
		}
	}
}

// request returns the request that a model without tools gets.
func request(t *testing.T, o Options, conversation string) ikigai.Request {
	t.Helper()
	req, err := providertest.ParseConversation(conversation)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{}
	providertest.Collect(t, New(s, o), req)
	return s.got[0]
}

// D16: calls and results as seed 000 has them, those of a round in one message.
// D17, S4.18: the feedback, then the notes, behind the results.
func TestConversation(t *testing.T) {
	got := request(t, Options{}, `{"tool_choice":"none"}
{"kind":"system","content":"Be terse."}
{"kind":"user","content":"hi"}
{"kind":"assistant","content":"Let me look."}
{"kind":"tool_call","content":"for people","data":{"id":"a1","type":"function","function":{"name":"glob","arguments":"{ \"pattern\": \"*\" }"}}}
{"kind":"tool_call","content":"for people","data":{"id":"a2","type":"function","function":{"name":"bash","arguments":"no JSON"}}}
{"kind":"tool_result","content":"for people","data":{"tool_call_id":"a1","name":"glob","output":"{ \"count\": 0 }","success":true,"ms":3,"note":"Nothing was left out."}}
{"kind":"tool_result","content":"for people","data":{"tool_call_id":"a2","name":"bash","output":"plain","success":false,"ms":3},"feedback":"Tool results feedback:\nTurn 1/50"}
{"kind":"user","content":"Go on."}
{"kind":"user","content":"Now."}
{"kind":"tool_call","content":"for people","data":{"id":"a3","type":"function","function":{"name":"bash","arguments":""}}}
{"kind":"tool_result","content":"for people","data":{"tool_call_id":"a3","name":"bash","output":"{}","success":true,"parts":[{"type":"image","media_type":"image/png"}]},"bytes":["iVBORw=="]}
{"kind":"assistant","content":"Done."}
`)
	want := []ikigai.Message{
		{Kind: ikigai.KindSystem, Content: "Be terse."},
		{Kind: ikigai.KindUser, Content: "hi"},
		{Kind: ikigai.KindAssistant, Content: `{"reasoning":"Let me look.","tool_calls":[{"tool":"glob","params":{"pattern":"*"}},{"tool":"bash","params":"no JSON"}]}`},
		{Kind: ikigai.KindUser, Content: `{"tool":"glob","result":{"count":0}}` + "\n" + `{"tool":"bash","result":"plain"}` + "\n\nTool results feedback:\nTurn 1/50\n\nNothing was left out.\n\nGo on.\n\nNow."},
		{Kind: ikigai.KindAssistant, Content: `{"tool":"bash","params":{}}`},
		{Kind: ikigai.KindUser, Content: `{"tool":"bash","result":{}}`, Parts: []ikigai.Part{
			{Type: ikigai.PartText, Text: "From the result of bash:"}, {Type: ikigai.PartImage, Media: "image/png", Bytes: []byte("\x89PNG")}}},
		{Kind: ikigai.KindAssistant, Content: "Done."},
	}
	if diff := cmp.Diff(want, got.Messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Tools != nil || got.ToolChoice != (ikigai.ToolChoice{}) {
		t.Errorf("tools %v, choice %v", got.Tools, got.ToolChoice)
	}
}

// A model that takes over from one to which the tools were told otherwise gets
// what it would have got from the start.
func TestOtherOptions(t *testing.T) {
	req := ikigai.Request{
		Tools:    []ikigai.ToolSpec{{Name: "bash", Description: "Runs a command.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
		Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}, {Kind: ikigai.KindAssistant, Content: "Hello."}, {Kind: ikigai.KindUser, Content: "Now."}},
		Memo:     new(ikigai.Memo),
	}
	s := &script{}
	providertest.Collect(t, New(s, Options{Compact: true}), req)
	req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindAssistant, Content: "Yes."}, ikigai.Message{Kind: ikigai.KindUser, Content: "Go on."})
	providertest.Collect(t, New(s, Options{}), req)
	req.Memo = nil
	providertest.Collect(t, New(s, Options{}), req)
	if diff := cmp.Diff(s.got[2].Messages, s.got[1].Messages); diff != "" {
		t.Errorf("after another presentation (-want +got):\n%s", diff)
	}
}

// What holds for one request alone stands at its end.
func TestChoice(t *testing.T) {
	for choice, words := range map[string]string{
		"auto": "", "none": "\n\nDo not call a tool now. Answer in plain text.", "required": "\n\nCall a tool now.", "bash": "\n\nCall the tool bash now.",
	} {
		s := &script{}
		model := New(s, Options{})
		req := ikigai.Request{Tools: kit, Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
		providertest.Collect(t, model, req)
		req.ToolChoice = ikigai.ParseToolChoice(choice)
		providertest.Collect(t, model, req)
		if diff := cmp.Diff(s.got[0].Messages[0], s.got[1].Messages[0]); diff != "" {
			t.Errorf("%s changes the system prompt:\n%s", choice, diff)
		}
		if got := s.got[1].Messages[1].Content; got != "hi"+words {
			t.Errorf("%s: %q", choice, got)
		}
	}
	// S1.8: the choice of a tool that is not there goes to no vendor.
	s := &script{}
	r := providertest.Collect(t, New(s, Options{}), ikigai.Request{Tools: kit, ToolChoice: ikigai.ParseToolChoice("bsh")})
	if ikigai.KindOf(r.Err) != ikigai.ErrorUsage || len(s.got) > 0 {
		t.Errorf("%v, %d requests", r.Err, len(s.got))
	}
}

// The form of the answer does not keep the model from calling tools: it is told
// in the system prompt, and the vendor is told once no tool may be called.
func TestFormat(t *testing.T) {
	format := &ikigai.Format{Name: "a", Schema: json.RawMessage(`{"type": "object"}`)}
	s := &script{}
	memo := new(ikigai.Memo)
	req := ikigai.Request{Tools: kit, Memo: memo, Messages: []ikigai.Message{
		{Kind: ikigai.KindUser, Content: "hi"}, {Kind: ikigai.KindAssistant, Content: "hi"}, {Kind: ikigai.KindUser, Content: "more"}}}
	send := func(tools []ikigai.ToolSpec, f *ikigai.Format, mode ikigai.ToolChoiceMode) ikigai.Request {
		req.Tools, req.Format, req.ToolChoice.Mode = tools, f, mode
		providertest.Collect(t, New(s, Options{}), req)
		return s.got[len(s.got)-1]
	}
	free := send(kit, nil, "")
	for mode, want := range map[ikigai.ToolChoiceMode]*ikigai.Format{ikigai.ToolChoiceAuto: nil, ikigai.ToolChoiceNone: format} {
		got := send(kit, format, mode)
		if got.Format != want || !strings.HasSuffix(got.Messages[0].Content, "which fits this JSON Schema:\n{\"type\":\"object\"}") {
			t.Errorf("%q: format %v, system prompt\n%s", mode, got.Format, got.Messages[0].Content)
		}
	}
	if got := send(kit, nil, ""); !cmp.Equal(got.Messages, free.Messages) {
		t.Errorf("the form stays when it is gone:\n%s", got.Messages[0].Content)
	}
	req.Memo = nil
	if got := send(nil, format, ""); got.Format != format || len(got.Messages) != 3 {
		t.Errorf("without tools: %+v", got)
	}
}

// The message that a vendor refuses is found again among those that it was
// made of.
func TestErrorPosition(t *testing.T) {
	req := ikigai.Request{Tools: kit, Messages: []ikigai.Message{
		{Kind: ikigai.KindUser, Content: "hi"},
		{Kind: ikigai.KindAssistant, Content: "a"},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "bash"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1", Name: "bash"}},
		{Kind: ikigai.KindAssistant, Content: "b"},
	}}
	for inner, want := range map[int]int{0: 0, 1: 0, 2: 1, 3: 3, 4: 4, 5: 5, 6: 0} {
		s := &script{err: &ikigai.Error{Kind: ikigai.ErrorBadRequest, Message: inner}}
		r := providertest.Collect(t, New(s, Options{}), req)
		if got := r.Err.(*ikigai.Error).Message; got != want {
			t.Errorf("message %d is said to be %d, not %d", inner, got, want)
		}
	}
}

// plain is a wire that writes messages as they are.
type plain struct{}

func (plain) Path(ikigai.Request) string { return "" }

func (plain) Head(req ikigai.Request) ([][]byte, int) {
	return [][]byte{append(wirejson.AppendMember([]byte(`{"tools":0`), "max", wirejson.Marshal(req.MaxOutput)), `,"messages":[`...)}, 0
}

func (plain) Append(b []byte, messages []ikigai.Message, _ bool) []byte {
	for _, m := range messages {
		b = append(append(b, wirejson.Marshal([]any{m.Kind, m.Content, m.Parts})...), ',')
	}
	return b
}

func (plain) Decode(*provider.Reply, func(ikigai.Delta) bool) error { return nil }

// FuzzPresent holds that the conversation that a model without tools gets grows
// as the one that it is made of, byte for byte, with a memo or without. S2.34,
// P27.
func FuzzPresent(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		providertest.CheckGrowth(t, a, b, func(req ikigai.Request) ([]byte, ikigai.Sent) {
			inner, sources := present(req, Options{})
			if len(sources) != len(inner.Messages) || inner.Tools != nil {
				t.Fatalf("%d sources of %d messages, tools %v", len(sources), len(inner.Messages), inner.Tools)
			}
			body, sent := provider.Encode("acme/x", plain{}, inner)
			return bytes.Join(body, nil), sent
		})
	})
}

// FuzzCalls holds that calls that were presented are read as they were, with
// their reasoning.
func FuzzCalls(f *testing.F) {
	f.Add("why", "bash", `{"command":"ls"}`, "x", "no JSON", 3)
	f.Add("", "bash", ``, "", "", 0)
	f.Add("", "a\"b", `{"a":"}\n{\"tool\":1}"}`, "name", `[1]`, 9)
	f.Fuzz(func(t *testing.T, reasoning, name, arguments, other, more string, split int) {
		reasoning, name, arguments, other, more = clean(reasoning), clean(name), clean(arguments), clean(other), clean(more)
		calls := []*ikigai.ToolCall{{Name: name, Arguments: arguments}}
		if other != "" {
			calls = append(calls, &ikigai.ToolCall{Name: other, Arguments: more})
		}
		text := string(appendCalling(nil, reasoning, calls))
		split = min(max(split, 0), len(text))
		r := answer(t, ikigai.Request{Tools: kit}, "", text[:split], text[split:])
		if r.Text != reasoning || len(r.Calls) != len(calls) {
			t.Fatalf("%s became\n%s", text, r)
		}
		for i, c := range r.Calls {
			if c.Name != calls[i].Name || c.Arguments != sent(calls[i].Arguments) {
				t.Fatalf("%s became\n%s", text, r)
			}
		}
	})
}

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// sent returns arguments as they come out again: objects without white space.
func sent(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return string(wirejson.AppendJSON(nil, json.RawMessage(trimmed)))
	}
	return arguments
}

// FuzzReply holds that it does not matter in what pieces a reply comes, that
// text without a call stays as it is, and that no call is whole which prose follows.
func FuzzReply(f *testing.F) {
	for i, text := range prose {
		f.Add(text, i, 2*i)
		f.Add(text+"\n"+ls, i, 5*i)
		f.Add("```json\n"+ls+"\n```\n"+text, i, 3*i)
	}
	for i, text := range quoted {
		f.Add(text, i, 3*i)
	}
	f.Fuzz(func(t *testing.T, text string, i, j int) {
		i = min(max(i, 0), len(text))
		j = min(max(j, i), len(text))
		req := ikigai.Request{Tools: kit}
		whole := answer(t, req, "", text)
		if diff := cmp.Diff(whole.String(), answer(t, req, "", text[:i], text[i:j], text[j:]).String()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
		if len(whole.Calls) == 0 && !strings.Contains(text, "reasoning") && !strings.Contains(text, thinkBegins) && whole.Text != text {
			t.Fatalf("%q became %q", text, whole.Text)
		}
		for _, c := range answer(t, req, "", text+"\nSo much for that.").Calls {
			if !strings.HasSuffix(c.Arguments, "\nSo much for that.") {
				t.Fatalf("%q and prose became a call of %q", text, c.Arguments)
			}
		}
	})
}

// Byte by byte, too.
func TestByteByByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		text := prose[r.IntN(len(prose))] + "\n" + prose[r.IntN(len(prose))] + "\n" + ls
		whole := answer(t, ikigai.Request{Tools: kit}, "", text).String()
		if diff := cmp.Diff(whole, answer(t, ikigai.Request{Tools: kit}, "", strings.Split(text, "")...).String()); diff != "" {
			t.Fatalf("%q (-whole +bytes):\n%s", text, diff)
		}
	}
}
