package scriptserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Check reports what a strict vendor would refuse in the body of a Chat
// Completions request; nil if nothing. It asks for valid UTF-8 without NUL and
// lone surrogates, known roles, content where it is required, no empty
// messages, each tool call answered by one tool message right after it, no tool
// message without its call, call ids used once and not longer than 40 bytes,
// and a tool list and tool choice that fit each other. Fields it does not know
// it leaves alone, for dialects add their own.
func Check(body []byte) error {
	_, err := parseRequest(body)
	return err
}

// refusal is why a request is not served, in the vendor's terms.
type refusal struct {
	param   string // such as messages.[3].role; "" for none
	code    string // "" for none
	message string
}

func (r *refusal) Error() string {
	if r.param == "" {
		return r.message
	}
	return r.param + ": " + r.message
}

func refuse(param, format string, args ...any) *refusal {
	return &refusal{param: param, message: fmt.Sprintf(format, args...)}
}

// request is what the server needs of a request.
type request struct {
	messages     []message
	choice       string // none, auto, required; or the name of a tool
	named        bool   // choice is a name
	tools        []string
	stream       bool
	includeUsage bool
}

type message struct {
	role   string
	text   string
	calls  []string // ids
	callID string
}

// parseRequest decodes and checks the body of a request. Errors are *refusal.
func parseRequest(body []byte) (*request, error) {
	if !utf8.Valid(body) {
		return nil, refuse("", "The body is not valid UTF-8. Send clean text.")
	}
	var wire struct {
		Model         *string           `json:"model"`
		Messages      []json.RawMessage `json:"messages"`
		Tools         *[]wireTool       `json:"tools"`
		ToolChoice    json.RawMessage   `json:"tool_choice"`
		Parallel      *bool             `json:"parallel_tool_calls"`
		Stream        bool              `json:"stream"`
		StreamOptions *struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := decode("", body, &wire); err != nil {
		return nil, err
	}
	if err := checkEscapes(body); err != nil {
		return nil, err
	}
	switch {
	case wire.Model == nil || *wire.Model == "":
		return nil, refuse("model", "You must provide a model parameter.")
	case len(wire.Messages) == 0:
		return nil, refuse("messages", "There are no messages. Send at least one.")
	case wire.StreamOptions != nil && !wire.Stream:
		return nil, refuse("stream_options", "stream_options goes with stream alone.")
	}
	r := &request{stream: wire.Stream, includeUsage: wire.StreamOptions != nil && wire.StreamOptions.IncludeUsage}
	if err := r.setTools(wire.Tools, wire.ToolChoice, wire.Parallel != nil); err != nil {
		return nil, err
	}
	return r, r.setMessages(wire.Messages)
}

// decode decodes JSON into v. What does not fit is named with param before it.
func decode(param string, raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		at := strings.Trim(param+"."+wrong.Field, ".")
		return refuse(at, "Invalid type: a JSON %s where %s belongs.", wrong.Value, wrong.Type)
	}
	return refuse(param, "The body is not valid JSON: %v.", err)
}

// checkEscapes looks at the \u escapes of body, which is valid JSON.
func checkEscapes(body []byte) error {
	for i := 0; i+5 < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if i++; body[i] != 'u' {
			continue
		}
		switch r := hex4(body[i+1:]); {
		case r == 0:
			return refuse("", `The body holds \u0000 at byte %d. Leave NUL out.`, i-1)
		case r >= 0xdc00 && r < 0xe000, r >= 0xd800 && r < 0xdc00 && !lowSurrogate(body[i+5:]):
			return refuse("", `The body holds the lone surrogate \u%s at byte %d. Replace it with U+FFFD.`, body[i+1:i+5], i-1)
		case r >= 0xd800 && r < 0xdc00:
			i += 6
		}
		i += 4
	}
	return nil
}

func lowSurrogate(b []byte) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return false
	}
	r := hex4(b[2:])
	return r >= 0xdc00 && r < 0xe000
}

func hex4(b []byte) uint64 {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 32) // the decoder has checked it
	return n
}

