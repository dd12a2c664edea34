package config

import (
	"math"
	"testing"

	"ikigai"
)

// A reply costs what its tokens do: those that came from the vendor's cache, or
// went into it, have prices of their own.
func TestCost(t *testing.T) {
	s := mustParse(t, `{"prices": {
		"a/m": {"input": 1.25, "output": 10, "cache_read": 0.125, "cache_write": 2},
		"a/plain": {"input": 3, "output": 15},
		"a/free": {"input": 0, "output": 0}}}`)
	for _, test := range []struct {
		model string
		usage ikigai.Usage
		want  int64
	}{
		{"a/m", ikigai.Usage{Input: 1_000_000, Output: 1_000_000}, 11_250_000},
		{"a/m", ikigai.Usage{Input: 1_000_000, CacheRead: 800_000, CacheWrite: 100_000}, 125_000 + 100_000 + 200_000},
		{"a/m", ikigai.Usage{Input: 10, CacheRead: 20}, 2}, // the vendor counts otherwise: nothing below zero
		{"a/m", ikigai.Usage{Input: 1}, 1},                 // 1.25 millionths
		{"a/plain", ikigai.Usage{Input: 2_000, CacheRead: 1_000, Output: 100, Reasoning: 50}, 6_000 + 1_500},
		{"a/free", ikigai.Usage{Input: math.MaxInt64, Output: math.MaxInt64}, 0},
		{"a/plain", ikigai.Usage{Input: math.MaxInt64, Output: math.MaxInt64}, math.MaxInt64},
	} {
		p, ok := s.PriceOf(test.model)
		if got := p.Cost(test.usage); !ok || got != test.want {
			t.Errorf("%s, %+v: %d, want %d", test.model, test.usage, got, test.want)
		}
	}
	if _, ok := s.PriceOf("a/other"); ok {
		t.Error("a model without a price has one")
	}
}
