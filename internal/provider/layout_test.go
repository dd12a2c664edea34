package provider

import (
	"encoding/json"
	"testing"

	"ikigai"
)

// FuzzLayoutOf holds that a layout which is given back fits the reply, whatever
// an archive has made of it: its texts can be cut out one after the other, and
// its calls counted.
func FuzzLayoutOf(f *testing.F) {
	f.Add("text", 1, `[{"text":4},{"call":1,"own":{"a":1}}]`)
	f.Add("", 0, `[{"text":4611686018427387904},{"text":4611686018427387904},{"text":4611686018427387904},{"text":4611686018427387904}]`)
	f.Add("a", 0, `[{"text":9223372036854775807},{"text":9223372036854775807},{"text":3}]`)
	f.Add("a", 0, `[{"text":1,"own":null}]`)
	f.Add("", 1, `[{"call":9223372036854775807},{"call":-9223372036854775808}]`)
	f.Fuzz(func(t *testing.T, text string, calls int, state string) {
		if !json.Valid([]byte(state)) {
			return
		}
		group := []ikigai.Message{{Kind: ikigai.KindAssistant, Content: text, Vendor: ikigai.VendorState{"v/m": json.RawMessage(state)}}}
		for range calls & 7 {
			group = append(group, ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "f"}})
		}
		rest, called := text, 0
		layout := LayoutOf("v/m", group)
		for _, b := range layout {
			rest = rest[b.Text:]
			if b.Call > 0 {
				called++
			}
			if b.Call > 0 && b.Call != called || string(b.Own) == "null" {
				t.Errorf("%s: %+v", state, b)
			}
		}
		if layout != nil && (rest != "" || called != calls&7) {
			t.Errorf("%s leaves %q of %q, and has %d calls", state, rest, text, called)
		}
	})
}
