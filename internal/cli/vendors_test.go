package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// goodKey is the only key that a vendor of the tests takes.
const goodKey = "good-0123456789-key"

// idle is the script of a place whose model is elsewhere.
const idle = "user: nothing\nsay: Nothing.\n"

// vendor is a server that speaks every protocol. It has two models, and takes
// goodKey alone, in whatever header.
type vendor struct {
	t   *testing.T
	URL string

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	lists    int // how often the models were asked for
	status   int // of lists, when the key is good; 0 is 200
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{t: t}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	v.URL = server.URL
	return v
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	var values []string
	for name, value := range r.Header {
		if name != "Authorization" || !strings.HasPrefix(value[0], "AWS4") {
			values = append(values, value...)
		}
	}
	switch all := strings.Join(values, " "); {
	case strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
	case !strings.Contains(all, goodKey):
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": {"message": "No such key: %s"}}`, r.Header.Get("Authorization"))
		return
	}
	if r.Method == http.MethodGet {
		v.lists++
		if v.status != 0 {
			w.WriteHeader(v.status)
			return
		}
		fmt.Fprint(w, `{"data": [{"id": "m"}]}`)
		return
	}
	v.requests, v.bodies = append(v.requests, r), append(v.bodies, string(body))
	if strings.Contains(string(body), `"gpt-5-mni"`) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error": {"message": "The model does not exist", "code": "model_not_found"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, v.hello(r.URL.Path))
}

// hello is a reply in the protocol that is spoken at path.
func (v *vendor) hello(path string) string {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"}}]}\n\n" +
			"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	case strings.HasSuffix(path, "/responses"):
		return "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"i\",\"role\":\"assistant\",\"content\":[]}}\n\n" +
			"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello.\"}\n\n" +
			"event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"i\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello.\",\"annotations\":[]}]}}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"model\":\"m\",\"output\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, ":streamRawPredict"):
		return "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"r\",\"model\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n" +
			"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello.\"}}\n\n" +
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello.\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":1,\"candidatesTokenCount\":1,\"totalTokenCount\":2}}\n\n"
	}
	v.t.Errorf("a request went to %s", path)
	return ""
}

// last returns the last request and its body.
func (v *vendor) last() (*http.Request, string) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.requests) == 0 {
		v.t.Fatal("there was no request")
	}
	return v.requests[len(v.requests)-1], v.bodies[len(v.bodies)-1]
}

// configure writes the person's settings, with the vendor's address for {URL}.
func (v *vendor) configure(p *place, settings string) {
	v.t.Helper()
	path := filepath.Join(p.root, "home", ".config", "ikigai", "config.json")
	settings = `{"objectives": "text", ` + strings.TrimPrefix(settings, "{")
	must(v.t, os.WriteFile(path, []byte(strings.ReplaceAll(settings, "{URL}", v.URL)), 0o600))
}

// with runs the program to its end with further variables and with input.
func (p *place) with(environ []string, input string, code int, args ...string) *child {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Env = append(cmd.Env, environ...)
	cmd.Stdin = strings.NewReader(input)
	c := startChild(p.t, cmd)
	c.ends(code)
	return c
}

// A vendor is data: whatever it speaks, a settings file reaches it, and what it
// is told of the level of thinking is what the settings say.
func TestEveryProtocol(t *testing.T) { // S2.79
	t.Parallel()
	for _, test := range []struct {
		name, vendor, model string // settings
		environ             []string
		path, header, body  string // what arrives
	}{
		{"chat", `"base_url": "{URL}/v1"`, "v/m:low", nil, "/v1/chat/completions", "Authorization: Bearer " + goodKey, `"reasoning_effort":"little"`},
		{"responses", `"base_url": "{URL}/v1", "api": "responses"`, "v/m:low", nil, "/v1/responses", "Authorization: Bearer " + goodKey, `"effort":"little"`},
		{"anthropic", `"base_url": "{URL}/v1", "api": "anthropic"`, "v/m", nil, "/v1/messages", "X-Api-Key: " + goodKey, `"model":"m"`},
		{"gemini", `"base_url": "{URL}/v1beta", "api": "gemini"`, "v/m", nil, "/v1beta/models/m:streamGenerateContent", "X-Goog-Api-Key: " + goodKey, `"contents":`},
		{"the level of the setting", `"base_url": "{URL}/v1"`, "v/m", []string{"IKIGAI_THINKING=low"}, "/v1/chat/completions", "Authorization: Bearer " + goodKey, `"reasoning_effort":"little"`},
		{"a path and a header of its own", `"base_url": "{URL}", "api": "anthropic", "path": "/models/{model}:streamRawPredict", "no_model": true, "key_header": "Authorization", "body": {"anthropic_version": "v"}`,
			"v/m", nil, "/models/m:streamRawPredict", "Authorization: Bearer " + goodKey, `"anthropic_version":"v"`},
		{"an address from the environment", `"base_url": "{MY_SERVER}/v1"`, "v/m", []string{"MY_SERVER={URL}/"}, "/v1/chat/completions", "Authorization: Bearer " + goodKey, `"model":"m"`},
		{"tools in words", `"base_url": "{URL}/v1", "tool_protocol": "prompt"`, "v/m", nil, "/v1/chat/completions", "Authorization: Bearer " + goodKey, `file_read`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, p := newVendor(t), newPlace(t, idle)
			v.configure(p, `{"model": "`+test.model+`", "models": {"v/m": {"levels": {"low": "little"}}}, "vendors": {"v": {"key_env": "V_KEY", `+test.vendor+`}}}`)
			environ := []string{"V_KEY=" + goodKey}
			for _, e := range test.environ {
				environ = append(environ, strings.ReplaceAll(e, "{URL}", v.URL))
			}
			c := p.with(environ, "", exitAnswered, "run", "hi")
			if c.out.String() != "Hello.\n" {
				t.Errorf("the answer is %q", c.out)
			}
			r, body := v.last()
			name, value, _ := strings.Cut(test.header, ": ")
			if r.URL.Path != test.path || r.Header.Get(name) != value || !strings.Contains(body, test.body) {
				t.Errorf("%s got %s: %q, and\n%s", r.URL.Path, name, r.Header.Get(name), body)
			}
			if strings.Contains(test.vendor, "prompt") && strings.Contains(body, `"tools":`) || strings.Contains(test.vendor, "no_model") && strings.Contains(body, `"model":`) {
				t.Errorf("what is to be left out is sent:\n%s", body)
			}
		})
	}
}

