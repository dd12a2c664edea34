package foreign

import (
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
)

// claude reads the session files of Claude Code, and the streams of messages
// of its SDK, which have the same lines but for the tree.
type claude struct {
	*decoder
	seen    map[string]string // lines by their uuid
	sides   map[string]string // interactions by the uuid of a sidechain's lines, or by the call it belongs to
	chains  int
	replies map[string]*entry // the last line of each reply
	talked  bool              // something of the main conversation has come
	main    bool              // there are lines that are of no sidechain
}

type claudeLine struct {
	Type            string          `json:"type"`
	Subtype         string          `json:"subtype"`
	UUID            string          `json:"uuid"`
	Parent          string          `json:"parentUuid"`
	LogicalParent   string          `json:"logicalParentUuid"`
	ParentToolUseID string          `json:"parent_tool_use_id"`
	Sidechain       bool            `json:"isSidechain"`
	CompactSummary  bool            `json:"isCompactSummary"`
	APIError        bool            `json:"isApiErrorMessage"`
	Cwd             string          `json:"cwd"`
	Version         string          `json:"version"`
	Timestamp       any             `json:"timestamp"`
	Message         json.RawMessage `json:"message"`
	Summary         string          `json:"summary"`
	CustomTitle     string          `json:"customTitle"`
	AITitle         string          `json:"aiTitle"`
	CostUSD         *float64        `json:"costUSD"`
}

type claudeMessage struct {
	ID         string          `json:"id"`
	Model      string          `json:"model"`
	Content    json.RawMessage `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      json.RawMessage `json:"usage"`
}

type claudeUsage struct {
	Input      tokens `json:"input_tokens"`
	Output     tokens `json:"output_tokens"`
	CacheRead  tokens `json:"cache_read_input_tokens"`
	CacheWrite tokens `json:"cache_creation_input_tokens"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Title     string          `json:"title"`
	Source    struct {
		Type  string `json:"type"`
		Media string `json:"media_type"`
		Data  string `json:"data"`
		URL   string `json:"url"`
	} `json:"source"`
	raw json.RawMessage
}

func (c *claude) read(lines []line) {
	c.seen, c.sides, c.replies = map[string]string{}, map[string]string{}, map[string]*entry{}
	for _, l := range lines {
		var d claudeLine
		unmarshal(l.text, &d)
		c.main = c.main || d.Message != nil && !d.Sidechain && d.ParentToolUseID == ""
	}
	for _, l := range lines {
		if c.source == "" {
			c.source = l.SessionID + l.SessionID2
		}
		c.line(l)
	}
}

func (c *claude) line(l line) {
	var d claudeLine
	if !unmarshal(l.text, &d) {
		c.warn(l.number, "Some members of a line have another form than expected and were left out")
	}
	if d.UUID != "" {
		if before, ok := c.seen[d.UUID]; ok && before == string(l.text) {
			c.warn(l.number, "A line repeats an earlier one")
			return
		}
		c.seen[d.UUID] = string(l.text)
	}
	if c.dir == "" {
		c.dir = d.Cwd
	}
	if c.version == "" {
		c.version = d.Version
	}
	e := &entry{line: l.number, id: d.UUID, parent: d.Parent, time: when(d.Timestamp)}
	if e.parent == "" {
		e.parent = d.LogicalParent
	}
	c.content(e, &d)
	c.entries = append(c.entries, e)
}

func (c *claude) content(e *entry, d *claudeLine) {
	interaction := c.interaction(e, d)
	switch d.Type {
	case "user":
		c.user(e, d, interaction)
	case "assistant":
		c.assistant(e, d, interaction)
	case "summary", "custom-title", "ai-title":
		e.beside = true
		c.add(e, "title", ikigai.KindAssistant, d.Summary+d.CustomTitle+d.AITitle, nil)
	default:
		kind := d.Type
		if d.Subtype != "" {
			kind += " " + d.Subtype
		}
		e.beside = d.UUID == ""
		c.leftOut(e.line, kind)
	}
}

// interaction returns the interaction that a line belongs to. Sidechains, in
// which another agent does a task, have one of their own each.
func (c *claude) interaction(e *entry, d *claudeLine) string {
	key, from := d.UUID, d.Parent
	switch {
	case d.ParentToolUseID != "" && c.main:
		key, from = d.ParentToolUseID, d.ParentToolUseID
	case !d.Sidechain || !c.main || d.Message == nil:
		return ikigai.Main
	}
	e.beside = true
	name, ok := c.sides[from]
	if !ok {
		c.chains++
		name = fmt.Sprintf("task-%d", c.chains)
	}
	c.sides[key] = name
	return name
}

