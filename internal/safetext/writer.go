package safetext

import "io"

// Writer passes text on to another writer as Terminal shows it.
type Writer struct {
	to     io.Writer
	filter Filter
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes what there is to show once p has come.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.write(w.filter.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what was held back at the end of the last Write. It does not
// close the underlying writer.
func (w *Writer) Close() error { return w.write(w.filter.End()) }

func (w *Writer) write(s string) error {
	if s == "" {
		return nil
	}
	_, err := io.WriteString(w.to, s)
	return err
}
