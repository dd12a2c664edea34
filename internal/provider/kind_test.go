package provider

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/providertest"
)

// recorded says what the recorded errors are, by what they say. A body holds
// the words of one of them.
var recorded = []struct {
	words string
	kind  ikigai.ErrorKind
}{
	{"invalid x-api-key", ikigai.ErrorAuth},
	{"API key not valid", ikigai.ErrorAuth},
	{"Missing Authentication header", ikigai.ErrorAuth},
	{"Invalid API key provided", ikigai.ErrorAuth},
	{"Invalid API Key", ikigai.ErrorAuth},
	{"Authentication Fails", ikigai.ErrorAuth},
	{"Incorrect API key provided", ikigai.ErrorAuth},
	{"model: claude-sonet-4-5", ikigai.ErrorModel},
	{"model: this-model-does-not-exist", ikigai.ErrorModel},
	{"is not found for API version v1beta", ikigai.ErrorModel},
	{"does not exist or you do not have access to it", ikigai.ErrorModel},
	{"API deployment for this resource does not exist", ikigai.ErrorModel},
	{"' does not exist.", ikigai.ErrorModel},
	{"exceeds the maximum number of tokens allowed (1048576)", ikigai.ErrorContext},
	{"exceeded max context length by", ikigai.ErrorContext},
	{"input_token_count, limit: 1000000", ikigai.ErrorRateLimit},
	{"have exceeded rate limit", ikigai.ErrorRateLimit},
	{"Request too large for gpt-4o", ikigai.ErrorTooLarge},
	{"does not support effort level 'xhigh'", ikigai.ErrorBadRequest},
	{"temperature value of 1000", ikigai.ErrorBadRequest},
	{"Error while downloading", ikigai.ErrorBadRequest},
	{"does not support 'developer'", ikigai.ErrorBadRequest},
	{"does not support 'system'", ikigai.ErrorBadRequest},
	{"Unsupported parameter", ikigai.ErrorBadRequest},
	{"Tool call validation failed", ikigai.ErrorBadRequest},
	{"Invalid schema for function", ikigai.ErrorBadRequest},
	{"without its required following item", ikigai.ErrorBadRequest},
	{"decimal below minimum value", ikigai.ErrorBadRequest},
	{"Foobar", ikigai.ErrorServer},
}

// kindOf returns what a recorded body is by the table.
func kindOf(body string) (kind ikigai.ErrorKind) {
	for _, r := range recorded {
		if strings.Contains(body, r.words) {
			kind = r.kind
		}
	}
	return kind
}

// Every recorded error is told apart, of all interfaces. P29
func TestRecordedErrors(t *testing.T) {
	var tally providertest.Tally
	refusals, inReply := 0, 0
	check := func(rec providertest.Recording, body string, got *ikigai.Error) {
		want := kindOf(body)
		if want == "" {
			tally.Leave("an error that the table does not know")
			t.Logf("%s: the table does not know %s: %v", rec.Name, got.Kind, got)
			return
		}
		tally.Try(t, rec.Name, func(t *testing.T) { checkRecorded(t, rec, body, got, want) })
	}
	for _, api := range []string{"openai.chat", "openai.responses", "anthropic.messages", "vertex.anthropic", "gemini.generate", "gemini.stream"} {
		for _, rec := range providertest.Recordings(t, api) {
			if rec.Status >= 400 {
				refusals++
				check(rec, rec.Body, config.refusal(at, rec.Status, rec.Header, []byte(rec.Body)))
				continue
			}
			for _, body := range errorsIn(rec) {
				inReply++
				check(rec, body, config.Fault([]byte(body)))
			}
		}
	}
	tally.Report(t)
	t.Logf("%d refusals and %d errors in a reply", refusals, inReply)
	if providertest.Known(t) && (refusals < 49 || inReply < 7) {
		t.Error("some recordings are missing")
	}
}

