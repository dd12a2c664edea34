package provider

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestCount(t *testing.T) {
	for raw, want := range map[string]Count{
		"0": 0, "12": 12, "1000.0": 1000, "1e3": 1000, "1.9": 1, "-5": 0, "-0.5": 0, "null": 0,
		"1e300": MaxCount, "99999999999999999999": MaxCount, `"7"`: 0, "true": 0, "[1]": 0, `{"a":1}`: 0,
	} {
		var c struct{ N Count }
		if err := json.Unmarshal([]byte(`{"N":`+raw+`}`), &c); err != nil || c.N != want {
			t.Errorf("%s is %d, %v; not %d", raw, c.N, err, want)
		}
	}
}

func TestUsageFitsItself(t *testing.T) {
	for _, tt := range []struct {
		told Counts
		want ikigai.Usage
	}{
		{Counts{100, 50, 60, 40, 30}, ikigai.Usage{Input: 100, Output: 50, CacheRead: 60, CacheWrite: 40, Reasoning: 30}},
		{Counts{100, 50, 99999, 10, 51}, ikigai.Usage{Input: 100, Output: 50, CacheRead: 100, Reasoning: 50}},
		{Counts{100, 0, 60, 99999, 9}, ikigai.Usage{Input: 100, CacheRead: 60, CacheWrite: 40}},
	} {
		if diff := cmp.Diff(&tt.want, tt.told.Usage()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.told, diff)
		}
	}
}
