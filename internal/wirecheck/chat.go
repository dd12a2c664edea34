package wirecheck

import (
	"fmt"
	"slices"
	"strings"
)

// Chat checks the body of a Chat Completions request.
func Chat(body []byte) error {
	c := chat{calls: map[string]bool{}}
	v := c.read(body, 0)
	if c.first == nil {
		c.request(v)
	}
	return c.err()
}

type chat struct {
	report
	names []string        // of the tools
	calls map[string]bool // ids of all calls so far
	open  []string        // ids of the calls of the last assistant message that wait for an answer
	round bool            // the message before was an assistant's with calls, or a tool's
}

func (c *chat) request(v *value) {
	if v.str("model") == "" {
		c.refuse("model", "You must provide a model parameter.")
	}
	if v.get("stream_options") != nil && v.get("stream").String() != "true" {
		c.refuse("stream_options", "stream_options goes with stream alone.")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		c.atLeast(name, v.get(name), 1)
	}
	// "string_above_max_length", as with prompt_cache_key in Responses.
	if n := len(v.str("prompt_cache_key")); n > 64 {
		c.refuse("prompt_cache_key", "string too long. Expected a string with maximum length 64, but got a string with length %d instead.", n)
	}
	c.format(v.get("response_format"))
	c.tools(v)
	if messages := v.get("messages"); messages == nil || messages.is(array) && len(messages.items) == 0 {
		c.refuse("messages", "There are no messages. Send at least one.")
	} else {
		c.want("messages", messages, array)
	}
	for i, m := range v.get("messages").list() {
		at := fmt.Sprintf("messages.[%d]", i)
		if role := m.str("role"); i > 0 && (role == "system" || role == "developer") {
			c.refuse(at+".role", "A %s message stands behind others. Send one, as the first message.", role)
		}
		c.message(at, &m)
	}
	c.closed(fmt.Sprintf("messages.[%d].role", len(v.get("messages").list())))
}

func (c *chat) format(v *value) {
	if v == nil {
		return
	}
	c.oneOf("response_format.type", v.get("type"), "text", "json_object", "json_schema")
	if v.str("type") != "json_schema" {
		return
	}
	schema := v.get("json_schema")
	if name := schema.str("name"); name != "" && !isName(name, 64) {
		c.refuse("response_format.json_schema.name", "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.")
	}
	if schema.get("strict").String() == "true" {
		c.strictSchema("response_format.json_schema.schema", schema.get("schema"))
	}
}

func (c *chat) tools(v *value) {
	tools, choice := v.get("tools"), v.get("tool_choice")
	if tools == nil {
		// "'tool_choice' is only allowed when 'tools' are specified", the same of
		// parallel_tool_calls; what asks for no call is taken.
		if choice != nil && choice.text != "none" {
			c.refuse("tool_choice", "tool_choice is only allowed when tools are specified.")
		}
		if v.get("parallel_tool_calls") != nil {
			c.refuse("parallel_tool_calls", "parallel_tool_calls is only allowed when tools are specified.")
		}
		return
	}
	// "[] is too short - 'tools'" (JetBrains/koog #786, pydantic/pydantic-ai #155).
	if len(tools.list()) == 0 {
		c.refuse("tools", "The list of tools is empty. Leave it out.")
	}
	for i, t := range tools.list() {
		c.tool(fmt.Sprintf("tools.[%d]", i), &t)
	}
	c.choice(choice)
}

func (c *chat) tool(at string, t *value) {
	switch t.str("type") {
	case "function":
	case "":
		c.refuse(at+".type", "Missing required parameter: the type of a tool, function.")
	default:
		return // what a vendor runs by itself
	}
	f := t.get("function")
	name := f.str("name")
	if !isName(name, 64) {
		c.refuse(at+".function.name", "%q is no name of a tool. Use 1 to 64 of a-z, A-Z, 0-9, _ and -.", name)
	}
	if slices.Contains(c.names, name) {
		c.refuse(at+".function.name", "Two tools are named %q.", name)
	}
	c.names = append(c.names, name)
	if p := f.get("parameters"); p != nil && len(p.keys()) > 0 && p.str("type") != "object" {
		c.refuse(at+".function.parameters", `The schema of a tool must be of type "object".`)
	}
	c.functionSchema(at+".function.parameters", name, f.get("parameters"))
	if f.get("strict").String() == "true" {
		c.strictSchema(at+".function.parameters", f.get("parameters"))
	}
}

func (c *chat) choice(v *value) {
	switch {
	case v == nil:
	case v.kind == text:
		if !slices.Contains([]string{"auto", "none", "required"}, v.text) {
			c.refuse("tool_choice", "%q is no tool choice. Use none, auto, required or a function.", v.text)
		}
	case v.str("type") == "function" && !slices.Contains(c.names, v.get("function").str("name")):
		c.refuse("tool_choice", "The tool choice names no function of the list of tools.")
	}
}

