package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ikigai"
)

// A tool that is refused by its position is named, in whatever way the vendor
// writes positions; and nothing else is taken for one.
func TestRefusedTool(t *testing.T) {
	tools := []ikigai.ToolSpec{{Name: "read"}, {Name: "list"}, {Name: "find"}}
	for body, want := range map[string]string{
		`{"error":{"type":"invalid_request_error","message":"tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"}}`: "list",
		`{"error":{"message":"tools.2.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12. Learn more about tool use"}}`:            "find",
		`{"error":{"message":"Invalid 'tools[1].name': string does not match pattern."}}`:                                                                            "list",
		`{"error":{"message":"Invalid value for tools.[2].function.parameters"}}`:                                                                                    "find",
		`{"error":{"message":"Invalid JSON payload at 'tools[0].function_declarations[2].parameters.properties[0].value'"}}`:                                         "find",
		`{"error":{"message":"* GenerateContentRequest.tools[0].function_declarations[1].parameters: bad"}}`:                                                         "list",
		`{"detail":"[{'loc': ('body', 'tools', 1, 'function')}]"}`:                                                                                                   "list",
		`{"error":{"message":"tools[0].function_declarations: there are too many"}}`:                                                                                 "",
		`{"error":{"message":"tools.3.custom: there is no such tool"}}`:                                                                                              "",
		`{"error":{"message":"input.tools[1] is bad, too many tools (2)"}}`:                                                                                          "",
	} {
		e := config.refusal(at, http.StatusBadRequest, nil, []byte(body))
		nameTool(e, tools)
		_, name, _ := strings.Cut(e.What, " (the tool ")
		if name = strings.TrimSuffix(name, ")"); name != want || (want != "") != strings.HasPrefix(e.Do, "Leave that tool out") {
			t.Errorf("%s\nnames %q: %v", body, name, e)
		}
	}
}

// plainWire sends nothing of interest.
type plainWire struct{ Wire }

func (plainWire) Path(ikigai.Request) string                         { return "x" }
func (plainWire) Head(ikigai.Request) ([][]byte, int)                { return [][]byte{[]byte(`{"messages":[`)}, 0 }
func (plainWire) Append(b []byte, _ []ikigai.Message, _ bool) []byte { return append(b, `{},`...) }

// The person reads the tool's name wherever a request is refused for it.
func TestStreamNamesTool(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":{"message":"tools.0.custom.input_schema: odd"}}`))
	}))
	defer server.Close()
	model := NewModel(Config{Name: "acme/m", Model: "m", BaseURL: server.URL, MaxAttempts: 1}, plainWire{}, false)
	req := ikigai.Request{Tools: []ikigai.ToolSpec{{Name: "read"}}, Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
	for _, err := range model.Stream(t.Context(), req) {
		if err == nil || !strings.Contains(err.Error(), "(the tool read)") {
			t.Errorf("%v", err)
		}
	}
}
