package exttool

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/schema"
)

// Splitting an object into members and joining them again changes nothing that
// it says, and what is no object has no members.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, ` { "a" : [1, {"b":"\u00e4"}] , "a":null,"":"}" } `, `[]`, `{"a":1}{"b":2}`, `{"a":1,}`, `{"\"":"\\"}`, "nothing"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all, ok := members([]byte(s))
		trimmed := strings.TrimLeft(s, " \t\r\n")
		if want := json.Valid([]byte(s)) && strings.HasPrefix(trimmed, "{"); ok != want {
			t.Fatalf("%q: %v, want %v", s, ok, want)
		}
		if !ok {
			return
		}
		var before, after any
		if json.Unmarshal([]byte(s), &before) != nil || json.Unmarshal(object(all), &after) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q", s, object(all))
		}
		for _, m := range all {
			if !strings.Contains(s, string(m.text)) {
				t.Errorf("%q is not in %q", m.text, s)
			}
		}
	})
}

// Whatever a tool answers is a result: the model gets one JSON object, with
// nothing in it that is for the harness, and the same bytes if there was nothing
// of that.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"_note":"n","a":1}`, `{"error":"x","_report":7}`, `{"_resources":[1,{"uri":"a"}],"_images":"x","_frontmatter":["a"],"a":[]}`,
		`{"_frontmatter":{"x":{}},"_images":[{"data":"AA=="},{}]}`, `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `x`, ``} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		p := program{spec: spec{ToolSpec: ikigai.ToolSpec{Name: "x"}}, cfg: &Config{}}
		r := p.answer([]byte(s), dir)
		all, ok := members([]byte(text(r)))
		if !ok {
			t.Fatalf("%q gives the model %q", s, text(r))
		}
		for _, name := range []string{"_note", "_report", "_resources", "_images", "_frontmatter", "bbResponse", "bbaiResponse"} {
			if has(all, name) {
				t.Errorf("%s of %q reaches the model", name, s)
			}
		}
		if r.Failed != failed(all) {
			t.Errorf("failed %v: %s", r.Failed, text(r))
		}
		given, ok := members([]byte(s))
		if ok && len(given) == len(all) && text(r) != string(clean([]byte(strings.TrimSpace(s)))) {
			t.Errorf("%q became %q", s, text(r))
		}
	})
}

// Whatever a tool says of itself either makes a tool that a vendor takes, or a
// problem with two sentences; the input of the tool can then be judged.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","description":"b"}`,
		`{"name":"a","description":"b","parameters":{"x":{"type":"string","required":true},"type":{"type":"integer","default":3}}}`,
		`{"name":"a","description":"b","parameters":{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":["null","array"],"items":[{"type":"x"}]}]}},"required":["x"]}}`,
		`{"name":"a","description":"b","parameters":{"properties":{"properties":{"type":"string"}}},"returns":{"o":{"type":"string"}},"output_limits":["x"],"timeout":1e99,"input":"stdin"}`,
		"name: a\ndescription: b\nx: string? c\n", `{"name":"a","description":"b","args":{"x":["string","(optional) y"]}}`, `[]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func([]byte) (spec, *ikigai.Error){parseSpec, parseToolbox} {
			got, bad := parse([]byte(s))
			if bad != nil {
				if bad.What == "" || bad.Do == "" {
					t.Errorf("%q: %v", s, bad)
				}
				continue
			}
			all, ok := members(got.Schema)
			if !ok || !LegalName(got.Name) || got.Description == "" {
				t.Fatalf("%q became %+v", s, got)
			}
			if i := slices.IndexFunc(all, func(m member) bool { return m.name == "type" }); i < 0 || string(all[i].value) != `"object"` {
				t.Errorf("%q: the schema is %s", s, got.Schema)
			}
			_, _ = schema.Checker(got.Schema)(json.RawMessage(`{"x":1}`)) // it does not panic
			var again spec
			if err := json.Unmarshal(encode(got), &again); err != nil || string(encode(again)) != string(encode(got)) {
				t.Errorf("%q is another after the cache: %v", s, err)
			}
		}
	})
}
