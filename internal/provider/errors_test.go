package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// at is where the requests of config go.
var at = &url.URL{Scheme: "https", Host: "acme.test", Path: "/v1/chat/completions", RawQuery: "key=sk-in-address", User: url.User("sk-user")}

var config = Config{BaseURL: "https://acme.test/v1/", Name: "acme/large", Model: "large-1", Key: "sk-very-secret", KeySource: "ACME_API_KEY"}

// Errors as vendors and servers of the dialect report them. P29
func TestRefusal(t *testing.T) {
	const nothing = "Nothing is at https://acme.test/v1/chat/completions. Check vendors.acme.base_url."
	tests := []struct {
		status int
		body   string
		kind   ikigai.ErrorKind
		text   string
	}{
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			ikigai.ErrorContext, "The conversation does not fit acme/large: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Start a new session, or choose a model with a larger context."},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_ctx":4096}}`, ikigai.ErrorContext, ""},
		{400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, ikigai.ErrorContext, ""},
		{413, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`, ikigai.ErrorContext, ""},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens and your request has 14 input tokens (8192 > 8192 - 14)."}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: This model's maximum context length is 8192 tokens and your request has 14 input tokens (8192 > 8192 - 14). Lower max_output_tokens."},
		// Not about the context, though they speak of tokens, length or context.
		{400, `{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, ikigai.ErrorBadRequest, ""},
		{400, `{"error":{"message":"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024","code":"string_above_max_length"}}`, ikigai.ErrorBadRequest, ""},
		{400, `{"error":{"message":"Invalid 'messages[3].tool_calls[0].id': string too long. Expected 40","type":"invalid_request_error","code":"string_above_max_length"}}`, ikigai.ErrorBadRequest, ""},
		{400, `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'","type":"invalid_request_error"}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Check the model and the settings for acme."},
		{400, `{"error":{"message":"Invalid schema for function 'context': In context=(), 'required' is required","code":"invalid_function_parameters"}}`, ikigai.ErrorBadRequest, ""},
		{429, `{"error":{"message":"Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000","type":"tokens","code":"rate_limit_exceeded"}}`, ikigai.ErrorTooLarge, ""},
		{429, `{"error":{"message":"Rate limit reached for gpt-4","type":"requests","code":"rate_limit_exceeded"}}`, ikigai.ErrorRateLimit, "acme wants fewer requests: Rate limit reached for gpt-4. Wait a little and try again."},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, ikigai.ErrorQuota, ""},
		{402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, ikigai.ErrorQuota, ""},
		{401, `{"error":{"message":"Incorrect API key provided: sk-very-secret.","code":"invalid_api_key"}}`, ikigai.ErrorAuth,
			"acme refuses the key: Incorrect API key provided: [key]. Check the key in ACME_API_KEY."},
		{403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}`, ikigai.ErrorPermission, ""},
		{404, `{"error":"model \"large-1\" not found, try pulling it first"}`, ikigai.ErrorModel, ""},
		{404, `404 page not found`, ikigai.ErrorBadRequest, nothing},
		{404, `<!DOCTYPE html><title>Not Found</title>`, ikigai.ErrorBadRequest, nothing},
		{404, ``, ikigai.ErrorBadRequest, nothing},
		{404, `{"detail":"Not Found"}`, ikigai.ErrorBadRequest, nothing},
		{405, `<html>`, ikigai.ErrorBadRequest, nothing},
		{501, `<html>`, ikigai.ErrorBadRequest, nothing},
		{404, `{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error"}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: Invalid URL (POST /chat/completions). Check vendors.acme.base_url."},
		// What a vendor advises comes in the place of our advice.
		{404, `{"error":{"message":"Unknown request URL: POST /x. Use POST /y."}}`, ikigai.ErrorBadRequest, "acme refuses the request: Unknown request URL: POST /x. Use POST /y."},
		{400, `{"error":{"message":"Version 1.2 of tools is gone (v. 2). It went last year. Use functions. "}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: Version 1.2 of tools is gone (v. 2). It went last year. Use functions."},
		{400, `{"error":{"message":"a.script:3: expected in the results but not found: prompt is too long. Change the expect:.","code":"script"}}`, ikigai.ErrorBadRequest,
			"a.script:3: expected in the results but not found: prompt is too long. Change the expect:."},
		{400, `{"error":{"message":"gemma:2b does not support tools","type":"api_error"}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: gemma:2b does not support tools. Choose a model that can call tools, or a server that lets it."},
		{404, `{"error":{"message":"No endpoints found that support tool use. Try disabling \"bash\".","code":404}}`, ikigai.ErrorBadRequest, ""},
		{404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, ikigai.ErrorBadRequest,
			"acme refuses the request: No endpoints found that support image input. Choose a model that takes images and files."},
		{404, `{"error":{"message":"No endpoints found that support file input","code":404}}`, ikigai.ErrorBadRequest, ""},
		{404, `{"error":{"message":"No endpoints found for acme/large-1.","code":404}}`, ikigai.ErrorModel, ""},
		{500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, ikigai.ErrorBadRequest, ""},
		{400, `Client sent an HTTP request to an HTTPS server.`, ikigai.ErrorBadRequest,
			"acme refuses the request: Client sent an HTTP request to an HTTPS server. Write https:// in vendors.acme.base_url."},
		{400, `{"object":"error","message":"Invalid model: large-1","type":"invalid_model","code":"1500"}`, ikigai.ErrorModel, ""},
		{400, `{"error":{"message":"large-1 is not a valid model ID","code":400}}`, ikigai.ErrorModel, ""},
		{500, `{"error":{"message":"model requires more system memory (5.6 GiB) than is available (3.1 GiB)","type":"api_error"}}`, ikigai.ErrorModel,
			`acme cannot serve the model "large-1": model requires more system memory (5.6 GiB) than is available (3.1 GiB). Choose a smaller model, or give the server more memory.`},
		{400, `{"error":{"code":"content_filter","message":"The response was filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, ikigai.ErrorContentFilter, ""},
		{422, `{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]}`, ikigai.ErrorBadRequest, "acme refuses the request: Field required. Check the model and the settings for acme."},
		{401, `{"detail":"Invalid API Key"}`, ikigai.ErrorAuth, ""},
		{429, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"{\"error\":{\"message\":\"big is temporarily rate-limited upstream\"}}","provider_name":"X"}}}`, ikigai.ErrorRateLimit,
			"acme wants fewer requests: big is temporarily rate-limited upstream. Wait a little and try again."},
		{400, `[{"error":{"code":400,"message":"API key not valid","status":"UNAUTHENTICATED"}}]`, ikigai.ErrorAuth, ""},
		{503, `<html><head><title>503</title></head></html>`, ikigai.ErrorOverloaded, "acme has no capacity now. Wait a little and try again."},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ikigai.ErrorOverloaded, ""},
		{413, ``, ikigai.ErrorTooLarge, ""},
		{500, `{"error":{"message":"The server had an error","type":"server_error"}}`, ikigai.ErrorServer, "acme failed: The server had an error. Try again."},
		{504, `upstream request timeout`, ikigai.ErrorTimeout, ""},
		{408, ``, ikigai.ErrorTimeout, ""},
		{409, ``, ikigai.ErrorOverloaded, ""},
		{502, `null`, ikigai.ErrorServer, "acme failed. Try again."},
		{418, `{"error":{}}`, ikigai.ErrorBadRequest, ""},
	}
	for _, tt := range tests {
		got := config.refusal(at, tt.status, http.Header{}, []byte(tt.body))
		if got.Kind != tt.kind || got.Status != tt.status {
			t.Errorf("%d %s\nis a %s with status %d: %v", tt.status, tt.body, got.Kind, got.Status, got)
		}
		if diff := cmp.Diff(tt.text, got.Error()); tt.text != "" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.body, diff)
		}
	}
}

// What a vendor does not take back is told apart from other refusals. P4
func TestStaleState(t *testing.T) {
	const advice = ". Go back before the last replies with `ikigai sessions rewind`, or start a new session."
	for _, tt := range []struct {
		status int
		body   string
		stale  bool
	}{
		{400, `{"error":{"message":"The encrypted content gAAA could not be verified. Reason: Encrypted content organization_id did not match the target organization.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}`, true},
		{400, `{"error":{"message":"The encrypted content for item rs_1 could not be verified.","type":"invalid_request_error","param":null,"code":null}}`, true},
		{400, `{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}`, true},
		{400, `{"error":{"code":400,"message":"Unable to submit request because Thought signature is not valid.","status":"INVALID_ARGUMENT"}}`, true},
		{400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}", true},
		{400, `{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item.","type":"invalid_request_error","param":"input"}}`, true},
		{404, `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when ` + "`store`" + ` is set to false.","type":"invalid_request_error","param":"input"}}`, true},
		{400, `{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`, false},
		{400, `{"error":{"message":"Your organization could not be verified."}}`, false},
	} {
		e := config.refusal(at, tt.status, http.Header{}, []byte(tt.body))
		if e.StaleState != tt.stale || e.Kind != ikigai.ErrorBadRequest || strings.HasSuffix(e.Error(), advice) != tt.stale {
			t.Errorf("%s\n%+v", tt.body, e)
		}
	}
}

// Advice about the address fits the interface: only where there is no version in
// it, it may lack one.
func TestNowhere(t *testing.T) {
	for path, want := range map[string]string{
		"/chat/completions":                      "Check vendors.acme.base_url; it usually ends in /v1",
		"/v1/messages":                           "Check vendors.acme.base_url",
		"/v1beta/models/large-1:generateContent": "Check vendors.acme.base_url",
		"/openai/v1/responses":                   "Check vendors.acme.base_url",
	} {
		if got := config.refusal(&url.URL{Scheme: "https", Host: "acme.test", Path: path}, 404, nil, nil); got.Do != want {
			t.Errorf("%s: %s", path, got.Do)
		}
	}
}

func TestRedirect(t *testing.T) {
	const sends = "https://acme.test/v1/chat/completions sends requests "
	for location, want := range map[string]string{
		"https://new.test/v2/chat/completions?key=sk-x": sends + "on to https://new.test/v2/chat/completions. Set vendors.acme.base_url to https://new.test/v2.",
		"/api/v1/chat/completions":                      sends + "on to https://acme.test/api/v1/chat/completions. Set vendors.acme.base_url to https://acme.test/api/v1.",
		"//u:p@new.test/login":                          sends + "on to https://new.test/login. Check vendors.acme.base_url.",
		"":                                              sends + "to another address. Check vendors.acme.base_url.",
		"http://[":                                      sends + "to another address. Check vendors.acme.base_url.",
	} {
		got := config.refusal(at, 307, http.Header{"Location": {location}}, nil)
		if got.Error() != want || got.Kind != ikigai.ErrorBadRequest {
			t.Errorf("%q: %s: %v", location, got.Kind, got)
		}
	}
}

// P41: no key is in an error, wherever it was given and however it is repeated.
func TestRedaction(t *testing.T) {
	const refused = "acme refuses the request: "
	const check = ". Check the model and the settings for acme."
	c := Config{Name: "acme/large", Key: "sk-very+secret/key"}
	c.Header = map[string]string{"X-Auth": "Bearer other-secret", "X-Short": "on"}
	c.BaseURL = "https://user:pass-of-user@acme.test/v1?api-version=2024-05-01&key=AIza-in%2Bquery"
	for said, want := range map[string]string{
		"on sk-very+secret/key and other-secret":           "on [key] and [secret]",
		"https://x/?k=sk-very%2Bsecret%2Fkey":              "https://x/?k=[key]",
		"key AIza-in+query, AIza-in%2Bquery, pass-of-user": "key [key], [key], [secret]",
		"api-version 2024-05-01 is gone":                   "api-version 2024-05-01 is gone",
	} {
		got := c.refusal(at, 400, http.Header{}, []byte(`{"error":{"message":"`+said+`"}}`)).Error()
		if got != refused+want+check {
			t.Error(got)
		}
	}
}

// Advice about credentials fits where they come from.
func TestRefusedCredentials(t *testing.T) {
	granted := func(context.Context, *http.Request, Body) error { return nil }
	for want, c := range map[string]Config{
		"acme wants a key. Set ACME_API_KEY.":                                                         {KeySource: "ACME_API_KEY"},
		"acme wants a key. Store one with `ikigai login acme`.":                                       {},
		"acme refuses the key. Check the key in ACME_API_KEY.":                                        {Key: "sk-wrong", KeySource: "ACME_API_KEY"},
		"acme refuses the credentials. Check the credentials for acme; they may have run out.":        {Authorize: granted},
		"acme refuses the credentials. Check the key in the setting vendors.acme.google_credentials.": {Authorize: granted, KeySource: "the setting vendors.acme.google_credentials"},
	} {
		c.Name = "acme/large"
		if got := c.refusal(at, 401, http.Header{}, nil).Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// FuzzRefusal holds that any error has two sentences on one line, with no
// control characters, of bounded length, and never the key.
func FuzzRefusal(f *testing.F) {
	f.Add(400, `{"error":{"message":"a\u0000b\u001b[31m sk-very-secret","code":1}}`)
	f.Add(200, `[{"errors":[{"detail":"x"}]}]`)
	f.Add(500, strings.Repeat("long ", 500)+"\xff")
	f.Add(429, `{"error":"{\"error\":\"{}\"}"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		for _, e := range []*ikigai.Error{config.refusal(at, status, http.Header{}, []byte(body)), config.Fault([]byte(body))} {
			s := e.Error()
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(s) > 1000 {
				t.Errorf("%q", s)
			}
			if e.Kind == "" || e.What == "" || e.Do == "" || strings.Contains(s, config.Key) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestExplain(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	told := &ikigai.Error{Kind: ikigai.ErrorQuota, What: "x"}
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		kind ikigai.ErrorKind
	}{
		{cancelled, told, ikigai.ErrorCancelled},
		{late, context.DeadlineExceeded, ikigai.ErrorTimeout},
		{t.Context(), told, ikigai.ErrorQuota},
		{t.Context(), errTimeout{after: time.Second}, ikigai.ErrorTimeout},
		{t.Context(), errors.New("boom"), ikigai.ErrorNetwork},
	} {
		if got := config.explain(tt.ctx, tt.err); got.Kind != tt.kind || got.Do == "" && got != told {
			t.Errorf("%v: %+v", tt.err, got)
		}
	}
}
