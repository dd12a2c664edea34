package render_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
)

// A hit is two lines, and nothing in it acts on a terminal but what makes the
// words stand out. P42
func TestHit(t *testing.T) {
	hit := ikigai.Hit{Title: "A title\x1b[2J\nof two lines", Event: ikigai.Event{
		Session: "01a1fa97-b599-78cc-b715-528b539ce02d", Seq: 1234, Kind: ikigai.KindAssistant,
		Time: ikigai.MicrosOf(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)),
	}}
	const text = "a needle\x1b[31m in\na haystack"
	found := [][2]int{{2, 8}, {19, 27}}
	for name, test := range map[string]struct {
		style render.Style
		want  string
	}{
		"plain": {render.Style{Zone: time.UTC}, `01a1fa97-b599-78cc-b715-528b539ce02d #1234 · assistant · 2026-07-01 12:00 · A title␊of two lines
  a needle in a haystack
`},
		"colour": {render.Style{Zone: time.UTC, Color: true, ASCII: true}, "\x1b[36m01a1fa97-b599-78cc-b715-528b539ce02d\x1b[0m " +
			"\x1b[2m#1234 - assistant - 2026-07-01 12:00\x1b[0m\x1b[2m - \x1b[0mA title␊of two lines\n" +
			"  a \x1b[1;33mneedle\x1b[0m in a \x1b[1;33mhaystack\x1b[0m\n"},
	} {
		if diff := cmp.Diff(test.want, test.style.Hit(hit, text, found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
