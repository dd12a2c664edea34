package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// The message that a vendor names by its position is the right one of ours,
// whatever stands before the conversation.
func TestPlace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":{"message":"Invalid 'messages[1].content': no.","type":"invalid_request_error","param":"messages[1].content"}}`)
	}))
	defer server.Close()
	model := New(provider.Config{Name: "v/m", BaseURL: server.URL, MaxAttempts: 1, Quirks: provider.Quirks{Format: provider.FormatWords}})
	system := ikigai.Message{Kind: ikigai.KindSystem, Content: "s"}
	user := ikigai.Message{Kind: ikigai.KindUser, Content: "u"}
	format := &ikigai.Format{Name: "f", Schema: []byte(`{"type":"object"}`)}
	for _, test := range []struct {
		name string
		req  ikigai.Request
		want int
	}{
		{"a system message", ikigai.Request{Messages: []ikigai.Message{system, user, user}}, 2},
		{"none", ikigai.Request{Messages: []ikigai.Message{user, user}}, 2},
		{"one for the form of the answer", ikigai.Request{Messages: []ikigai.Message{user, user}, Format: format}, 1},
		{"both in one", ikigai.Request{Messages: []ikigai.Message{system, user}, Format: format}, 2},
	} {
		err := providertest.Collect(t, model, test.req).Err
		if e, ok := err.(*ikigai.Error); !ok || e.Message != test.want {
			t.Errorf("%s: %+v, want message %d", test.name, err, test.want)
		}
	}
}
