package scriptserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/provider/openai"
	"ikigai/internal/provider/responses"
	"ikigai/internal/providertest"
	"ikigai/internal/scriptserver"
)

// vendors is one server, as four vendors and two of their other models.
var vendors = []struct {
	name string
	new  func(provider.Config) ikigai.Model
}{
	{"acme/chat", openai.New},
	{"anthropic/claude-a", anthropic.New},
	{"openai/gpt", responses.New},
	{"google/gemini-3", gemini.New},
	{"anthropic/claude-b", anthropic.New},
	{"google/gemini-2.5", gemini.New},
}

const switching = `
user: begin
think: I think, "therefore".
say: One moment,
  please.
call: bash {"command": "ls <a> && é"}
call: file_read {"path": "b"}

reply:
expect: /ran bash/
think: Once more.
call: bash {"command": "{{output}}"}

reply:
think: Done now.
say: There is {{output}}.

user: *
think: Hm.
say: And {{user}}.
call: bash {}

reply:
say: Bye.
`

// session is a conversation that is held with the scripted model.
type session struct {
	t      *testing.T
	server *scriptserver.Server
	models map[string]ikigai.Model
	line   *history.Line
	seq    ikigai.Seq
}

func newSession(t *testing.T, o scriptserver.Options, script string) *session {
	t.Helper()
	s, err := scriptserver.Parse("test.script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server, err := o.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c := &session{t: t, server: server, models: map[string]ikigai.Model{}, line: history.New(ikigai.Main)}
	for _, v := range vendors {
		_, model, _ := strings.Cut(v.name, "/")
		c.models[v.name] = v.new(provider.Config{Name: v.name, Model: model, BaseURL: server.URL, MaxAttempts: 1,
			Levels: map[ikigai.Level]ikigai.Thinking{ikigai.LevelHigh: levelOf(v.name)}})
	}
	c.add(ikigai.NewEvent(ikigai.KindSystem, "You help.", nil))
	c.add(ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{
		{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object"}`)}, {Name: "file_read", Description: "reads", Schema: []byte(`{"type":"object"}`)},
	}}))
	return c
}

func levelOf(name string) ikigai.Thinking {
	if strings.HasPrefix(name, "anthropic") {
		return ikigai.Thinking{Budget: 2000}
	}
	return ikigai.Thinking{Effort: "high"}
}

func (s *session) add(e ikigai.Event) {
	s.seq++
	e.Seq = s.seq
	s.line.Add(e)
}

// ask has the named model answer, and records its reply and results of its calls.
func (s *session) ask(name string) providertest.Reply {
	s.t.Helper()
	req := s.line.Request()
	req.Level = ikigai.LevelHigh
	r := providertest.Collect(s.t, s.models[name], req)
	if r.Text != "" {
		m := ikigai.Message{Kind: ikigai.KindAssistant, Content: r.Text}
		if len(r.Calls) == 0 {
			m.Vendor = r.Vendor
		}
		s.add(m.Event())
	}
	for i := range r.Calls {
		m := ikigai.Message{Kind: ikigai.KindToolCall, Call: &r.Calls[i]}
		if i == 0 {
			m.Vendor = r.Vendor
		}
		s.add(m.Event())
	}
	for _, c := range r.Calls {
		s.add(ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: c.ID, Name: c.Name, Success: true,
			Output: `{"output":"ran ` + c.Name + `"}`, Note: "a note"}}.Event())
	}
	return r
}

// One session goes from vendor to vendor at every reply, in every order of two,
// and each takes what the others said and its own back.
//
// P1, P4, P5, S2.3
func TestSwitching(t *testing.T) {
	for i := range vendors {
		for j := range vendors {
			a, b := vendors[i].name, vendors[j].name
			t.Run(strings.ReplaceAll(a+" "+b, "/", " "), func(t *testing.T) {
				s := newSession(t, scriptserver.Options{}, switching)
				for n, want := range []struct{ user, text, thinking, calls, stop string }{
					{"begin", "One moment,\nplease.", `I think, "therefore".`, `bash {"command":"ls <a> && é"} file_read {"path":"b"} `, "tool_calls"},
					{"", "", "Once more.", `bash {"command":"ran file_read"} `, "tool_calls"},
					{"", "There is ran bash.", "Done now.", "", "end"},
					{"more", "And more.", "Hm.", "bash {} ", "tool_calls"},
					{"", "Bye.", "", "", "end"},
				} {
					if want.user != "" {
						s.add(ikigai.NewEvent(ikigai.KindUser, want.user, nil))
					}
					r := s.ask([]string{a, b}[n%2])
					calls := ""
					for _, c := range r.Calls {
						var b bytes.Buffer
						_ = json.Compact(&b, []byte(c.Arguments))
						calls += c.Name + " " + b.String() + " "
					}
					if r.Err != nil || r.Text != want.text || r.Thinking != want.thinking || calls != want.calls || string(r.Stop) != want.stop {
						t.Fatalf("reply %d: %q\n%s\nrefused: %v", n, calls, r, s.server.Refused())
					}
					if r.Usage == nil || r.Usage.Input == 0 || r.Usage.Output == 0 {
						t.Errorf("reply %d: usage %+v", n, r.Usage)
					}
				}
			})
		}
	}
}