// Clouds: the person's own part of the address, and what stands in for a key.
func TestClouds(t *testing.T) { // S2.79
	t.Parallel()
	v, p := newVendor(t), newPlace(t, idle)
	v.configure(p, `{"vendors": {"bedrock": {"base_url": "{URL}/anthropic/v1"}}}`)
	p.with([]string{"AZURE_OPENAI_API_KEY=" + goodKey, "AZURE_OPENAI_ENDPOINT=" + v.URL + "/"}, "", exitAnswered, "run", "--model", "azure/mine", "hi")
	if r, body := v.last(); r.URL.Path != "/openai/v1/responses" || r.Header.Get("Api-Key") != goodKey || !strings.Contains(body, `"model":"mine"`) {
		t.Errorf("azure: %s got %v and %s", r.URL.Path, r.Header, body)
	}
	signed := []string{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret-0123456789", "AWS_REGION=eu-west-1"}
	c := p.with(signed, "", exitAnswered, "run", "--model", "bedrock", "hi")
	if r, _ := v.last(); r.URL.Path != "/anthropic/v1/messages" || !strings.Contains(r.Header.Get("Authorization"), "/eu-west-1/bedrock/aws4_request") || r.Header.Get("X-Api-Key") != "" {
		t.Errorf("bedrock: %s got %v\n%s", r.URL.Path, r.Header, c.err)
	}
	p.with([]string{"AWS_BEARER_TOKEN_BEDROCK=" + goodKey}, "", exitAnswered, "run", "--model", "bedrock", "hi")
	if r, _ := v.last(); r.Header.Get("Authorization") != "Bearer "+goodKey {
		t.Errorf("bedrock with a key: %v", r.Header)
	}
	p.with(signed, "", exitAnswered, "doctor", "--set", "model=bedrock").out.awaitText(t, "anthropic, credentials of aws")
	p.with(nil, "", exitUsage, "run", "--model", "bedrock-open", "hi").err.awaitText(t, "needs the variable AWS_REGION or AWS_DEFAULT_REGION, which is empty. Export AWS_REGION")
	p.with(nil, "", exitUsage, "run", "--model", "azure/mine", "hi").err.awaitText(t, "needs the variable AZURE_OPENAI_ENDPOINT")
}

// A model that a vendor does not know is told of with those that are like it; a
// level that is not known to be one, with what there is.
func TestNames(t *testing.T) {
	t.Parallel()
	v, p := newVendor(t), newPlace(t, idle)
	v.configure(p, `{"vendors": {"openai": {"base_url": "{URL}/v1"}}}`)
	key := []string{"OPENAI_API_KEY=" + goodKey}
	p.with(key, "", exitVendor, "run", "--model", "openai/gpt-5-mni", "hi").err.awaitText(t, "Perhaps openai/gpt-5-mini is meant")
	p.with(key, "", exitAnswered, "run", "--model", "openai/gpt-4o:high", "hi").err.awaitText(t, "How openai/gpt-4o is told to think at the level high is not known")
	p.with(nil, "", exitUsage, "run", "--model", "gpt-5-mini", "hi").err.awaitText(t, "Write the model as openai/gpt-5-mini")
	p.with(nil, "", exitUsage, "run", "--model", "antropic/claude-sonnet-5", "hi").err.awaitText(t, "Perhaps anthropic is meant")
	for typed, want := range map[string]string{
		"":                  "anthropic/claude-sonnet-5\n",
		"open":              "openrouter\n",
		"openai/gpt-5:":     "openai/gpt-5:high\n",
		"a/b,openai/gpt-5:": "a/b,openai/gpt-5:low\n",
	} {
		p.run(exitAnswered, "__complete", "run", "--fallback", typed).out.awaitText(t, want)
	}
	p.run(exitAnswered, "__complete", "run", "--thinking", "").out.awaitText(t, "none\nmin\nlow\nmed\nhigh\n")
}

// An answer that must have a form is written once it has, and alone.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: right\nsay: {\"name\": \"x\"}\n\nuser: wrong\nsay: {\"name\": 7}\n\nuser: Your answer does not have the form\nsay: {\"name\": 8}\n")
	must(t, os.WriteFile(p.file("person.schema.json"), []byte(`{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false}`), 0o600))
	must(t, os.WriteFile(p.file("list.json"), []byte(`{"type": "array"}`), 0o600))
	c := p.run(exitAnswered, "run", "--output-schema", "person.schema.json", "right")
	if c.out.String() != "{\"name\": \"x\"}\n" || !strings.Contains(p.body(), `"name":"person"`) {
		t.Errorf("the answer is %q to %s", c.out, p.body())
	}
	if c := p.run(exitVendor, "run", "--output-schema", "person.schema.json", "wrong"); c.out.String() != "" || !strings.Contains(c.err.String(), "does not have the form") {
		t.Errorf("an answer that does not fit: %q, %s", c.out, c.err)
	}
	p.run(exitAnswered, "replay", "--output-schema", "person.schema.json").out.awaitText(t, "1 statement, 2 requests, 0 results: no difference")
	p.unreplayed = true // without the schema
	p.run(exitUsage, "run", "--output-schema", "list.json", "right").err.awaitText(t, `list.json describes something else than an object. Give it "type": "object"`)
	p.run(exitUsage, "run", "--output-schema", "none.json", "right").err.awaitText(t, "cannot be read")
}

