package provider

import (
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"ikigai"
)

// kind tells what can be done about f. What the vendor calls it counts for
// more than the status it came with.
func (f fault) kind(status int) ikigai.ErrorKind {
	switch {
	case f.is("script"):
		return kindOfStatus(status, f)
	case f.lacksTools(), f.lacksMedia(), f.wantsOutput(), f.isStale():
		return ikigai.ErrorBadRequest
	case f.isContext(status):
		return ikigai.ErrorContext
	case f.isQuota(status):
		return ikigai.ErrorQuota
	case f.isFiltered():
		return ikigai.ErrorContentFilter
	case f.isAuth(status):
		return ikigai.ErrorAuth
	case f.isModel(status):
		return ikigai.ErrorModel
	case f.isPermission():
		return ikigai.ErrorPermission
	case f.isTooLarge():
		return ikigai.ErrorTooLarge
	case f.is("rate_limit_exceeded", "rate_limit_error", "ratelimitreached", "too_many_requests", "resource_exhausted", "throttlingexception"):
		return ikigai.ErrorRateLimit
	case f.is("overloaded_error", "overloaded", "service_unavailable", "engine_overloaded", "unavailable", "capacity_exceeded",
		"serviceunavailableexception", "modelnotreadyexception"):
		return ikigai.ErrorOverloaded
	case f.is("timeout_error", "request_timeout", "deadline_exceeded", "modeltimeoutexception"):
		return ikigai.ErrorTimeout
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
	case http.StatusConflict, http.StatusTooEarly, 498, http.StatusServiceUnavailable, 529:
		return ikigai.ErrorOverloaded
	case http.StatusFailedDependency, 499: // of the server behind the one that answers
		return ikigai.ErrorServer
	}
	if status >= 300 && status < 500 || status == http.StatusNotImplemented || f.isRefusal() {
		return ikigai.ErrorBadRequest
	}
	return ikigai.ErrorServer
}

// isContext reports whether f says that the conversation is too long. A
// refusal that only speaks of tokens or of length is none: a limit of the
// output, for one.
func (f fault) isContext(status int) bool {
	if f.is("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "context_exceeded",
		"model_max_prompt_tokens_exceeded", "tokens_limit_reached") {
		return true
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return false
	}
	return f.says(
		"maximum context length", "max context length", "maximum prompt length", "exceeds the context window", "exceed the context window",
		"exceeds the context length", "exceed context limit", "exceeds the available context size", "exceeds the model's context",
		"prompt is too long", "prompt too long", "prompt exceeds max length", "input is too long for requested model",
		"reduce the length of the messages", "exceeds the maximum number of tokens allowed", "larger than the maximum context",
		"longer than the model's context length", "longer than the maximum model length", "greater than the context length",
		"context length is only", "context window exceeds limit", "exceeded model token limit", "exceeds context size",
		"range of input length should be", "number of tokens in the prompt cannot exceed",
		"context the overflows", "`inputs` tokens + `max_new_tokens` must be",
	)
}

// room finds the limit of a context and what of it the conversation takes, where
// a vendor tells both because the output is to fit beside it.
var room = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`context length is (?P<limit>\d+) tokens and your request has (?P<input>\d+) input tokens`),                                            // vLLM
		regexp.MustCompile(`context length is (?P<limit>\d+) tokens\. However, you requested (?:about )?\d+ tokens \((?P<input>\d+) (?:in the|in your|of text) `), // OpenAI and others
		regexp.MustCompile(`exceed context limit: (?P<input>\d+) \+ \d+ > (?P<limit>\d+)`),                                                                        // Anthropic
	}
})

// wantsOutput reports whether it is the output asked for that does not fit the
// context: the conversation takes less than half of it, so that a shorter one
// would not help.
func (f fault) wantsOutput() bool {
	for _, r := range room() {
		if m := r.FindStringSubmatch(f.message); m != nil {
			limit, err1 := strconv.Atoi(m[r.SubexpIndex("limit")])
			input, err2 := strconv.Atoi(m[r.SubexpIndex("input")])
			return err1 == nil && err2 == nil && input < limit/2
		}
	}
	return false
}

