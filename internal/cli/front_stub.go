package cli

import (
	"context"

	"ikigai/internal/tui"
)

func (f *front) completions(context.Context, string) tui.Completions { return tui.Completions{} }

