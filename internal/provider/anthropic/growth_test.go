package anthropic

import (
	"runtime"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
)

// A block of the vendor's own that comes in many pieces costs as much for each
// as one of few.
func TestOwnBlockGrows(t *testing.T) {
	perPiece := func(pieces int) uint64 {
		cfg := provider.Config{Name: "v/m"}
		d := &decoder{cfg: &cfg, yield: func(ikigai.Delta) bool { return true }}
		feed := func(event string) {
			if err := d.event([]byte(event)); err != nil {
				t.Fatal(err)
			}
		}
		feed(`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":""}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range pieces {
			feed(`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"` + strings.Repeat("#", 20) + `"}}`)
		}
		own := layout(d.blocks)
		runtime.ReadMemStats(&after)
		if n := strings.Count(string(own[0].Own), "#"); n != 20*pieces {
			t.Errorf("%d of %d characters are kept", n, 20*pieces)
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(pieces)
	}
	if few, many := perPiece(500), perPiece(8000); many > 2*few {
		t.Errorf("a piece of few costs %d bytes, one of many %d", few, many)
	}
}
