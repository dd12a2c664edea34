package sqlite

import (
	"path/filepath"
	"testing"

	"ikigai"
	"ikigai/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		path := filepath.Join(t.TempDir(), "new", "ikigai.db")
		return func() (ikigai.Store, error) { return Open(t.Context(), path) }
	})
}
