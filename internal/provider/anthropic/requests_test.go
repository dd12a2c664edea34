package anthropic

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// Every recorded request whose conversation has a place in ours is written again
// with the same meaning. S1.22, S1.29, P4.
func TestRecordedRequests(t *testing.T) {
	var tally providertest.Tally
	notHeld := map[string]int{}
	for name, body := range recordedRequests(t) {
		p := &parsed{cfg: config, notHeld: map[string]bool{}}
		if p.request(body); p.unfit != "" {
			tally.Leave(p.unfit)
			continue
		}
		for what := range p.notHeld {
			notHeld[what]++
		}
		tally.Try(t, name, func(t *testing.T) {
			want, got := plainRequest(t, body), plainRequest(t, bodyOf(t, p))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-recorded +written):\n%s", name, diff)
			}
		})
	}
	tally.Report(t)
	t.Logf("equal but for what is not held: %v", notHeld)
	if providertest.Known(t) && tally.Passed < 339 {
		t.Errorf("only %d requests", tally.Passed)
	}
}

// recordedRequests returns the bodies of the requests that were recorded.
func recordedRequests(t *testing.T) map[string][]byte {
	recordings(t) // skips where there are none
	dir := os.Getenv("IKIGAI_FIXTURES")
	index, err := os.Open(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	all := map[string][]byte{}
	lines := bufio.NewScanner(index)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var e struct {
			Section, File, API string
			N                  int
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(apis, e.API) || e.Section != "http" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			t.Fatal(err)
		}
		var session struct {
			Interactions []struct {
				N        int
				Request  struct{ Body string }
				Response struct{ Status int }
			}
		}
		if err := json.Unmarshal(raw, &session); err != nil {
			t.Fatal(err)
		}
		for _, i := range session.Interactions {
			if i.N == e.N && i.Response.Status == 200 {
				all[fmt.Sprintf("%s#%d", e.File, e.N)] = []byte(i.Request.Body)
			}
		}
	}
	return all
}

// bodyOf returns the body that is sent for a request that was read.
func bodyOf(t *testing.T, p *parsed) []byte {
	t.Helper()
	var body []byte
	p.req.Sending = func(s ikigai.Sent) { body = bytes.Join(slices.Concat(s.Head, s.Conversation), nil) }
	for range New(p.cfg).Stream(t.Context(), p.req) { // ends at once: there is no address
	}
	return body
}

// parsed is a request of the wire as one of ours.
type parsed struct {
	cfg     provider.Config
	req     ikigai.Request
	notHeld map[string]bool // what our requests have no place for, and does not change the rest
	unfit   string          // why the conversation has no place in ours
}

// notHeldOptions are members of a request that ours have no place for.
var notHeldOptions = []string{"temperature", "top_p", "top_k", "stop_sequences", "container", "mcp_servers", "betas", "metadata"}

type wireRequest struct {
	Model     string
	MaxTokens int             `json:"max_tokens"`
	System    json.RawMessage // a string or blocks
	Messages  []struct {
		Role    string
		Content json.RawMessage // a string or blocks
	}
	Tools []struct {
		Type, Name, Description string
		Schema                  json.RawMessage `json:"input_schema"`
		Strict                  bool
		Defer                   bool `json:"defer_loading"`
	}
	ToolChoice struct {
		Type, Name string
		OneCall    bool `json:"disable_parallel_tool_use"`
	} `json:"tool_choice"`
	Thinking struct {
		Type   string
		Budget int `json:"budget_tokens"`
	}
	OutputConfig struct {
		Effort string
		Format *wireFormat
	} `json:"output_config"`
	OutputFormat *wireFormat `json:"output_format"`
}

type wireFormat struct{ Schema json.RawMessage }

type wireBlock struct {
	Type, Text, ID, Name, Title string
	Input                       json.RawMessage
	ToolUseID                   string `json:"tool_use_id"`
	Content                     json.RawMessage
	IsError                     bool `json:"is_error"`
	Citations                   json.RawMessage
	Source                      struct {
		Type, Data string
		Media      string `json:"media_type"`
	}
	raw json.RawMessage
}

func (p *parsed) request(body []byte) {
	var r wireRequest
	if err := json.Unmarshal(body, &r); err != nil {
		p.unfit = "no JSON"
		return
	}
	var members map[string]any
	_ = json.Unmarshal(body, &members) // it has just been decoded
	for _, name := range notHeldOptions {
		if members[name] != nil {
			p.notHeld[name] = true
		}
	}
	p.options(&r)
	if system := p.blocks(r.System); len(system) > 0 {
		m := ikigai.Message{Kind: ikigai.KindSystem}
		m.Content, m.Parts = textAndParts(p.parts(system))
		p.req.Messages = append(p.req.Messages, m)
	}
	for _, m := range r.Messages {
		switch blocks := p.blocks(m.Content); m.Role {
		case "user":
			p.user(blocks)
		case "assistant":
			p.reply(blocks)
		default:
			p.unfit = "a message of the role " + m.Role
		}
	}
}

