package scriptserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ikigai"
)

// TestMain fails if a server leaves anything running after Close.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a plain HTTP client of a server.
type client struct {
	t    *testing.T
	srv  *Server
	http http.Client
}

func serve(t *testing.T, o Options, script string) *client {
	t.Helper()
	s, err := Parse("test", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := o.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, srv: srv}
	c.http.Transport = &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// body returns a streaming request with the given messages.
func body(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `],"stream":true,"stream_options":{"include_usage":true},` +
		`"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}]}`
}

func user(text string) string {
	return fmt.Sprintf(`{"role":"user","content":%s}`, appendJSON(nil, text))
}

func called(ids ...string) string {
	var calls []string
	for _, id := range ids {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"bash","arguments":"{}"}}`, id))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func result(id, content string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, appendJSON(nil, content))
}

// post sends a body and returns what comes back, with the error of reading it.
func (c *client) post(body string) (status int, answer string, header http.Header, err error) {
	c.t.Helper()
	resp, err := c.http.Post(c.srv.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header, err
}

// got is a streamed reply put together.
type got struct {
	Say, Think string
	Calls      []string // ID NAME ARGUMENTS
	Finish     string
	Usage      string
	Done       bool
	Deltas     int
}

// ask sends messages and returns the reply, which must be whole.
func (c *client) ask(messages ...string) got {
	c.t.Helper()
	status, answer, _, err := c.post(body(messages...))
	if err != nil || status != 200 {
		c.t.Fatalf("status %d, %v:\n%s", status, err, answer)
	}
	g := parseStream(c.t, answer)
	if !g.Done || g.Finish == "" {
		c.t.Fatalf("the reply has no end:\n%s", answer)
	}
	return g
}

// refused sends messages and returns the message of the error with status 400.
func (c *client) refused(messages ...string) string {
	c.t.Helper()
	status, answer, _, err := c.post(body(messages...))
	if err != nil || status != 400 {
		c.t.Fatalf("status %d, %v, want 400:\n%s", status, err, answer)
	}
	var e struct {
		Error struct{ Message, Code string }
	}
	if err := json.Unmarshal([]byte(answer), &e); err != nil || e.Error.Code != "script" {
		c.t.Fatalf("%v, want an error of the script: %s", err, answer)
	}
	return e.Error.Message
}

func parseStream(t *testing.T, stream string) got {
	t.Helper()
	var g got
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			g.Done = true
			continue
		}
		var chunk struct {
			ID, Object, Model string
			Choices           []struct {
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
			Usage json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if chunk.ID == "" || chunk.Object != "chat.completion.chunk" || chunk.Model == "" {
			t.Fatalf("no chunk of a completion: %s", data)
		}
		g.Usage += string(chunk.Usage)
		for _, choice := range chunk.Choices {
			g.Deltas++
			g.Say += choice.Delta.Content
			g.Think += choice.Delta.ReasoningContent
			for _, c := range choice.Delta.ToolCalls {
				if c.ID != "" {
					g.Calls = append(g.Calls, c.ID+" "+c.Function.Name+" ")
				}
				g.Calls[c.Index] += c.Function.Arguments
			}
			if choice.FinishReason != nil {
				g.Finish = *choice.FinishReason
			}
		}
	}
	return g
}

func TestReply(t *testing.T) {
	c := serve(t, Options{}, `
user: go
chunk: 4
think: Hm, ähem.
say: Grüße
call: bash {"command": "ls"}
call: what {"broken
usage: input 10 output 5 cached 4 reasoning 2

reply:
say: done
finish: length
usage: none
`)
	want := got{
		Say: "Grüße", Think: "Hm, ähem.", Calls: []string{`call_1 bash {"command": "ls"}`, `call_2 what {"broken`},
		Finish: "tool_calls", Done: true, Deltas: 1 + 3 + 2 + 1 + 5 + 1 + 2 + 1,
		Usage: `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}`,
	}
	if diff := cmp.Diff(want, c.ask(user("go"))); diff != "" {
		t.Errorf("first reply (-want +got):\n%s", diff)
	}
	want = got{Say: "done", Finish: "length", Done: true, Deltas: 3}
	if diff := cmp.Diff(want, c.ask(user("go"), called("call_1", "call_2"), result("call_1", ""), result("call_2", ""))); diff != "" {
		t.Errorf("second reply (-want +got):\n%s", diff)
	}
}

// TestChoice covers which reply a request gets, from the request alone.
func TestChoice(t *testing.T) {
	c := serve(t, Options{}, `
user: *
say: any 1

user: list files
say: exact
call: bash {}
reply:
repeat: 2
say: {{n}}
call: bash {}
reply:
say: last

user: list
say: part

user: /^sum \d+$/
say: expression

user: *
say: any 2
`)
	round := func(n int) []string {
		id := fmt.Sprintf("call_%d", n)
		return []string{called(id), result(id, "x")}
	}
	rounds := func(n int) []string {
		all := []string{user("list files")}
		for i := range n {
			all = append(all, round(i+1)...)
		}
		return all
	}
	answer := `{"role":"assistant","content":"ok"}`
	for _, test := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"same text", []string{user(" list files\n")}, "exact"},
		{"a part of the text", []string{user("please list all")}, "part"},
		{"array of parts", []string{`{"role":"user","content":[{"type":"text","text":"list files"}]}`}, "exact"},
		{"regular expression", []string{user("now:\nsum 12")}, "expression"},
		{"any", []string{user("hello")}, "any 1"},
		{"any, second", []string{user("hello"), answer, user("list"), answer, user("again")}, "any 2"},
		{"any, third", []string{user("a"), answer, user("b"), answer, user("c")}, "any 2"},
		{"second reply", rounds(1), "1"},
		{"repeated reply", rounds(2), "2"},
		{"reply after the repeated", rounds(3), "last"},
		{"asked once more later", append(rounds(3), answer, user("list files")), "exact"},
		{"system message", append([]string{`{"role":"system","content":"list"}`}, user("sum 1")), "expression"},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := c.ask(test.messages...)
			if first.Say != test.want {
				t.Errorf("reply %q, want %q", first.Say, test.want)
			}
			if diff := cmp.Diff(first, c.ask(test.messages...)); diff != "" {
				t.Errorf("the same request once more:\n%s", diff)
			}
		})
	}
	if got := c.refused(append(rounds(4), answer)...); !strings.HasPrefix(got, "test:5: the statement has no reply number 6. Add") {
		t.Errorf("after the last reply: %s", got)
	}
	if ids := c.ask(append(rounds(1), answer, user("list files"))...).Calls; ids[0] != "call_2 bash {}" {
		t.Errorf("call %q, want an id that the request does not hold", ids)
	}
}

