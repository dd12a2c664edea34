package wirecheck

import (
	"fmt"
	"slices"
	"strings"
)

// Responses checks the body of a request to OpenAI's Responses.
func Responses(body []byte) error {
	r := responses{ids: map[string]bool{}, calls: map[string]bool{}}
	v := r.read(body, 0)
	if r.first == nil {
		r.request(v)
	}
	return r.err()
}

type responses struct {
	report
	tools   []string        // names of the functions
	others  bool            // there are tools that are no functions
	ids     map[string]bool // of items
	calls   map[string]bool // ids of all calls so far
	open    []string        // ids of calls without an output
	before  bool            // the conversation begins in what the vendor has stored
	stored  bool            // the vendor has stored what it answered
	thought string          // where reasoning stands that waits for what it led to
	thinker string          // the id of that reasoning
}

// Members that requests and items may have; others are answered with "Unknown
// parameter".
var (
	responsesMembers = words(`model input instructions tools tool_choice parallel_tool_calls stream stream_options
		temperature top_p top_logprobs max_output_tokens max_tool_calls metadata previous_response_id conversation
		prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning include store service_tier text
		truncation user safety_identifier background context_management provider`)  // provider is OpenRouter's
	itemMembers = map[string][]string{
		"message":              words("type role content id status phase"),
		"function_call":        words("type id call_id name arguments status namespace caller"),
		"function_call_output": words("type id call_id output status caller"),
		"reasoning":            words("type id summary content encrypted_content status"),
	}
)

const unknown = "Unknown parameter: '%s'."

func (r *responses) request(v *value) {
	r.known("", v, responsesMembers, unknown)
	if v.str("model") == "" {
		r.refuse("model", "Missing required parameter: 'model'.")
	}
	r.atLeast("max_output_tokens", v.get("max_output_tokens"), 16) // "integer below minimum value" (vectorize-io/hindsight #58)
	for _, name := range []string{"prompt_cache_key", "safety_identifier"} {
		if n := len(v.str(name)); n > 64 {
			r.refuse(name, "Invalid '%s': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", name, n)
		}
	}
	r.oneOf("reasoning.effort", v.get("reasoning").get("effort"), "none", "minimal", "low", "medium", "high", "xhigh", "max")
	r.format(v.get("text").get("format"))
	r.toolList(v)
	r.before = v.get("previous_response_id") != nil || v.get("conversation") != nil
	r.stored = v.get("store").String() != "false"
	r.input(v)
}

func (r *responses) format(f *value) {
	if f.str("type") != "json_schema" {
		return
	}
	if !isName(f.str("name"), 64) {
		r.refuse("text.format.name", "Invalid 'text.format.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.")
	}
	if f.get("strict").String() == "true" {
		r.strictSchema("text.format.schema", f.get("schema"))
	}
}

func (r *responses) toolList(v *value) {
	for i, t := range v.get("tools").list() {
		r.tool(fmt.Sprintf("tools[%d]", i), &t)
	}
	choice := v.get("tool_choice")
	switch {
	case choice.is(text):
		r.oneOf("tool_choice", choice, "none", "auto", "required")
		if choice.text == "required" && len(r.tools) == 0 && !r.others {
			r.refuse("tool_choice", "Tool choice 'required' must be specified with 'tools' parameter.")
		}
	case choice.str("type") == "function" && !slices.Contains(r.tools, choice.str("name")):
		r.refuse("tool_choice", "Tool choice 'function' not found in 'tools' parameter.")
	}
}

