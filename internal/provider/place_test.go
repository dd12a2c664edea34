package provider

import (
	"net/http"
	"testing"
)

// A message that is refused by its position is named, in whatever way the vendor
// writes positions; and nothing else is taken for one.
func TestRefusedMessage(t *testing.T) {
	for body, want := range map[string]int{
		// Anthropic
		`{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"}}`: 4,
		`{"error":{"message":"messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"}}`:                          1,
		`{"error":{"message":"messages.12: ` + "`tool_use`" + ` ids were found without ` + "`tool_result`" + ` blocks immediately after: toolu_1."}}`:                               13,
		`{"error":{"message":"messages: at least one message is required"}}`:                                                                                                        0,
		// Chat Completions
		`{"error":{"message":"Invalid 'messages[3].tool_calls[0].id': string too long.","type":"invalid_request_error","param":"messages[3].tool_calls[0].id"}}`: 4,
		`{"error":{"message":"messages with role 'tool' must be a response","type":"invalid_request_error","param":"messages.[7].role"}}`:                        8,
		`{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied"}}`:                                                            3,
		`{"object":"error","detail":[{"type":"missing","loc":["body","messages",3,"content"],"msg":"Field required"}]}`:                                          4,
		`{"object":"error","message":"[{'type': 'missing', 'loc': ('body', 'messages', 0, 'content'), 'msg': 'Field required'}]"}`:                               1,
		`{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"bad image\",\"param\":\"messages[1].content\"}}"}}}`:         2,
		// Responses
		`{"error":{"message":"Invalid 'input[5].call_id': string too long. Expected 64","param":"input[5].call_id"}}`: 6,
		`{"error":{"message":"No tool output found for function call call_1.","param":"input"}}`:                      0,
		// Gemini
		`{"error":{"code":400,"message":"* GenerateContentRequest.contents[4].parts: contents.parts must not be empty.","status":"INVALID_ARGUMENT"}}`:                                             5,
		`{"error":{"code":400,"message":"Invalid value","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"contents[2].parts[0].inline_data.data"}]}]}}`: 3,
		// Not of the conversation.
		`{"error":{"message":"Invalid schema","param":"tools[0].function.parameters.properties.messages[1]"}}`: 0,
		`{"error":{"message":"too many messages (300)"}}`:                                                      0,
		`{"error":{"message":"tools.3.custom.input.1: bad"}}`:                                                  0,
		`{"error":{"message":"x.messages[99999999999999999999]"}}`:                                             0,
		`{"error":{"message":"messages[99999999999999999999]"}}`:                                               0,
	} {
		if got := config.refusal(at, 400, nil, []byte(body)); got.Message != want {
			t.Errorf("%s\nnames message %d, not %d", body, got.Message, want)
		}
	}
}

// Where the message is not to blame, none is named.
func TestNoRefusedMessage(t *testing.T) {
	body := []byte(`{"error":{"message":"messages[3] is too much"}}`)
	for status, want := range map[int]int{400: 4, 413: 4, 422: 4, 401: 0, 429: 0, 500: 0, 503: 0} {
		if got := config.refusal(at, status, http.Header{}, body); got.Message != want {
			t.Errorf("%d names message %d", status, got.Message)
		}
	}
	if got := config.Fault([]byte(`{"error":{"code":"context_length_exceeded","param":"messages[1]"}}`)); got.Message != 0 {
		t.Error(got.Message)
	}
	if got := config.Fault([]byte(`{"error":{"code":"invalid_image","param":"input[1].content[0]"}}`)); got.Message != 2 {
		t.Error(got.Message)
	}
}
