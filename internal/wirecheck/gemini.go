package wirecheck

import (
	"fmt"
	"slices"
	"strings"
)

// Gemini checks the body of a request to Gemini's generateContent.
func Gemini(body []byte) error { return checkGemini(body, false) }

// GeminiSigned is Gemini for models from Gemini 3 on, which demand a signature
// of their thoughts with the first call of each reply since the person spoke.
func GeminiSigned(body []byte) error { return checkGemini(body, true) }

// maxDepth is how deep protocol buffers nest, in which the vendor reads JSON.
const maxDepth = 100

func checkGemini(body []byte, signed bool) error {
	g := gemini{signed: signed}
	v := g.read(body, maxDepth)
	if g.first == nil {
		g.request(v)
	}
	return g.err()
}

// gemini follows the calls of a conversation.
type gemini struct {
	report
	signed bool
	tools  []string // names of the functions
	calls  []call   // of the contents of the model just before
	asked  string   // where they stand
	answer []call   // to them, so far
}

// call is a function call, or a response to one.
type call struct{ id, name string }

// Members that requests have; others are answered with "Unknown name".
var (
	geminiMembers = words(`contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent
		labels model modelArmorConfig serviceTier store`)
	generationMembers = words(`temperature topP topK candidateCount maxOutputTokens stopSequences responseMimeType
		responseSchema responseJsonSchema presencePenalty frequencyPenalty seed responseLogprobs logprobs
		responseModalities speechConfig thinkingConfig mediaResolution imageConfig enableEnhancedCivicAnswers audioTimestamp`)
	partData = words(`text inlineData functionCall functionResponse fileData executableCode codeExecutionResult
		toolCall toolResponse`)
	partMembers = append(words("thought thoughtSignature partMetadata videoMetadata mediaResolution"), partData...)
)

// either returns a member by its name in camel case, or the same in snake case:
// protocol buffers take both.
func (v *value) either(name string) *value {
	if m := v.get(name); m != nil {
		return m
	}
	return v.get(snake(name))
}

// snake returns a name in camel case as snake case.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fields refuses members that are not known in either spelling.
func (g *gemini) fields(at string, v *value, names []string) {
	for _, name := range v.keys() {
		if !slices.ContainsFunc(names, func(n string) bool { return n == name || snake(n) == name }) {
			where := ""
			if at != "" {
				where = fmt.Sprintf(" at '%s'", at)
			}
			g.refuse(at, "Invalid JSON payload received. Unknown name %q%s: Cannot find field.", name, where)
		}
	}
}

// one returns the only item, where protocol buffers take it for a list.
func one(v *value) []value {
	if v.is(object) {
		return []value{*v}
	}
	return v.list()
}

func (g *gemini) request(v *value) {
	g.fields("", v, geminiMembers)
	if system := v.either("systemInstruction"); system != nil {
		for i, p := range one(system.get("parts")) {
			if p.str("text") == "" {
				g.refuse(fmt.Sprintf("systemInstruction.parts[%d]", i), "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.")
			}
		}
	}
	g.toolList(v)
	g.config(v.either("generationConfig"))
	contents := one(v.get("contents"))
	if len(contents) == 0 {
		g.refuse("contents", "contents is not specified")
		return
	}
	for i := range contents {
		g.content(fmt.Sprintf("contents[%d]", i), contents, i)
	}
	g.closed()
	last := contents[len(contents)-1]
	if last.str("role") == "model" { // crewAIInc/crewAI #6973
		g.refuse(fmt.Sprintf("contents[%d]", len(contents)-1), "Please ensure that multiturn requests end with a user role or a function response.")
	}
	if g.signed {
		g.signatures(contents)
	}
}

func (g *gemini) config(c *value) {
	g.fields("generation_config", c, generationMembers)
	g.atLeast("generation_config.max_output_tokens", c.either("maxOutputTokens"), 1)
	thinking := c.either("thinkingConfig")
	g.fields("generation_config.thinking_config", thinking, words("includeThoughts thinkingBudget thinkingLevel"))
	if thinking.either("thinkingBudget") != nil && thinking.either("thinkingLevel") != nil {
		g.refuse("generation_config.thinking_config", "You can only set only one of thinking budget and thinking level.")
	}
	if c.either("responseSchema") != nil && c.either("responseJsonSchema") != nil {
		g.refuse("generation_config", "Only one of response_schema and response_json_schema can be set.")
	}
	schema := c.either("responseSchema")
	if (schema != nil || c.either("responseJsonSchema") != nil) && c.either("responseMimeType").string() != "application/json" {
		g.refuse("generation_config.response_mime_type", "A response schema goes with the response mime type 'application/json'.")
	}
	g.schema("generation_config.response_schema", schema)
}

