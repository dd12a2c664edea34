package foreign

import (
	"encoding/json"
	"strings"

	"ikigai"
)

// codex reads the rollout files of Codex: a line for each item of the
// conversation (response_item) and lines beside them, most of which say the
// same once more for its interface (event_msg). The files of its first
// versions hold the items alone.
type codex struct {
	*decoder
	vendor string
	turn   string // the model of the turn, with its vendor
}

type codexPayload struct {
	Type string `json:"type"`

	// Of the session and a turn.
	ID            string `json:"id"`
	SessionID     string `json:"session_id"`
	Cwd           string `json:"cwd"`
	CLIVersion    string `json:"cli_version"`
	ModelProvider string `json:"model_provider"`
	Model         string `json:"model"`
	Instructions  any    `json:"instructions"`
	Base          struct {
		Text string `json:"text"`
	} `json:"base_instructions"`

	// Of items.
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Tools     json.RawMessage `json:"tools"`
	Status    string          `json:"status"`
	Result    any             `json:"result"` // of an image: its bytes in base64

	// Of events.
	Message    string `json:"message"`
	ThreadName string `json:"thread_name"`
	Info       struct {
		Last codexUsage `json:"last_token_usage"`
	} `json:"info"`
}

type codexUsage struct {
	Input      tokens `json:"input_tokens"`
	Output     tokens `json:"output_tokens"`
	CacheRead  tokens `json:"cached_input_tokens"`
	CacheWrite tokens `json:"cache_write_input_tokens"`
	Reasoning  tokens `json:"reasoning_output_tokens"`
}

func (c *codex) read(lines []line) {
	for _, l := range lines {
		e := &entry{line: l.number, time: when(l.Timestamp)}
		kind, text := l.Type, []byte(l.Payload)
		if l.Payload == nil { // a first version
			text = l.text
			if kind = "response_item"; l.Type == "" && l.ID != "" {
				kind = "session_meta"
			}
		}
		var p codexPayload
		if !unmarshal(text, &p) {
			c.warn(l.number, "Some members of a line have another form than expected and were left out")
		}
		c.line(e, kind, &p)
		c.entries = append(c.entries, e)
	}
}

func (c *codex) line(e *entry, kind string, p *codexPayload) {
	switch kind {
	case "session_meta":
		c.meta(e, p)
	case "turn_context":
		c.turn = vendorModel(c.vendor, p.Model)
		if c.model == "" {
			c.model = c.turn
		}
	case "response_item":
		c.item(e, p)
	case "event_msg":
		c.event(e, p)
	case "compacted":
		c.add(e, "compaction", ikigai.KindUser, p.Message, nil)
	default:
		c.leftOut(e.line, strings.TrimSpace(kind+" "+p.Type))
	}
}

// meta reads what a session begins with. Further ones are of other sessions
// that this one goes on with or began.
func (c *codex) meta(e *entry, p *codexPayload) {
	if c.source != "" {
		c.leftOut(e.line, "session_meta")
		return
	}
	c.source = p.ID
	c.dir, c.version, c.vendor = p.Cwd, p.CLIVersion, p.ModelProvider
	if c.vendor == "" {
		c.vendor = "openai"
	}
	instructions, _ := p.Instructions.(string)
	c.instruct(e, p.Base.Text+instructions)
}

// instruct adds to the system prompt, of which there is one.
func (c *codex) instruct(e *entry, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	c.system = append(c.system, text)
	c.message(e, ikigai.Main, ikigai.KindSystem, content{text: strings.Join(c.system, "\n\n")})
}

func (c *codex) item(e *entry, p *codexPayload) {
	switch p.Type {
	case "message":
		c.said(e, p)
	case "agent_message":
		c.message(e, "agents", ikigai.KindAssistant, c.parts(e, p.Content))
	case "reasoning":
		text := c.parts(e, p.Summary).text
		if more := c.parts(e, p.Content).text; more != "" {
			text = strings.TrimSpace(text + "\n\n" + more)
		}
		c.thinking(e, ikigai.Main, text, thinkingData{Encrypted: p.Encrypted})
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call", "image_generation_call":
		c.called(e, p)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output":
		c.answered(e, p)
	default:
		c.leftOut(e.line, "response_item "+p.Type)
	}
}

