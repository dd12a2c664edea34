package config

import (
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/wirecheck"
)

// Where Google and Amazon serve Claude, the member that asks for a cache once is
// refused: "cache_control: Extra inputs are not permitted".
func TestPresetsOfClaude(t *testing.T) {
	for _, p := range presets {
		if p.vendor.API != APIAnthropic {
			continue
		}
		var body []byte
		req := ikigai.Request{
			Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}},
			Sending: func(s ikigai.Sent) {
				for _, piece := range append(s.Head, s.Conversation...) {
					body = append(body, piece...)
				}
			},
		}
		m := anthropic.New(provider.Config{Name: p.name + "/m", Model: "m", Quirks: p.vendor.Quirks})
		for range m.Stream(t.Context(), req) { // ends at once: there is no address
		}
		if err := wirecheck.Messages(body); err != nil {
			t.Errorf("%s: %v\n%s", p.name, err, body)
		}
		if want := p.name != "anthropic"; p.vendor.Quirks.CacheMarks != want {
			t.Errorf("%s: what is cached is marked by hand: %t", p.name, !want)
		}
	}
}