func (g *gemini) toolList(v *value) {
	others := false
	for i, t := range one(v.get("tools")) {
		at := fmt.Sprintf("tools[%d]", i)
		g.fields(at, &t, words(`functionDeclarations codeExecution googleSearch googleSearchRetrieval urlContext fileSearch
			computerUse googleMaps retrieval enterpriseWebSearch mcpServers`))
		declared := t.either("functionDeclarations")
		others = others || declared == nil
		for j, d := range declared.list() {
			g.declaration(fmt.Sprintf("%s.function_declarations[%d]", at, j), &d)
		}
	}
	calling := v.either("toolConfig").either("functionCallingConfig")
	if calling == nil {
		return
	}
	mode := calling.get("mode").string()
	g.oneOf("tool_config.function_calling_config.mode", calling.get("mode"), "AUTO", "ANY", "NONE", "VALIDATED", "any")
	if len(g.tools) == 0 && !others {
		g.refuse("tool_config", "Function calling config is set without function_declarations.")
	}
	allowed := calling.either("allowedFunctionNames")
	if allowed != nil && len(allowed.list()) > 0 && !strings.EqualFold(mode, "ANY") && mode != "VALIDATED" {
		g.refuse("tool_config.function_calling_config", "Allowed function names should be set only when function calling mode is ANY.")
	}
	for _, name := range allowed.list() {
		if !slices.Contains(g.tools, name.text) {
			g.refuse("tool_config.function_calling_config.allowed_function_names", "The allowed function name %q is not declared.", name.text)
		}
	}
}

func (g *gemini) declaration(at string, d *value) {
	name := d.str("name")
	// kaitranntt/ccs #25, google-gemini/gemini-cli #2966
	if !isName(dotted.Replace(name), 64) || !isLetter(name[0]) {
		g.refuse(at+".name", "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.")
	}
	if slices.Contains(g.tools, name) {
		g.refuse(at, "Duplicate function declaration found: %s", name)
	}
	g.tools = append(g.tools, name)
	g.fields(at, d, words("name description parameters parametersJsonSchema response responseJsonSchema behavior"))
	if d.get("parameters") != nil && d.either("parametersJsonSchema") != nil {
		g.refuse(at, "Only one of parameters and parameters_json_schema can be set.")
	}
	g.schema(at+".parameters", d.get("parameters"))
	g.toolSchema(at+".parameters_json_schema", d.either("parametersJsonSchema"))
}

// dotted turns what Gemini takes in names beside others into what all take.
var dotted = strings.NewReplacer(".", "_", ":", "_")

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// schema demands the subset of OpenAPI that a schema without "JSON" in its name
// is of (nanbingxyz/5ire #42, openswarm-ai/openswarm #24, cline/cline #7339).
func (g *gemini) schema(at string, s *value) {
	if s == nil {
		return
	}
	g.fields(at, s, words(`type format title description nullable enum maxItems minItems properties required minProperties
		maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum
		additionalProperties $defs $ref`))
	if kind := strings.ToUpper(s.str("type")); kind == "ARRAY" && s.get("items") == nil {
		g.refuse(at+".items", "missing field.")
	}
	for _, name := range s.get("properties").keys() {
		g.schema(fmt.Sprintf("%s.properties[%s]", at, name), s.get("properties").get(name))
	}
	g.schema(at+".items", s.get("items"))
	for i, alternative := range s.either("anyOf").list() {
		g.schema(fmt.Sprintf("%s.any_of[%d]", at, i), &alternative)
	}
}

func (g *gemini) content(at string, contents []value, i int) {
	c := &contents[i]
	role := c.str("role")
	g.fields(at, c, words("role parts"))
	if role != "user" && role != "model" && (role != "" || i > 0) {
		g.refuse(at+".role", "Please use a valid role: user, model.")
	}
	if i == 0 && role == "model" {
		g.refuse(at, "Please ensure that multiturn requests begin with a user role.")
	}
	if role == "model" && i > 0 && contents[i-1].str("role") != "model" {
		g.closed()
	}
	if role == "user" && len(g.calls) > 0 && len(g.answer) == 0 && !hasResponse(c) {
		g.closed()
	}
	parts := one(c.get("parts"))
	if len(parts) == 0 { // vercel/ai #3775
		g.refuse(at+".parts", "contents.parts must not be empty.")
	}
	for j, p := range parts {
		g.part(fmt.Sprintf("%s.parts[%d]", at, j), role, &p)
	}
	if role == "model" && len(g.calls) > 0 {
		g.asked = at
	}
}

