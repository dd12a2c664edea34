package scriptserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// request wraps messages into a small request.
func small(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
}

func withTools(fields string) string {
	return `{"model":"m","messages":[` + user("x") + `],` + fields + `}`
}

func TestCheckAccepts(t *testing.T) {
	system := `{"role":"system","content":"s"}`
	for name, body := range map[string]string{
		"one user message":          small(user("x")),
		"system first":              small(system, user("x")),
		"content parts":             small(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`),
		"a round":                   small(user("x"), called("a"), result("a", "")),
		"parallel calls":            small(user("x"), called("a", "b"), result("a", "1"), result("b", "2")),
		"results in another order":  small(user("x"), called("a", "b"), result("b", "2"), result("a", "1")),
		"two rounds":                small(user("x"), called("a"), result("a", ""), called("b"), result("b", ""), user("y")),
		"text beside calls":         small(user("x"), strings.Replace(called("a"), "null", `"text"`, 1), result("a", "")),
		"broken arguments":          small(user("x"), strings.Replace(called("a"), `"{}"`, `"{\"a"`, 1), result("a", "")),
		"tool content in parts":     small(user("x"), called("a"), `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"1"}]}`),
		"refusal":                   small(user("x"), `{"role":"assistant","refusal":"no"}`, user("y")),
		"reasoning of a dialect":    small(user("x"), `{"role":"assistant","content":"a","reasoning_content":"b"}`),
		"surrogate pair":            small(`{"role":"user","content":"\ud83d\ude00 \\ud800 \\u0000"}`),
		"tools and a choice":        withTools(`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"a"}}`),
		"tools and required":        withTools(`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"required","parallel_tool_calls":false`),
		"no tools and no call":      withTools(`"tool_choice":"none"`),
		"fields of later protocols": withTools(`"new":{"a":1}`),
	} {
		if err := Check([]byte(body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	tools := func(list string) string { return withTools(`"tools":` + list) }
	for _, test := range []struct{ name, body, want string }{
		// Calls and results that do not pair.
		{"call without result", small(user("x"), called("a")), "messages.[2].role: An assistant message with 'tool_calls' must be followed"},
		{"call without result, then user", small(user("x"), called("a"), user("y")), "messages.[2].role: An assistant message with 'tool_calls'"},
		{"one of two results missing", small(user("x"), called("a", "b"), result("a", ""), user("y")), "did not have response messages: b"},
		{"result without call", small(user("x"), result("a", "")), "messages.[1].role: Messages with role 'tool' must be a response"},
		{"result after text", small(user("x"), called("a"), result("a", ""), user("y"), result("a", "")), "messages.[4].role: Messages with role 'tool'"},
		{"result of another call", small(user("x"), called("a"), result("b", "")), `messages.[2].tool_call_id: No call of the assistant message before has the id "b"`},
		{"two results", small(user("x"), called("a"), result("a", ""), result("a", "")), "messages.[3].tool_call_id: No call"},
		{"two calls with one id", small(user("x"), called("a", "a"), result("a", ""), result("a", "")), `messages.[1].tool_calls.[1].id: Two tool calls have the id "a"`},
		{"two calls with one id, apart", small(user("x"), called("a"), result("a", ""), called("a"), result("a", "")), `messages.[3].tool_calls.[0].id: Two tool calls`},
		{"result without id", small(user("x"), called("a"), `{"role":"tool","content":""}`), "messages.[2].tool_call_id: Missing"},
		{"result null", small(user("x"), called("a"), `{"role":"tool","tool_call_id":"a","content":null}`), "messages.[2].content: The content of a tool message must not be null"},

		// Text that is not clean.
		{"lone surrogate", small(`{"role":"user","content":"a\ud800b"}`), `the lone surrogate \ud800 at byte 52`},
		{"low surrogate", small(`{"role":"user","content":"\udc00"}`), `the lone surrogate \udc00`},
		{"two high surrogates", small(`{"role":"user","content":"\ud800\ud800\udc00"}`), `the lone surrogate \ud800`},
		{"NUL", small(`{"role":"user","content":"\u0000"}`), `\u0000 at byte`},
		{"invalid UTF-8", small("{\"role\":\"user\",\"content\":\"\xff\"}"), "The body is not valid UTF-8"},

		// Ids and names that a vendor does not take.
		{"long id", small(user("x"), called(strings.Repeat("a", 41))), "messages.[1].tool_calls.[0].id: The id"},
		{"empty id", small(user("x"), called("")), "messages.[1].tool_calls.[0].id: The id"},
		{"odd name", small(user("x"), strings.Replace(called("a"), "bash", "ba sh", 1)), "messages.[1].tool_calls.[0].function.name"},

		// Empty messages.
		{"empty user message", small(user("")), "messages.[0].content: The message is empty"},
		{"empty part", small(`{"role":"user","content":[{"type":"text","text":""}]}`), "messages.[0].content.[0].text: The text of a content part is empty"},
		{"no parts", small(`{"role":"user","content":[]}`), "messages.[0].content: The list of content parts is empty"},
		{"neither text nor calls", small(user("x"), `{"role":"assistant","content":""}`), "messages.[1].content: The assistant message has neither"},
		{"null and no calls", small(user("x"), `{"role":"assistant","content":null}`), "messages.[1].content: The assistant message has neither"},
		{"empty list of calls", small(user("x"), `{"role":"assistant","content":"a","tool_calls":[]}`), "messages.[1].tool_calls: The list of tool_calls is empty"},
		{"two system messages", small(`{"role":"system","content":"a"}`, `{"role":"system","content":"b"}`), "messages.[1].role: A system message stands behind others"},

		{"no JSON", "{", "The body is not valid JSON"},
		{"two values", small(user("x")) + "{}", "The body is not valid JSON"},
		{"no model", `{"messages":[` + user("x") + `]}`, "model: You must provide a model"},
		{"no messages", `{"model":"m"}`, "messages: There are no messages"},
		{"unknown role", small(`{"role":"robot","content":"a"}`), `messages.[0].role: "robot" is no role`},
		{"content a number", small(`{"role":"user","content":3}`), "messages.[0].content: Input should be an array, not 3"},
		{"arguments an object", small(user("x"), strings.Replace(called("a"), `"{}"`, `{}`, 1)), "messages.[1].tool_calls.[0].function.arguments: Missing"},
		{"no arguments", small(user("x"), strings.Replace(called("a"), `,"arguments":"{}"`, ``, 1)), "messages.[1].tool_calls.[0].function.arguments: Missing"},
		{"calls of a user", small(`{"role":"user","content":"a","tool_calls":[]}`), "messages.[0].tool_calls: Only assistant messages"},
		{"image in a result", small(user("x"), called("a"), `{"role":"tool","tool_call_id":"a","content":[{"type":"image_url"}]}`), `A tool message has no content of type "image_url"`},
		{"stream options alone", withTools(`"stream_options":{"include_usage":true}`), "stream_options: "},
		{"empty list of tools", tools(`[]`), "tools: The list of tools is empty"},
		{"tool without a type", tools(`[{"name":"a"}]`), `tools.[0].type: Missing`},
		{"tool with an odd name", tools(`[{"type":"function","function":{"name":"a.b"}}]`), `tools.[0].function.name: "a.b" is no name`},
		{"tool with a long name", tools(fmt.Sprintf(`[{"type":"function","function":{"name":%q}}]`, strings.Repeat("a", 65))), "tools.[0].function.name"},
		{"two tools of one name", tools(`[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]`), `tools.[1].function.name: Two tools are named "a"`},
		{"schema of no object", tools(`[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]`), "tools.[0].function.parameters: The schema"},
		{"choice without tools", withTools(`"tool_choice":"auto"`), "tool_choice: tool_choice is only allowed when"},
		{"parallel without tools", withTools(`"parallel_tool_calls":true`), "parallel_tool_calls: "},
		{"unknown choice", withTools(`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"any"`), `tool_choice: "any" is no tool choice`},
		{"choice of an unknown tool", withTools(`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`), "tool_choice: The tool choice names no function"},
	} {
		if err := Check([]byte(test.body)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
		}
	}
}

// TestRefusalForm covers the form in which a vendor refuses.
func TestRefusalForm(t *testing.T) {
	c := serve(t, Options{}, "user: *\nsay: a\n")
	status, answer, header, err := c.post(body(user("x"), result("a", "")))
	want := `{"error":{"message":"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",` +
		`"type":"invalid_request_error","param":"messages.[1].role","code":null}}`
	if status != 400 || answer != want || header.Get("Content-Type") != "application/json" || err != nil {
		t.Errorf("%d %v %v\n%s\nwant\n%s", status, header, err, answer, want)
	}
	if refused := c.srv.Refused(); len(refused) != 1 {
		t.Errorf("refused: %v", refused)
	}
}

// FuzzCheck states that white space between the tokens of a request changes
// nothing, and that what is accepted is JSON in clean UTF-8.
func FuzzCheck(f *testing.F) {
	f.Add(small(user("x")))
	f.Add(body(user("x"), called("a", "b"), result("a", "1"), result("b", "2"), user("y")))
	f.Add(small(`{"role":"user","content":"\ud83d\ude00\ud800"}`))
	f.Add(withTools(`"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"a"}}`))
	f.Fuzz(func(t *testing.T, body string) {
		err := Check([]byte(body))
		var indented bytes.Buffer
		if json.Indent(&indented, []byte(body), " ", "\t") != nil {
			if err == nil {
				t.Fatal("accepted what is not JSON")
			}
			return
		}
		if again := Check(indented.Bytes()); (err == nil) != (again == nil) {
			t.Fatalf("%v, but with white space %v", err, again)
		}
	})
}
