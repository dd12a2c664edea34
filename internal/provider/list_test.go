package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// A vendor's list of models is read in every form, page by page, and what goes
// wrong is told as of any request.
func TestList(t *testing.T) {
	pages := map[string]string{
		"/openai/models":                      `{"object":"list","data":[{"id":"b","object":"model"},{"id":"a","context_window":131072,"max_completion_tokens":9}]}`,
		"/anthropic/models":                   `{"data":[{"type":"model","id":"claude-b"}],"has_more":true,"first_id":"claude-b","last_id":"claude-b"}`,
		"/anthropic/models?after_id=claude-b": `{"data":[{"id":"claude-a","max_input_tokens":200000,"max_tokens":64000}],"has_more":false,"last_id":"claude-a"}`,
		"/gemini/models":                      `{"models":[{"name":"models/g","inputTokenLimit":5,"outputTokenLimit":6,"supportedGenerationMethods":["generateContent"]},{"name":"models/e","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"p 2"}`,
		"/gemini/models?pageToken=p+2":        `{"models":[{"name":"models/f"}]}`,
		"/empty/models":                       `{"data":[]}`,
		"/odd/models":                         `{"result":1}`,
		"/page/models":                        `<html>hello`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); r.Method != http.MethodGet || len(body) > 0 || r.Header.Get("Authorization") != "Bearer secret-key" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided: secret-key"}}`)
			return
		}
		page, ok := pages[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, page)
	}))
	defer server.Close()
	list := func(path, key string) ([]Listed, error) {
		return List(t.Context(), Config{Name: "v/m", BaseURL: server.URL + "/" + path, Key: key})
	}
	for path, want := range map[string][]Listed{
		"openai":    {{Name: "a", Context: 131072, Output: 9}, {Name: "b"}},
		"anthropic": {{Name: "claude-a", Context: 200000, Output: 64000}, {Name: "claude-b"}},
		"gemini":    {{Name: "f"}, {Name: "g", Context: 5, Output: 6}},
		"empty":     nil,
	} {
		got, err := list(path, "secret-key")
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for path, kind := range map[string]ikigai.ErrorKind{"odd": ikigai.ErrorServer, "page": ikigai.ErrorServer, "nowhere": ikigai.ErrorBadRequest} {
		if _, err := list(path, "secret-key"); ikigai.KindOf(err) != kind {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := list("openai", "wrong-key-0"); ikigai.KindOf(err) != ikigai.ErrorAuth || strings.Contains(err.Error(), "wrong-key") { // P41
		t.Errorf("a wrong key: %v", err)
	}
}