// part demands one kind of data in each part (router-for-me/CLIProxyAPI #1292).
func (g *gemini) part(at, role string, p *value) {
	g.fields(at, p, partMembers)
	data := 0
	for _, name := range partData {
		if p.either(name) != nil {
			data++
		}
	}
	signature := p.either("thoughtSignature")
	if signature != nil {
		g.data(at+".thought_signature", signature)
	}
	switch {
	case data == 0 && signature != nil:
	case data == 0:
		g.refuse(at+".data", "required oneof field 'data' must have one initialized field")
	case data > 1:
		g.refuse(at, "Invalid value, oneof field 'data' is already set.")
	}
	// google-gemini/deprecated-generative-ai-python #697; what carries a
	// signature may be empty.
	if s := p.get("text"); s != nil && (s.kind != text || s.text == "" && signature == nil) {
		g.refuse(at+".text", "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.")
	}
	g.media(at+".inline_data", p.either("inlineData"))
	if f := p.either("fileData"); f != nil && f.either("fileUri").string() == "" {
		g.refuse(at+".file_data.file_uri", "File URI is missing.")
	}
	g.call(at, role, p.either("functionCall"))
	g.response(at, role, p.either("functionResponse"))
}

// media demands what the documentation lists as accepted.
func (g *gemini) media(at string, m *value) {
	if m == nil {
		return
	}
	media := m.either("mimeType").string()
	kind, _, _ := strings.Cut(media, "/")
	switch {
	case kind == "image":
		g.image(at, media, m.get("data"), geminiImages)
	case kind == "audio", kind == "video", kind == "text", media == "application/pdf", media == "application/json":
		g.data(at+".data", m.get("data"))
	default:
		g.refuse(at+".mime_type", "Unsupported MIME type: %s", media)
	}
}

func (g *gemini) call(at, role string, f *value) {
	if f == nil {
		return
	}
	at += ".function_call"
	switch args := f.get("args"); {
	case role != "model":
		g.refuse(at, "A function call belongs to the role model.")
	case f.str("name") == "":
		g.refuse(at+".name", "Name cannot be empty.")
	case args != nil && args.kind != object:
		g.refuse(at+".args", "Invalid value (Struct), %s", args)
	}
	c := call{f.str("id"), f.str("name")}
	if c.id != "" && slices.ContainsFunc(g.calls, func(other call) bool { return other.id == c.id }) {
		g.refuse(at+".id", "Two function calls have the id %q.", c.id)
	}
	g.calls = append(g.calls, c)
}

func (g *gemini) response(at, role string, f *value) {
	if f == nil {
		return
	}
	at += ".function_response"
	c := call{f.str("id"), f.str("name")}
	fits := func(asked call) bool {
		return asked.name == c.name && (asked.id == c.id || asked.id == "" || c.id == "")
	}
	switch {
	case role == "model":
		g.refuse(at, "A function response belongs to the role user.")
	case c.name == "":
		g.refuse(at+".name", "Name cannot be empty.")
	case !f.get("response").is(object):
		g.refuse(at+".response", "Invalid value (Struct), %s", f.get("response"))
	case len(g.calls) == 0: // BerriAI/litellm #26755
		g.refuse(at, "Please ensure that function response turn comes immediately after a function call turn.")
	case !slices.ContainsFunc(g.calls, fits):
		g.refuse(at, "Please ensure that the function response is for a function call of the turn before: none is named %q with the id %q.", c.name, c.id)
	}
	for i, p := range f.get("parts").list() {
		g.media(fmt.Sprintf("%s.parts[%d].inline_data", at, i), p.either("inlineData"))
	}
	g.answer = append(g.answer, c)
}

// closed demands as many responses as there are calls
// (google-gemini/gemini-cli #3814 and dozens of others).
func (g *gemini) closed() {
	if len(g.answer) != len(g.calls) {
		g.refuse(g.asked, "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	}
	g.calls, g.answer = nil, nil
}

// signatures demands one with the first call of each reply since the person
// spoke last (mscraftsman/generative-ai #145, langgenius/dify-official-plugins #2088).
func (g *gemini) signatures(contents []value) {
	for i := len(contents) - 1; i >= 0; i-- {
		if spoken := contents[i].str("role") != "model" && !hasResponse(&contents[i]); spoken {
			return
		}
		for j, p := range one(contents[i].get("parts")) {
			f := p.either("functionCall")
			if f == nil {
				continue
			}
			if p.either("thoughtSignature") == nil {
				g.refuse(fmt.Sprintf("contents[%d].parts[%d]", i, j), "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `%s`, position %d.", f.str("name"), i+1)
			}
			break
		}
	}
}

func hasResponse(c *value) bool {
	return slices.ContainsFunc(one(c.get("parts")), func(p value) bool { return p.either("functionResponse") != nil })
}
