package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

const bashSchema = `{"type":"object","properties":{
	"command":{"type":"string","description":"what"},
	"timeout":{"type":"integer","minimum":1,"maximum":3600,"default":30},
	"working_dir":{"type":"string","default":"."},
	"mode":{"type":"string","enum":["combined","split"]},
	"opts":{"type":"object","properties":{"deep":{"type":"array","items":{"type":"integer"}}},"required":["deep"]}
},"required":["command"],"additionalProperties":false}`

func TestRefusals(t *testing.T) {
	check := Checker(json.RawMessage(bashSchema))
	usage := `. Parameters are command (string, required), timeout (integer from 1 to 3600, default 30), ` +
		`working_dir (string, default "."), mode (one of "combined", "split", optional), opts (object, optional).`
	for args, want := range map[string]string{
		`{}`:                              `Invalid arguments: command is missing` + usage,                                               // S0.12
		``:                                `Invalid arguments: command is missing` + usage,                                               // S1.16
		`{"cmd":"ls","x":1}`:              `Invalid arguments: command is missing; cmd is not a parameter; x is not a parameter` + usage, // S3.6
		`{"command":7}`:                   `Invalid arguments: command must be a string, not the number 7` + usage,                       // S0.13
		`{"command":null}`:                `Invalid arguments: command must be a string, not null` + usage,                               //
		`{"command":["ls"]}`:              `Invalid arguments: command must be a string, not an array` + usage,                           //
		`{"command":"","x":{}}`:           `Invalid arguments: x is not a parameter` + usage,                                             //
		`[]`:                              `Invalid arguments: they are an array, not an object` + usage,                                 //
		`"ls"`:                            `Invalid arguments: they are a string, not an object` + usage,                                 //
		`{"command":"a","timeout":"30"}`:  `Invalid arguments: timeout must be an integer, not the string "30"` + usage,                  //
		`{"command":"a","timeout":1.5}`:   `Invalid arguments: timeout must be an integer, not the number 1.5` + usage,                   //
		`{"command":"a","timeout":0}`:     `Invalid arguments: timeout must be from 1 to 3600, not 0` + usage,                            // S0.37
		`{"command":"a","timeout":-1}`:    `Invalid arguments: timeout must be from 1 to 3600, not -1` + usage,                           // S0.37
		`{"command":"a","timeout":3601}`:  `Invalid arguments: timeout must be from 1 to 3600, not 3601` + usage,                         // S0.37
		`{"command":"a","timeout":1e400}`: `Invalid arguments: timeout must be from 1 to 3600, not 1.7976931348623157e+308` + usage,
		`{"command":"a","mode":"both"}`:   `Invalid arguments: mode must be one of "combined", "split", not "both"` + usage, // S1.28
		`{"command":"a","opts":{"deep":[1,"2"]}}`: `Invalid arguments: opts.deep[1] must be an integer, not the string "2"` + usage, // S3.5
		`{"command":"a","opts":{}}`:               `Invalid arguments: opts.deep is missing` + usage,
		`{"command":"a`:                           `Invalid arguments: the JSON ends too early, after byte 13. Send the whole object; when it was cut off for its length, send less at a time.`,
		`{"command":a}`: `Invalid arguments: not JSON at byte 12, invalid character 'a' looking for beginning of value. ` +
			`Send one JSON object, with " \ and line breaks escaped inside strings.`, // S1.15
	} {
		_, err := check(json.RawMessage(args))
		var e *ikigai.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v is no *ikigai.Error", args, err)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// S0.16: what is missing is filled in, what was given keeps its bytes.
func TestDefaults(t *testing.T) {
	check := Checker(json.RawMessage(bashSchema))
	for args, want := range map[string]string{
		`{"command":"ls"}`: `{"command":"ls","timeout":30,"working_dir":"."}`,
		` { "command" : "ls" , "timeout" : 3e1 } ` + "\n":      ` { "command" : "ls" , "timeout" : 3e1 ,"working_dir":"."} ` + "\n",
		`{"command":"\ud800 }","timeout":1,"working_dir":"/"}`: `{"command":"\ud800 }","timeout":1,"working_dir":"/"}`,
		`{"command":"a","command":"b","timeout":1}`:            `{"command":"a","command":"b","timeout":1,"working_dir":"."}`,
		"{\"command\":\"\xff\",\"timeout\":1}":                 "{\"command\":\"\uFFFD\",\"timeout\":1,\"working_dir\":\".\"}",
	} {
		got, err := check(json.RawMessage(args))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", args, got, err, want)
		}
	}
	all := json.RawMessage(`{"a":1}`)
	for _, schema := range []string{`{"properties":{"a":{"default":2}}}`, `{}`, `true`} {
		got, err := Checker(json.RawMessage(schema))(all)
		if err != nil || &got[0] != &all[0] {
			t.Errorf("%s: got %s, %v; want the same bytes", schema, got, err)
		}
	}
	got, err := Checker(json.RawMessage(`{"properties":{"a\"b":{"default":[1]}}}`))(nil)
	if err != nil || string(got) != `{"a\"b":[1]}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// A schema that cannot be used here leaves the decision to the tool.
func TestUnusableSchema(t *testing.T) {
	for _, schema := range []string{
		``, `nonsense`, `7`, `{"type":7}`, `{"type":"any","properties":{"a":{"type":"money"}}}`,
		`{"properties":{"a":{"pattern":"(?=x)"}},"required":["b"]}`,
		`{"$ref":"https://example.org/schema","required":["b"]}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","required":["b"]}`,
		`{"$ref":"#"}`,
		`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"$dynamicRef":"#x"}`,
		`{"properties":{"a":{"$id":"https://example.org/a","$ref":"#"}}}`, // to itself, for ever
		`{"properties":{"a":{"$id":"https://example.org/a","allOf":[{"$ref":"#/not"}],"not":{"$ref":"#"}}},"not":false}`,
	} {
		check := Checker(json.RawMessage(schema))
		if got, err := check(json.RawMessage(`{"a":"1"}`)); err != nil || string(got) != `{"a":"1"}` {
			t.Errorf("%s: got %s, %v", schema, got, err)
		}
		if _, err := check(json.RawMessage(`[1]`)); err == nil {
			t.Errorf("%s: an array was accepted", schema)
		}
		if _, err := check(json.RawMessage(`{"a"`)); err == nil {
			t.Errorf("%s: half an object was accepted", schema)
		}
	}
	tree := Checker(json.RawMessage(`{"properties":{"child":{"$ref":"#"}},"additionalProperties":false}`))
	if _, err := tree(json.RawMessage(`{"child":{"child":{"x":1}}}`)); err == nil {
		t.Error("a reference that goes deeper was not followed")
	}
	draft7 := Checker(json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema","required":["b"]}`))
	if _, err := draft7(nil); err == nil {
		t.Error("draft-07 without its # was not validated")
	}
}

// All that is missing or unknown is told at once, wherever it stands, and with
// the words of the form that is nearest. S3.5, S3.6
func TestAllProblemsAtOnce(t *testing.T) {
	const closed = `"additionalProperties":false`
	for _, tt := range []struct{ schema, args, want string }{
		{`{"required":["a","b"],"properties":{"a":{},"b":{}},` + closed + `}`, `{"c":1,"d":2}`, "a is missing; b is missing; c is not a parameter; d is not a parameter"},
		{`{"properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"required":["x","y"],"properties":{"x":{"type":"string"},"y":{}},` + closed + `}}}`,
			`{"p":{"z":1,"x":2}}`, `p.y is missing; p.x must be a string, not the number 2; p.z is not a parameter`},
		{`{"properties":{"l":{"type":"array","items":{"required":["a"],` + closed + `}}}}`, `{"l":[{"b":1},{}]}`, "l[0].a is missing; l[0].b is not a parameter; l[1].a is missing"},
		{`{"allOf":[{"required":["a"]},{"required":["b","a"]}]}`, `{}`, "a is missing; b is missing"},
		{`{"anyOf":[{"required":["a","b"]},{"required":["c"]}]}`, `{"a":1}`, "b is missing"},
		{`{"properties":{"o":{"oneOf":[{"properties":{"kind":{"const":"x"},"n":{"type":"integer"}},"required":["kind","n"]},{"properties":{"kind":{"const":"y"}},"required":["kind"]}]}}}`,
			`{"o":{"kind":"x"}}`, `o.n is missing`},
		{`{"patternProperties":{"^x-":{}},` + closed + `}`, `{"x-a":1,"b":2,"c":3}`, "b is not a parameter; c is not a parameter"},
		{`{"allOf":[{"properties":{"a":{}}}],"properties":{"b":{}},"unevaluatedProperties":false}`, `{"a":1,"b":1,"c":1,"d":1}`, "c is not a parameter; d is not a parameter"},
		{`{"dependentRequired":{"a":["b","c"]}}`, `{"a":1}`, "b is missing, which a needs; c is missing, which a needs"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`, "b is missing, which a needs"},
		{`{"properties":{"a":{"type":"array","minItems":1},"b":{"type":"array","maxItems":2},"c":{"const":"x"}}}`, `{"a":[],"b":[1,2,3],"c":1}`,
			`a must have at least 1 item, not 0; b must have at most 2 items, not 3; c must be "x", not 1`},
		{`{"properties":{"n":{"type":"int"},"s":{"type":"str"},"x":{"type":"money"}},"type":"dict"}`, `{"n":"1","s":2,"x":[]}`,
			`n must be an integer, not the string "1"; s must be a string, not the number 2`},
	} {
		_, err := Checker(json.RawMessage(tt.schema))(json.RawMessage(tt.args))
		var e *ikigai.Error
		if !errors.As(err, &e) || e.What != "Invalid arguments: "+tt.want {
			t.Errorf("%s %s:\n got %v\nwant %s", tt.schema, tt.args, err, tt.want)
		}
	}
}

// A schema whose alternatives lead to each other, and a deep value, are not held
// against each other: that would take until the end of time.
func TestCost(t *testing.T) {
	form := `{"properties":{"x":{"type":"integer"},"c":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}`
	union := Checker(json.RawMessage(`{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":` + form + `,"b":` + form + `}}`))
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"c":`, n) + `{"x":"no"}` + strings.Repeat("}", n))
	}
	if _, err := union(nested(3)); err == nil {
		t.Error("a value that is not deep was not validated")
	}
	if _, err := union(nested(1000)); err != nil {
		t.Error(err)
	}
	tree := Checker(json.RawMessage(`{"properties":{"c":{"$ref":"#"},"x":{"type":"integer"}}}`))
	if _, err := tree(nested(1000)); err == nil {
		t.Error("a deep value was not validated, though there are no alternatives")
	}
	laughs := `{"$ref":"#/$defs/0","required":["y"],"$defs":{`
	for i := range 60 {
		laughs += fmt.Sprintf(`"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]},`, i, i+1, i+1)
	}
	if _, err := Checker(json.RawMessage(laughs + `"60":{}}}`))(nil); err != nil {
		t.Error(err)
	}
	properties := strings.ReplaceAll(strings.ReplaceAll(laughs, `"allOf":[`, `"properties":{"a":`), `},{"$ref"`, `},"b":{"$ref"`)
	properties = strings.ReplaceAll(properties, `"}]}`, `"}}}`)
	if !json.Valid([]byte(properties + `"60":{}}}`)) {
		t.Fatal(properties)
	}
	if _, err := Checker(json.RawMessage(properties + `"60":{}}}`))(nil); err != nil {
		t.Error(err)
	}
}

// Words are looked for in a bounded time.
func TestAlternativesWithinAlternatives(t *testing.T) {
	form := `{"required":["x"],"properties":{"c":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}`
	schema := `{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":` + form + `,"b":` + form + `}}`
	x := explainer{compile(json.RawMessage(schema)), maxLookedAt}
	x.problems(x.root, "", decode([]byte(strings.Repeat(`{"c":`, 200)+`{}`+strings.Repeat(`}`, 200))))
	if x.left > 0 {
		t.Error("not all of it was looked at, and the limit was not reached")
	}
}

func TestLibraryText(t *testing.T) {
	check := Checker(json.RawMessage(`{"properties":{"a":{"type":"array","uniqueItems":true}},"anyOf":[{"required":["x"]},{"required":["a"]}]}`))
	_, err := check(json.RawMessage(`{"a":[1,1]}`))
	if err == nil || !strings.HasPrefix(err.Error(), "Invalid arguments: a: uniqueItems") {
		t.Errorf("got %v", err)
	}
}

// Any bytes: no panic, and what is returned is a valid JSON object that is
// accepted again as it is.
func FuzzChecker(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"command":"ls"}`, `{"command":"ls","timeout":9007199254740993}`,
		`{"a":1,"a":2}`, `{"command":"\\\"","timeout":1e999}`, `[[[[`, `{"opts":{"deep":[1,{}]}}`, "{\"\xff\":1}", ` {"command" : "x" }`,
		`{"command":{"a":[{"b":"]}"}]},"x":-0}`} {
		f.Add([]byte(seed), bashSchema)
		f.Add([]byte(`{"a":1}`), seed)
	}
	f.Fuzz(func(t *testing.T, args []byte, schema string) {
		check := Checker(json.RawMessage(schema))
		got, err := check(args)
		if err != nil {
			var e *ikigai.Error
			if !errors.As(err, &e) || e.What == "" || e.Do == "" {
				t.Fatalf("error %q is not of two sentences", err)
			}
			return
		}
		var object map[string]any
		if err := json.Unmarshal(got, &object); err != nil {
			if strings.Contains(err.Error(), "cannot unmarshal number") {
				return // 1e999 is valid JSON and no float64
			}
			t.Fatalf("%q became %q: %v", args, got, err)
		}
		if again, err := check(got); err != nil || string(again) != string(got) {
			if schema == bashSchema { // other schemas may have defaults that they refuse
				t.Fatalf("%q was accepted, %q is not: %v", got, again, err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	check := Checker(json.RawMessage(bashSchema))
	args := json.RawMessage(`{"command":"ls -la"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := check(args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckMegabyte(b *testing.B) {
	check := Checker(json.RawMessage(bashSchema))
	args := json.RawMessage(`{"command":"` + strings.Repeat(`some text\n`, 100_000) + `"}`)
	b.SetBytes(int64(len(args)))
	for b.Loop() {
		if _, err := check(args); err != nil {
			b.Fatal(err)
		}
	}
}
