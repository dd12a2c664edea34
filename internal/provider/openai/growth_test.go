package openai

import (
	"runtime"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
)

// A reply whose reasoning comes in many pieces costs as much for each as one of
// few.
func TestReasoningGrows(t *testing.T) {
	perPiece := func(pieces int) uint64 {
		cfg := provider.Config{Name: "v/m", Quirks: provider.Quirks{Replay: []string{"reasoning_details"}}}
		d := &decoder{cfg: &cfg, yield: func(ikigai.Delta) bool { return true }}
		chunk := []byte(`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"` + strings.Repeat("#", 20) + `","index":0}]}}]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range pieces {
			if err := d.chunk(chunk); err != nil {
				t.Fatal(err)
			}
		}
		state := d.replay.state(&cfg)
		runtime.ReadMemStats(&after)
		if n := strings.Count(string(state["v/m"]), "#"); n != 20*pieces {
			t.Errorf("%d of %d characters are kept", n, 20*pieces)
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(pieces)
	}
	if few, many := perPiece(500), perPiece(8000); many > 2*few {
		t.Errorf("a piece of few costs %d bytes, one of many %d", few, many)
	}
}
