package responses

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
)

// refusing returns a model whose vendor refuses the item at a position.
func refusing(t *testing.T, position int) ikigai.Model {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"Invalid 'input[%d].content': it is empty.","type":"invalid_request_error","param":"input[%[1]d].content","code":"empty_string"}}`, position)
	}))
	t.Cleanup(server.Close)
	return New(provider.Config{Name: config.Name, Model: "m", BaseURL: server.URL, MaxAttempts: 1})
}
