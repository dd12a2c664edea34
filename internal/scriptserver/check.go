package scriptserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ikigai/internal/wirecheck"
)

// Check reports what a strict vendor would refuse in the body of a Chat
// Completions request; nil if nothing. See wirecheck.Chat.
func Check(body []byte) error {
	_, err := parseRequest(body)
	return err
}

// refusal is why a request is not served, in the vendor's terms.
type refusal struct {
	param   string // such as messages.[3].role; "" for none
	code    string // "" for none
	message string
}

func (r *refusal) Error() string {
	if r.param == "" {
		return r.message
	}
	return r.param + ": " + r.message
}

func refuse(param, format string, args ...any) *refusal {
	return &refusal{param: param, message: fmt.Sprintf(format, args...)}
}

// asRefusal returns what a vendor would refuse as a *refusal.
func asRefusal(err error) error {
	var e *wirecheck.Error
	if errors.As(err, &e) {
		return &refusal{param: e.At, message: e.Message}
	}
	return err
}

// request is what the server needs of a request.
type request struct {
	system       string // the prompt
	messages     []message
	choice       string // none, auto, required; or the name of a tool
	named        bool   // choice is a name
	stream       bool
	includeUsage bool
}

type message struct {
	role     string
	text     string   // without feedback
	blocks   []string // of text, of a user message
	feedback string
	calls    []string // ids
	callID   string
	beside   []string // texts that stand in the message of the results, behind this one, the last
	added    bool     // to a statement under way: it begins none
}

// chatRequest is what the server needs of the body of a request.
type chatRequest struct {
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools         []json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage   `json:"tool_choice"`
	Stream        bool              `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// parseRequest checks and decodes the body of a request. Errors are *refusal.
func parseRequest(body []byte) (*request, error) {
	if err := wirecheck.Chat(body); err != nil {
		return nil, asRefusal(err)
	}
	var wire chatRequest
	if err := decode("", body, &wire); err != nil {
		return nil, err
	}
	r := &request{stream: wire.Stream, includeUsage: wire.StreamOptions.IncludeUsage, messages: make([]message, len(wire.Messages))}
	var named struct{ Function struct{ Name string } }
	if json.Unmarshal(wire.ToolChoice, &named) == nil && named.Function.Name != "" {
		r.choice, r.named = choiceOf(len(wire.Tools), "tool", named.Function.Name), true
	} else {
		r.choice = choiceOf(len(wire.Tools), strings.Trim(string(wire.ToolChoice), `"`), "")
	}
	for i, m := range wire.Messages {
		r.messages[i] = newMessage(m.Role, m.ToolCallID, textsOf(m.Content))
		for _, c := range m.ToolCalls {
			r.messages[i].calls = append(r.messages[i].calls, c.ID)
		}
	}
	r.findSystem()
	return r, nil
}

// findSystem takes the system prompt from the messages, where it is the first.
func (r *request) findSystem() {
	if len(r.messages) > 0 && (r.messages[0].role == "system" || r.messages[0].role == "developer") {
		r.system = r.messages[0].text
	}
}

// decode decodes JSON into v. What does not fit is named with param before it.
func decode(param string, raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		at := strings.Trim(param+"."+wrong.Field, ".")
		return refuse(at, "Invalid type: a JSON %s where %s belongs.", wrong.Value, wrong.Type)
	}
	return refuse(param, "The body is not valid JSON: %v.", err)
}
