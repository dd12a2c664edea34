package render

import (
	"testing"

	"ikigai"
)

func TestSpending(t *testing.T) {
	cost, session, side, both := int64(12_300), int64(1_250_000), int64(400), int64(12_700)
	for _, test := range []struct {
		name string
		x    Spending
		want string
	}{
		{"everything", Spending{Requests: 3, Usage: ikigai.Usage{Input: 12_345, Output: 456, CacheRead: 9_000}, Cost: &cost, Session: &session, Tokens: 12_801, Context: 400_000},
			"  3 requests · 12k in (9k cached), 456 out · context 13k of 400k (3 %) · about $0.0123, session $1.25\n"},
		{"a first statement", Spending{Requests: 1, Usage: ikigai.Usage{Input: 900, Output: 5}, Cost: &cost, Session: &cost, Tokens: 905, Context: 1_050_000},
			"  1 request · 900 in, 5 out · context 905 of 1.05M (0 %) · about $0.0123\n"},
		{"a vendor that does not count, a model that nobody knows", Spending{Requests: 2, Tokens: 1200}, "  2 requests · context 1.2k\n"},
		{"side requests apart", Spending{Requests: 1, Cost: &cost, Session: &both, Side: 2, SideCost: &side}, "  1 request · about $0.0123 · side requests 2, $0.0004\n"},
		{"side requests of unknown cost", Spending{Requests: 1, Side: 1}, "  1 request · side requests 1\n"},
		{"nothing", Spending{}, "  0 requests\n"},
	} {
		if got := (Style{}).Spending(test.x); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 1049: "1k", 1050: "1.1k", 9949: "9.9k", 9950: "10k", 131_072: "131k", 999_499: "999k", 1_000_000: "1M", 1_048_576: "1.05M", 12_000_000: "12M"} {
		if got := Tokens(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestPurposes(t *testing.T) {
	cost := int64(12_300)
	list := []Purpose{{Name: ikigai.Main}, {Name: "objective", Requests: 2, Usage: ikigai.Usage{Input: 600, Output: 24}}}
	list[0].Add(ikigai.UsageData{Usage: ikigai.Usage{Input: 12_345, Output: 456, CacheRead: 9_000}, Cost: &cost})
	list[0].Add(ikigai.UsageData{})
	want := `PURPOSE    REQUESTS  TOKENS IN  CACHED  TOKENS OUT     COST
main              2     12,345   9,000         456  $0.0123
objective         2        600       0          24        -
all               4     12,945   9,000         480  $0.0123
`
	if got := (Style{}).Purposes(list); got != want {
		t.Errorf("got:\n%s", got)
	}
	if list[1].Cost != nil || cost != 12_300 {
		t.Error("the sum has changed its parts")
	}
}