// A request in which the vendor's own state is lost or changed is refused.
func TestStateIsVerified(t *testing.T) { // P4
	for _, v := range vendors[1:4] {
		t.Run(strings.ReplaceAll(v.name, "/", " "), func(t *testing.T) {
			var body []byte
			var path string
			s := newSession(t, scriptserver.Options{Keep: scriptserver.KeepAll}, switching)
			s.add(ikigai.NewEvent(ikigai.KindUser, "begin", nil))
			s.ask(v.name)
			if r := s.ask(v.name); r.Err != nil {
				t.Fatal(r.Err)
			}
			all := s.server.Requests()
			body, path = all[len(all)-1].Body, all[len(all)-1].Path
			for what, spoiled := range map[string][]byte{"changed": changed(body), "lost": without(body)} {
				if bytes.Equal(spoiled, body) {
					t.Fatalf("%s: nothing to spoil in %s", what, body)
				}
				status, answer := post(t, strings.TrimSuffix(s.server.URL, "/v1")+path, spoiled)
				if status != http.StatusBadRequest {
					t.Errorf("%s: status %d, %s\n%s", what, status, answer, spoiled)
				}
			}
			if status, answer := post(t, strings.TrimSuffix(s.server.URL, "/v1")+path, body); status != http.StatusOK {
				t.Errorf("as it was: %s", answer)
			}
		})
	}
}

// changed changes a letter of what a vendor has signed.
func changed(body []byte) []byte {
	for _, name := range []string{`"signature":"`, `"encrypted_content":"`, `"thoughtSignature":"`} {
		if i := bytes.Index(body, []byte(name)); i >= 0 {
			body = bytes.Clone(body)
			body[i+len(name)+3] ^= 1
			return body
		}
	}
	return body
}

// without leaves it out.
func without(body []byte) []byte {
	for from, to := range map[string]string{`{"type":"thinking"`: "},", `{"encrypted_content"`: "},", `,"thoughtSignature"`: "}"} {
		if i := bytes.Index(body, []byte(from)); i >= 0 {
			n := bytes.Index(body[i:], []byte(to))
			if from[0] == '{' {
				n += len(to)
			}
			return append(bytes.Clone(body[:i]), body[i+n:]...)
		}
	}
	return body
}

func post(t *testing.T, url string, body []byte) (int, string) {
	t.Helper()
	resp, err := http.Post(url+"?alt=sse", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// The faults of docs/scripts.md, as each vendor has them.
func TestFaultsOfDialects(t *testing.T) {
	for _, v := range vendors[:4] {
		for _, tt := range []struct {
			fault string
			kind  ikigai.ErrorKind
			says  string
		}{
			{"fault: status 429", ikigai.ErrorRateLimit, ""},
			{"fault: status 401", ikigai.ErrorAuth, ""},
			{"fault: status 503", ikigai.ErrorOverloaded, ""},
			{"fault: cut", ikigai.ErrorIncomplete, ""},
			{"fault: cut after 3", ikigai.ErrorIncomplete, ""},
			{"fault: drop after 2", ikigai.ErrorIncomplete, ""},
			{"fault: error after 2\n  It broke.", ikigai.ErrorServer, "It broke."},
			{"fault: error-field after 2\n  It broke.", ikigai.ErrorServer, "It broke."},
		} {
			t.Run(fmt.Sprint(strings.ReplaceAll(v.name, "/", " "), " ", strings.ReplaceAll(tt.fault, "\n", "")), func(t *testing.T) {
				s := newSession(t, scriptserver.Options{}, "chunk: 4\nuser: *\nsay: a few words to break off\n"+tt.fault)
				s.add(ikigai.NewEvent(ikigai.KindUser, "begin", nil))
				r := s.ask(v.name)
				if r.Err == nil || ikigai.KindOf(r.Err) != tt.kind || !strings.Contains(r.Err.Error(), tt.says) {
					t.Errorf("%s", r)
				}
			})
		}
	}
}

func TestFinishOfDialects(t *testing.T) {
	for _, v := range vendors[:4] {
		for finish, want := range map[string]ikigai.StopReason{"length": ikigai.StopLength, "content_filter": ikigai.StopFilter} {
			s := newSession(t, scriptserver.Options{}, "user: *\nsay: words\nfinish: "+finish+"\nusage: input 120 output 30 cached 100 reasoning 10")
			s.add(ikigai.NewEvent(ikigai.KindUser, "begin", nil))
			r := s.ask(v.name)
			if r.Stop != want && ikigai.KindOf(r.Err) != ikigai.ErrorContentFilter {
				t.Errorf("%s, %s: %s", v.name, finish, r)
			}
			if u := r.Usage; u == nil || u.Input != 120 || u.Output != 30 || u.CacheRead != 100 {
				t.Errorf("%s, %s: usage %+v", v.name, finish, r.Usage)
			}
		}
	}
}

// A request that a vendor would refuse is refused in the vendor's words and form.
func TestDialectsRefuse(t *testing.T) {
	s := newSession(t, scriptserver.Options{}, switching)
	for path, tt := range map[string]struct{ body, want string }{
		"/messages":                              {`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":""}]}`, `{"error":{"message":"messages.0: messages: text content blocks must be non-empty","type":"invalid_request_error"},"request_id":"req_scripted","type":"error"}`},
		"/responses":                             {`{"model":"m","stream":true,"input":[{"type":"function_call_output","call_id":"1","output":"r"}]}`, `{"error":{"message":"input[0]: No tool call found for function call output with call_id 1.","type":"invalid_request_error","param":null,"code":null}}`},
		"/models/gemini-3:streamGenerateContent": {`{"contents":[]}`, `{"error":{"code":400,"message":"contents: contents is not specified","status":"INVALID_ARGUMENT"}}`},
	} {
		if status, got := post(t, s.server.URL+path, []byte(tt.body)); status != http.StatusBadRequest || got != tt.want {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
	if len(s.server.Refused()) != 3 {
		t.Errorf("noted: %v", s.server.Refused())
	}
}