type wireTool struct {
	Type     string `json:"type"`
	Function *struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func (r *request) setTools(tools *[]wireTool, choice json.RawMessage, parallel bool) error {
	if tools == nil {
		if len(choice) > 0 && string(choice) != `"none"` {
			return refuse("tool_choice", "tool_choice is only allowed when tools are specified.")
		}
		if parallel {
			return refuse("parallel_tool_calls", "parallel_tool_calls is only allowed when tools are specified.")
		}
		r.choice = "none"
		return nil
	}
	if len(*tools) == 0 {
		return refuse("tools", "The list of tools is empty. Leave it out.")
	}
	for i, t := range *tools {
		if err := r.addTool(fmt.Sprintf("tools.[%d]", i), t); err != nil {
			return err
		}
	}
	return r.setChoice(choice)
}

func (r *request) addTool(at string, t wireTool) error {
	if t.Type != "function" || t.Function == nil {
		return refuse(at+".type", "A tool of type %q is not known. Use function.", t.Type)
	}
	if !validName(t.Function.Name) {
		return refuse(at+".function.name", "%q is no name of a tool. Use 1 to 64 of a-z, A-Z, 0-9, _ and -.", t.Function.Name)
	}
	if slices.Contains(r.tools, t.Function.Name) {
		return refuse(at+".function.name", "Two tools are named %q.", t.Function.Name)
	}
	if p := t.Function.Parameters; len(p) > 0 {
		var schema struct {
			Type any `json:"type"`
		}
		if err := decode(at+".function.parameters", p, &schema); err != nil {
			return err
		}
		if schema.Type != "object" {
			return refuse(at+".function.parameters", `The schema of a tool must be of type "object".`)
		}
	}
	r.tools = append(r.tools, t.Function.Name)
	return nil
}

// validName reports whether s may name a function.
func validName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return 0 < len(s) && len(s) <= 64
}

func (r *request) setChoice(raw json.RawMessage) error {
	r.choice = "auto"
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '"' {
		if err := decode("tool_choice", raw, &r.choice); err != nil {
			return err
		}
		if !slices.Contains([]string{"auto", "none", "required"}, r.choice) {
			return refuse("tool_choice", "%q is no tool choice. Use none, auto, required or a function.", r.choice)
		}
		return nil
	}
	var named wireTool
	if err := decode("tool_choice", raw, &named); err != nil {
		return err
	}
	if named.Type != "function" || named.Function == nil || !slices.Contains(r.tools, named.Function.Name) {
		return refuse("tool_choice", "The tool choice names no function of the list of tools.")
	}
	r.choice, r.named = named.Function.Name, true
	return nil
}

// pairing follows which calls are open.
type pairing struct {
	seen map[string]bool // ids of all calls so far
	open []string        // ids of the calls of the last assistant message that wait for an answer
	last bool            // the message before was an assistant's with calls, or a tool's
}

func (r *request) setMessages(raw []json.RawMessage) error {
	r.messages = make([]message, 0, len(raw))
	p := pairing{seen: make(map[string]bool)}
	for i, data := range raw {
		at := fmt.Sprintf("messages.[%d]", i)
		m, err := parseMessage(at, data)
		if err != nil {
			return err
		}
		if (m.role == "system" || m.role == "developer") && i > 0 {
			return refuse(at+".role", "A %s message stands behind others. Send one, as the first message.", m.role)
		}
		if err := p.next(at, m); err != nil {
			return err
		}
		r.messages = append(r.messages, m)
	}
	return p.closed(fmt.Sprintf("messages.[%d].role", len(raw)))
}

