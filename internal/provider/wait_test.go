package provider

import (
	"net/http"
	"testing"
	"time"

	"ikigai"
)

// Who is told to wait is told how long. P28
func TestWait(t *testing.T) {
	for after, want := range map[string]string{
		"0.2": "Try again in 1 s", "120": "Try again in 120 s", "121": "Try again in 3 min", "7201": "Try again in 3 h", "": "Wait a little and try again",
	} {
		if got := config.refusal(at, 429, http.Header{"Retry-After": {after}}, nil); got.Do != want {
			t.Errorf("%q: %s", after, got.Do)
		}
	}
	got := config.refusal(at, 401, http.Header{"Retry-After": {"9"}}, nil)
	if got.Do != "Check the key in ACME_API_KEY" {
		t.Error(got.Do)
	}
	got = config.refusal(at, 500, http.Header{"Retry-After": {"9"}}, nil)
	if got.Do != "Try again in 9 s" {
		t.Error(got.Do)
	}
}

func TestWaits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, tt := range []struct {
		header http.Header
		body   string
		want   time.Duration
	}{
		{header("Retry-After", "3"), "", 3 * time.Second},
		{header("Retry-After", "0.5"), "", 500 * time.Millisecond},
		{header("Retry-After", "Fri, 02 Jan 2026 03:04:15 GMT"), "", 10 * time.Second},
		{header("Retry-After", "Fri, 02 Jan 2026 03:04:00 GMT"), "", 0},
		{header("Retry-After", "-1"), "", 0},
		{header("Retry-After", "soon"), "", 0},
		{header("Retry-After", "1e300"), "", 24 * time.Hour},
		{header("Retry-After", "NaN"), "", 0},
		{header("Retry-After-Ms", "250"), "", 250 * time.Millisecond},
		{header("Retry-After", "1", "Retry-After-Ms", "0"), "", time.Second}, // Azure
		{nil, "", 0},

		// Google
		{nil, `{"error":{"code":429,"message":"Quota. Please retry in 34.1s.","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}]}}`, 34074824224},
		{nil, `[{"error":{"code":429,"details":[{"retryDelay":"48s"}]}}]`, 48 * time.Second},
		{nil, `{"error":{"code":429,"details":[{"retryDelay":"-1s"},{"retryDelay":"x"},{"retryDelay":3},null,7]}}`, 0},
		{header("Retry-After", "7"), `{"error":{"details":[{"retryDelay":"48s"}]}}`, 7 * time.Second},

		// In words: OpenAI, Groq, Azure
		{nil, `{"error":{"message":"Rate limit reached for x. Limit: 3 / min. Please try again in 20s. Contact us."}}`, 20 * time.Second},
		{nil, `{"error":{"message":"Please try again in 6m0.5s."}}`, 6*time.Minute + 500*time.Millisecond},
		{nil, `{"error":{"message":"Please try again in 250ms."}}`, 250 * time.Millisecond},
		{nil, `{"error":{"message":"Please retry after 20 seconds."}}`, 20 * time.Second},
		{nil, `{"error":{"message":"Please try again in a while, 5 minutes or so."}}`, 0},

		// When limits begin anew that are used up.
		{header("x-ratelimit-reset-requests", "6m0s", "x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-tokens", "9s", "x-ratelimit-remaining-tokens", "5"), "", 6 * time.Minute},
		{header("x-ratelimit-reset-requests", "1s", "x-ratelimit-remaining-requests", "4"), "", 0},
		{header("x-ratelimit-reset-requests", "1s"), "", 0},
		{header("anthropic-ratelimit-input-tokens-reset", "2026-01-02T03:04:45Z", "anthropic-ratelimit-input-tokens-remaining", "0"), "", 40 * time.Second},
		{header("X-RateLimit-Reset", "1767323055000", "X-RateLimit-Remaining", "0"), "", 10 * time.Second}, // OpenRouter
		{header("X-RateLimit-Reset", "1767323055", "X-RateLimit-Remaining", "0"), "", 10 * time.Second},
		{header("X-RateLimit-Reset", "24", "X-RateLimit-Remaining", "0"), "", 24 * time.Second},
		{header("X-RateLimit-Reset", "1", "X-RateLimit-Remaining", "0"), `{"error":{"message":"Please try again in 2s"}}`, 2 * time.Second},
		{header("X-RateLimit-Reset", "1e300", "X-RateLimit-Remaining", "0"), "", 0},
	} {
		if got := parseFault([]byte(tt.body)).waits(tt.header, now); got != tt.want {
			t.Errorf("%v %s\nis %v, not %v", tt.header, tt.body, got, tt.want)
		}
	}
}

// In the middle of a reply there is no header: what the error says itself counts.
func TestWaitInReply(t *testing.T) {
	got := config.Fault([]byte(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Slow down","details":[{"retryDelay":"3s"}]}}`))
	if got.Kind != ikigai.ErrorRateLimit || got.RetryAfter != 3*time.Second || got.Do != "Try again in 3 s" {
		t.Errorf("%+v", got)
	}
}
