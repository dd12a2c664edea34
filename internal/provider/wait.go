package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// waits returns how long the vendor asks to wait: in a header, in the details of
// the error, in words, or by telling when a limit that is used up begins anew.
// That comes last: with some, there is room for a request long before. It is 0 if
// the vendor does not say.
func (f fault) waits(h http.Header, now time.Time) time.Duration {
	for _, d := range []time.Duration{retryAfter(h, now), f.wait, inWords(f.message), untilReset(h, now)} {
		if d > 0 {
			return d
		}
	}
	return 0
}

// retryAfter returns how long Retry-After asks to wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return within(at.Sub(now))
	}
	return 0
}

// untilReset returns how long it takes until all limits that are used up begin
// anew: x-ratelimit-reset-tokens, where x-ratelimit-remaining-tokens is 0, and
// anthropic-ratelimit-tokens-reset in the same way.
func untilReset(h http.Header, now time.Time) time.Duration {
	longest := time.Duration(0)
	for name, values := range h {
		if !strings.Contains(name, "Ratelimit") || !strings.Contains(name, "Reset") || len(values) == 0 {
			continue
		}
		if h.Get(strings.Replace(name, "Reset", "Remaining", 1)) == "0" {
			longest = max(longest, reset(values[0], now))
		}
	}
	return longest
}

// reset returns how long it is until the moment that value tells: "6m0s",
// seconds from now, seconds or milliseconds since 1970, or a time stamp.
func reset(value string, now time.Time) time.Duration {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return within(at.Sub(now))
	}
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || n < 0:
		return duration(value)
	case n > 1e11:
		return within(time.UnixMilli(int64(n)).Sub(now))
	case n > 1e8:
		return within(time.Unix(int64(n), 0).Sub(now))
	}
	return seconds(n)
}

// askedInWords finds how long a message asks to wait: "Please try again in
// 6m0.5s.", "Please retry in 48.9s.", "Please retry after 20 seconds."
var askedInWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (?:(\d+) seconds?|((?:\d+(?:\.\d+)?(?:ms|h|m|s))+))\b`)
})

func inWords(message string) time.Duration {
	m := askedInWords().FindStringSubmatch(message)
	switch {
	case m == nil:
		return 0
	case m[1] != "":
		s, _ := strconv.ParseFloat(m[1], 64)
		return seconds(s)
	}
	return duration(m[2])
}

// duration returns what s, such as 34.07s, says, and 0 if it is no duration.
func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return within(d)
}

// within returns d where it is neither less than nothing nor more than a day.
func within(d time.Duration) time.Duration { return min(max(d, 0), 24*time.Hour) }

// seconds returns s seconds, at most a day.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}

// roughly returns d in a unit that fits it, rounded up.
func roughly(d time.Duration) string {
	up := func(unit time.Duration) int64 { return int64((d + unit - 1) / unit) }
	switch {
	case d <= 2*time.Minute:
		return fmt.Sprintf("%d s", up(time.Second))
	case d <= 2*time.Hour:
		return fmt.Sprintf("%d min", up(time.Minute))
	}
	return fmt.Sprintf("%d h", up(time.Hour))
}
