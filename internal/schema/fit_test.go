package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// strictest are rules with everything that some vendor demands.
var strictest = Rules{Object: true, Top: []string{"oneOf", "anyOf", "allOf", "enum", "not", "$ref"}, Items: true, Python: true,
	Name: regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`).MatchString}

// TestFit holds what becomes of schemas that vendors refuse.
func TestFit(t *testing.T) {
	const object = `{"type":"object","properties":{`
	for _, tt := range []struct{ name, schema, want string }{
		{"a type that is meant", object + `"a":{"type":"int"},"b":{"type":["str","null"]}}}`, object + `"a":{"type":"integer"},"b":{"type":["string","null"]}}}`},
		{"a type twice", object + `"a":{"type":["str","string","null"]}}}`, object + `"a":{"type":["string","null"]}}}`},
		{"a type that is none", object + `"a":{"type":"strin","description":"A."},"b":{"type":["x"]}}}`, object + `"a":{"description":"A."},"b":{}}}`},
		{"bounds of draft 4", object + `"a":{"minimum":1,"exclusiveMinimum":true},"b":{"maximum":9,"exclusiveMaximum":false},"c":{"exclusiveMaximum":true}}}`,
			object + `"a":{"exclusiveMinimum":1},"b":{"maximum":9},"c":{}}}`},
		{"an enum of nothing", object + `"a":{"type":"string","enum":[]}}}`, object + `"a":{"type":"string"}}}`},
		{"references", object + `"a":{"$ref":"#/$defs/b","description":"A."},"c":{"$ref":"#/$defs/d~1e"},"f":{"$ref":"https://x.test/y"}},"$defs":{"d/e":{"type":"string"}}}`,
			object + `"a":{"description":"A."},"c":{"$ref":"#/$defs/d~1e"},"f":{}},"$defs":{"d/e":{"type":"string"}}}`},
		{"a reference to what is left out", object + `"a":{"$ref":"#/$defs/b"}},"$defs":{"b":"string"}}`, object + `"a":{}},"$defs":{}}`},
		{"keywords of other kinds", object + `"a":{"required":true,"description":null,"minLength":"1","maxLength":-1,"uniqueItems":1,"examples":"x","multipleOf":0,"items":null,"anyOf":[],"oneOf":[1],"not":3},"type":"object"},"required":["a","a",1]}`,
			object + `"a":{}},"required":["a"]}`},
		{"a tuple", object + `"a":{"type":"array","items":[{"type":"string"},true],"additionalItems":{"type":"integer"}},"b":{"type":"array","items":[{}]}}}`,
			object + `"a":{"type":"array","prefixItems":[{"type":"string"},true],"items":{"type":"integer"}},"b":{"type":"array","prefixItems":[{}],"items":{}}}}`},
		{"lists of anything", object + `"a":{"type":"array"},"b":{"anyOf":[{"type":["array","null"]}]}}}`,
			object + `"a":{"type":"array","items":{}},"b":{"anyOf":[{"type":["array","null"],"items":{}}]}}}`},
		{"patterns of JavaScript", object + `"a":{"pattern":"^\\p{L}+$"},"b":{"pattern":"(?<y>a)"},"c":{"pattern":"^(?!x)\\d+(?<!y)\\/\\.$"},"d":{"pattern":"("},"e":{"patternProperties":{"\\p{L}":{},"^x":{}}}}}`,
			object + `"a":{},"b":{},"c":{"pattern":"^(?!x)\\d+(?<!y)\\/\\.$"},"d":{},"e":{"patternProperties":{"^x":{}}}}}`},
		{"what says nothing of the form", object + `"a":{"type":"string","pattern":"\\p{L}","minLength":"1"}}}`, object + `"a":{"type":"string"}}}`},
		{"a member twice", object + `"a":{"type":"string"},"\u0061":{"type":"null"}}}`, object + `"a":{"type":"null"}}}`},
		{"text that no vendor takes", object + `"a":{"description":"\u0000\ud800` + "\xff" + `"}}}`, object + `"a":{"description":"\ufffd\ufffd` + "\uFFFD" + `"}}}`},
		{"no object", `true`, object + `}}`},
		{"no JSON", `{"type":`, object + `}}`},
		{"nothing said", `{}`, object + `}}`},
		{"an object or null", `{"type":["object","null"],"properties":{}}`, object + `}}`},
		{"alternatives", `{"oneOf":[{"properties":{"do":{"const":"add"},"n":{"type":"integer"}},"required":["do","n"]},{"properties":{"do":{"const":"stop"}},"required":["do"]}],"description":"Does."}`,
			`{"type":"object","description":"Does. Must fit {\"oneOf\":[{\"properties\":{\"do\":{\"const\":\"add\"},\"n\":{\"type\":\"integer\"}},\"required\":[\"do\",\"n\"]},{\"properties\":{\"do\":{\"const\":\"stop\"}},\"required\":[\"do\"]}]}.",` +
				`"properties":{"do":{"anyOf":[{"const":"add"},{"const":"stop"}]},"n":{"type":"integer"}},"required":["do"]}`},
		{"long alternatives", `{"anyOf":[{"properties":{"a":{"description":"` + strings.Repeat("long ", maxWords/5) + `"}}}]}`,
			`{"type":"object","properties":{"a":{"description":"` + strings.Repeat("long ", maxWords/5) + `"}}}`},
		{"the schema elsewhere", `{"$ref":"#/$defs/in","$defs":{"in":{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]}}}`,
			`{"type":"object","$defs":{"in":{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]}},"properties":{"a":{"type":"string"},"b":{}},"required":["a"]}`},
		{"the schema itself", `{"$ref":"#","anyOf":[{"$ref":"#"}]}`, `{"type":"object","description":"Must fit {\"anyOf\":[{\"$ref\":\"#\"}]}.","properties":{}}`},
		{"names", object + `"filter[name]":{"type":"string"},"$top":{"type":"integer"},"b":{}},"required":["$top","b"],"additionalProperties":false,"description":"Lists."}`,
			object + `"b":{}},"required":["b"],"description":"Lists. More parameters: {\"filter[name]\":{\"type\":\"string\"},\"$top\":{\"type\":\"integer\"}}, required of them: $top."}`},
	} {
		got, whole := strictest.Fit(json.RawMessage(tt.schema))
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
		if want := slices.Contains([]string{"nothing said", "lists of anything", "what says nothing of the form"}, tt.name); whole != want {
			t.Errorf("%s: whole is %v", tt.name, whole)
		}
	}
}

// A schema that is fine goes out as before, so that what a vendor has cached of
// earlier requests stays good.
func TestFitLeavesAlone(t *testing.T) {
	for _, schema := range fine() {
		if got, whole := strictest.Fit(json.RawMessage(schema)); string(got) != schema || !whole {
			t.Errorf("%s\nbecame\n%s", schema, got)
		}
	}
	for _, schema := range []string{
		`{}`, `{"type":"object"}`, `{"anyOf":[{"required":["a"]}]}`, `{"type":"object","properties":{"$a b":{"type":"array"}}}`,
		`{"type":"object","properties":{"a":{"pattern":"\\p{L}"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{}}}`,
	} {
		if got, whole := (Rules{}).Fit(json.RawMessage(schema)); string(got) != schema || !whole {
			t.Errorf("without rules, %s\nbecame\n%s", schema, got)
		}
	}
}

// fine returns schemas that every vendor takes.
func fine() []string {
	return []string{bashSchema, deep(3), `{"properties":{},"type":"object"}`,
		`{"type":"object","properties":{"a":{"type":["array","null"],"items":{"$ref":"#/$defs/x"},"default":null}},"$defs":{"x":{"anyOf":[{"enum":[1,null]},{"$ref":"#"}]}},"additionalProperties":false,"x-own":[]}`,
		`{"type":"object","properties":{"b":{"$ref":"#/properties/c%2Ed"},"c.d":{"$anchor":"n"},"e":{"$ref":"#n"}}}`,
		`{ "type" : "object" , "properties" : { "type" : { "type" : "string", "pattern":"^a\\/(?=b)", "examples":[1] }, "items" : { "minimum" : -1.5e3, "maxLength": 10.0 } }, "required":[] }`}
}

// Fit of a schema that is fine is cheap: it is done for every tool wherever the
// head of a request is written anew.
func TestFitAllocates(t *testing.T) {
	tool := []byte(deep(3))
	for _, rules := range []Rules{{}, strictest} {
		if n := testing.AllocsPerRun(100, func() { rules.Fit(tool) }); n > 25 {
			t.Errorf("%v allocations for %d bytes", n, len(tool))
		}
	}
}

func BenchmarkFit(b *testing.B) {
	tool := json.RawMessage(deep(3))
	b.ReportAllocs()
	b.SetBytes(int64(len(tool)))
	for b.Loop() {
		strictest.Fit(tool)
	}
}

// Whatever is fitted is a schema, and stays as it is.
func TestFitSuite(t *testing.T) {
	n := 0
	for _, schema := range suiteSchemas(t) {
		for _, rules := range []Rules{{}, strictest} {
			fitted, _ := rules.Fit(schema)
			holdsFit(t, rules, schema, fitted)
			if err := json.Unmarshal(fitted, new(jsonschema.Schema)); err != nil {
				t.Errorf("%s\nbecame\n%s\n%v", schema, fitted, err)
			}
			n++
		}
	}
	if t.Logf("%d schemas", n); n < 500 {
		t.Error("too few")
	}
}

func suiteSchemas(t *testing.T) (all []json.RawMessage) {
	dir := suites(t, "json-schema")
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []group
		if err := json.Unmarshal(raw, &groups); err != nil {
			return err
		}
		for _, g := range groups {
			all = append(all, g.Schema)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// holdsFit holds that a fitted schema is an object of clean JSON, and stays as it
// is.
func holdsFit(t *testing.T, rules Rules, schema, fitted json.RawMessage) {
	t.Helper()
	if again, whole := rules.Fit(fitted); !bytes.Equal(again, fitted) || !whole {
		t.Fatalf("%s\nbecame\n%s\nand then\n%s", schema, fitted, again)
	}
	if !json.Valid(fitted) || !utf8.Valid(fitted) || fitted[0] != '{' {
		t.Fatalf("%s\nbecame\n%s", schema, fitted)
	}
	if rules.Object {
		for _, key := range rules.Top {
			if get(fitted, key) != nil {
				t.Fatalf("%s has %s at its top", fitted, key)
			}
		}
	}
}

func FuzzFit(f *testing.F) {
	for _, schema := range fine() {
		f.Add([]byte(schema))
	}
	for _, schema := range []string{
		`{"oneOf":[{"$ref":"#/oneOf/1"},{"properties":{"a b":{"$ref":"#/properties/a b"}}}],"properties":{"c":{"$ref":"#/oneOf/0"}}}`,
		`{"items":[{"type":"list"}],"type":["array","object"],"exclusiveMinimum":true,"minimum":"1"}`,
		`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":3},"required":["a","\u0061"],"allOf":[{"$ref":"#"},{"$ref":"#/$defs/a"}]}`,
		"{\"properties\":{\"\\u0000\xff\":{\"type\":\"strin\"}}}", `[]`, `{"dependencies":{"a":["b"],"c":{},"d":1},"pattern":"("}`,
	} {
		f.Add([]byte(schema))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		for _, rules := range []Rules{{}, strictest} {
			fitted, _ := rules.Fit(schema)
			holdsFit(t, rules, schema, fitted)
		}
	})
}
