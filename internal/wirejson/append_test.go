package wirejson

import (
	"encoding/json"
	"testing"
)

// FuzzString holds that a string survives its encoding, less what is not UTF-8.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", `a"b\c`, "\x00\x1f\n\r\t\b", "<&>ü日本😀\u2028", "\xff\xc0a\xed\xa0\x80", "\uFFFD"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil {
			t.Fatal(err)
		}
		plain, _ := json.Marshal(s)
		json.Unmarshal(plain, &want)
		if got != want {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
