package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/schema"
)

// elided is what stands for bytes that were not recorded.
var elided = regexp.MustCompile(`base64,RUxJREVE[^"]*`)

// Every recorded request whose conversation can be held is built again, and
// says the same.
func TestRecordedRequests(t *testing.T) {
	var tally providertest.Tally
	for _, rec := range providertest.Recordings(t, "openai.responses") {
		if rec.Request == "" {
			tally.Leave("no request was recorded")
			continue
		}
		rec.Request = elided.ReplaceAllString(rec.Request, "base64,AAAA")
		cfg, req, err := hold(rec.Request)
		if reason := notHeld(""); errors.As(err, &reason) {
			tally.Leave(string(reason))
			continue
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			if err != nil {
				t.Fatalf("%s: %v", rec.Name, err)
			}
			body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
			want := meaningOf(t, cfg, []byte(rec.Request))
			got := meaningOf(t, cfg, bytes.Join(body, nil))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d (-recorded +built):\n%s", rec.Name, rec.Status, diff)
			}
		})
	}
	tally.Report(t)
	if providertest.Known(t) && tally.Tried < 380 {
		t.Error("too few")
	}
}

// meaningOf returns a request with everything in one form that can be said in
// several.
func meaningOf(t *testing.T, cfg provider.Config, raw []byte) any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{"stream", "store", "include"} {
		delete(body, own)
	}
	if body["tool_choice"] == "auto" {
		delete(body, "tool_choice")
	}
	if text, ok := body["input"].(string); ok {
		body["input"] = []any{map[string]any{"role": "user", "content": text}}
	}
	input := body["input"].([]any)
	if s := asString(body["instructions"]); s != "" {
		input = append([]any{map[string]any{"role": "system", "content": s}}, input...)
	}
	delete(body, "instructions")
	for _, item := range input {
		plainItem(item.(map[string]any))
	}
	body["input"] = input
	tools, _ := body["tools"].([]any)
	for _, tool := range tools {
		tool := tool.(map[string]any)
		strict := plainSchema(t, tool, "parameters", schema.Strict)
		tool["strict"] = strict && cfg.Quirks.Strict
		tool["description"] = asString(tool["description"])
	}
	if text, ok := body["text"].(map[string]any); ok {
		if format, ok := text["format"].(map[string]any); ok && format["type"] == "json_schema" {
			format["strict"] = plainSchema(t, format, "schema", schema.StrictAsIs)
		}
	}
	return withoutNothing(body)
}

// plainItem brings an item into one form.
func plainItem(it map[string]any) {
	if it["type"] == "message" {
		delete(it, "type")
	}
	if it["role"] == "developer" {
		it["role"] = "system"
	}
	if it["type"] == "reasoning" {
		delete(it, "status")
	}
	if arguments, ok := it["arguments"].(string); ok && arguments == "" {
		it["arguments"] = "{}"
	}
	for _, name := range []string{"content", "output"} {
		if text, ok := it[name].(string); ok {
			it[name] = []any{map[string]any{"type": "input_text", "text": text}}
		}
		list, _ := it[name].([]any)
		for _, p := range list {
			p := p.(map[string]any)
			if it["role"] == "assistant" && p["type"] == "input_text" {
				p["type"] = "output_text"
			}
			if p["detail"] == "auto" {
				delete(p, "detail")
			}
		}
	}
}

// plainSchema writes a schema strictly, if that can be done, and reports it.
func plainSchema(t *testing.T, in map[string]any, name string, to func(json.RawMessage) (json.RawMessage, bool)) bool {
	t.Helper()
	raw, err := json.Marshal(in[name])
	if err != nil {
		t.Fatal(err)
	}
	strict, ok := to(raw)
	if !ok {
		return false
	}
	var v any
	if err := json.Unmarshal(strict, &v); err != nil {
		t.Fatal(err)
	}
	in[name] = v
	return true
}

// withoutNothing returns v without the members that say nothing.
func withoutNothing(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = withoutNothing(value)
		}
		maps.DeleteFunc(v, func(name string, value any) bool {
			return slices.Contains([]string{"null", "[]", `""`, "{}"}, asJSON(value))
		})
	case []any:
		for i := range v {
			v[i] = withoutNothing(v[i])
		}
	}
	return v
}

// What a vendor took strictly is strict already: it stays as it is, less what
// says nothing of the form of a value.
func TestStrictSchemasThatWereAccepted(t *testing.T) {
	tried, changed := 0, 0
	for _, rec := range providertest.Recordings(t, "openai.responses") {
		var body wireRequest
		if rec.Status != 200 || json.Unmarshal([]byte(rec.Request), &body) != nil {
			continue
		}
		for _, tool := range body.Tools {
			if !tool.Strict {
				continue
			}
			tried++
			strict, ok := schema.Strict(tool.Parameters)
			if !ok {
				t.Errorf("%s: not strict: %s", rec.Name, tool.Parameters)
				continue
			}
			var before, after any
			if json.Unmarshal(tool.Parameters, &before) != nil || json.Unmarshal(strict, &after) != nil {
				t.Fatal(rec.Name)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				changed++
				t.Logf("%s (-accepted +strict):\n%s", rec.Name, diff)
			}
		}
	}
	t.Logf("%d schemas, %d of them changed", tried, changed)
}