func TestNoStatement(t *testing.T) {
	c := serve(t, Options{}, "user: a\nsay: b\n")
	if got := c.refused(user("x")); got != `test: no statement is for "x". Add a user: line that fits, or user: *.` {
		t.Error(got)
	}
	if got := c.refused(`{"role":"system","content":"a"}`); got != "test: the request has no user message. Send one." {
		t.Error(got)
	}
	if n := len(c.srv.Refused()); n != 2 {
		t.Errorf("%d refused, want 2", n)
	}
}

// TestToolChoice covers requests that forbid or demand calls.
func TestToolChoice(t *testing.T) {
	c := serve(t, Options{}, "user: a\nrepeat: 9\ncall: bash {}\nreply:\nsay: enough\n\nuser: b\nsay: words\n\nuser: c\ncall: bash {}\n")
	ask := func(choice, text string) (int, string) {
		t.Helper()
		b := strings.TrimSuffix(body(user(text)), "}") + `,"tool_choice":` + choice + "}"
		status, answer, _, err := c.post(b)
		if err != nil {
			t.Fatal(err)
		}
		return status, answer
	}
	for _, test := range []struct{ choice, text, want string }{
		{`"none"`, "a", "enough"},
		{`"none"`, "c", "the request allows no calls"},
		{`"required"`, "a", `"name":"bash"`},
		{`"required"`, "b", "the request demands a call (tool_choice required)"},
		{`{"type":"function","function":{"name":"bash"}}`, "a", `"name":"bash"`},
		{`{"type":"function","function":{"name":"bash"}}`, "b", "the request demands a call (tool_choice bash)"},
	} {
		if _, answer := ask(test.choice, test.text); !strings.Contains(answer, test.want) {
			t.Errorf("tool_choice %s, %s: want %q in\n%s", test.choice, test.text, test.want, answer)
		}
	}
}

