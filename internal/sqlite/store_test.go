package sqlite

import (
	"path/filepath"
	"testing"

	"ikigai"
	"ikigai/internal/storetest"
)

// The suite proves S2.9, S2.10, S2.19, S2.21, S2.22, S2.24, P7, P8, P10 and P13,
// each where it is asserted.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		path := filepath.Join(t.TempDir(), "new", "ikigai.db")
		return func() (ikigai.Store, error) { return Open(t.Context(), path) }
	})
}
