package gemini

import (
	"encoding/base64"
	"strings"
)

// normal returns the body of a request in one form of all that mean the same:
// names in camel case, lists where one item may stand for itself, one form of
// schemas, and nothing that is the default or that the vendor does not heed.
func normal(body map[string]any) map[string]any {
	body = camel(body).(map[string]any)
	if system, ok := body["systemInstruction"].(map[string]any); ok {
		delete(system, "role")
		if system["parts"] = normalParts(list(system["parts"])); isEmpty(system["parts"]) {
			delete(body, "systemInstruction")
		}
	}
	normalTools(body)
	normalConfig(body)
	for _, c := range list(body["contents"]) {
		content := c.(map[string]any)
		if content["role"] == nil {
			content["role"] = "user"
		}
		content["parts"] = normalParts(list(content["parts"]))
	}
	for _, name := range []string{"tools", "toolConfig", "generationConfig"} {
		if isEmpty(body[name]) {
			delete(body, name)
		}
	}
	return body
}

func isEmpty(v any) bool {
	m, isMap := v.(map[string]any)
	l, isList := v.([]any)
	return v == nil || isMap && len(m) == 0 || isList && len(l) == 0
}

// list returns a list as it is, and another value as the only item of one.
func list(v any) []any {
	if l, ok := v.([]any); ok || v == nil {
		return l
	}
	return []any{v}
}

// camel returns v with names in camel case, but for those that people give.
func camel(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = camel(v[i])
		}
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			name = camelName(name)
			switch name {
			case "args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema":
			default:
				value = camel(value)
			}
			out[name] = value
		}
		return out
	}
	return v
}

func camelName(s string) string {
	words := strings.Split(s, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// normalTools joins the declared functions, each with its schema in one form,
// and leaves out what they answer, which is not told.
func normalTools(body map[string]any) {
	var functions, all []any
	for _, t := range list(body["tools"]) {
		tool := t.(map[string]any)
		declared, ok := tool["functionDeclarations"]
		if !ok {
			all = append(all, tool)
			continue
		}
		for _, f := range list(declared) {
			function := f.(map[string]any)
			if p, ok := function["parameters"]; ok {
				function["parametersJsonSchema"] = normalSchema(p)
				delete(function, "parameters")
			}
			delete(function, "responseJsonSchema")
			functions = append(functions, function)
		}
	}
	if functions != nil {
		all = append(all, map[string]any{"functionDeclarations": functions})
	}
	body["tools"] = all
	config, _ := body["toolConfig"].(map[string]any)
	calling, _ := config["functionCallingConfig"].(map[string]any)
	if mode, ok := calling["mode"].(string); ok {
		calling["mode"] = strings.ToUpper(mode)
	}
	if calling["mode"] == "AUTO" {
		delete(config, "functionCallingConfig")
	}
}

func normalConfig(body map[string]any) {
	config, _ := body["generationConfig"].(map[string]any)
	if s, ok := config["responseSchema"]; ok {
		config["responseJsonSchema"] = normalSchema(s)
		delete(config, "responseSchema")
	}
	thinking, _ := config["thinkingConfig"].(map[string]any)
	delete(thinking, "includeThoughts") // what it thinks is always shown
	if isEmpty(thinking) {
		delete(config, "thinkingConfig")
	}
}

// numbered are the types of a schema by the numbers that Google's own clients may
// send for them.
var numbered = map[float64]string{1.: "string", 2.: "number", 3.: "integer", 4.: "boolean", 5.: "array", 6.: "object", 7.: "null"}

// normalSchema returns a schema with types as JSON Schema has them, which are words in
// small letters.
func normalSchema(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = normalSchema(v[i])
		}
	case map[string]any:
		for name, value := range v {
			if s, ok := value.(string); ok && name == "type" {
				v[name] = strings.ToLower(s)
			} else if n, ok := value.(float64); ok && name == "type" {
				v[name] = numbered[n]
			} else {
				v[name] = normalSchema(value)
			}
		}
	}
	return v
}

// normalParts leaves out thoughts without a signature, and the signature that
// stands for none, and joins texts that follow each other.
func normalParts(parts []any) []any {
	out := []any{}
	for _, part := range parts {
		p := part.(map[string]any)
		text, isText := p["text"].(string)
		if p["thoughtSignature"] == strings.Trim(anySignature, `"`) {
			delete(p, "thoughtSignature")
		}
		if call, ok := p["functionCall"].(map[string]any); ok && call["args"] == nil {
			call["args"] = map[string]any{}
		}
		normalData(p)
		response, _ := p["functionResponse"].(map[string]any)
		for _, inside := range list(response["parts"]) {
			normalData(inside.(map[string]any))
		}
		if p["thoughtSignature"] == nil && (p["thought"] == true || isText && text == "") {
			continue
		}
		if before := lastOf(out); isText && len(p) == 1 && before != nil {
			before["text"] = before["text"].(string) + "\n" + text
			continue
		}
		out = append(out, p)
	}
	return out
}

// lastOf returns the last part, if it is text and nothing else.
func lastOf(parts []any) map[string]any {
	if len(parts) == 0 {
		return nil
	}
	p := parts[len(parts)-1].(map[string]any)
	if _, isText := p["text"]; !isText || len(p) > 1 {
		return nil
	}
	return p
}

// normalData has base64 in its standard form. In place of long data recordings
// have a mark, which stands for itself.
func normalData(p map[string]any) {
	data, ok := p["inlineData"].(map[string]any)
	if !ok {
		return
	}
	text := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(data["data"].(string)), "=")
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		raw = []byte(text)
	}
	data["data"] = base64.StdEncoding.EncodeToString(raw)
}