// TestQuotes covers quotes from results in each form that results have.
func TestQuotes(t *testing.T) {
	const feedback = "Tool results feedback:\nTurn 1/50\n"
	for _, test := range []struct{ name, quote, result, want string }{
		{"output", "{{output}}", `{"output":"a\nb\n","exit_code":0}`, "a\nb"},
		{"output behind feedback", "{{output}}", feedback + `{"output":"a"}`, "a"},
		{"output before a note", "{{output}}", `{"output":"a"}` + "\nNote", "a"},
		{"two streams", "{{output}}", `{"stdout":"a\n","stderr":"b\n","exit_code":1,"truncated":false}`, "a\nb"},
		{"error", "{{output}}", `{"error":"gone"}`, "gone"},
		{"plain text", "{{output}}", "plain {text}\n", "plain {text}"},
		{"all", "{{result}}", `{"output":"a"}`, `{"output":"a"}`},
		{"number", "{{result.exit_code}}", `{"exit_code":12345678901234567890}`, "12345678901234567890"},
		{"deep", "{{result.a.b}}", `{"a":{"b":[1,"<"]}}`, `[1,"<"]`},
		{"rewritten", `{{output /^(\w+)=(\w+)$/ $2: $1}}`, `{"output":"a=1\nb=2\n-"}`, "1: a\n2: b"},
		{"matches", `{{result /\d\d/}}`, "11 22", "11\n22"},
		{"user", "{{user /o/ 0}}", "x", "0"},
		{"literal", `{{"{{"}}{{"}}\n"}}.`, "x", "{{}}\n."},
		{"fill", "{{fill 65}}", "x", fill(64) + "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := serve(t, Options{}, "user: go\ncall: bash {}\nreply:\nsay: "+test.quote+
				"\ncall: echo {\"text\": \""+test.quote+"\"}\nreply:\nsay: {{result[1]}}\n")
			g := c.ask(user("go"), called("c1"), result("c1", test.result))
			if g.Say != test.want {
				t.Errorf("say: %q, want %q", g.Say, test.want)
			}
			var args struct{ Text string }
			_, raw, _ := strings.Cut(g.Calls[0], " echo ")
			if err := json.Unmarshal([]byte(raw), &args); err != nil || args.Text != test.want {
				t.Errorf("call: %s (%v), want the text %q", raw, err, test.want)
			}
			g = c.ask(user("go"), called("c1"), result("c1", test.result), called("c2"), result("c2", "other"))
			if want := strings.TrimPrefix(test.result, feedback); g.Say != want {
				t.Errorf("result of the first call: %q, want %q", g.Say, want)
			}
		})
	}
}

func TestQuotesOfNothing(t *testing.T) {
	for quote, want := range map[string]string{
		"{{result.count}}":   `test:3: no field count in the result "{\"output\":\"a\"}". Change what the reply quotes.`,
		"{{result[2]}}":      "test:3: result 2 is quoted, and the statement has 1. Change what the reply quotes.",
		"{{feedback}}":       "test:3: the feedback is quoted, and there is none. Change what the reply quotes.",
		"{{output /x+/ $0}}": `test:3: nothing matches /x+/ in "a". Change what the reply quotes.`,
	} {
		c := serve(t, Options{}, "user: go\ncall: bash {}\nreply:\nsay: "+quote+"\n")
		if got := c.refused(user("go"), called("c1"), result("c1", `{"output":"a"}`)); got != want {
			t.Errorf("%s: %s\nwant %s", quote, got, want)
		}
	}
}

func TestExpectations(t *testing.T) {
	c := serve(t, Options{}, `
user: *
expect: please
call: bash {}
call: bash {}

reply:
expect: "quoted"
expect: /^two$/
expect-not: panic
say: fine
`)
	if got := c.refused(user("go")); got != `test:2: expected in the statement but not found: please. There is "go". Look at the request, or change the line expect.` {
		t.Error(got)
	}
	round := func(a, b string) []string {
		return []string{user("please"), called("c1", "c2"), result("c1", a), result("c2", b)}
	}
	c.ask(round(`{"output":"one\ntwo\n"}`, `{"output":"\"quoted\""}`)...)
	if got := c.refused(round("two", "three")...); !strings.HasPrefix(got, `test:7: expected in the results but not found: "quoted".`) {
		t.Error(got)
	}
	if got := c.refused(round("two", `"quoted" panic`)...); !strings.HasPrefix(got, `test:7: not expected in the results but found: panic.`) {
		t.Error(got)
	}
}