// closed reports the calls that no tool message answers, seen at the message
// that follows them.
func (p *pairing) closed(at string) error {
	if len(p.open) == 0 {
		return nil
	}
	return refuse(at, "An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
		"'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(p.open, ", "))
}

func (p *pairing) next(at string, m message) error {
	if m.role != "tool" {
		if err := p.closed(at + ".role"); err != nil {
			return err
		}
		p.last = len(m.calls) > 0
		for j, id := range m.calls {
			if p.seen[id] {
				return refuse(fmt.Sprintf("%s.tool_calls.[%d].id", at, j), "Two tool calls have the id %q.", id)
			}
			p.seen[id] = true
		}
		p.open = slices.Clone(m.calls)
		return nil
	}
	if !p.last {
		return refuse(at+".role", "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
	}
	i := slices.Index(p.open, m.callID)
	if i < 0 {
		return refuse(at+".tool_call_id", "No call of the assistant message before has the id %q, or it is answered already.", m.callID)
	}
	p.open = slices.Delete(p.open, i, i+1)
	return nil
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Refusal    *string         `json:"refusal"`
	ToolCallID *string         `json:"tool_call_id"`
	ToolCalls  *[]wireCall     `json:"tool_calls"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function *struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

func parseMessage(at string, data []byte) (message, error) {
	var w wireMessage
	if err := decode(at, data, &w); err != nil {
		return message{}, err
	}
	m := message{role: w.Role}
	text, there, err := parseContent(at+".content", w.Role, w.Content)
	if err != nil {
		return m, err
	}
	m.text = text
	if (w.ToolCalls != nil) && w.Role != "assistant" {
		return m, refuse(at+".tool_calls", "Only assistant messages have tool_calls.")
	}
	switch w.Role {
	case "system", "developer", "user":
		if !there {
			return m, refuse(at+".content", "The message is empty. Leave it out or give it content.")
		}
	case "tool":
		if w.ToolCallID == nil || *w.ToolCallID == "" {
			return m, refuse(at+".tool_call_id", "Missing required parameter: a tool message names the call it answers.")
		}
		m.callID = *w.ToolCallID
		if len(w.Content) == 0 || string(w.Content) == "null" {
			return m, refuse(at+".content", "The content of a tool message must not be null.")
		}
	case "assistant":
		if w.ToolCalls != nil {
			m.calls, err = parseCalls(at+".tool_calls", *w.ToolCalls)
		} else if !there && w.Refusal == nil {
			err = refuse(at+".content", "The assistant message has neither text nor tool_calls. Leave it out.")
		}
	default:
		err = refuse(at+".role", "%q is no role. Use system, developer, user, assistant or tool.", w.Role)
	}
	return m, err
}

// parseContent returns the text of a message and whether there is any content.
func parseContent(at, role string, raw json.RawMessage) (text string, there bool, err error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", false, nil
	case raw[0] == '"':
		err := decode(at, raw, &text)
		return text, text != "", err
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if err := decode(at, raw, &parts); err != nil {
		return "", false, err
	}
	if len(parts) == 0 {
		return "", false, refuse(at, "The list of content parts is empty. Leave the message out or give it content.")
	}
	var texts []string
	for i, p := range parts {
		here := fmt.Sprintf("%s.[%d]", at, i)
		switch {
		case !slices.Contains(partTypes(role), p.Type):
			return "", false, refuse(here+".type", "A %s message has no content of type %q.", role, p.Type)
		case p.Type == "text" && (p.Text == nil || *p.Text == ""):
			return "", false, refuse(here+".text", "The text of a content part is empty. Leave the part out.")
		case p.Type == "text":
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n"), true, nil
}

// partTypes returns the types of content that messages of a role may have.
func partTypes(role string) []string {
	switch role {
	case "user":
		return []string{"text", "image_url", "input_audio", "file"}
	case "assistant":
		return []string{"text", "refusal"}
	}
	return []string{"text"}
}

func parseCalls(at string, calls []wireCall) ([]string, error) {
	if len(calls) == 0 {
		return nil, refuse(at, "The list of tool_calls is empty. Leave it out.")
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		here := fmt.Sprintf("%s.[%d]", at, i)
		switch {
		case c.ID == "" || len(c.ID) > 40:
			return nil, refuse(here+".id", "The id %q is empty or longer than 40 bytes.", c.ID)
		case c.Type != "function" || c.Function == nil:
			return nil, refuse(here+".type", "A call of type %q is not known. Use function.", c.Type)
		case !validName(c.Function.Name):
			return nil, refuse(here+".function.name", "%q is no name of a function. Use 1 to 64 of a-z, A-Z, 0-9, _ and -.", c.Function.Name)
		case c.Function.Arguments == nil:
			return nil, refuse(here+".function.arguments", "Missing required parameter: arguments, a string.")
		}
		ids[i] = c.ID
	}
	return ids, nil
}