func (p *parsed) options(r *wireRequest) {
	p.cfg.Model, p.req.MaxOutput = r.Model, r.MaxTokens
	p.cfg.Quirks.NoModel = r.Model == ""
	for _, t := range r.Tools {
		if t.Type != "" && t.Type != "custom" {
			p.notHeld["tools that the vendor runs"] = true
			continue
		}
		if t.Strict || t.Defer {
			p.notHeld["tools that are strict one by one, or loaded later"] = true
		}
		p.req.Tools = append(p.req.Tools, ikigai.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	switch r.ToolChoice.Type {
	case "any":
		p.req.ToolChoice.Mode = ikigai.ToolChoiceRequired
	case "tool":
		p.req.ToolChoice = ikigai.ToolChoice{Mode: ikigai.ToolChoiceNamed, Name: r.ToolChoice.Name}
	case "none":
		p.req.ToolChoice.Mode = ikigai.ToolChoiceNone
	}
	if r.ToolChoice.OneCall {
		p.notHeld["one call at most"] = true
	}
	thinking := ikigai.Thinking{Effort: r.OutputConfig.Effort, Budget: r.Thinking.Budget, Off: r.Thinking.Type == "disabled"}
	if thinking.Effort != "" && r.Thinking.Type == "" {
		p.notHeld["effort without thinking"] = true
		thinking = ikigai.Thinking{}
	}
	p.cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelDefault: thinking}
	for _, f := range []*wireFormat{r.OutputConfig.Format, r.OutputFormat} {
		if f != nil {
			p.req.Format = &ikigai.Format{Name: "answer", Schema: f.Schema}
		}
	}
}

// blocks returns content as blocks.
func (p *parsed) blocks(raw json.RawMessage) []wireBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return []wireBlock{{Type: "text", Text: text}}
	}
	var raws []json.RawMessage
	_ = json.Unmarshal(raw, &raws) // null has none
	blocks := make([]wireBlock, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &blocks[i]); err != nil {
			p.unfit = "a block of another form"
		}
		blocks[i].raw = raw
	}
	return blocks
}

func (p *parsed) user(blocks []wireBlock) {
	var rest []wireBlock
	for _, b := range blocks {
		if b.Type != "tool_result" {
			rest = append(rest, b)
			continue
		}
		r := &ikigai.ToolResult{CallID: b.ToolUseID, Success: !b.IsError}
		r.Output, r.Parts = textAndParts(p.parts(p.blocks(b.Content)))
		p.req.Messages = append(p.req.Messages, ikigai.Message{Kind: ikigai.KindToolResult, Result: r})
	}
	if len(rest) > 0 {
		m := ikigai.Message{Kind: ikigai.KindUser}
		m.Content, m.Parts = textAndParts(p.parts(rest))
		p.req.Messages = append(p.req.Messages, m)
	}
}

// parts returns blocks as parts.
func (p *parsed) parts(blocks []wireBlock) []ikigai.Part {
	var parts []ikigai.Part
	for _, b := range blocks {
		part := ikigai.Part{Type: ikigai.PartText, Text: b.Text, Name: b.Title}
		switch {
		case b.Type == "text":
		case b.Type == "image" && b.Source.Type == "base64":
			part = ikigai.Part{Type: ikigai.PartImage, Media: b.Source.Media, Bytes: bytesOf(b.Source.Data)}
		case b.Type == "document" && b.Source.Type == "base64":
			part = ikigai.Part{Type: ikigai.PartFile, Name: b.Title, Media: b.Source.Media, Bytes: bytesOf(b.Source.Data)}
		case b.Type == "document" && b.Source.Type == "text":
			part = ikigai.Part{Type: ikigai.PartFile, Name: b.Title, Media: b.Source.Media, Bytes: []byte(b.Source.Data)}
		default:
			p.unfit = strings.TrimSpace("a block " + b.Type + " " + b.Source.Type)
		}
		parts = append(parts, part)
	}
	return parts
}

// bytesOf decodes base64. What the recordings have instead of long data stands
// for itself.
func bytesOf(data string) []byte {
	if raw, err := base64.StdEncoding.DecodeString(data); err == nil {
		return raw
	}
	return []byte(data)
}

