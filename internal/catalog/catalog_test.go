package catalog

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// Every model says when and where its figures come from, and nothing in the
// table is misspelled or absurd.
func TestTable(t *testing.T) {
	date := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	all := All()
	if len(all) < 60 || !slices.IsSortedFunc(all, func(a, b Model) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d models", len(all))
	}
	if n := strings.Count(embedded, `"name"`); n != len(all) {
		t.Errorf("%d models in the file, %d in the table: a name stands there twice", n, len(all))
	}
	for _, m := range all {
		if vendor, model, _ := strings.Cut(m.Name, "/"); vendor == "" || model == "" || m.Name != strings.ToLower(m.Name) {
			t.Errorf("the name %q", m.Name)
		}
		if !date.MatchString(m.AsOf) || m.Source == "" {
			t.Errorf("%s: as of %q, from %q", m.Name, m.AsOf, m.Source)
		}
		if m.Context < 1000 || m.Output > m.Context {
			t.Errorf("%s: context %d, output %d", m.Name, m.Context, m.Output)
		}
		for level, how := range m.Levels {
			set := 0
			for _, is := range []bool{how.Effort != "", how.Budget > 0, how.Off} {
				if is {
					set++
				}
			}
			if !slices.Contains(ikigai.Levels(), level) || set != 1 {
				t.Errorf("%s: level %q is %+v", m.Name, level, how)
			}
		}
		if found, ok := find(m.Name); !ok || !reflect.DeepEqual(found, m) {
			t.Errorf("%s: %+v is found, %t", m.Name, found, ok)
		}
		if p := m.Price; p != nil && (p.Input <= 0 || p.Output < p.Input || p.CacheRead != nil && *p.CacheRead > p.Input || (p.Over > 0) != (p.Long != nil)) {
			t.Errorf("%s: price %+v", m.Name, *p)
		}
	}
	if strings.Count(embedded, `"levels": "`) != count(all, func(m Model) bool { return m.Levels != nil }) {
		t.Error("a set of levels is misspelled")
	}
}

func count(all []Model, is func(Model) bool) (n int) {
	for _, m := range all {
		if is(m) {
			n++
		}
	}
	return n
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]int{ // to the context
		"openai/gpt-5":                                        400_000,
		"OpenAI/GPT-5-mini-2025-08-07":                        400_000,
		"anthropic/claude-sonnet-4-5-20250929":                200_000,
		"anthropic/claude-3-5-haiku-latest":                   200_000,
		"azure/gpt-4o-2024-11-20":                             128_000,
		"vertex/claude-sonnet-4-5@20250929":                   200_000,
		"vertex/gemini-2.5-pro":                               1_048_576,
		"bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0": 200_000,
		"openrouter/anthropic/claude-haiku-4.5":               200_000,
		"openrouter/openai/gpt-5:free":                        400_000,
		"openrouter/x-ai/grok-4-fast":                         2_000_000,
		"mistral/mistral-medium-latest":                       256_000,
		"local/qwen3:8b":                                      0,
		"openai/gpt-55":                                       0,
		"gpt-5":                                               0,
		"":                                                    0,
	} {
		m, ok := Lookup(name)
		if ok != (want > 0) || m.Context != want || ok && m.Name != name {
			t.Errorf("%s: %+v, %t", name, m, ok)
		}
	}
}

// Every start looks a model up, and does not pay for the others: to decode them all
// takes more than 600 allocations. P35
func TestLookupIsCheap(t *testing.T) {
	for _, name := range []string{"openai/gpt-5", "local/m"} {
		if n := testing.AllocsPerRun(10, func() { Lookup(name) }); n > 100 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

func TestFree(t *testing.T) {
	for name, priced := range map[string]bool{
		"openrouter/openai/gpt-5": true, "openrouter/openai/gpt-5:nitro": true, "openrouter/openai/gpt-5:free": false, "openrouter/OpenAI/GPT-5:Free": false,
	} {
		if m, ok := Lookup(name); !ok || (m.Price != nil) != priced {
			t.Errorf("%s has the price %+v, %t", name, m.Price, ok)
		}
	}
	if m, _ := Lookup("openai/gpt-5"); m.Price == nil {
		t.Error("the table has lost a price")
	}
}

func TestCost(t *testing.T) {
	read, write := 0.5, 2.5
	p := Price{Input: 2, Output: 10, CacheRead: &read, CacheWrite: &write, Over: 1000, Long: &Price{Input: 4, Output: 20}}
	for _, test := range []struct {
		usage ikigai.Usage
		want  int64
	}{
		{ikigai.Usage{Input: 1000, Output: 100}, 3000},
		{ikigai.Usage{Input: 1000, Output: 100, CacheRead: 500, CacheWrite: 200}, 600 + 250 + 500 + 1000},
		{ikigai.Usage{Input: 1001}, 4004},
		{ikigai.Usage{Input: 10, CacheRead: 20}, 10}, // a vendor that does not count cached tokens
		{ikigai.Usage{}, 0},
	} {
		if got := p.Cost(test.usage); got != test.want {
			t.Errorf("%+v costs %d, want %d", test.usage, got, test.want)
		}
	}
	if got := (Price{Input: 3, Output: 1}).Cost(ikigai.Usage{Input: 100, CacheRead: 50, CacheWrite: 50}); got != 300 {
		t.Errorf("without prices of the cache: %d", got)
	}
}

// The gauge estimates until a vendor has counted, and then goes by its count.
func TestGauge(t *testing.T) {
	var g Gauge
	step := func(what string, e ikigai.Event, want int64) {
		t.Helper()
		if g.Add(e); g.Tokens() != want {
			t.Errorf("%s: %d tokens, want %d", what, g.Tokens(), want)
		}
	}
	step("a statement", ikigai.NewEvent(ikigai.KindUser, strings.Repeat("x", 400), nil), 100)
	step("a request", ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{Size: 2000}), 500)
	step("a reply", ikigai.NewEvent(ikigai.KindAssistant, "yes", nil), 500)
	step("a vendor that does not count", ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{}), 500)
	step("a call to it", ikigai.NewEvent(ikigai.KindToolCall, strings.Repeat("x", 400), nil), 600)
	step("one that does, without what was sent since", ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: 1000, Output: 10}}), 1010)
	step("what is no part of it", ikigai.NewEvent(ikigai.KindThinking, strings.Repeat("x", 400), nil), 1010)
	step("the next statement, by two bytes a token", ikigai.NewEvent(ikigai.KindUser, strings.Repeat("x", 400), nil), 1210)
	step("a projection", ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{After: 600}), 600)
	step("a statement after it, by what was learnt", ikigai.NewEvent(ikigai.KindUser, strings.Repeat("x", 400), nil), 800)
	step("a damaged projection", ikigai.Event{Kind: ikigai.KindProjection, Data: []byte("{")}, 1010)
	step("a projection again", ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{After: 700}), 700)
	step("a vendor that has counted what is left", ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: 650}}), 650)
	step("a new beginning", ikigai.NewEvent(ikigai.KindClear, "", nil), 0)
	step("a statement after it", ikigai.NewEvent(ikigai.KindUser, strings.Repeat("x", 400), nil), 100)
	step("damage", ikigai.Event{Kind: ikigai.KindUsage, Data: []byte("{")}, 100)
}
