package cli

import (
	"bytes"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/race"
)

// A table takes a bounded amount of memory, and what it leaves out is told.
func TestTableIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cell string
		rows int
		want string
	}{
		{"x", maxRows, ""},
		{"x", maxRows + 1, "These are the first 10,000 rows."},
		{strings.Repeat("x", 1<<20), 100, "These are the first 33 rows."},
	} {
		if race.Enabled && len(test.cell) > 1 {
			continue // one goroutine that lays out 33 MB, slowly
		}
		var out, err bytes.Buffer
		a := &app{Process: Process{Out: &out, Err: &err}}
		yielded := 0
		failed := a.writeTable(func(yield func(ikigai.Row, error) bool) {
			for yielded < test.rows {
				yielded++
				if !yield(ikigai.Row{Columns: []string{"a"}, Values: []any{test.cell}}, nil) {
					return
				}
			}
		})
		if failed != nil || !strings.Contains(err.String(), test.want) || test.want == "" && err.Len() > 0 {
			t.Errorf("%d rows of %d bytes: %v, told %q", test.rows, len(test.cell), failed, err.String())
		}
		if out.Len() > maxTable+4<<20 {
			t.Errorf("%d bytes", out.Len())
		}
	}
}
