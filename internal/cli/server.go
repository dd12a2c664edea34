package cli

import (
	"context"
	"errors"

	"ikigai"
)

// openServer opens a PostgreSQL database.
func openServer(ctx context.Context, url string, create bool) (ikigai.Store, error) {
	return nil, errors.ErrUnsupported
}
