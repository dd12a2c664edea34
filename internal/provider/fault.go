package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"ikigai"
)

// fault is what a vendor says of an error, from whatever form it says it in.
type fault struct {
	message string
	words   []string // types and codes, in lower case
	status  int      // where the body names one
	told    bool     // there is an error object, or an error in words: not merely a page
}

// parseFault reads the body of an error: an object with an error object or
// string, an object with a message or detail, a list of such, or plain text.
func parseFault(body []byte) fault {
	var f fault
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		if text := bytes.TrimSpace(body); !bytes.HasPrefix(text, []byte("<")) { // a page of HTML says nothing
			f.message = string(text)
		}
		return f
	}
	f.read(v)
	return f
}

// read takes in v. What stands deeper is nearer to the cause, so that it
// replaces a message from further out.
func (f *fault) read(v any) {
	switch v := v.(type) {
	case string:
		f.readText(v)
	case []any:
		for _, item := range v[:min(len(v), 1)] {
			f.read(item)
		}
	case map[string]any:
		f.told = f.told || v["error"] != nil || v["object"] == "error"
		for _, name := range []string{"type", "code", "status"} {
			f.readWord(v[name])
		}
		if n, ok := v["status_code"].(float64); ok {
			f.setStatus(int(n))
		}
		for _, name := range []string{"detail", "msg", "message", "errors", "error"} {
			if v[name] != nil {
				f.read(v[name])
			}
		}
		// OpenRouter: the error of the vendor behind it.
		if metadata, ok := v["metadata"].(map[string]any); ok && metadata["raw"] != nil {
			f.read(metadata["raw"])
		}
	}
}

// readText takes in a message, which may itself be the JSON of an error.
func (f *fault) readText(s string) {
	if strings.HasPrefix(strings.TrimSpace(s), "{") {
		if inner := parseFault([]byte(s)); inner.message != "" && inner.message != s {
			f.message = inner.message
			f.words = append(f.words, inner.words...)
			return
		}
	}
	if strings.TrimSpace(s) != "" {
		f.message = s
	}
}

func (f *fault) readWord(v any) {
	switch v := v.(type) {
	case string:
		f.words = append(f.words, strings.ToLower(v))
		if n, err := strconv.Atoi(v); err == nil {
			f.setStatus(n)
		}
	case float64:
		f.setStatus(int(v))
	}
}

func (f *fault) setStatus(n int) {
	if n >= 400 && n < 600 {
		f.status = n
	}
}

// is reports whether one of the types and codes is one of words.
func (f fault) is(words ...string) bool {
	for _, have := range f.words {
		for _, want := range words {
			if have == want {
				return true
			}
		}
	}
	return false
}

// says reports whether the message contains one of parts.
func (f fault) says(parts ...string) bool {
	message := strings.ToLower(f.message)
	for _, p := range parts {
		if strings.Contains(message, p) {
			return true
		}
	}
	return false
}

// kind tells what can be done about f. What the vendor calls it counts for
// more than the status it came with.
func (f fault) kind(status int) ikigai.ErrorKind {
	switch {
	case f.is("script"):
		return kindOfStatus(status, f)
	case f.lacksTools():
		return ikigai.ErrorBadRequest
	case f.isContext(status):
		return ikigai.ErrorContext
	case f.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"),
		status == http.StatusPaymentRequired, f.says("insufficient balance", "credit balance is too low"):
		return ikigai.ErrorQuota
	case f.is("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed", "sensitive"):
		return ikigai.ErrorContentFilter
	case status == http.StatusUnauthorized, f.is("invalid_api_key", "authentication_error", "unauthorized", "unauthenticated"):
		return ikigai.ErrorAuth
	case f.isModel(status):
		return ikigai.ErrorModel
	case f.is("permission_error", "permission_denied", "unsupported_country_region_territory"):
		return ikigai.ErrorPermission
	case f.is("request_too_large"), f.says("request too large"):
		return ikigai.ErrorTooLarge
	case f.is("rate_limit_exceeded", "rate_limit_error", "ratelimitreached", "too_many_requests", "resource_exhausted"):
		return ikigai.ErrorRateLimit
	case f.is("overloaded_error", "overloaded", "service_unavailable", "engine_overloaded", "unavailable"):
		return ikigai.ErrorOverloaded
	}
	return kindOfStatus(status, f)
}

func kindOfStatus(status int, f fault) ikigai.ErrorKind {
	switch status {
	case http.StatusForbidden:
		return ikigai.ErrorPermission
	case http.StatusRequestEntityTooLarge:
		return ikigai.ErrorTooLarge
	case http.StatusTooManyRequests:
		return ikigai.ErrorRateLimit
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, 524:
		return ikigai.ErrorTimeout
	case http.StatusConflict, http.StatusServiceUnavailable, 529:
		return ikigai.ErrorOverloaded
	}
	switch {
	case status >= 300 && status < 500, status == http.StatusNotImplemented, f.is("invalid_request_error", "bad_request"):
		return ikigai.ErrorBadRequest
	}
	return ikigai.ErrorServer
}

// isContext reports whether f says that the conversation is too long. A
// refusal that only speaks of tokens or of length is none: a limit of the
// output, for one.
func (f fault) isContext(status int) bool {
	if f.is("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "model_max_prompt_tokens_exceeded") {
		return true
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return false
	}
	return f.says(
		"maximum context length", "max context length", "maximum prompt length", "exceeds the context window", "exceed the context window",
		"exceeds the context length", "exceed context limit", "exceeds the available context size", "exceeds the model's context",
		"prompt is too long", "prompt too long", "input is too long for requested model",
		"reduce the length of the messages", "exceeds the maximum number of tokens allowed", "larger than the maximum context",
		"context the overflows", "`inputs` tokens + `max_new_tokens` must be",
	)
}

// lacksTools reports whether f says that the model cannot call tools, or is not
// served so that it can.
func (f fault) lacksTools() bool {
	return f.says(
		"does not support tools", "not support tool", "that support tool use", // Ollama, others, OpenRouter
		"function calling is not enabled", "tool calling` is not supported", // Mistral, Groq
		"requires --jinja", "requires --enable-auto-tool-choice", // llama.cpp, vLLM
	)
}

// isModel reports whether f says that the model is not there to be used.
func (f fault) isModel(status int) bool {
	if f.is("model_not_found", "deploymentnotfound", "model_decommissioned", "invalid_model", "model_not_available", "modelnotfound") {
		return true
	}
	if f.says("requires more system memory", "is not a valid model id", "no endpoints found") {
		return true
	}
	return status == http.StatusNotFound && f.says("model")
}
