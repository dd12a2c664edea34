package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// A message that the vendor refuses by its position is known by its number in
// the request, in whatever way the position is written.
func TestErrorPosition(t *testing.T) {
	req := ikigai.Request{Messages: []ikigai.Message{
		{Kind: ikigai.KindSystem, Content: "s"},
		{Kind: ikigai.KindUser, Content: "hi"},
		{Kind: ikigai.KindAssistant, Content: "a"},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "f"}},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "2", Name: "f"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "2"}},
	}}
	for position, want := range map[string]int{
		"Invalid parameter: messages[1].content is bad.":  2,
		"Invalid parameter: messages[2].content is bad.":  5, // the last of those that it was made of
		"Invalid value: messages.[3].content is no text.": 6,
		"Invalid parameter: messages[4].content is bad.":  7,
		"Something is bad.": 0,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, position)
		}))
		r := providertest.Collect(t, New(provider.Config{Name: "acme/x", Model: "x", BaseURL: server.URL}), req)
		server.Close()
		var told *ikigai.Error
		if !errors.As(r.Err, &told) || told.Message != want {
			t.Errorf("%s: message %d, not %d", position, told.Message, want)
		}
	}
}
