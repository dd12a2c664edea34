package cli

import (
	"context"

	"ikigai"
	"ikigai/internal/postgres"
)

// openServer opens a PostgreSQL database, and makes its tables where there are
// none if create is true. A nil *postgres.Store must not become a Store.
func openServer(ctx context.Context, url string, create bool) (ikigai.Store, error) {
	open := postgres.OpenExisting
	if create {
		open = postgres.Open
	}
	store, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	return store, nil
}