// When the vendor cannot serve, the next model is asked. Whether there is a key for
// it is looked at then, and one without is passed over.
func TestFallback(t *testing.T) {
	t.Parallel()
	v, p := newVendor(t), newPlace(t, idle)
	v.configure(p, `{"model": "gone/m", "max_retries": 0, "vendors": {
		"gone": {"base_url": "http://127.0.0.1:1/v1"}, "v": {"base_url": "{URL}/v1", "key_env": "V_KEY"}}}`)
	c := p.with([]string{"V_KEY=" + goodKey}, "", exitAnswered, "run", "--fallback", "openai/gpt-5,v/m", "hi")
	c.err.awaitText(t, "There is no key for openai: the variable OPENAI_API_KEY is empty. v/m is asked instead")
	if c.out.String() != "Hello.\n" {
		t.Errorf("the answer is %q", c.out)
	}
	if strings.Contains(c.err.String(), goodKey) { // P41
		t.Errorf("the key is shown: %s", c.err)
	}
}

// Statements with tools run over every protocol, against a server that refuses
// what a strict vendor would, and the session goes on from one to the next.
func TestToolsOverEveryProtocol(t *testing.T) { // S2.79
	t.Parallel()
	p := newPlace(t, "user: first\ncall: bash {\"command\": \"echo one\"}\nreply:\nexpect: one\nsay: Done.\n\nuser: again\ncall: bash {\"command\": \"echo two\"}\ncall: glob {\"pattern\": \"*\"}\nreply:\nexpect: two\nsay: Again.\n")
	settings := fmt.Sprintf(`{"objectives": "text", "vendors": {
		"chat": {"base_url": "%[1]s"}, "responses": {"base_url": "%[1]s", "api": "responses"},
		"anthropic": {"base_url": "%[1]s", "key_env": ""}, "google": {"base_url": "%[1]s", "key_env": ""}}}`, p.server.URL)
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), []byte(settings), 0o600))
	for _, vendor := range []string{"chat", "responses", "anthropic", "google"} {
		t.Run(vendor, func(t *testing.T) {
			if c := p.run(exitAnswered, "run", "--model", vendor+"/scripted", "first"); c.out.String() != "Done.\n" {
				t.Errorf("the answer is %q", c.out)
			}
			for _, next := range []string{"anthropic", "chat", "google", "responses", vendor} {
				if c := p.run(exitAnswered, "run", "--continue", "--model", next+"/scripted", "again"); c.out.String() != "Again.\n" {
					t.Errorf("%s goes on with %q", next, c.out)
				}
			}
		})
	}
	p.allAccepted()
}
