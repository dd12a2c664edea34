package foreign

import (
	"encoding/json"
	"strings"

	"ikigai"
)

// pi reads the session files of pi: a header, then entries, which since its
// second version are a tree.
type pi struct {
	*decoder
	ran map[string]bool // calls that have a result
}

type piLine struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Parent    json.RawMessage `json:"parentId"`
	Timestamp any             `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Version   tokens          `json:"version"`
	Provider  string          `json:"provider"`
	ModelID   string          `json:"modelId"`
	Message   json.RawMessage `json:"message"`
	Summary   string          `json:"summary"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"` // of a custom_message
}

type piMessage struct {
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	Provider     string          `json:"provider"`
	Model        string          `json:"model"`
	StopReason   string          `json:"stopReason"`
	ErrorMessage string          `json:"errorMessage"`
	ToolCallID   string          `json:"toolCallId"`
	ToolName     string          `json:"toolName"`
	IsError      bool            `json:"isError"`
	Command      string          `json:"command"` // of a bashExecution
	Output       string          `json:"output"`
	Summary      string          `json:"summary"`
	Usage        struct {
		Input      tokens `json:"input"`
		Output     tokens `json:"output"`
		CacheRead  tokens `json:"cacheRead"`
		CacheWrite tokens `json:"cacheWrite"`
		Cost       struct {
			Total *float64 `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
}

type piPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"thinkingSignature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Data      string          `json:"data"`
	Media     string          `json:"mimeType"`
	raw       json.RawMessage
}

func (p *pi) read(lines []line) {
	p.ran = map[string]bool{}
	for _, l := range lines {
		var m piMessage
		if unmarshal(l.Message, &m); m.Role == "toolResult" {
			p.ran[m.ToolCallID] = true
		}
	}
	for _, l := range lines {
		var d piLine
		if !unmarshal(l.text, &d) {
			p.warn(l.number, "Some members of a line have another form than expected and were left out")
		}
		e := &entry{line: l.number, id: d.ID, time: when(d.Timestamp)}
		e.parent, _ = isText(d.Parent)
		e.root = d.ID != "" && string(d.Parent) == "null" && d.Type != "session"
		p.line(e, &d)
		if d.Type != "session" {
			p.entries = append(p.entries, e)
		}
	}
}

func (p *pi) line(e *entry, d *piLine) {
	switch d.Type {
	case "session":
		p.header(e, d)
	case "message":
		p.said(e, d.Message)
	case "model_change":
		if p.model != "" { // usage says which model answered
			p.leftOut(e.line, d.Type)
			break
		}
		p.model = vendorModel(d.Provider, d.ModelID)
	case "compaction":
		p.add(e, "compaction", ikigai.KindUser, d.Summary, nil)
	case "branch_summary":
		e.statement = true
		p.message(e, ikigai.Main, ikigai.KindUser, content{text: d.Summary})
	case "custom_message":
		e.statement = true
		p.message(e, ikigai.Main, ikigai.KindUser, p.content(e, p.parts(e, d.Content)))
	case "session_info":
		e.beside = d.ID == ""
		p.add(e, "title", ikigai.KindAssistant, d.Name, nil)
	default:
		p.leftOut(e.line, d.Type)
	}
}

// header reads the first line. Further ones are of sessions that this file
// goes on with.
func (p *pi) header(e *entry, d *piLine) {
	if p.source != "" {
		p.leftOut(e.line, "session")
		return
	}
	p.source, p.dir = d.ID, d.Cwd
	if d.ModelID != "" {
		p.model = vendorModel(d.Provider, d.ModelID)
	}
}

func (p *pi) said(e *entry, raw json.RawMessage) {
	var m piMessage
	if !unmarshal(raw, &m) {
		p.warn(e.line, "Some members of a message have another form than expected and were left out")
	}
	switch m.Role {
	case "user", "custom", "hookMessage":
		e.statement = true
		p.message(e, ikigai.Main, ikigai.KindUser, p.content(e, p.parts(e, m.Content)))
	case "assistant":
		e.reply = e.name()
		p.assistant(e, &m)
	case "toolResult":
		p.result(e, ikigai.Main, m.ToolCallID, m.ToolName, p.content(e, p.parts(e, m.Content)), !m.IsError)
	case "bashExecution": // the person's own command, which the model is told of
		e.statement = true
		p.message(e, ikigai.Main, ikigai.KindUser, content{text: "$ " + m.Command + "\n" + m.Output})
	case "branchSummary", "compactionSummary":
		p.add(e, "compaction", ikigai.KindUser, m.Summary, nil)
	default:
		p.leftOut(e.line, "message of "+m.Role)
	}
}

func (p *pi) assistant(e *entry, m *piMessage) {
	model := vendorModel(m.Provider, m.Model)
	if p.model == "" {
		p.model = model
	}
	unfinished := m.StopReason == "aborted" || m.StopReason == "error"
	var cutOff interruption
	for _, b := range p.parts(e, m.Content) {
		switch {
		case b.Type == "text" && unfinished:
			cutOff.said = append(cutOff.said, b.Text)
		case b.Type == "text":
			p.message(e, ikigai.Main, ikigai.KindAssistant, content{text: b.Text})
		case b.Type == "thinking" && unfinished:
			cutOff.thought = append(cutOff.thought, b.Thinking)
		case b.Type == "thinking":
			p.thinking(e, ikigai.Main, b.Thinking, thinkingData{Signature: b.Signature})
		case b.Type == "toolCall" && unfinished && !p.ran[b.ID]:
			cutOff.Calls = append(cutOff.Calls, b.raw)
		case b.Type == "toolCall":
			p.call(e, ikigai.Main, b.ID, b.Name, string(b.Arguments))
		default:
			p.warn(e.line, "A part of type %s of an answer has no counterpart and was left out", show(b.Type))
		}
	}
	if unfinished {
		p.brokenOff(e, m, cutOff)
	}
	u := m.Usage
	p.usage(e, ikigai.Main, model, ikigai.Usage{
		Input:  int64(u.Input + u.CacheRead + u.CacheWrite),
		Output: int64(u.Output), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite),
	}, p.cost(u.Cost.Total, unfinished), piStop(m.StopReason))
}

// cost is what a reply cost. Nothing is not said of one that was broken off.
func (p *pi) cost(dollars *float64, unfinished bool) *int64 {
	if dollars != nil && *dollars == 0 && unfinished {
		return nil
	}
	return micros(dollars)
}

// interruption is the data of an interrupted event, with the calls of the reply
// that never ran.
type interruption struct {
	ikigai.InterruptedData
	Calls []json.RawMessage `json:"calls,omitempty"`

	said, thought []string
}

func (p *pi) brokenOff(e *entry, m *piMessage, cutOff interruption) {
	cutOff.Reason = m.ErrorMessage
	if m.StopReason == "aborted" {
		cutOff.Reason = "cancelled"
	}
	cutOff.Thinking = strings.Join(cutOff.thought, "\n")
	p.add(e, ikigai.Main, ikigai.KindInterrupted, strings.Join(cutOff.said, "\n"), cutOff)
	// It stands before the calls that did run.
	for i := len(e.events) - 1; i > 0 && e.events[i-1].Kind == ikigai.KindToolCall; i-- {
		e.events[i], e.events[i-1] = e.events[i-1], e.events[i]
	}
}

func piStop(reason string) ikigai.StopReason {
	switch reason {
	case "stop":
		return ikigai.StopEnd
	case "toolUse":
		return ikigai.StopToolCalls
	case "length":
		return ikigai.StopLength
	}
	return ""
}

// parts returns the parts of a message, which is a text or a list.
func (p *pi) parts(e *entry, raw json.RawMessage) []piPart {
	if text, ok := isText(raw); ok {
		return []piPart{{Type: "text", Text: text}}
	}
	if isNull(raw) {
		return nil
	}
	var list []json.RawMessage
	if !unmarshal(raw, &list) {
		p.warn(e.line, "The content of a message has another form than expected and was left out")
	}
	parts := make([]piPart, len(list))
	for i, raw := range list {
		parts[i].raw = raw
		unmarshal(raw, &parts[i])
	}
	return parts
}

func (p *pi) content(e *entry, parts []piPart) content {
	var out content
	for _, b := range parts {
		switch b.Type {
		case "text":
			out.say(b.Text)
		case "image":
			p.attach(e, &out, b.Media, "", b.Data)
		default:
			out.say(string(b.raw)) // as it is, so that it is not lost
		}
	}
	return out
}
