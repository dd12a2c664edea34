package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/preimage"
)

// maxDiff is the most bytes of a file whose lines are compared.
const maxDiff = 1 << 20

// count counts the lines that a step adds to a text and takes from it.
func (w *Worker) count(ctx context.Context, s *Step) {
	if text, ok := w.hunks(ctx, s); ok {
		s.Lines = true
		s.Added, s.Removed = countLines(text)
	}
}

// Diff returns what a step that Look has found changes in a text, as the hunks of
// a unified difference; "" where it is no text, or too long. It is for before Apply.
func (w *Worker) Diff(ctx context.Context, s Step) string {
	if !s.Acts() {
		return ""
	}
	text, _ := w.hunks(ctx, &s)
	return text
}

// hunks returns what a step changes in a file, if lines are what changes there.
func (w *Worker) hunks(ctx context.Context, s *Step) (text string, ok bool) {
	if s.now.Link != "" || s.want.Link != "" {
		return "", false
	}
	was, is, err := w.contents(ctx, s.File, s.now, maxDiff)
	if err != nil || !isText(was) || !isText(is) {
		return "", false
	}
	return hunks(is, was), true
}

// contents returns what a file held, as far as a plan goes back, and what it holds
// now. What a link holds is where it points to. The error says why they are not to
// be compared: one has more than most bytes, or cannot be read.
func (w *Worker) contents(ctx context.Context, f File, now ikigai.FileState, most int64) (was, is []byte, err error) {
	if now.Size > most || f.want.Size > most {
		return nil, nil, errors.New("it is too long to be compared")
	}
	switch {
	case now.Link != "":
		is = []byte(now.Link)
	case now.Exists:
		file, _, err := preimage.Open(f.Path)
		if err != nil {
			return nil, nil, errors.New(reasonOf(err))
		}
		defer file.Close()
		if is, err = io.ReadAll(io.LimitReader(file, most)); err != nil {
			return nil, nil, errors.New(reasonOf(err))
		}
	}
	switch {
	case f.want.Link != "":
		was = []byte(f.want.Link)
	case f.want.Exists:
		if was, err = w.Blob(ctx, f.Target.Blob); err != nil {
			return nil, nil, fmt.Errorf("what it was before cannot be read: %s", reasonOf(err))
		}
	}
	return was, is, nil
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
