package oracle

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"ikigai/internal/provider"
	"ikigai/internal/provider/openai"
	"ikigai/internal/providertest"
)

// Every request that is built fits the published description: those of the
// cases, and those of random conversations.
func TestRequestsFitTheSpecification(t *testing.T) {
	schema := chatRequestSchema(t)
	check := func(name string, body []byte) {
		t.Helper()
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	model := openai.New(provider.Config{Name: "openai/gpt-x", Model: "gpt-x", BaseURL: server.URL})

	files, _ := filepath.Glob("../provider/openai/testdata/*.txtar")
	if len(files) < 20 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "-- request.json --\n")
		request, _, _ := strings.Cut(rest, "\n")
		check(file, []byte(request))
	}
	random := rand.New(rand.NewPCG(7, 11))
	for range 500 {
		providertest.Collect(t, model, providertest.RandomRequest(random))
		check("random", body)
	}
}

// What does not fit is refused, or the test above would prove nothing.
func TestTheSpecificationRefuses(t *testing.T) {
	schema := chatRequestSchema(t)
	for _, body := range []string{
		`{"model":"m"}`,
		`{"model":"m","messages":[]}`,
		`{"model":"m","messages":[{"role":"robot","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"tool","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"user","content":7}]}`,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tool_choice":"sometimes"}`,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"description":"x"}}]}`,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":"x"}]}]}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("accepted: %s", body)
		}
	}
}

// chatRequestSchema returns the schema of a Chat Completions request.
func chatRequestSchema(t *testing.T) *jsonschema.Resolved {
	return specification(t, "openai/openapi.yaml", "CreateChatCompletionRequest")
}

// specification returns the schema of the given name in a published description
// of an interface.
func specification(t *testing.T, file, root string) *jsonschema.Resolved {
	t.Helper()
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "specs", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Components struct{ Schemas map[string]any }
	}
	if err := yaml.Unmarshal(raw, &spec); err != nil {
		t.Fatal(err)
	}
	defs := map[string]any{}
	reach(root, spec.Components.Schemas, defs)
	text, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + root, "$defs": defs})
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// reach adds the schema of the given name, and all that it refers to, to defs.
func reach(name string, all, defs map[string]any) {
	if _, done := defs[name]; done {
		return
	}
	defs[name] = true // for schemas that refer to themselves
	defs[name] = plain(all[name], func(ref string) { reach(ref, all, defs) })
}

// plain returns a schema of OpenAPI as a valid JSON Schema, and reports what
// it refers to. The file repeats names in lists of what is required, and has
// keywords of OpenAPI and of older drafts.
func plain(v any, refer func(string)) any {
	switch v := v.(type) {
	case map[string]any:
		return plainObject(v, refer)
	case []any:
		list := make([]any, 0, len(v))
		for _, item := range v {
			list = append(list, plain(item, refer))
		}
		return list
	}
	return v
}

func plainObject(v map[string]any, refer func(string)) map[string]any {
	out := map[string]any{}
	for key, value := range v {
		switch {
		case key == "$ref":
			name := strings.TrimPrefix(value.(string), "#/components/schemas/")
			refer(name)
			out[key] = "#/$defs/" + name
		case key == "properties":
			properties := map[string]any{}
			for name, schema := range value.(map[string]any) {
				properties[name] = plain(schema, refer)
			}
			out[key] = properties
		case key == "required":
			out[key] = unique(value.([]any))
		case slices.Contains([]string{"discriminator", "nullable", "example", "examples", "deprecated", "description", "title", "default", "$recursiveAnchor"}, key),
			strings.HasPrefix(key, "x-"):
		default:
			out[key] = plain(value, refer)
		}
	}
	if v["nullable"] == true {
		return map[string]any{"anyOf": []any{out, map[string]any{"type": "null"}}}
	}
	return out
}

func unique(list []any) []any {
	var out []any
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
