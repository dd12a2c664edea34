package postgres

import (
	"context"
	"testing"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

// database returns the address of a database with the schema and no events.
func database(t testing.TB) string {
	t.Helper()
	c := pgtest.Shared(t)
	return c.URL(c.Database(t, Migrate))
}

func openAt(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// The suite proves S2.9, S2.10, S2.19, S2.21, S2.22, S2.24, P7, P8, P10 and P13,
// each where it is asserted.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		url := database(t)
		return func() (ikigai.Store, error) { return Open(t.Context(), url) }
	})
}
