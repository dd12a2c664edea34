package wirejson

import (
	"encoding/json"
	"testing"
)

func TestConcat(t *testing.T) {
	s := json.RawMessage(`""`)
	for _, piece := range []string{`"a\n"`, `""`, `"\ud83d"`, `"\ude00\\"`, `"\"é"`} {
		s = Concat(s, json.RawMessage(piece))
	}
	var got string
	if err := json.Unmarshal(s, &got); err != nil || got != "a\n😀\\\"é" {
		t.Errorf("got %q from %s, %v", got, s, err)
	}
	for raw, want := range map[string]bool{"": false, "null": false, `""`: true, `"a"`: true, `["a"]`: false} {
		if IsString(json.RawMessage(raw)) != want {
			t.Errorf("%s: %t", raw, !want)
		}
	}
}
