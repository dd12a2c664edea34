package wirecheck_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/race"
)

// hostile are schemas of tools with which one vendor or another refuses the
// whole request.
var hostile = []string{
	`{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]}],"not":{"required":["b"]}}`,
	`{"anyOf":[{"properties":{"a":{"const":1}}},{"$ref":"#/anyOf/0"}],"properties":{"b":{"$ref":"#/anyOf/0"}}}`,
	`{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"a":{"$ref":"#/$defs/in"}}}}}`,
	`{"type":"object","enum":[{}],"properties":{"a":{"type":"array"},"b":{"type":["array","null"],"prefixItems":[{"type":"array"}]}}}`,
	`{"type":"object","properties":{"filter[name]":{"type":"string"},"$select":{"items":[{}]},"` + strings.Repeat("n", 65) + `":{}},"required":["$select"],"additionalProperties":false}`,
	`{"type":"object","properties":{"a":{"type":"integer","minimum":0,"exclusiveMinimum":true},"b":{"maximum":"9","exclusiveMaximum":false}}}`,
	`{"type":"object","properties":{"a":{"type":"strin"},"b":{"$ref":"#/$defs/none"},"c":{"enum":[]},"d":{"required":true},"type":"object"}}`,
	`{"type":"object","properties":{"a":{"pattern":"^\\p{L}+$","description":"\u0000\ud800"},"a":{"type":"float"}},"required":["a","a"]}`,
	`{"type":"object"}`, `{}`, `true`, `null`, `[]`, `{"type":`, "{\"title\":\"\xff\"}", `{"type":["object","null"],"properties":null}`,
}

// withHostile returns events in which the lists of tools hold some hostile
// schemas as well.
func withHostile(r *rand.Rand, events []ikigai.Event) []ikigai.Event {
	for i, e := range events {
		var d ikigai.ToolsData
		if e.Kind != ikigai.KindTools || json.Unmarshal(e.Data, &d) != nil {
			continue
		}
		for range r.IntN(4) {
			schema := hostile[r.IntN(len(hostile))]
			if r.IntN(2) == 0 {
				schema = randomSchema(r, 3)
			}
			if json.Valid([]byte(schema)) { // the log holds nothing else
				d.Tools = append(d.Tools, ikigai.ToolSpec{Name: fmt.Sprintf("hostile_%d", len(d.Tools)), Schema: json.RawMessage(schema)})
			}
		}
		events[i].Data = ikigai.NewEvent(e.Kind, "", d).Data
	}
	return events
}

// randomSchema returns a schema of keywords whose values are often none of
// theirs.
func randomSchema(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(8) == 0 {
		return pick(r, `{}`, `true`, `false`, `null`, `3`, `"x"`, `[]`, `{"type":"string"}`, `{"$ref":"#"}`)
	}
	var all []string
	for range r.IntN(5) {
		var value string
		key := pick(r, "type", "properties", "items", "anyOf", "$ref", "enum", "required", "minimum", "exclusiveMinimum", "pattern",
			"oneOf", "allOf", "not", "$defs", "additionalProperties", "description", "maxLength", "dependencies", "additionalItems", "prefixItems", "$id", "x")
		switch key {
		case "properties", "$defs", "dependencies":
			value = `{` + fmt.Sprintf(`%q:%s,%q:%s`, pick(r, "a", "b[c]", "a", "type"), randomSchema(r, depth-1), pick(r, "d", "$e", ""), randomSchema(r, depth-1)) + `}`
		case "anyOf", "oneOf", "allOf", "prefixItems":
			value = `[` + randomSchema(r, depth-1) + `,` + randomSchema(r, depth-1) + `]`
		case "items", "not", "additionalProperties", "additionalItems":
			value = randomSchema(r, depth-1)
		default:
			value = pick(r, `"array"`, `"strin"`, `["array","null",1]`, `"#/properties/a"`, `"#/$defs/d"`, `"#/anyOf/1"`, `"y"`, `[]`, `[1,"a","a"]`, `true`, `-1`, `1.5`, `null`, `"(?<a>\\u{1})"`)
		}
		if r.IntN(8) == 0 {
			value = pick(r, `null`, `1`, `"z"`, `[]`, `{}`)
		}
		all = append(all, fmt.Sprintf("%q:%s", key, value))
	}
	return "{" + strings.Join(all, ",") + "}"
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// Whatever schema a server of tools offers, every vendor takes the request.
func TestEverySchemaIsValid(t *testing.T) {
	all := vendors()
	r := rand.New(rand.NewPCG(7, 7))
	schemas := hostile
	for range 500 / race.Tenth {
		schemas = append(schemas, randomSchema(r, 4))
	}
	for _, schema := range schemas {
		req := ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}},
			Tools: []ikigai.ToolSpec{{Name: "f", Schema: json.RawMessage(schema)}}}
		for _, v := range all {
			if body := v.body(req); v.check(body) != nil {
				t.Fatalf("%s: %s\n%s\n%v", v.Name, schema, body, v.check(body))
			}
		}
	}
}