func checkRecorded(t *testing.T, rec providertest.Recording, body string, got *ikigai.Error, want ikigai.ErrorKind) {
	t.Helper()
	if got.Kind != want || !strings.Contains(got.What, ": ") || got.Do == "" {
		t.Errorf("%s, status %d, is a %s, not a %s: %v", rec.Name, rec.Status, got.Kind, want, got)
	}
	if wait, told := recordedWait(rec, body); told && got.RetryAfter.Truncate(time.Second) != wait {
		t.Errorf("%s: wait %v, not %v", rec.Name, got.RetryAfter, wait)
	}
}

// recordedWait returns how many whole seconds a recorded error asks to wait, in
// its header or its details. Where it only tells when limits begin anew, it is
// not told.
func recordedWait(rec providertest.Recording, body string) (wait time.Duration, told bool) {
	if ms, err := strconv.Atoi(rec.Header.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return (time.Duration(ms) * time.Millisecond).Truncate(time.Second), true
	}
	if s, err := strconv.Atoi(rec.Header.Get("Retry-After")); err == nil {
		return time.Duration(s) * time.Second, true
	}
	if _, delay, ok := strings.Cut(body, `"retryDelay": "`); ok {
		delay, _, _ = strings.Cut(delay, `"`)
		d, err := time.ParseDuration(delay)
		return d.Truncate(time.Second), err == nil
	}
	for name := range rec.Header {
		if strings.Contains(name, "Ratelimit") || name == "Retry-After" {
			return 0, false
		}
	}
	return 0, inWords(body) == 0
}

// errorsIn returns the errors that a reply with status 200 holds.
func errorsIn(rec providertest.Recording) []string {
	if rec.Has("error") || rec.Has("error-in-200") {
		return []string{rec.Body}
	}
	var bodies []string
	event := ""
	for line := range strings.Lines(rec.Body) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch field {
		case "event":
			event = value
		case "error":
			bodies = append(bodies, value)
		case "data":
			if event == "error" || strings.HasPrefix(value, `{"error":`) {
				bodies = append(bodies, value)
			}
			if _, failed, ok := strings.Cut(value, `"error":{`); ok && event == "response.failed" {
				end, _, _ := strings.Cut(failed, "}")
				bodies = append(bodies, `{"error":{`+end+"}}")
			}
		case "":
			event = ""
		}
	}
	return bodies
}