func (c *chat) message(at string, m *value) {
	role := m.str("role")
	there := c.content(at+".content", role, m.get("content"))
	var calls []string
	switch role {
	case "system", "developer", "user":
		if !there {
			c.refuse(at+".content", "The message is empty. Leave it out or give it content.")
		}
	case "assistant":
		calls = c.toolCalls(at+".tool_calls", m.get("tool_calls"))
		if len(calls) == 0 && !there && m.get("refusal") == nil {
			c.refuse(at+".content", "The assistant message has neither text nor tool_calls. Leave it out.")
		}
	case "tool":
		c.answer(at, m)
		return
	default:
		c.refuse(at+".role", "%q is no role. Use system, developer, user, assistant or tool.", role)
	}
	if role != "assistant" && m.get("tool_calls") != nil {
		c.refuse(at+".tool_calls", "Only assistant messages have tool_calls.")
	}
	c.closed(at + ".role")
	c.open, c.round = calls, len(calls) > 0
}

// closed refuses calls that no tool message answers, at the message that follows
// them (anthropics/claude-code #473, vercel/ai #5171 and many others).
func (c *chat) closed(at string) {
	if len(c.open) > 0 {
		c.refuse(at, "An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
			"'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(c.open, ", "))
	}
}

// answer takes in a tool message.
func (c *chat) answer(at string, m *value) {
	id := m.str("tool_call_id")
	switch i := slices.Index(c.open, id); {
	case id == "":
		c.refuse(at+".tool_call_id", "Missing required parameter: a tool message names the call it answers.")
	case m.get("content") == nil:
		c.refuse(at+".content", "The content of a tool message must not be null.")
	case !c.round:
		c.refuse(at+".role", "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
	case i < 0:
		c.refuse(at+".tool_call_id", "No call of the assistant message before has the id %q, or it is answered already.", id)
	default:
		c.open = slices.Delete(slices.Clone(c.open), i, i+1)
	}
}

// content reports whether a message has any content.
func (c *chat) content(at, role string, v *value) bool {
	switch {
	case v == nil:
		return false
	case v.kind == text:
		return v.text != ""
	case !c.want(at, v, array):
		return false
	case len(v.items) == 0:
		c.refuse(at, "The list of content parts is empty. Leave the message out or give it content.")
	}
	for i, p := range v.items {
		c.part(fmt.Sprintf("%s.[%d]", at, i), role, &p)
	}
	return true
}

// partTypes returns the types of content that messages of a role may have.
func partTypes(role string) []string {
	switch role {
	case "user":
		return []string{"text", "image_url", "input_audio", "file", "video_url"}
	case "assistant":
		return []string{"text", "refusal", "thinking"} // Mistral's thinking
	}
	return []string{"text"}
}

func (c *chat) part(at, role string, p *value) {
	kind := p.str("type")
	if !slices.Contains(partTypes(role), kind) {
		c.refuse(at+".type", "A %s message has no content of type %q.", role, kind)
	}
	switch kind {
	case "text":
		if p.str("text") == "" {
			c.refuse(at+".text", "The text of a content part is empty. Leave the part out.")
		}
	case "image_url":
		c.imageURL(at+".image_url.url", p.get("image_url").get("url"))
	case "file":
		c.file(at+".file", p.get("file"))
	}
}

func (c *chat) file(at string, f *value) {
	if f.get("file_id") != nil {
		return
	}
	if c.want(at+".file_data", f.get("file_data"), text) && f.str("filename") == "" {
		c.refuse(at+".filename", "Missing required parameter: a file in a message has a name.")
	}
}

// toolCalls returns the ids of calls.
func (c *chat) toolCalls(at string, v *value) (ids []string) {
	if v == nil {
		return nil
	}
	if len(v.list()) == 0 {
		c.refuse(at, "The list of tool_calls is empty. Leave it out.")
	}
	for i, call := range v.list() {
		here := fmt.Sprintf("%s.[%d]", at, i)
		id, f := call.str("id"), call.get("function")
		switch {
		case call.str("type") != "function" || f == nil:
			c.refuse(here+".type", "A call of type %q is not known. Use function.", call.str("type"))
		// "string too long. Expected a string with maximum length 40" (vercel/ai
		// #5171); it is 64 by now (jin-bo/agentao #321), and 40 is taken everywhere.
		case id == "" || len(id) > 40:
			c.refuse(here+".id", "The id %q is empty or longer than 40 bytes.", id)
		case c.calls[id]:
			c.refuse(here+".id", "Two tool calls have the id %q.", id)
		case !isName(f.str("name"), 64):
			c.refuse(here+".function.name", "%q is no name of a function. Use 1 to 64 of a-z, A-Z, 0-9, _ and -.", f.str("name"))
		case !f.get("arguments").is(text):
			c.refuse(here+".function.arguments", "Missing required parameter: arguments, a string.")
		}
		c.calls[id] = true
		ids = append(ids, id)
	}
	return ids
}
