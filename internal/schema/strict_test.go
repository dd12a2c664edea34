package schema

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrict(t *testing.T) {
	const closed = `,"additionalProperties":false}`
	object := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]` + closed
	}
	for schema, want := range map[string]string{
		`{}`: "", `true`: "", `7`: "", `{`: "", ``: "", `{"type":"string"}`: "", `{"type":["object","null"]}`: "",
		`{"type": "object"}`: object("", ""),
		`{"properties":{"a":{"type":"string"}},"required":["a"]}`:                                                     object(`"a":{"type":"string"}`, `"a"`),
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}}}`:                               object(`"b":{"type":["string","null"]},"a":{"type":["integer","null"]}`, `"b","a"`),
		`{"type":"object","properties":{"a":{"type":["string","null"]}}}`:                                             object(`"a":{"type":["string","null"]}`, `"a"`),
		`{"type":"object","properties":{"a":{"enum":["x",1,1.5,true]}}}`:                                              object(`"a":{"type":["string","number","boolean","null"],"enum":["x",1,1.5,true,null]}`, `"a"`),
		`{"type":"object","properties":{"a":{"const":"x"}},"required":["a"]}`:                                         object(`"a":{"type":"string","enum":["x"]}`, `"a"`),
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b","description":"d"}},"$defs":{"b":{"type":"string"}}}`: `{"type":"object","$defs":{"b":{"type":"string"}},"properties":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}]}},"required":["a"]` + closed,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`:                       object(`"a":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `"a"`),
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`:                          object(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`, `"a"`),
		`{"type":"object","properties":{"a":{"items":{"type":"object","properties":{"b":{"type":"number","minimum":1}}}}},"required":["a"]}`: object(
			`"a":{"type":"array","items":`+object(`"b":{"type":["number","null"],"minimum":1}`, `"b"`)+`}`, `"a"`),
		// What says nothing of the form is left out; what every engine knows stays.
		`{"$schema":"x","title":"t","type":"object","properties":{"a":{"type":"string","default":"x","minLength":1,"format":"uuid","pattern":"^a+$","x-hint":1,"description":"d"}},"required":["a"]}`: `{"type":"object","title":"t","properties":{"a":{"type":"string","format":"uuid","pattern":"^a+$","description":"d"}},"required":["a"]` + closed,
		`{"type":"object","properties":{"a":{"type":"string","format":"uri","pattern":"(?=a)"}},"required":["a"]}`:                                                                                    object(`"a":{"type":"string"}`, `"a"`),
		// What cannot be said strictly.
		`{"type":"object","additionalProperties":true}`:                                       "",
		`{"type":"object","additionalProperties":{"type":"string"}}`:                          "",
		`{"type":"object","properties":{"a":{"type":"object"}}}`:                              "", // any keys
		`{"type":"object","properties":{"a":{}}}`:                                             "",
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                               "",
		`{"type":"object","properties":{},"required":["a"]}`:                                  "",
		`{"type":"object","properties":{"a":{"allOf":[{"type":"string"}]}}}`:                  "",
		`{"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]}}`:      "",
		`{"type":"object","patternProperties":{"x":{"type":"string"}}}`:                       "",
		`{"type":"object","properties":{"a":{"$ref":"https://example.org/x"}}}`:               "",
		`{"type":"object","properties":{"a":{"anyOf":[]}}}`:                                   "",
		`{"type":"object","properties":{"a":{"enum":[]}}}`:                                    "",
		`{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"type":"string"}}}`: "",
		// Of two objects nobody could tell which one a null was left out of.
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"object","properties":{"y":{"type":"string"}}}]}}}`: "",
		deep(maxDepth): deep(maxDepth), deep(maxDepth + 1): "",
	} {
		got, ok := Strict(json.RawMessage(schema))
		if ok != (want != "") || string(got) != want {
			t.Errorf("%s\n got %v %s\nwant %s", schema, ok, got, want)
		}
	}
}

// deep returns a strict schema of n objects, each in the one before.
func deep(n int) string {
	if n == 0 {
		return `{"type":"string"}`
	}
	return `{"type":"object","properties":{"a":` + deep(n-1) + `},"required":["a"],"additionalProperties":false}`
}

func TestStrictAsIs(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`: true,
		`{"type":"object","properties":{"a":{"type":["string","null"]}}}`:         true,
		`{"type":"object","properties":{"a":{"type":"string"}}}`:                  false,
		`{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]}`: false,
	} {
		if _, got := StrictAsIs(json.RawMessage(schema)); got != want {
			t.Errorf("%s: got %v", schema, got)
		}
	}
}

