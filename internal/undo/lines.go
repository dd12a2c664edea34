package undo

import (
	"bytes"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"ikigai/internal/preimage"
)

// maxDiff is the most bytes of a file whose lines are compared.
const maxDiff = 1 << 20

// count counts the lines that a step adds to a text and takes from it.
func (w *Worker) count(ctx context.Context, s *Step) {
	was, is, ok := w.texts(ctx, s)
	if !ok {
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

// Diff returns what a step that Look has found changes in a text, as the hunks of
// a unified difference; "" where it is no text, or too long. It is for before Apply.
func (w *Worker) Diff(ctx context.Context, s Step) string {
	if !s.Acts() {
		return ""
	}
	was, is, ok := w.texts(ctx, &s)
	if !ok {
		return ""
	}
	_, hunks, _ := strings.Cut(string(diff.Diff("a", is, "b", was)), "\n+++ b\n")
	return hunks
}

// texts returns what a file is to hold and what it holds, where both are texts
// that are not too long.
func (w *Worker) texts(ctx context.Context, s *Step) (was, is []byte, ok bool) {
	if s.now.Size > maxDiff || s.want.Size > maxDiff || s.now.Link != "" || s.want.Link != "" {
		return nil, nil, false
	}
	if s.now.Exists {
		f, _, err := preimage.Open(s.Path)
		if err != nil {
			return nil, nil, false
		}
		defer f.Close()
		if is, err = io.ReadAll(io.LimitReader(f, maxDiff)); err != nil {
			return nil, nil, false
		}
	}
	if s.want.Exists {
		var err error
		if was, err = w.Blob(ctx, s.Target.Blob); err != nil {
			return nil, nil, false
		}
	}
	return was, is, isText(was) && isText(is)
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