func (c *codex) said(e *entry, p *codexPayload) {
	said := c.parts(e, p.Content)
	switch p.Role {
	case "user":
		e.statement = true
		c.message(e, ikigai.Main, ikigai.KindUser, said)
	case "assistant":
		c.message(e, ikigai.Main, ikigai.KindAssistant, said)
	case "system", "developer":
		c.instruct(e, said.text)
	default:
		c.leftOut(e.line, "message of "+p.Role)
	}
}

// called reads a call. Those that the vendor carries out itself have no result
// of their own.
func (c *codex) called(e *entry, p *codexPayload) {
	id, name, input := p.CallID, p.Name, p.Arguments
	if isNull(input) {
		input = p.Input
	}
	if isNull(input) {
		input = p.Action
	}
	arguments, ok := isText(input)
	if !ok && !isNull(input) {
		arguments = string(input)
	}
	if id == "" {
		id = p.ID
	}
	if name == "" {
		name = strings.TrimSuffix(p.Type, "_call")
	}
	c.call(e, ikigai.Main, id, name, arguments)
	if p.Type != "web_search_call" && p.Type != "image_generation_call" {
		return
	}
	var done content
	done.say(p.Status)
	if p.Type == "image_generation_call" {
		image, _ := p.Result.(string)
		c.attach(e, &done, "image/png", "", image)
	}
	c.result(e, ikigai.Main, id, name, done, p.Status != "failed")
}

// answered reads a result: a text, a list of parts, or one of them. The first
// versions wrote a text that holds an object.
func (c *codex) answered(e *entry, p *codexPayload) {
	raw := p.Output
	if p.Type == "tool_search_output" {
		raw = p.Tools
	}
	out, success := c.parts(e, raw), true
	var wrapped struct {
		Content  *string `json:"content"`
		Output   *string `json:"output"`
		Success  *bool   `json:"success"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	object := []byte(out.text)
	if len(raw) > 0 && raw[0] == '{' {
		object = raw
	}
	if unmarshal(object, &wrapped) {
		if wrapped.Content != nil && wrapped.Success != nil {
			out = content{text: *wrapped.Content}
		}
		success = wrapped.Success == nil || *wrapped.Success
	}
	c.result(e, ikigai.Main, p.CallID, "", out, success)
}

// event reads a line that was written for the interface. Most of them say what
// an item says.
func (c *codex) event(e *entry, p *codexPayload) {
	switch p.Type {
	case "token_count":
		u := p.Info.Last
		c.usage(e, ikigai.Main, c.turn, ikigai.Usage{
			Input: int64(u.Input), Output: int64(u.Output),
			CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite), Reasoning: int64(u.Reasoning),
		}, nil, "")
	case "thread_name_updated":
		c.add(e, "title", ikigai.KindAssistant, p.ThreadName, nil)
	case "error":
		c.add(e, ikigai.Main, ikigai.KindError, p.Message, ikigai.ErrorData{Kind: ikigai.ErrorServer})
	default:
		c.leftOut(e.line, "event_msg "+p.Type)
	}
}

type codexPart struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image any    `json:"image_url"`
	raw   json.RawMessage
}

// parts returns what a text, a part or a list of parts says.
func (c *codex) parts(e *entry, raw json.RawMessage) content {
	var out content
	if isNull(raw) {
		return out
	}
	if text, ok := isText(raw); ok {
		out.say(text)
		return out
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		unmarshal(raw, &list)
	}
	for _, raw := range list {
		p := codexPart{raw: raw}
		unmarshal(raw, &p)
		c.part(e, &out, p)
	}
	return out
}

func (c *codex) part(e *entry, out *content, p codexPart) {
	image, _ := p.Image.(string)
	switch {
	case strings.HasSuffix(p.Type, "text"):
		out.say(p.Text)
	case p.Type == "input_image" && strings.HasPrefix(image, "data:"):
		c.attachURL(e, out, image)
	case p.Type == "input_image" && strings.Contains(image, "://"):
		c.attachURL(e, out, image)
	case p.Type == "input_image":
		c.warn(e.line, "The bytes of an image are not in the session file")
	case p.Type == "encrypted_content":
		c.warn(e.line, "An encrypted part of a message was left out")
	default:
		out.say(string(p.raw)) // as it is, so that it is not lost
	}
}
