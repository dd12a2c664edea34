package wirecheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Messages checks the body of a request to Anthropic's Messages.
func Messages(body []byte) error {
	m := messages{used: map[string]bool{}}
	v := m.read(body, 0)
	if m.first == nil {
		m.request(v)
	}
	return m.err()
}

// messages follows the calls of a conversation. Messages of one role in a row
// count as one.
type messages struct {
	report
	tools    []string        // their names
	anyTools bool            // there are some
	used     map[string]bool // ids of all calls so far
	open     []string        // ids of the calls that the next message of the user must answer
	asked    string          // where they stand
	answered []string        // ids that this message of the user answers
	text     bool            // this message of the user holds more than results
	marks    int             // cache_control so far
	thinks   string          // thinking.type
}

// Members that requests and blocks may have; others are answered with "Extra
// inputs are not permitted".
var (
	messagesMembers = words(`model max_tokens messages system tools tool_choice thinking stream temperature top_p top_k
		stop_sequences metadata service_tier container context_management mcp_servers output_config output_format
		cache_control inference_geo anthropic_version anthropic_beta speed`)
	blockMembers = map[string][]string{
		"text":              words("type text cache_control citations"),
		"image":             words("type source cache_control"),
		"document":          words("type source title context citations cache_control"),
		"thinking":          words("type thinking signature"),
		"redacted_thinking": words("type data"),
		"tool_use":          words("type id name input cache_control caller"),
		"tool_result":       words("type tool_use_id content is_error cache_control"),
	}
)

const extra = "%s: Extra inputs are not permitted"

func (m *messages) request(v *value) {
	m.known("", v, messagesMembers, extra)
	if v.get("anthropic_version") != nil && v.get("cache_control") != nil { // vercel/ai #13986
		m.refuse("", extra, "cache_control")
	}
	if v.str("model") == "" && v.get("anthropic_version") == nil { // it is in the path where others serve the model
		m.refuse("model", "Field required")
	}
	if m.want("max_tokens", v.get("max_tokens"), number) {
		m.atLeast("max_tokens", v.get("max_tokens"), 1)
	}
	m.mark("cache_control", v)
	m.system(v.get("system"))
	m.toolList(v)
	m.thinking(v)
	m.choice(v.get("tool_choice"))
	if !m.want("messages", v.get("messages"), array) {
		return
	}
	list := v.get("messages").items
	if len(list) == 0 {
		m.refuse("messages", "at least one message is required")
		return
	}
	for i := range list {
		m.message(fmt.Sprintf("messages.%d", i), list, i)
	}
	m.closed()
	m.final(list)
}

// system demands text that is not empty.
func (m *messages) system(v *value) {
	if v == nil || v.kind == text {
		return
	}
	for i, b := range v.list() {
		at := fmt.Sprintf("system.%d", i)
		m.known(at, &b, blockMembers["text"], extra)
		m.textBlock(at, "system", &b)
	}
}

// mark counts a cache_control: "A maximum of 4 blocks with cache_control may be
// provided. Found 5." (tghamm/Anthropic.SDK #50)
func (m *messages) mark(at string, block *value) {
	mark := block.get("cache_control")
	if mark == nil {
		return
	}
	m.oneOf(at+".type", mark.get("type"), "ephemeral")
	m.oneOf(at+".ttl", mark.get("ttl"), "5m", "1h")
	if m.marks++; m.marks > 4 {
		m.refuse("", "A maximum of 4 blocks with cache_control may be provided. Found %d.", m.marks)
	}
}

