package scriptserver

import (
	"fmt"
	"net/http"
)

// tokens estimates the tokens of n bytes: one for each four of them.
func tokens(n int) int64 {
	const bytesPerToken = 4
	return int64(n+bytesPerToken-1) / bytesPerToken
}

// fullError is why a request that is longer than the context is not served. It
// is no fault of the script or the client, so it is not noted.
type fullError struct{ tokens, context int64 }

func (e *fullError) Error() string {
	return fmt.Sprintf("%d tokens do not fit a context of %d", e.tokens, e.context)
}

// full returns a *fullError if a request of so many bytes is too long.
func (p *plan) full(size int) error {
	if limit := int64(p.script.Context); limit > 0 && tokens(size) > limit {
		return &fullError{tokens(size), limit}
	}
	return nil
}

// full implements problem.
func (chat) full(e *fullError) []byte {
	return errorBody(fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.",
		e.context, e.tokens), "invalid_request_error", "messages", "context_length_exceeded")
}

// full implements problem.
func (p *responses) full(*fullError) []byte {
	return errorBody("Your input exceeds the context window of this model. Please adjust your input and try again.",
		"invalid_request_error", "input", "context_length_exceeded")
}

// full implements problem.
func (a *anthropic) full(e *fullError) []byte {
	return a.refusal(http.StatusBadRequest, fmt.Sprintf("prompt is too long: %d tokens > %d maximum", e.tokens, e.context))
}

// full implements problem.
func (g *gemini) full(e *fullError) []byte {
	return g.refusal(http.StatusBadRequest, fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", e.tokens, e.context))
}