// textAndParts returns text that stands alone as text.
func textAndParts(parts []ikigai.Part) (string, []ikigai.Part) {
	if len(parts) == 1 && parts[0].Type == ikigai.PartText {
		return parts[0].Text, nil
	}
	return "", parts
}

// reply takes in an assistant message. What it holds beside text and calls
// becomes state of the model.
func (p *parsed) reply(blocks []wireBlock) {
	var layout provider.Layout
	var calls []ikigai.Message
	text := ""
	for _, b := range blocks {
		switch b.Type {
		case "text":
			text += b.Text
			if cited := string(b.Citations); cited != "" && cited != "null" && cited != "[]" {
				layout = append(layout, provider.Block{Text: len(b.Text), Own: object([]byte(`,"citations":` + cited))})
			} else {
				layout.AddText(len(b.Text))
			}
		case "tool_use":
			calls = append(calls, ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)}})
			layout = append(layout, provider.Block{Call: len(calls)})
		default:
			layout = append(layout, provider.Block{Own: b.raw})
		}
	}
	group := calls
	if text != "" || len(calls) == 0 {
		group = append([]ikigai.Message{{Kind: ikigai.KindAssistant, Content: text}}, calls...)
	}
	group[0].Vendor = layout.State(p.cfg.Name)
	p.req.Messages = append(p.req.Messages, group...)
}

// plainRequest returns the meaning of a request: without what our requests have
// no place for, and what makes no difference.
func plainRequest(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, name := range append([]string{"stream", "cache_control", "anthropic_version"}, notHeldOptions...) {
		delete(r, name)
	}
	plainTools(r)
	config, _ := r["output_config"].(map[string]any)
	if format, ok := r["output_format"]; ok {
		delete(r, "output_format")
		config = map[string]any{"format": format}
	}
	thinking, _ := r["thinking"].(map[string]any)
	if delete(thinking, "display"); thinking == nil {
		delete(config, "effort")
	}
	if delete(r, "output_config"); len(config) > 0 {
		r["output_config"] = config
	}
	if system := plainUser(r["system"]); len(system) > 0 {
		r["system"] = system
	} else {
		delete(r, "system")
	}
	r["messages"] = plainMessages(r["messages"].([]any))
	return r
}

func plainTools(r map[string]any) {
	var tools []any
	list, _ := r["tools"].([]any)
	for _, tool := range list {
		t := tool.(map[string]any)
		if t["type"] != nil && t["type"] != "custom" {
			continue
		}
		schema, _ := t["input_schema"].(map[string]any)
		if schema["properties"] == nil {
			schema["properties"] = map[string]any{}
		}
		description, _ := t["description"].(string)
		tools = append(tools, map[string]any{"name": t["name"], "description": description, "input_schema": schema})
	}
	choice, _ := r["tool_choice"].(map[string]any)
	delete(choice, "disable_parallel_tool_use")
	if choice["type"] == "auto" || len(tools) == 0 {
		delete(r, "tool_choice")
	}
	if delete(r, "tools"); len(tools) > 0 {
		r["tools"] = tools
	}
}

// plainMessages joins messages of one role.
func plainMessages(messages []any) []any {
	var all []any
	for _, message := range messages {
		m := message.(map[string]any)
		blocks := plainUser(m["content"])
		if m["role"] == "assistant" {
			blocks = plainBlocks(blocks)
		}
		if len(all) > 0 && all[len(all)-1].(map[string]any)["role"] == m["role"] {
			before := all[len(all)-1].(map[string]any)
			before["content"] = append(before["content"].([]any), blocks...)
			continue
		}
		all = append(all, map[string]any{"role": m["role"], "content": blocks})
	}
	return all
}

// plainUser returns content as blocks without what makes no difference.
func plainUser(content any) []any {
	if text, ok := content.(string); ok {
		content = []any{map[string]any{"type": "text", "text": text}}
	}
	var all []any
	blocks, _ := content.([]any)
	for _, block := range blocks {
		b := maps.Clone(block.(map[string]any))
		delete(b, "cache_control")
		switch text, _ := b["text"].(string); b["type"] {
		case "text":
			if strings.TrimSpace(text) == "" {
				continue
			}
		case "tool_result":
			inner := plainUser(b["content"])
			if delete(b, "content"); len(inner) > 0 {
				b["content"] = inner
			}
			if b["is_error"] == false {
				delete(b, "is_error")
			}
		case "image", "document":
			delete(b, "citations")
			if source := b["source"].(map[string]any); source["type"] == "base64" {
				source["data"] = base64.StdEncoding.EncodeToString(bytesOf(source["data"].(string)))
			}
		}
		all = append(all, b)
	}
	return all
}
