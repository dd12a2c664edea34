package undo

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"ikigai/internal/preimage"
)

// maxDiff is the most bytes of a file whose lines are compared.
const maxDiff = 1 << 20

// count counts the lines that a step adds to a text and takes from it.
func (w *Worker) count(ctx context.Context, s *Step) {
	if s.now.Size > maxDiff || s.want.Size > maxDiff || s.now.Link != "" || s.want.Link != "" {
		return
	}
	var was, is []byte
	if s.now.Exists {
		f, _, err := preimage.Open(s.Path)
		if err != nil {
			return
		}
		defer f.Close()
		if is, err = io.ReadAll(io.LimitReader(f, maxDiff)); err != nil {
			return
		}
	}
	if s.want.Exists {
		var err error
		if was, err = w.Blob(ctx, s.Target.Blob); err != nil {
			return
		}
	}
	if !utf8.Valid(was) || !utf8.Valid(is) || bytes.IndexByte(was, 0) >= 0 || bytes.IndexByte(is, 0) >= 0 {
		return
	}
	s.Lines = true
	changed := diff.Diff("a", is, "b", was)
	for i, line := range bytes.Split(changed, []byte("\n")) {
		switch {
		case i < 3 || len(line) == 0: // the head
		case line[0] == '+':
			s.Added++
		case line[0] == '-':
			s.Removed++
		}
	}
}