// TestFaults covers each fault as a plain client sees it.
func TestFaults(t *testing.T) {
	const rest = "\nchunk: 1\nsay: abcdef\n"
	t.Run("status", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: status 429 times 2\n  Retry-After: 7\nfault: status 503 times 1\n  <html>\nsay: ok\n")
		for range 2 {
			status, answer, header, err := c.post(body(user("x")))
			if err != nil || status != 429 || header.Get("Retry-After") != "7" || !strings.Contains(answer, `"code":"rate_limit_exceeded"`) {
				t.Errorf("%d %v %s %v", status, header, answer, err)
			}
		}
		if status, answer, _, err := c.post(body(user("x"))); err != nil || status != 503 || answer != "<html>" {
			t.Errorf("%d %s %v", status, answer, err)
		}
		if g := c.ask(user("x")); g.Say != "ok" {
			t.Errorf("after the faults: %q", g.Say)
		}
	})
	t.Run("cut", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: cut after 3 times 1\nfault: cut times 1"+rest)
		for _, want := range []string{"ab", "abcdef"} {
			status, answer, _, err := c.post(body(user("x")))
			if g := parseStream(t, answer); err != nil || status != 200 || g.Say != want || g.Finish != "" || g.Done {
				t.Errorf("%d %v: %+v, want %q and no end", status, err, g, want)
			}
		}
	})
	t.Run("drop", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: drop after 2"+rest)
		status, answer, _, err := c.post(body(user("x")))
		if !errors.Is(err, io.ErrUnexpectedEOF) || status != 200 || parseStream(t, answer).Say != "a" {
			t.Errorf("%d %v: %s, want a broken connection after a", status, err, answer)
		}
	})
	t.Run("error", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: error after 1 times 1\n  {\"message\":\n    \"no capacity\"}\nfault: error times 1\n  sorry"+rest)
		_, answer, _, _ := c.post(body(user("x")))
		if want := "\n\ndata: {\"error\":{\"message\":\"no capacity\"}}\n\n"; !strings.HasSuffix(answer, want) {
			t.Errorf("answer %q, want %q at its end", answer, want)
		}
		_, answer, _, _ = c.post(body(user("x")))
		if want := `data: {"error":{"message":"sorry","type":"server_error","param":null,"code":null}}` + "\n\n"; !strings.HasSuffix(answer, want) {
			t.Errorf("answer %q, want %q at its end", answer, want)
		}
	})
	t.Run("error-field", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: error-field"+rest)
		_, answer, _, err := c.post(body(user("x")))
		if !strings.Contains(answer, "\n\nerror: {\"error\":{") || strings.Contains(answer, "[DONE]") || err != nil {
			t.Errorf("%v: %s", err, answer)
		}
	})
	t.Run("hang", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\nfault: hang times 1\nfault: hang after 2"+rest)
		ctx, cancel := context.WithCancel(context.Background())
		req := c.request(ctx)
		gave := make(chan error)
		go func() {
			resp, err := c.http.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			gave <- err
		}()
		if err := c.srv.Await(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-gave; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want no answer until the client leaves", err)
		}

		ctx, cancel = context.WithCancel(context.Background())
		resp, err := c.http.Do(c.request(ctx))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		in := bufio.NewReader(resp.Body)
		for range 4 { // two events, each with an empty line
			if _, err := in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if in.Buffered() > 0 {
			t.Error("more than two deltas came")
		}
		cancel()
		if _, err := in.ReadByte(); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want silence until the client leaves", err)
		}
	})
	t.Run("length in a call", func(t *testing.T) {
		c := serve(t, Options{}, "user: *\ncall: bash {\"command\": \"ls\nfinish: length\n")
		if g := c.ask(user("x")); g.Finish != "length" || g.Calls[0] != `call_1 bash {"command": "ls` {
			t.Errorf("%+v", g)
		}
	})
}

func (c *client) request(ctx context.Context) *http.Request {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", c.srv.URL+"/chat/completions", strings.NewReader(body(user("x"))))
	if err != nil {
		c.t.Fatal(err)
	}
	return req
}