// isQuota reports whether f says that there is nothing left to spend: waiting
// a little does not help.
func (f fault) isQuota(status int) bool {
	return status == http.StatusPaymentRequired ||
		f.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error", "insufficient_balance",
			"servicequotaexceededexception", wordDailyQuota) ||
		f.says("insufficient balance", "insufficient credits", "credit balance is too low", "credits are depleted", "have any credits",
			"available credits", "monthly spending limit", "specified api usage limits", "key limit exceeded", "extra usage is required")
}

// isFiltered reports whether f says that the content is refused.
func (f fault) isFiltered() bool {
	return f.is("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed", "sensitive",
		"invalid_prompt", "bio_policy", "image_content_policy_violation") ||
		f.says("blocked by content filtering policy", "content management policy", "input was flagged")
}

// isAuth reports whether f says that the key is none. Google and xAI do so with
// status 400 or 403.
func (f fault) isAuth(status int) bool {
	return status == http.StatusUnauthorized && !f.lacksScope() ||
		f.is("invalid_api_key", "authentication_error", "unauthorized", "unauthenticated", "api_key_invalid",
			"expiredtokenexception", "unrecognizedclientexception", "invalidsignatureexception", "missingauthenticationtokenexception") ||
		f.says("incorrect api key", "invalid api key", "api key not valid", "api key expired", "key was reported as leaked", "unregistered callers")
}

// lacksScope reports whether f says that a key is good, but not for this. OpenAI
// does so with status 401.
func (f fault) lacksScope() bool {
	return f.says("missing scopes", "insufficient permissions for this operation")
}

// isPermission reports whether f says that the key may not do this.
func (f fault) isPermission() bool {
	return f.lacksScope() || f.is("permission_error", "permission_denied", "unsupported_country_region_territory", "accessdeniedexception") ||
		f.says("location is not supported", "organization must be verified")
}

// isTooLarge reports whether f says that one request alone is too much. With
// status 429 that is more than may be asked for in a minute: sending it again
// never helps.
func (f fault) isTooLarge() bool {
	return f.is("request_too_large") || f.says("request too large", "request payload size exceeds")
}

// isRefusal reports whether f, of which the status does not say so, refuses the
// request.
func (f fault) isRefusal() bool {
	return f.is("invalid_request_error", "bad_request", "invalid_argument", "failed_precondition", "not_found_error", "not_found",
		"validationexception", "unsupported_image_media_type", "failed_to_download_image", "empty_image_file",
		"invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url", "invalid_image_mode",
		"image_too_large", "image_too_small", "image_parse_error", "image_file_too_large", "image_file_not_found")
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

// lacksMedia reports whether f says that the model takes no images or files, or is
// not served so that it does.
func (f fault) lacksMedia() bool {
	return f.says("support image input", "support file input")
}

// isStale reports whether f refuses state that the vendor gave with an earlier
// reply: signatures and encrypted reasoning are good for one organization, and
// items that were not kept for nothing.
func (f fault) isStale() bool {
	return f.is("invalid_encrypted_content") || f.says("encrypted content") && f.says("could not be") ||
		f.says("corrupted thought signature", "thought signature is not valid", "invalid thought signature",
			"invalid `signature` in `thinking`", "without its required following item", "items are not persisted when")
}

// isModel reports whether f says that the model is not there to be used.
func (f fault) isModel(status int) bool {
	if f.is("model_not_found", "deploymentnotfound", "model_decommissioned", "invalid_model", "model_not_available", "modelnotfound") {
		return true
	}
	if f.says("requires more system memory", "is not a valid model id", "no endpoints found", "no such model",
		"model identifier is invalid", "throughput isn’t supported", "throughput isn't supported") {
		return true
	}
	return status == http.StatusNotFound && f.says("model")
}
