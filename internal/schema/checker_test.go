package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
		``, `nonsense`, `7`, `{"type":7}`,
		`{"properties":{"a":{"pattern":"(?=x)"}},"required":["b"]}`,
		`{"$ref":"https://example.org/schema","required":["b"]}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","required":["b"]}`,
		`{"$ref":"#"}`,
		`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"$dynamicRef":"#x"}`,
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

func TestLibraryText(t *testing.T) {
	check := Checker(json.RawMessage(`{"properties":{"a":{"type":"array","uniqueItems":true}},"anyOf":[{"required":["x"]},{"required":["a"]}]}`))
	_, err := check(json.RawMessage(`{"a":[1,1]}`))
	if err == nil || !strings.HasPrefix(err.Error(), "Invalid arguments: a: uniqueItems") {
		t.Errorf("got %v", err)
	}
}

// The verdicts of JSON-Schema-Test-Suite on the value of a parameter.
func TestSuite(t *testing.T) {
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" && os.Getenv("CI") != "true" {
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "suites/json-schema/draft*/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	ran := 0
	for _, file := range files {
		ran += suiteFile(t, file)
	}
	if ran < 300 {
		t.Errorf("only %d cases ran", ran)
	}
}

func suiteFile(t *testing.T, file string) int {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	draft := "https://json-schema.org/draft/2020-12/schema"
	if strings.Contains(file, "draft7") {
		draft = "http://json-schema.org/draft-07/schema#"
	}
	ran := 0
	for _, g := range groups {
		if text := string(g.Schema); strings.Contains(text, `$ref"`) || strings.Contains(text, `$id"`) || strings.Contains(text, "$vocabulary") {
			continue // they mean the root of the document, which is another here
		}
		check := Checker(json.RawMessage(`{"$schema":"` + draft + `","type":"object","properties":{"x":` + string(g.Schema) + `},"required":["x"]}`))
		for _, c := range g.Tests {
			ran++
			args := json.RawMessage(`{"x":` + string(c.Data) + `}`)
			if _, err := check(args); (err == nil) != c.Valid {
				t.Errorf("%s: %s: %s: valid %v, got %v", filepath.Base(file), g.Description, c.Description, c.Valid, err)
			}
		}
	}
	return ran
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