// What a model sends that must name every parameter is what it would have sent
// without. S2.89.
func TestNullsStandForNothing(t *testing.T) {
	const nested = `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}},
		"tree":{"$ref":"#/$defs/tree"},"or":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"null"}]},"nil":{"type":["string","null"]},"free":{}},
		"$defs":{"tree":{"type":"object","properties":{"child":{"$ref":"#/$defs/tree"},"n":{"type":"integer"}}}}}`
	for _, tt := range []struct{ schema, args, want string }{
		{bashSchema, `{"command":"ls","timeout":null,"working_dir":null,"mode":null,"opts":null}`, `{"command":"ls","timeout":30,"working_dir":"."}`},
		{bashSchema, `{"command":"null","timeout":1,"working_dir":"/"}`, `{"command":"null","timeout":1,"working_dir":"/"}`},
		{nested, `{"list":[{"a":"x","b":null},{"a":"null"}]}`, `{"list":[{"a":"x"},{"a":"null"}]}`},
		{nested, `{"tree":{"child":{"child":null,"n":1},"n":null}}`, `{"tree":{"child":{"n":1}}}`},
		{nested, `{"or":{"x":null}}`, `{"or":{}}`},
		{nested, `{"or":null,"nil":null,"free":null,"unknown":null}`, `{"or":null,"nil":null,"free":null,"unknown":null}`},
	} {
		got, err := Checker(json.RawMessage(tt.schema))(json.RawMessage(tt.args))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.args, got, err, tt.want)
		}
	}
	_, err := Checker(json.RawMessage(bashSchema))(json.RawMessage(`{"command":null}`))
	if err == nil || !strings.Contains(err.Error(), "command must be a string, not null") {
		t.Errorf("a null for what is required: %v", err)
	}
	_, err = Checker(json.RawMessage(nested))(json.RawMessage(`{"list":[null]}`))
	if err == nil {
		t.Error("a null in a list was accepted")
	}
}

// FuzzStrict holds that a strict schema is one to the letter, and stays as it
// is when it is made strict again.
func FuzzStrict(f *testing.F) {
	for _, schema := range []string{
		bashSchema, deep(3), `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"oneOf":[{"const":1},{"type":"null"}]}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x",null]}}},"definitions":{"x":{"type":"object","properties":{"y":{"type":"number"}}}}}`,
		`{"type":"object","properties":{"a":{"type":["object","null"],"properties":{"b":{"type":"boolean"}}}}}`,
		`{"properties":{"a\"":{"type":"string"},"a\"":{"type":"string"}}}`,
	} {
		f.Add([]byte(schema))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		strict, ok := Strict(schema)
		if !ok {
			return
		}
		var v map[string]any
		if err := json.Unmarshal(strict, &v); err != nil {
			t.Fatalf("%s: %v", strict, err)
		}
		checkStrict(t, v)
		again, ok := Strict(strict)
		if !ok || !bytes.Equal(strict, again) {
			t.Fatalf("%v\n%s", ok, cmp.Diff(string(strict), string(again)))
		}
	})
}

// checkStrict holds that all objects in a schema are closed and require all
// that they may have.
func checkStrict(t *testing.T, v any) {
	switch v := v.(type) {
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok && v["type"] != nil {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) < len(properties) {
				t.Fatalf("not strict: %v", v)
			}
		}
		for _, e := range v {
			checkStrict(t, e)
		}
	case []any:
		for _, e := range v {
			checkStrict(t, e)
		}
	}
}