func (m *messages) toolList(v *value) {
	for i, t := range v.get("tools").list() {
		at, name := fmt.Sprintf("tools.%d", i), t.str("name")
		if slices.Contains(m.tools, name) {
			m.refuse("tools", "Tool names must be unique.")
		}
		m.tools = append(m.tools, name)
		m.mark(at+".cache_control", &t)
		if kind := t.str("type"); kind != "" && kind != "custom" {
			continue // what Anthropic has built in
		}
		if !isName(name, 128) {
			m.refuse(at+".custom.name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
		}
		schema := t.get("input_schema")
		if m.want(at+".custom.input_schema", schema, object) && schema.str("type") != "object" {
			m.refuse(at+".custom.input_schema.type", "Input should be 'object'")
		}
		for _, name := range []string{"oneOf", "anyOf", "allOf"} { // anthropics/claude-code #5319
			if schema.get(name) != nil {
				m.refuse(at+".custom.input_schema", "input_schema does not support oneOf, allOf, or anyOf at the top level")
			}
		}
		m.toolSchema(at+".custom.input_schema", schema)
		for _, name := range schema.get("properties").keys() {
			if !isName(strings.ReplaceAll(name, ".", "_"), 64) { // beautyfree/appstore-connect-mcp #2
				m.refuse(at+".custom.input_schema.properties", "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'")
			}
		}
	}
	m.anyTools = v.get("tools") != nil || v.get("mcp_servers") != nil
}

// thinking checks what the documentation of extended thinking says of other
// options: a budget of 1024 tokens at least and below max_tokens, no other
// temperature than 1, and no call that is forced.
func (m *messages) thinking(v *value) {
	thinking := v.get("thinking")
	m.oneOf("thinking.type", thinking.get("type"), "enabled", "disabled", "adaptive")
	m.thinks = thinking.str("type")
	if m.thinks == "enabled" && m.want("thinking.enabled.budget_tokens", thinking.get("budget_tokens"), number) {
		m.atLeast("thinking.enabled.budget_tokens", thinking.get("budget_tokens"), 1024)
		most, _ := strconv.Atoi(v.get("max_tokens").String())
		budget, _ := strconv.Atoi(thinking.get("budget_tokens").text)
		if budget >= most {
			m.refuse("", "`max_tokens` must be greater than `thinking.budget_tokens`.")
		}
	}
	if m.thinks != "enabled" && thinking.get("budget_tokens") != nil {
		m.refuse("thinking."+m.thinks+".budget_tokens", "Extra inputs are not permitted")
	}
	if t := v.get("temperature"); m.thinks == "enabled" && t != nil && t.text != "1" && t.text != "1.0" {
		m.refuse("", "`temperature` may only be set to 1 when thinking is enabled.")
	}
}

func (m *messages) choice(v *value) {
	if v == nil {
		return
	}
	kind := v.str("type")
	m.oneOf("tool_choice.type", v.get("type"), "auto", "any", "tool", "none")
	if !m.anyTools {
		m.refuse("tool_choice", "tool_choice may only be specified while providing tools.")
	}
	if kind == "tool" && !slices.Contains(m.tools, v.str("name")) {
		m.refuse("tool_choice", "Tool '%s' not found in provided tools", v.str("name"))
	}
	if m.thinks == "enabled" && (kind == "any" || kind == "tool") {
		m.refuse("", "Thinking may not be enabled when tool_choice forces tool use.")
	}
}

func (m *messages) message(at string, list []value, i int) {
	msg := &list[i]
	m.known(at, msg, words("role content"), extra)
	role := msg.str("role")
	m.oneOf(at+".role", msg.get("role"), "user", "assistant", "system")
	switch {
	case i == 0 && role != "user":
		m.refuse(at, "first message must use the \"user\" role")
	case role == "system" && len(m.open) > 0, role == "assistant" && i > 0 && list[i-1].str("role") != "assistant":
		m.closed()
	}
	content := msg.get("content")
	switch {
	case content.is(text):
		m.someText(at, role, content.text)
		m.text = m.text || role == "user"
	case m.want(at+".content", content, array) && len(content.items) == 0:
		m.refuse(at, "all messages must have non-empty content except for the optional final assistant message")
	}
	for j, b := range content.list() {
		m.block(fmt.Sprintf("%s.content.%d", at, j), role, &b)
	}
	if role == "assistant" && len(m.open) > 0 {
		m.asked = at
	}
}

// someText refuses text in which there is nothing: "text content blocks must be
// non-empty" (anthropics/claude-code #59812), "must contain non-whitespace text".
func (m *messages) someText(at, role, s string) {
	switch {
	case s == "":
		m.refuse(at, "messages: text content blocks must be non-empty")
	case blank(s) && role != "assistant": // of whom a space was accepted
		m.refuse(at, "messages: text content blocks must contain non-whitespace text")
	}
}

func (m *messages) textBlock(at, role string, b *value) {
	if b.get("cache_control") != nil && b.str("text") == "" { // stakpak/agent #511
		m.refuse(at+".text", "cache_control cannot be set for empty text blocks")
	}
	if m.want(at+".text.text", b.get("text"), text) {
		m.someText(at, role, b.str("text"))
	}
	m.mark(at+".cache_control", b)
	m.text = m.text || role == "user"
}

// block checks a block of a message.
func (m *messages) block(at, role string, b *value) {
	kind := b.str("type")
	if members, ok := blockMembers[kind]; ok {
		m.known(at+"."+kind, b, members, extra)
	}
	if mine := map[string]string{"thinking": "assistant", "redacted_thinking": "assistant", "tool_use": "assistant",
		"tool_result": "user", "image": "user"}[kind]; mine != "" && role != mine {
		m.refuse(at, "`%s` blocks can only be in `%s` messages", kind, mine)
	}
	switch kind {
	case "text":
		m.textBlock(at, role, b)
		return
	case "thinking":
		// "Invalid `signature` in `thinking` block" is what an empty one brings
		// (anomalyco/opencode #6418).
		m.want(at+".thinking.thinking", b.get("thinking"), text)
		if m.want(at+".thinking.signature", b.get("signature"), text) && b.str("signature") == "" {
			m.refuse(at, "Invalid `signature` in `thinking` block")
		}
	case "redacted_thinking":
		if b.str("data") == "" {
			m.refuse(at+".redacted_thinking.data", "Field required")
		}
	case "tool_use":
		m.call(at, b)
	case "tool_result":
		m.result(at, b)
	case "image", "document":
		m.media(at+"."+kind, kind, b.get("source"))
		m.text = m.text || role == "user"
	case "":
		m.refuse(at+".type", "Field required")
	}
	m.mark(at+".cache_control", b)
}

func (m *messages) call(at string, b *value) {
	id := b.str("id")
	switch {
	case !isName(id, 1<<10):
		m.refuse(at+".tool_use.id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
	case m.used[id]:
		m.refuse(at, "`tool_use` ids must be unique")
	case !isName(b.str("name"), 200):
		m.refuse(at+".tool_use.name", "String should match pattern '^[a-zA-Z0-9_-]{1,200}$'")
	case !b.get("input").is(object):
		m.refuse(at+".tool_use.input", "Input should be a valid dictionary")
	}
	m.needTools()
	m.used[id] = true
	m.open = append(m.open, id)
}

// needTools refuses calls without a list of tools; an empty one was accepted.
func (m *messages) needTools() {
	if !m.anyTools {
		m.refuse("tools", "Requests which include `tool_use` or `tool_result` blocks must define tools")
	}
}

// result takes in the answer to a call. All answers come before anything else:
// text in front of them is answered as if they were missing.
func (m *messages) result(at string, b *value) {
	id := b.str("tool_use_id")
	switch {
	case slices.Contains(m.answered, id):
		m.refuse(at, "each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", id)
	case !slices.Contains(m.open, id): // anthropics/claude-code #18947
		m.refuse(at, "unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a "+
			"corresponding `tool_use` block in the previous message.", id)
	case m.text:
		m.refuse(m.asked, "`tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` "+
			"block must have a corresponding `tool_result` block in the next message.", id)
	}
	m.needTools()
	m.answered = append(m.answered, id)
	content := b.get("content")
	if content != nil && content.kind != text {
		m.want(at+".tool_result.content", content, array)
	}
	for i, c := range content.list() {
		m.resultBlock(fmt.Sprintf("%s.tool_result.content.%d", at, i), &c, b.get("is_error").String() == "true")
	}
}

func (m *messages) resultBlock(at string, b *value, failed bool) {
	kind := b.str("type")
	m.oneOf(at+".type", b.get("type"), "text", "image", "document", "search_result", "tool_reference")
	if members, ok := blockMembers[kind]; ok {
		m.known(at+"."+kind, b, members, extra)
	}
	switch kind {
	case "text":
		m.want(at+".text.text", b.get("text"), text)
		m.someText(at, "user", b.str("text"))
	case "image", "document":
		m.media(at+"."+kind, kind, b.get("source"))
	}
	if failed && kind != "text" { // vellum-ai/vellum-assistant #18387
		m.refuse(at, "all content must be type `text` if `is_error` is true")
	}
}

func (m *messages) media(at, kind string, source *value) {
	switch media := source.str("media_type"); source.str("type") {
	case "base64":
		if kind == "image" {
			m.image(at+".source.base64", media, source.get("data"), commonImages)
			return
		}
		m.oneOf(at+".source.base64.media_type", source.get("media_type"), "application/pdf")
		m.data(at+".source.base64.data", source.get("data"))
	case "text":
		m.oneOf(at+".source.text.media_type", source.get("media_type"), "text/plain")
		if source.str("data") == "" {
			m.refuse(at+".source.text.data", "The document is empty.")
		}
	case "url", "file", "content":
	default:
		m.refuse(at+".source", "Input tag %s found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'", source.get("type"))
	}
}

// closed refuses calls that the messages of the user behind them do not answer
// (anthropics/claude-code #8210 and hundreds of others).
func (m *messages) closed() {
	var missing []string
	for _, id := range m.open {
		if !slices.Contains(m.answered, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		m.refuse(m.asked, "`tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` "+
			"block must have a corresponding `tool_result` block in the next message.", strings.Join(missing, ", "))
	}
	m.open, m.answered, m.text = nil, nil, false
}

// final checks how the conversation ends. Models of today take no beginning of
// their own answer ("This model does not support assistant message prefill").
// And a turn that goes on with the results of calls must begin with thinking, if
// that is on with a budget (anomalyco/opencode #3077, Kilo-Org/kilocode #5219),
// and hold none, if it is off (tailcallhq/forgecode #1853).
func (m *messages) final(list []value) {
	if list[len(list)-1].str("role") == "assistant" {
		m.refuse("", "This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	turn := openTurn(list)
	if turn == len(list) {
		return
	}
	blocks := list[turn].get("content").list()
	if len(blocks) == 0 {
		return
	}
	kind := blocks[0].str("type")
	thinks := kind == "thinking" || kind == "redacted_thinking"
	at := fmt.Sprintf("messages.%d.content.0", turn)
	switch {
	case m.thinks == "enabled" && !thinks:
		m.refuse(at+".type", "Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final "+
			"`assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", kind)
	case m.thinks == "disabled" && thinks:
		m.refuse(at, "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.")
	}
}

// openTurn returns the index of the message with which the model's turn began
// that the last message goes on with. Words of the user beside results begin no
// new turn.
func openTurn(list []value) int {
	start := len(list)
	for i := len(list) - 1; i >= 0; {
		hasResult := false
		for ; i >= 0 && list[i].str("role") == "user"; i-- {
			hasResult = hasResult || slices.ContainsFunc(list[i].get("content").list(), func(b value) bool { return b.str("type") == "tool_result" })
		}
		if !hasResult {
			break
		}
		for ; i >= 0 && list[i].str("role") == "assistant"; i-- {
			start = i
		}
		if i >= 0 && list[i].str("role") == "system" {
			break
		}
	}
	return start
}