// TestDelay covers that each delta reaches the client while the rest waits.
func TestDelay(t *testing.T) {
	c := serve(t, Options{}, "user: *\ndelay: 1ms 1h\nchunk: 1\nsay: ab\n")
	resp, err := c.http.Do(c.request(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, `"role"`) {
		t.Errorf("%q, %v", line, err)
	}
	// Close does not wait for the rest, nor end the reply as if it were whole.
	if err := c.srv.Close(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(in); err == nil || bytes.Contains(rest, []byte("[DONE]")) {
		t.Errorf("%q, %v, want a broken stream", rest, err)
	}
}

// TestCloseWhileHanging covers that Close ends replies that hang, and
// connections that were never used.
func TestCloseWhileHanging(t *testing.T) {
	c := serve(t, Options{}, "user: *\nfault: hang\n")
	unused, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(c.srv.URL, "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer unused.Close()
	gave := make(chan error)
	go func() {
		_, _, _, err := c.post(body(user("x")))
		gave <- err
	}()
	if err := c.srv.Await(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if err := c.srv.Close(); err != nil {
		t.Error(err)
	}
	if err := <-gave; err == nil {
		t.Error("the hanging request was answered")
	}
	if err := c.srv.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestRequests(t *testing.T) {
	for _, test := range []struct {
		keep     Keep
		n        int
		withBody bool
	}{{KeepNothing, 0, false}, {KeepHeads, 1, false}, {KeepAll, 1, true}} {
		var heard []Request
		c := serve(t, Options{Keep: test.keep, Received: func(r Request) { heard = append(heard, r) }}, "user: *\nsay: a\n")
		req := c.request(context.Background())
		req.Header.Set("Authorization", "Bearer sk-secret")
		req.Header.Set("OpenAI-Organization", "org")
		resp, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		all := append(heard, c.srv.Requests()...)
		if len(all) != 1+test.n {
			t.Fatalf("keep %d: %d requests", test.keep, len(all)-1)
		}
		for i, r := range all {
			if !r.HasKey || r.Method != "POST" || r.Path != "/v1/chat/completions" || r.Received.IsZero() || r.Header.Get("OpenAI-Organization") != "org" {
				t.Errorf("keep %d: %+v", test.keep, r)
			}
			if (string(r.Body) == body(user("x"))) != (i == 0 || test.withBody) {
				t.Errorf("keep %d: request %d has a body of %d bytes", test.keep, i, len(r.Body))
			}
			if strings.Contains(fmt.Sprint(r), "sk-secret") {
				t.Errorf("keep %d: the key is kept", test.keep)
			}
		}
		if refused := c.srv.Refused(); len(refused) > 0 {
			t.Errorf("refused: %v", refused)
		}
	}
}

func TestAwaitGivesUp(t *testing.T) {
	c := serve(t, Options{}, "user: *\nsay: a\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.srv.Await(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestWhole covers requests that want no stream.
func TestWhole(t *testing.T) {
	c := serve(t, Options{}, "model: m-1\nuser: a\nsay: hello\ncall: bash {}\nusage: input 3 output 2\n\nuser: b\nfault: error\nsay: x\n\nuser: c\nfault: cut\nsay: x\n")
	ask := func(text string) (int, string) {
		t.Helper()
		status, answer, _, err := c.post(`{"model":"m","messages":[` + user(text) + `]}`)
		if err != nil {
			t.Fatal(err)
		}
		return status, answer
	}
	const tools = `{"model":"m","tools":[{"type":"function","function":{"name":"bash"}}],"messages":[`
	_, answer, _, err := c.post(tools + user("a") + "]}")
	want := `{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"hello","role":"assistant","tool_calls":` +
		`[{"function":{"arguments":"{}","name":"bash"},"id":"call_1","type":"function"}]}}],"created":1767225600,"id":"chatcmpl-1-1","model":"m-1",` +
		`"object":"chat.completion","usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0},` +
		`"completion_tokens_details":{"reasoning_tokens":0}}}`
	if diff := cmp.Diff(want, answer); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if status, answer := ask("b"); status != 500 || !strings.Contains(answer, `"type":"server_error"`) {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := ask("c"); status != 200 || json.Valid([]byte(answer)) {
		t.Errorf("%d %s, want half of a reply", status, answer)
	}
}

func TestOtherPaths(t *testing.T) {
	c := serve(t, Options{}, "model: m-1\nuser: *\nsay: a\n")
	for path, want := range map[string]string{
		"/models":     `{"data":[{"created":1767225600,"id":"m-1","object":"model","owned_by":"script"}],"object":"list"}`,
		"/models/m-1": `{"created":1767225600,"id":"m-1","object":"model","owned_by":"script"}`,
		"/models/x":   `{"error":{"message":"The model \"x\" does not exist. Use \"m-1\".","type":"invalid_request_error","param":"model","code":"model_not_found"}}`,
		"/responses":  `{"error":{"message":"Unknown request URL: GET /v1/responses. Use POST /v1/chat/completions.","type":"invalid_request_error","param":null,"code":null}}`,
	} {
		resp, err := c.http.Get(c.srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(b) != want {
			t.Errorf("%s: %s (%v)\nwant %s", path, b, err, want)
		}
	}
}

func TestBodyTooLarge(t *testing.T) {
	c := serve(t, Options{}, "user: *\nsay: a\n")
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(c.srv.URL, "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", maxBody+1)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// TestUnchecked covers that the quick way gives the same replies, and is not
// taken where it would give others.
func TestUnchecked(t *testing.T) {
	const quick = "user: *\nrepeat: 2\ncall: bash {\"x\": \"{{fill 100}}\"}\ncall: bash {}\nreply:\nsay: done\n"
	for _, script := range []string{quick, "user: *\ncall: bash {\"x\": \"{{user}}\"}\nreply:\nsay: {{result}}\n"} {
		careful, hasty := serve(t, Options{}, script), serve(t, Options{Unchecked: true}, script)
		messages := []string{user("x")}
		for range 2 {
			want := careful.ask(messages...)
			if diff := cmp.Diff(want, hasty.ask(messages...)); diff != "" {
				t.Errorf("after %d messages (-checked +unchecked):\n%s", len(messages), diff)
			}
			var ids, results []string
			for _, call := range want.Calls {
				id, _, _ := strings.Cut(call, " ")
				ids, results = append(ids, id), append(results, result(id, "r"))
			}
			if ids == nil {
				break
			}
			messages = append(append(messages, called(ids...)), results...)
		}
	}
	hasty := serve(t, Options{Unchecked: true}, quick)
	if status, _, _, err := hasty.post("no JSON"); status != 400 || err != nil {
		t.Errorf("%d %v", status, err)
	}
}

// TestStartRefusesBadScript covers scripts that were built in Go.
func TestStartRefusesBadScript(t *testing.T) {
	for _, s := range []*Script{
		{},
		{All: []Statement{{User: "a"}}},
		{All: []Statement{{User: "a", Replies: []Reply{{Say: "{{what}}"}}}}},
		{All: []Statement{{User: "/(/", Replies: []Reply{{}}}}},
		{All: []Statement{{User: "a", Replies: []Reply{{Faults: []Fault{{Kind: FaultCut, Status: 3}}}}}}},
	} {
		srv, err := Start(s)
		if err == nil {
			t.Errorf("%v was started", s)
			_ = srv.Close()
			continue
		}
		if ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// BenchmarkTurn is what the server costs a client for one small reply to a
// request of a long conversation, checked and unchecked.
func BenchmarkTurn(b *testing.B) {
	messages := []string{user("x")}
	for i := range 1000 {
		id := fmt.Sprintf("call_%d", i+1)
		messages = append(messages, called(id), result(id, `{"output":"","exit_code":0}`))
	}
	body := body(messages...)
	for name, o := range map[string]Options{"checked": {}, "unchecked": {Unchecked: true}} {
		b.Run(name, func(b *testing.B) {
			run(b, o, &Script{All: []Statement{{User: "*", Replies: []Reply{{Repeat: 2000, Calls: []Call{{"bash", "{}"}}}}}}}, body)
		})
	}
}

// BenchmarkLongArguments is a megabyte of arguments in deltas of 20 bytes.
func BenchmarkLongArguments(b *testing.B) {
	run(b, Options{}, &Script{Chunk: 20, All: []Statement{{User: "*", Replies: []Reply{{
		Calls: []Call{{"file_write", `{"path": "x", "content": "{{fill 1048576}}"}`}},
	}}}}}, body(user("x")))
}

func run(b *testing.B, o Options, s *Script, body string) {
	srv, err := o.Start(s)
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	c := http.Client{Timeout: time.Minute}
	defer c.CloseIdleConnections()
	for b.Loop() {
		resp, err := c.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			b.Fatal(resp.Status, err)
		}
		b.SetBytes(n)
	}
}

// BenchmarkStart is what it costs to make those deltas ready.
func BenchmarkStart(b *testing.B) {
	s := &Script{Chunk: 20, All: []Statement{{User: "*", Replies: []Reply{{
		Calls: []Call{{"file_write", `{"path": "x", "content": "{{fill 1048576}}"}`}},
	}}}}}
	for b.Loop() {
		srv, err := Start(s)
		if err != nil {
			b.Fatal(err)
		}
		if err := srv.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