func (r *responses) tool(at string, t *value) {
	if t.str("type") != "function" {
		r.others = true
		return
	}
	name := t.str("name")
	if !isName(name, 64) {
		r.refuse(at+".name", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
	}
	if slices.Contains(r.tools, name) {
		r.refuse(at+".name", "Two tools are named %q.", name)
	}
	r.tools = append(r.tools, name)
	schema := t.get("parameters")
	if schema != nil && len(schema.keys()) > 0 && schema.str("type") != "object" {
		r.refuse(at+".parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", name)
	}
	r.functionSchema(at+".parameters", name, schema)
	// A recorded answer; strict is what a function is if it does not say.
	if t.get("strict").String() == "true" {
		r.strictSchema(at+".parameters", schema)
	}
}

func (r *responses) input(v *value) {
	input := v.get("input")
	if input.is(text) || input == nil && r.before {
		return
	}
	if !r.want("input", input, array) {
		return
	}
	if len(input.items) == 0 && !r.before {
		r.refuse("input", "Missing required parameter: 'input'.")
	}
	for i := range input.items {
		at := fmt.Sprintf("input[%d]", i)
		r.item(at, &input.items[i])
	}
	r.closed("input")
	r.led("", nil)
}

// item checks an item of the input.
func (r *responses) item(at string, it *value) {
	kind := it.str("type")
	if kind == "" && it.get("role") != nil {
		kind = "message"
	}
	if members, ok := itemMembers[kind]; ok {
		r.known(at, it, members, "Unknown parameter: '"+at+".%s'.")
	}
	r.id(at, kind, it.get("id"))
	r.led(kind, it)
	switch kind {
	case "message":
		r.message(at, it)
	case "function_call":
		r.call(at, it)
	case "function_call_output":
		r.output(at, it)
	case "reasoning":
		r.reasoning(at, it)
	case "":
		r.refuse(at+".type", "Missing required parameter: '%s.type'.", at)
	}
}

// prefixes of the ids of items: "Expected an ID that begins with 'msg'."
var prefixes = map[string]string{"message": "msg", "function_call": "fc", "reasoning": "rs"}

// id demands 64 letters, digits, _ and - at most (can1357/oh-my-pi #284,
// earendil-works/pi #1022), the beginning that items of a kind have, and that no
// two items have the same.
func (r *responses) id(at, kind string, v *value) {
	if v == nil {
		return
	}
	id := v.string()
	switch {
	case len(id) > 64:
		r.refuse(at+".id", "Invalid '%s.id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, len(id))
	case !isName(id, 64):
		r.refuse(at+".id", "Invalid '%s.id': '%s'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.", at, id)
	case !strings.HasPrefix(id, prefixes[kind]):
		r.refuse(at+".id", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, id, prefixes[kind])
	case r.ids[id]:
		r.refuse(at+".id", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
	}
	r.ids[id] = true
}

func (r *responses) message(at string, it *value) {
	role := it.str("role")
	r.oneOf(at+".role", it.get("role"), "user", "assistant", "system", "developer")
	r.closed(at)
	content := it.get("content")
	switch {
	case content.is(text):
		if content.text == "" {
			r.refuse(at+".content", "The message is empty. Leave it out or give it content.")
		}
	case r.want(at+".content", content, array) && len(content.items) == 0:
		r.refuse(at+".content", "The message is empty. Leave it out or give it content.")
	}
	allowed := []string{"input_text", "input_image", "input_file"}
	if role == "assistant" {
		allowed = []string{"output_text", "refusal"}
	}
	r.parts(at+".content", content, allowed)
}

func (r *responses) parts(at string, list *value, allowed []string) {
	for i, p := range list.list() {
		here := fmt.Sprintf("%s[%d]", at, i)
		r.oneOf(here+".type", p.get("type"), allowed...)
		switch p.str("type") {
		case "input_text", "output_text":
			if r.want(here+".text", p.get("text"), text) && p.str("text") == "" {
				r.refuse(here+".text", "The text of a content part is empty. Leave the part out.")
			}
		case "input_image":
			if p.get("file_id") == nil {
				r.imageURL(here+".image_url", p.get("image_url"))
			}
		case "input_file":
			r.file(here, &p)
		case "":
			r.refuse(here+".type", "Missing required parameter: '%s.type'.", here)
		}
	}
}

func (r *responses) file(at string, p *value) {
	if p.get("file_id") != nil || p.get("file_url") != nil {
		return
	}
	if r.want(at+".file_data", p.get("file_data"), text) && p.str("filename") == "" {
		r.refuse(at+".filename", "Missing required parameter: '%s.filename'.", at)
	}
}

func (r *responses) call(at string, it *value) {
	id := it.str("call_id")
	r.callID(at, id)
	switch {
	case r.calls[id]:
		r.refuse(at+".call_id", "Two function calls have the id %q.", id)
	case !isName(it.str("name"), 128):
		r.refuse(at+".name", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
	case !it.get("arguments").is(text):
		r.refuse(at+".arguments", "Missing required parameter: '%s.arguments'.", at)
	}
	r.calls[id] = true
	r.open = append(r.open, id)
}

// callID demands 1 to 64 bytes (decolua/9router #393, AnswerDotAI/fastllm #45).
func (r *responses) callID(at, id string) {
	switch n := len(id); {
	case n == 0:
		r.refuse(at+".call_id", "Invalid '%s.call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.", at)
	case n > 64:
		r.refuse(at+".call_id", "Invalid '%s.call_id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, n)
	}
}

// output takes in the output of a call (continuedev/continue #10092 and the
// threads that it lists).
func (r *responses) output(at string, it *value) {
	id := it.str("call_id")
	r.callID(at, id)
	i := slices.Index(r.open, id)
	switch {
	case i >= 0:
		r.open = slices.Delete(r.open, i, i+1)
	case r.calls[id] || !r.before:
		r.refuse(at, "No tool call found for function call output with call_id %s.", id)
	}
	if out := it.get("output"); !out.is(text) && r.want(at+".output", out, array) {
		if len(out.items) == 0 {
			r.refuse(at+".output", "The output is empty. Give it content.")
		}
		r.parts(at+".output", out, []string{"input_text", "input_image", "input_file"})
	}
}

// closed refuses calls without an output before a message follows, or the end
// (openai/openai-agents-python #673).
func (r *responses) closed(at string) {
	if len(r.open) > 0 {
		r.refuse(at, "No tool output found for function call %s.", r.open[0])
	}
}

func (r *responses) reasoning(at string, it *value) {
	r.want(at+".summary", it.get("summary"), array)
	sealed, id := it.str("encrypted_content"), it.str("id")
	switch {
	case sealed == "" && it.get("encrypted_content") != nil:
		r.refuse(at+".encrypted_content", "The encrypted content could not be verified.")
	case sealed == "" && !r.stored && it.get("content") == nil:
		r.refuse(at, "Item with id '%s' not found. Items are not persisted when `store` is set to false.", id)
	case sealed == "" && id == "" && it.get("content") == nil:
		r.refuse(at+".id", "Missing required parameter: '%s.id'.", at)
	}
	r.thought, r.thinker = at, id
}

// led refuses reasoning that does not stand before what it led to: a recorded
// answer, to an item without the ID that it had where the reasoning has its own.
func (r *responses) led(kind string, it *value) {
	if r.thought == "" || kind == "reasoning" {
		return
	}
	another := kind == "" || kind == "function_call_output" || kind == "message" && it.str("role") != "assistant"
	if another || r.thinker != "" && it.get("id") == nil {
		r.refuse(r.thought, "Item '%s' of type 'reasoning' was provided without its required following item.", r.thinker)
	}
	r.thought = ""
}
