package anthropic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/provider"
)

// What the settings say of a header counts, in whatever case it is written.
func TestPrepare(t *testing.T) {
	const name, version = "anthropic-version", "2023-06-01"
	for _, tt := range []struct {
		key, wantKey string
		given, want  map[string]string
	}{
		{"", "x-api-key", nil, map[string]string{name: version}},
		{"Authorization", "Authorization", map[string]string{"X-A": "1"}, map[string]string{"X-A": "1", name: version}},
		{"", "x-api-key", map[string]string{"Anthropic-Version": "2099-01-01"}, map[string]string{"Anthropic-Version": "2099-01-01"}},
	} {
		got := Prepare(provider.Config{Header: tt.given, Quirks: provider.Quirks{KeyHeader: tt.key}})
		if diff := cmp.Diff(tt.want, got.Header); diff != "" || got.Quirks.KeyHeader != tt.wantKey {
			t.Errorf("the key in %q; headers (-want +got):\n%s", got.Quirks.KeyHeader, diff)
		}
	}
}
