package faultserver

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// API is an interface of vendors, named as recordings of it are.
type API string

const (
	OpenAIChat      API = "openai.chat"
	OpenAIResponses API = "openai.responses"
	Anthropic       API = "anthropic.messages"
	Gemini          API = "gemini.stream"
)

// APIs returns all of them.
func APIs() []API { return []API{OpenAIChat, OpenAIResponses, Anthropic, Gemini} }

// trouble is an error as each vendor calls it.
type trouble struct {
	status                    int
	kind, code                string // OpenAI's type and code
	anthropic                 string // type
	google                    string // status
	message, anthropicMessage string // the second where it is another one
	wait                      int    // seconds
}

// troubles are the errors that Refusal knows, by their status.
var troubles = map[int]trouble{
	400: {kind: "invalid_request_error", anthropic: "invalid_request_error", google: "INVALID_ARGUMENT", message: "The request is not as it should be."},
	401: {kind: "invalid_request_error", code: "invalid_api_key", anthropic: "authentication_error", google: "UNAUTHENTICATED", message: "Incorrect API key provided."},
	402: {kind: "billing_error", anthropic: "billing_error", google: "FAILED_PRECONDITION", message: "Payment is required."},
	403: {kind: "invalid_request_error", code: "forbidden", anthropic: "permission_error", google: "PERMISSION_DENIED", message: "The key may not do this."},
	404: {kind: "invalid_request_error", code: "model_not_found", anthropic: "not_found_error", google: "NOT_FOUND", message: "The model is not found."},
	408: {kind: "server_error", code: "request_timeout", anthropic: "timeout_error", google: "DEADLINE_EXCEEDED", message: "The request took too long."},
	413: {kind: "invalid_request_error", anthropic: "request_too_large", google: "INVALID_ARGUMENT", message: "The request is larger than the maximum number of bytes."},
	429: {kind: "requests", code: "rate_limit_exceeded", anthropic: "rate_limit_error", google: "RESOURCE_EXHAUSTED", message: "The limit of requests per minute is reached.", wait: 2},
	500: {kind: "server_error", anthropic: "api_error", google: "INTERNAL", message: "An internal error has occurred."},
	503: {kind: "server_error", code: "service_unavailable", anthropic: "overloaded_error", google: "UNAVAILABLE", message: "The model is overloaded."},
	504: {kind: "server_error", anthropic: "timeout_error", google: "DEADLINE_EXCEEDED", message: "The deadline has passed."},
	529: {kind: "server_error", code: "overloaded", anthropic: "overloaded_error", google: "UNAVAILABLE", message: "Overloaded"},
}

// Refusal returns the error with the given status as the vendor words it. A
// status that is not known has an empty body.
func Refusal(api API, status int) Answer {
	t, ok := troubles[status]
	if !ok {
		return Answer{Status: status}
	}
	t.status = status
	return t.refusal(api)
}

// ContextFull returns the refusal of a conversation that does not fit the model.
func ContextFull(api API) Answer {
	return trouble{status: 400, kind: "invalid_request_error", code: "context_length_exceeded", anthropic: "invalid_request_error", google: "INVALID_ARGUMENT",
		message:          "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
		anthropicMessage: "prompt is too long: 215350 tokens > 200000 maximum"}.refusal(api)
}

// NoQuota returns the refusal of an account with nothing left to spend.
func NoQuota(api API) Answer {
	t := trouble{status: 429, kind: "insufficient_quota", code: "insufficient_quota", google: "RESOURCE_EXHAUSTED",
		anthropic: "invalid_request_error", message: "Your prepayment credits are depleted.", anthropicMessage: "Your credit balance is too low."}
	if api == Anthropic {
		t.status = 400
	}
	return t.refusal(api)
}

// TooMuchAtOnce returns the refusal of a request that alone is more than may be
// asked for in a minute: waiting does not help, whatever the status says.
func TooMuchAtOnce(api API) Answer {
	t := troubles[429]
	t.status, t.kind, t.message = 429, "tokens", "Request too large on tokens per minute: Limit 10000, Requested 12000."
	return t.refusal(api)
}

// Ping returns what a vendor sends in a reply only to keep it alive.
func Ping(api API) string {
	switch api {
	case Anthropic:
		return "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	case OpenAIResponses:
		return "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":7}\n\n"
	}
	return ": ping\n\n"
}

// ErrorInReply returns what a vendor sends in the middle of a reply with status
// 200 where it would else answer with the given status.
func ErrorInReply(api API, status int) string {
	t := troubles[status]
	t.status = status
	v := t.body(api)
	switch api {
	case Anthropic, OpenAIResponses:
		v["type"] = "error"
		return "event: error\ndata: " + encode(v) + "\n\n"
	}
	return "data: " + encode(v) + "\n\n"
}

func (t trouble) refusal(api API) Answer {
	h := http.Header{"Content-Type": {"application/json"}}
	if t.wait > 0 && api != Gemini { // which says so in the body
		h.Set("Retry-After", strconv.Itoa(t.wait))
	}
	if api == Anthropic {
		again := t.status >= 500 || t.status == http.StatusRequestTimeout || t.wait > 0
		h.Set("X-Should-Retry", strconv.FormatBool(again))
	}
	return Answer{Status: t.status, Header: h, Body: encode(t.body(api))}
}

type object = map[string]any

func (t trouble) body(api API) object {
	switch api {
	case Anthropic:
		e := object{"type": t.anthropic, "message": t.message}
		if t.anthropicMessage != "" {
			e["message"] = t.anthropicMessage
		}
		return object{"type": "error", "error": e, "request_id": "req_1"}
	case Gemini:
		e := object{"code": t.status, "message": t.message, "status": t.google}
		if t.wait > 0 {
			e["details"] = []object{{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": strconv.Itoa(t.wait) + "s"}}
		}
		return object{"error": e}
	}
	e := object{"message": t.message, "type": t.kind, "param": nil, "code": nil}
	if t.code != "" {
		e["code"] = t.code
	}
	return object{"error": e}
}

func encode(v object) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("faultserver: " + err.Error())
	}
	return string(raw)
}
