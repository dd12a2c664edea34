package mcp

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
)

func testLink(t *testing.T) *link {
	return newLink(&Config{SpillDir: filepath.Join(t.TempDir(), "spill"), Notice: func(string) {}}, "test", Server{})
}

// S0.31, S3.12, S3.13: an answer becomes a JSON object, and parts for what is no
// text.
func TestOutput(t *testing.T) {
	words := func(texts ...string) (all []sdk.Content) {
		for _, s := range texts {
			all = append(all, &sdk.TextContent{Text: s})
		}
		return all
	}
	for name, c := range map[string]struct {
		answer sdk.CallToolResult
		want   string
	}{
		"nothing":            {sdk.CallToolResult{}, `{"output":""}`},
		"text":               {sdk.CallToolResult{Content: words("a <b>\x00")}, `{"output":"a <b>` + "\uFFFD" + `"}`},
		"texts":              {sdk.CallToolResult{Content: words("a", "b")}, `{"output":"a\nb"}`},
		"an object as text":  {sdk.CallToolResult{Content: words(`{"a": 1}`)}, `{"a": 1}`},
		"a list as text":     {sdk.CallToolResult{Content: words(`[1]`)}, `{"output":"[1]"}`},
		"structured":         {sdk.CallToolResult{StructuredContent: map[string]any{"a": "<b>"}}, `{"a":"<b>"}`},
		"structured twice":   {sdk.CallToolResult{StructuredContent: map[string]any{"a": 1.0}, Content: words(`{ "a":1 }`)}, `{"a":1}`},
		"wrapped text":       {sdk.CallToolResult{StructuredContent: map[string]any{"result": "x"}, Content: words(`x`)}, `{"result":"x"}`},
		"structured, told":   {sdk.CallToolResult{StructuredContent: map[string]any{"a": 1.0}, Content: words(`one`)}, `{"a":1}` + "|one"},
		"a structured list":  {sdk.CallToolResult{StructuredContent: []any{1.0, 2.0}, Content: words(`[1,2]`)}, `{"result":[1,2]}`},
		"lone surrogates":    {sdk.CallToolResult{StructuredContent: map[string]any{"a": "\x00"}}, `{"a":"\ufffd"}`},
		"an error":           {sdk.CallToolResult{IsError: true, Content: words("bad")}, `{"error":"bad","error_code":"MCP_ERROR"}`},
		"a structured error": {sdk.CallToolResult{IsError: true, StructuredContent: map[string]any{"a": 1.0}}, `{"error":"{\"a\":1}","error_code":"MCP_ERROR"}`},
		"a link": {sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///a", Name: "a", Description: "the a"}}},
			`{"output":"[file:///a] a: the a"}`},
		"a resource": {sdk.CallToolResult{Content: []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:1", Text: "t"}}}},
			`{"output":"[x:1]\nt"}`},
		"no resource": {sdk.CallToolResult{Content: []sdk.Content{&sdk.EmbeddedResource{}}}, `{"output":""}`},
	} {
		r := testLink(t).output(&c.answer)
		var got []string
		for _, p := range r.Output {
			got = append(got, p.Text)
		}
		if strings.Join(got, "|") != c.want || r.Failed != c.answer.IsError {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Links and contents name what was read: files by their paths.
func TestNames(t *testing.T) { // S4.22
	content := []sdk.Content{
		&sdk.ResourceLink{URI: "file:///src/a%20b.go", Name: "a"}, &sdk.ResourceLink{URI: "https://example.org/x", Name: "x"}, &sdk.ResourceLink{Name: "nothing"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///src/a b.go", Text: "t"}},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "config:main", Text: "t"}},
	}
	r := testLink(t).output(&sdk.CallToolResult{Content: content})
	if diff := cmp.Diff([]ikigai.Resource{{URI: "/src/a b.go"}, {URI: "https://example.org/x"}, {URI: "config:main"}}, r.Resources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Images and documents go to the model, other content to a file that is named.
func TestContent(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	l := testLink(t)
	r := l.output(&sdk.CallToolResult{Content: []sdk.Content{
		&sdk.ImageContent{Data: picture.Bytes(), MIMEType: "image/png"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "docs://a/b.pdf", MIMEType: "application/pdf", Blob: []byte("%PDF-1.7 x")}},
		&sdk.AudioContent{Data: []byte("sound"), MIMEType: "audio/wav"},
	}})
	if len(r.Output) != 3 || r.Output[1].Type != ikigai.PartImage || r.Output[2].Type != ikigai.PartFile || r.Output[2].Name != "b.pdf" {
		t.Fatalf("%+v", r.Output)
	}
	_, rest, ok := strings.Cut(r.Output[0].Text, "(audio/wav, 5 bytes, in ")
	path, _, _ := strings.Cut(rest, ")")
	if kept, err := os.ReadFile(path); !ok || err != nil || string(kept) != "sound" {
		t.Errorf("%s: %q, %v", r.Output[0].Text, kept, err)
	}
	if len(r.Resources) != 1 || r.Resources[0].URI != "docs://a/b.pdf" {
		t.Errorf("%+v", r.Resources)
	}
	many := make([]sdk.Content, mostParts+5)
	for i := range many {
		many[i] = &sdk.TextContent{Text: "x"}
	}
	if got := l.output(&sdk.CallToolResult{Content: many}).Output[0].Text; !strings.Contains(got, "(5 more parts are left out)") {
		t.Error(got)
	}
}

// What servers have answered in recorded sessions, and the examples of the
// specification, become JSON objects.
func TestRecordedAnswers(t *testing.T) {
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	answers := 0
	check := func(path string, raw []byte) {
		var answer sdk.CallToolResult
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		answers++
		r := testLink(t).output(&answer)
		if !isObject([]byte(r.Output[0].Text)) || len(r.Output[0].Text) < len(`{"output":""}`) {
			t.Errorf("%s: %s", path, r.Output[0].Text)
		}
	}
	for _, path := range matches(t, dir, "mcp/spec-examples-*/CallToolResult/*.json") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(path, raw)
	}
	for _, path := range append(matches(t, dir, "mcp/stdio-recorded/*.log"), matches(t, dir, "mcp/goose-replays/*.log")...) {
		log, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(log)) {
			var message struct{ Result json.RawMessage }
			sent, ok := strings.CutPrefix(line, "STDOUT: ")
			if ok && json.Unmarshal([]byte(sent), &message) == nil && bytes.Contains(message.Result, []byte(`"content"`)) {
				check(path, message.Result)
			}
		}
	}
	if answers < 5 {
		t.Errorf("only %d answers were found", answers)
	}
}

func matches(t *testing.T, dir, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// Schemas are shown as those of an object.
func TestObjectSchema(t *testing.T) {
	for given, want := range map[string]string{
		``:                                    `{"properties":{},"type":"object"}`,
		`null`:                                `{"properties":{},"type":"object"}`,
		`true`:                                `{"properties":{},"type":"object"}`,
		`{"properties":null,"required":null}`: `{"properties":{},"type":"object"}`,
		`{"properties":{"a":"text","b":true,"c":{"z":1,"a":2}}}`:         `{"properties":{"a":{},"b":{},"c":{"z":1,"a":2}},"type":"object"}`,
		`{"properties":["a"],"required":"a"}`:                            `{"properties":{},"type":"object"}`,
		`{"properties":{"a":{}},"required":["a"]}`:                       `{"properties":{"a":{}},"required":["a"],"type":"object"}`,
		`{"$schema":"x","type":["object","null"],"properties":{"a":{}}}`: `{"properties":{"a":{}},"type":"object"}`,
	} {
		if got := string(objectSchema(json.RawMessage(given))); got != want {
			t.Errorf("%s became %s", given, got)
		}
	}
}