func (c *claude) user(e *entry, d *claudeLine, interaction string) {
	var m claudeMessage
	unmarshal(d.Message, &m)
	var said content
	for _, b := range c.blocks(e, m.Content) {
		switch {
		case strings.HasSuffix(b.Type, "tool_result"):
			c.result(e, interaction, b.ToolUseID, "", c.part(e, b.Content), !b.IsError)
		default:
			c.block(e, &said, b)
		}
	}
	if len(said.texts) == 0 && len(said.parts) == 0 {
		return
	}
	switch {
	case interaction != ikigai.Main:
	case d.CompactSummary && c.talked:
		interaction = "compaction"
	default:
		e.statement, c.talked = true, true
	}
	c.message(e, interaction, ikigai.KindUser, said)
}

func (c *claude) assistant(e *entry, d *claudeLine, interaction string) {
	var m claudeMessage
	if !unmarshal(d.Message, &m) {
		c.warn(e.line, "Some members of a message have another form than expected and were left out")
	}
	model := vendorModel("anthropic", m.Model)
	if c.model == "" && m.Model != "" && m.Model != "<synthetic>" {
		c.model = model
	}
	if e.reply = m.ID; e.reply == "" {
		e.reply = e.name()
	}
	for _, b := range c.blocks(e, m.Content) {
		c.talked = c.talked || interaction == ikigai.Main
		switch {
		case b.Type == "text" && d.APIError:
			c.add(e, interaction, ikigai.KindError, b.Text, ikigai.ErrorData{Kind: ikigai.ErrorServer})
		case b.Type == "text":
			c.message(e, interaction, ikigai.KindAssistant, content{text: b.Text})
		case b.Type == "thinking":
			c.thinking(e, interaction, b.Thinking, thinkingData{Signature: b.Signature})
		case b.Type == "redacted_thinking":
			c.thinking(e, interaction, "", thinkingData{Redacted: b.Data})
		case strings.HasSuffix(b.Type, "tool_use"):
			c.call(e, interaction, b.ID, b.Name, string(b.Input))
		case strings.HasSuffix(b.Type, "tool_result"):
			c.result(e, interaction, b.ToolUseID, "", c.part(e, b.Content), !b.IsError)
		default:
			c.warn(e.line, "A part of type %s of an answer has no counterpart and was left out", show(b.Type))
		}
	}
	c.spent(e, d, &m, interaction, model)
}

// spent notes what a reply used. Each of its lines says so, the last one
// finally.
func (c *claude) spent(e *entry, d *claudeLine, m *claudeMessage, interaction, model string) {
	var u claudeUsage
	unmarshal(m.Usage, &u)
	if before := c.replies[e.reply]; before != nil && len(before.events) > 0 {
		if last := len(before.events) - 1; before.events[last].Kind == ikigai.KindUsage {
			before.events = before.events[:last]
		}
	}
	c.replies[e.reply] = e
	c.usage(e, interaction, model, ikigai.Usage{
		Input:  int64(u.Input + u.CacheRead + u.CacheWrite),
		Output: int64(u.Output), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite),
	}, micros(d.CostUSD), claudeStop(m.StopReason))
}

func claudeStop(reason string) ikigai.StopReason {
	switch reason {
	case "end_turn", "stop_sequence":
		return ikigai.StopEnd
	case "tool_use":
		return ikigai.StopToolCalls
	case "max_tokens":
		return ikigai.StopLength
	case "refusal":
		return ikigai.StopFilter
	}
	return ""
}

// blocks returns the parts of a message, which is a text or a list.
func (c *claude) blocks(e *entry, raw json.RawMessage) []claudeBlock {
	if text, ok := isText(raw); ok {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	if isNull(raw) {
		return nil
	}
	var list []json.RawMessage
	if !unmarshal(raw, &list) {
		c.warn(e.line, "The content of a message has another form than expected and was left out")
		return nil
	}
	blocks := make([]claudeBlock, 0, len(list))
	for _, raw := range list {
		b := claudeBlock{raw: raw}
		if text, ok := isText(raw); ok {
			b.Type, b.Text = "text", text
		} else if !unmarshal(raw, &b) {
			c.warn(e.line, "Some members of a message have another form than expected and were left out")
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// part returns the content of a result.
func (c *claude) part(e *entry, raw json.RawMessage) content {
	var out content
	for _, b := range c.blocks(e, raw) {
		c.block(e, &out, b)
	}
	return out
}

// block adds a part of what is said to out.
func (c *claude) block(e *entry, out *content, b claudeBlock) {
	switch {
	case b.Type == "text":
		out.say(b.Text)
	case b.Source.Type == "base64":
		c.attach(e, out, b.Source.Media, b.Title, b.Source.Data)
	case b.Source.Type == "text":
		out.say(b.Source.Data)
	case b.Source.URL != "":
		c.attachURL(e, out, b.Source.URL)
	default:
		out.say(string(b.raw)) // as it is, so that it is not lost
	}
}
