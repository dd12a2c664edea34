package config

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Schema returns the JSON Schema of a file of settings.
func Schema() []byte {
	properties := propertiesOf(table)
	properties["$schema"] = map[string]any{"type": "string", "description": schemaDoc}
	properties["vendors"] = map[string]any{
		"type": "object", "description": vendorsDoc,
		"propertyNames":        map[string]any{"pattern": ruleVendor.expr},
		"additionalProperties": object(vendorProperties()),
	}
	models := propertiesOf(modelTable)
	models["price"].(map[string]any)["required"] = []string{"input", "output"}
	properties["models"] = map[string]any{
		"type": "object", "description": modelsDoc,
		"propertyNames":        map[string]any{"pattern": ruleModel.expr},
		"additionalProperties": object(models),
	}
	properties[mcpServersKey] = map[string]any{
		"type": "object", "description": mcpDoc, "additionalProperties": mcpSchema(),
	}
	schema := object(properties)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Settings of ikigai"

	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		panic("config: schema: " + err.Error())
	}
	return b.Bytes()
}

func vendorProperties() map[string]any {
	properties := propertiesOf(vendorTable)
	properties["headers"] = map[string]any{
		"type": "object", "description": headersDoc,
		"propertyNames":        map[string]any{"pattern": ruleHeader.expr},
		"additionalProperties": map[string]any{"type": "string", "pattern": ruleLine.expr},
	}
	properties["body"] = map[string]any{
		"type": "object", "description": bodyDoc,
		"propertyNames": map[string]any{"pattern": ruleMember.expr},
	}
	return properties
}

// mcpSchema returns the schema of a server, which may have members that only
// other agents know.
func mcpSchema() map[string]any {
	properties := propertiesOf(mcpTable)
	text := map[string]any{"type": "string"}
	for _, name := range mcpLists {
		properties[name] = map[string]any{"type": "array", "items": text}
	}
	for _, name := range mcpTexts {
		properties[name] = map[string]any{"type": "object", "description": textsDoc,
			"additionalProperties": map[string]any{"type": []string{"string", "number", "boolean"}}}
	}
	properties["enabled"] = map[string]any{"type": "boolean"}
	return map[string]any{"type": "object", "properties": properties}
}

// propertiesOf returns the schemas of fields by name. Names with a dot are put
// into an object of their own.
func propertiesOf[T any](fields []field[T]) map[string]any {
	all := map[string]any{}
	for _, f := range fields {
		into, name := all, f.name
		if group, rest, nested := strings.Cut(name, "."); nested {
			if all[group] == nil {
				all[group] = object(map[string]any{})
			}
			into, name = all[group].(map[string]any)["properties"].(map[string]any), rest
		}
		into[name] = property(f)
	}
	return all
}

func property[T any](f field[T]) map[string]any {
	schema := f.of(new(T)).schema()
	schema["description"] = f.doc
	switch {
	case f.def == "":
	case schema["type"] == "string":
		schema["default"] = f.def
	default:
		schema["default"] = json.RawMessage(f.def)
	}
	return schema
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// Reference returns the tables of docs/settings.md, in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("| setting | default | variable | |\n|---|---|---|---|\n")
	for _, f := range table {
		writeRow(&b, code(f.name), code(f.def), code(envName(f.name)), strings.TrimSpace(f.doc+" "+bounds(f.of(new(Settings)))))
	}
	writeRow(&b, code("vendors"), "see below", "", vendorsDoc)
	writeRow(&b, code("models"), "", "", modelsDoc)
	writeRow(&b, code(mcpServersKey), "", "", mcpDoc)
	b.WriteString("\nOf a vendor, under `vendors` and its name:\n\n| setting | default | |\n|---|---|---|\n")
	for _, f := range vendorTable {
		writeRow(&b, code(f.name), code(f.def), f.doc)
	}
	writeRow(&b, code("headers"), "", headersDoc)
	writeRow(&b, code("body"), "", bodyDoc)
	b.WriteString("\nOf a model, under `models` and its name:\n\n| setting | |\n|---|---|\n")
	for _, f := range modelTable {
		writeRow(&b, code(f.name), f.doc)
	}
	b.WriteString("\nOf an MCP server, under `mcpServers` and its name:\n\n| setting | |\n|---|---|\n")
	for _, f := range mcpTable {
		writeRow(&b, code(f.name), f.doc)
	}
	writeRow(&b, code("args"), "Arguments of the program, a list.")
	writeRow(&b, code("env"), "Variables for the program, by name. "+textsDoc)
	writeRow(&b, code("headers"), "Headers of each request, by name. "+textsDoc)
	writeRow(&b, code("tools")+", "+code("disabledTools"), "Names of the tools that are wanted of the server, and of those that are not.")
	b.WriteString("\nPresets, in the order in which they are tried:\n\n| vendor | `api` | `base_url` | `key_env` | `model` | further |\n|---|---|---|---|---|---|\n")
	for _, p := range presets {
		v := p.vendor
		writeRow(&b, code(p.name), code(v.API), code(v.BaseURL), code(v.KeyEnv), code(v.Model), further(v))
	}
	return b.String()
}

// further returns the settings of a preset that have no column of their own and
// are not what a vendor has by default.
func further(v Vendor) string {
	var all []string
	for _, f := range vendorTable {
		switch f.name {
		case "api", "base_url", "key_env", "model":
			continue
		}
		if text := f.of(&v).String(); text != f.def && text != "" {
			all = append(all, code(f.name+": "+text))
		}
	}
	return strings.Join(all, ", ")
}

func writeRow(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// bounds returns the bounds of a number or time, which a setting's sentence does
// not repeat.
func bounds(v value) string {
	switch v := v.(type) {
	case *integer:
		return "From " + strconv.Itoa(v.min) + " to " + strconv.Itoa(v.max) + "."
	case *duration:
		return "From 1ms to 24h."
	}
	return ""
}