// Errors that nobody has recorded, in the forms that are documented or that
// people report. P29
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		status int // 0 in a reply
		body   string
		kind   ikigai.ErrorKind
	}{
		// Anthropic
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215350 tokens > 200000 maximum"}}`, ikigai.ErrorContext},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 199211 + 20000 > 200000, decrease input length or ` + "`max_tokens`" + ` and try again"}}`, ikigai.ErrorContext},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude"}}`, ikigai.ErrorBadRequest},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid signature in thinking block"}}`, ikigai.ErrorBadRequest},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.type: Expected thinking or redacted_thinking, but found tool_use."}}`, ikigai.ErrorBadRequest},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.0.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes"}}`, ikigai.ErrorBadRequest},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"A maximum of 4 blocks with cache_control may be provided. Found 5."}}`, ikigai.ErrorBadRequest},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, ikigai.ErrorQuota},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}`, ikigai.ErrorQuota},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, ikigai.ErrorContentFilter},
		{402, `{"type":"error","error":{"type":"billing_error","message":"Payment required"}}`, ikigai.ErrorQuota},
		{403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission"}}`, ikigai.ErrorPermission},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, ikigai.ErrorTooLarge},
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50,000 input tokens per minute"}}`, ikigai.ErrorRateLimit},
		{500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, ikigai.ErrorServer},
		{504, `{"type":"error","error":{"type":"timeout_error","message":"Request timed out"}}`, ikigai.ErrorTimeout},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ikigai.ErrorOverloaded},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ikigai.ErrorOverloaded},
		{0, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, ikigai.ErrorServer},
		{0, `{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}`, ikigai.ErrorBadRequest},

		// OpenAI
		{400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, ikigai.ErrorContext},
		{400, `{"error":{"message":"No tool output found for function call call_1.","type":"invalid_request_error","param":"input","code":null}}`, ikigai.ErrorBadRequest},
		{401, `{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.read.","type":"invalid_request_error"}}`, ikigai.ErrorPermission},
		{400, `{"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`, ikigai.ErrorPermission},
		{400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","code":"invalid_prompt"}}`, ikigai.ErrorContentFilter},
		{403, `{"error":{"message":"Project does not have access to model gpt-x","code":"model_not_found"}}`, ikigai.ErrorModel},
		{404, `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when store is set to false.","type":"invalid_request_error","param":"input"}}`, ikigai.ErrorBadRequest},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, ikigai.ErrorQuota},
		{500, `{"error":{"message":"The server had an error while processing your request","type":"server_error","code":null}}`, ikigai.ErrorServer},
		{503, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error","code":"service_unavailable"}}`, ikigai.ErrorOverloaded},
		{0, `{"type":"response.failed","error":{"code":"server_error","message":"An error occurred"}}`, ikigai.ErrorServer},
		{0, `{"error":{"code":"invalid_image_url","message":"no"}}`, ikigai.ErrorBadRequest},

		// Gemini and Vertex
		{400, `{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, ikigai.ErrorAuth},
		{400, `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, ikigai.ErrorPermission},
		{400, `{"error":{"code":400,"message":"Request payload size exceeds the limit: 20971520 bytes.","status":"INVALID_ARGUMENT"}}`, ikigai.ErrorTooLarge},
		{400, `{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`, ikigai.ErrorBadRequest},
		{400, `{"error":{"code":400,"message":"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.","status":"INVALID_ARGUMENT"}}`, ikigai.ErrorBadRequest},
		{403, `{"error":{"code":403,"message":"Method doesn't allow unregistered callers (callers without established identity).","status":"PERMISSION_DENIED"}}`, ikigai.ErrorAuth},
		{403, `{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}`, ikigai.ErrorAuth},
		{403, `{"error":"Invalid API key"}`, ikigai.ErrorAuth},
		{403, `{"error":{"code":403,"message":"Generative Language API has not been used in project 1 before or it is disabled.","status":"PERMISSION_DENIED"}}`, ikigai.ErrorPermission},
		{404, `{"error":{"code":404,"message":"Publisher Model projects/p/models/x was not found or your project does not have access to it.","status":"NOT_FOUND"}}`, ikigai.ErrorModel},
		{429, `[{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}]`, ikigai.ErrorRateLimit},
		{429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"36s"}]}}`, ikigai.ErrorQuota},
		{500, `{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}`, ikigai.ErrorServer},
		{503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, ikigai.ErrorOverloaded},
		{504, `{"error":{"code":504,"message":"Deadline expired before operation could complete.","status":"DEADLINE_EXCEEDED"}}`, ikigai.ErrorTimeout},
		{499, `{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}`, ikigai.ErrorServer},
		{0, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, ikigai.ErrorOverloaded},
		{0, `{"error":{"message":"late","status":"DEADLINE_EXCEEDED"}}`, ikigai.ErrorTimeout},

		// Bedrock, which names the error in a header or in the body
		{400, `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}`, ikigai.ErrorAuth},
		{403, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"You don't have access"}`, ikigai.ErrorPermission},
		{400, `{"message":"Input is too long for requested model."}`, ikigai.ErrorContext},
		{400, `{"message":"The provided model identifier is invalid."}`, ikigai.ErrorModel},
		{429, `{"message":"Too many tokens, please wait before trying again."}`, ikigai.ErrorRateLimit},
		{424, `{"message":"The model failed"}`, ikigai.ErrorServer},

		// What does not fit beside the conversation is the output.
		{400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 32768 tokens and your request has 14 input tokens (32768 > 32768 - 14).","type":"BadRequestError"}}`, ikigai.ErrorBadRequest},
		{400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000)."}}`, ikigai.ErrorContext},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion).","code":"context_length_exceeded"}}`, ikigai.ErrorBadRequest},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).","code":"context_length_exceeded"}}`, ikigai.ErrorContext},
		{400, `{"error":{"message":"input length and ` + "`max_tokens`" + ` exceed context limit: 1000 + 199500 > 200000"}}`, ikigai.ErrorBadRequest},

		// Others
		{400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***bc."}`, ikigai.ErrorAuth}, // xAI
		{400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, ikigai.ErrorContext},
		{403, `{"code":"x","error":"Your newly created team doesn't have any credits yet."}`, ikigai.ErrorQuota},
		{400, `{"error":{"message":"This endpoint's maximum context length is 200000 tokens. However, you requested about 1250000 tokens.","code":400}}`, ikigai.ErrorContext}, // OpenRouter
		{402, `{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}`, ikigai.ErrorQuota},
		{403, `{"error":{"message":"x requires moderation. Your input was flagged for \"violence\".","code":403}}`, ikigai.ErrorContentFilter},
		{403, `{"error":{"message":"Key limit exceeded (total limit).","code":403}}`, ikigai.ErrorQuota},
		{413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}`, ikigai.ErrorTooLarge}, // Groq
		{429, `{"error":{"message":"Limit reached. Please reduce the length of the messages or wait.","type":"tokens"}}`, ikigai.ErrorRateLimit},
		{404, `{"error":{"message":"No endpoints found with a maximum context length of 300000.","code":404}}`, ikigai.ErrorModel},
		{498, `{"error":{"message":"Flex tier capacity exceeded","code":"capacity_exceeded"}}`, ikigai.ErrorOverloaded},
		{400, `{"object":"error","message":"You passed 40000 input tokens and requested 100 output tokens. However, the model's context length is only 32768 tokens.","type":"BadRequestError","code":400}`, ikigai.ErrorContext}, // vLLM
		{400, `{"object":"error","message":"The decoder prompt (length 9000) is longer than the maximum model length of 8192.","code":400}`, ikigai.ErrorContext},
		{400, `{"error":{"code":400,"message":"request (40000 tokens) exceeds the available context size (32768 tokens), try increasing it","type":"exceed_context_size_error"}}`, ikigai.ErrorContext}, // llama.cpp
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, ikigai.ErrorOverloaded},
		{400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]","code":"invalid_parameter_error"}}`, ikigai.ErrorContext}, // DashScope
		{400, `{"error":{"message":"Input data may contain inappropriate content.","code":"data_inspection_failed"}}`, ikigai.ErrorContentFilter},
		{400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144","type":"invalid_request_error"}}`, ikigai.ErrorContext}, // Kimi
		{400, `{"success":false,"errors":[{"message":"AiError: No such model @cf/x","code":5007}]}`, ikigai.ErrorModel},                                       // Cloudflare
		{522, `error code: 522`, ikigai.ErrorServer},
		{524, `error code: 524`, ikigai.ErrorTimeout},
		{425, ``, ikigai.ErrorOverloaded},
	} {
		got := config.Fault([]byte(tt.body))
		if tt.status > 0 {
			got = config.refusal(at, tt.status, nil, []byte(tt.body))
		}
		if got.Kind != tt.kind {
			t.Errorf("%d %s\nis a %s, not a %s: %v", tt.status, tt.body, got.Kind, tt.kind, got)
		}
	}
}

// Bedrock names what went wrong in a header.
func TestKindInHeader(t *testing.T) {
	for name, want := range map[string]ikigai.ErrorKind{
		"ThrottlingException:http://internal.amazon.com/coral/": ikigai.ErrorRateLimit,
		"UnrecognizedClientException":                           ikigai.ErrorAuth,
		"ModelTimeoutException":                                 ikigai.ErrorTimeout,
		"ModelNotReadyException":                                ikigai.ErrorOverloaded,
		"ServiceQuotaExceededException":                         ikigai.ErrorQuota,
		"ValidationException":                                   ikigai.ErrorBadRequest,
	} {
		got := config.refusal(at, 400, http.Header{"X-Amzn-Errortype": {name}}, []byte(`{"message":"no"}`))
		if got.Kind != want {
			t.Errorf("%s is a %s, not a %s", name, got.Kind, want)
		}
	}
}
