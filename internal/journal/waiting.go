package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ikigai"
)

// Waiting is a journal whose events its store does not have.
type Waiting struct {
	Session ikigai.ID
	Path    string
	Events  int           // that can be read
	Bytes   int64         // of the file
	Since   ikigai.Micros // time of the first event; 0 if there is none
	Refused bool          // another holder of the session has gone on
	Damaged bool          // some of the file cannot be read
	Aside   bool          // set aside for one of the two: not delivered again
}

// List returns the journals in dir, by name, including those that are open in
// this or another process. A directory that is not there holds none.
func List(dir string) ([]Waiting, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Waiting
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case suffix, suffixRefused, suffixDamaged:
		default:
			continue
		}
		w, err := examine(filepath.Join(dir, entry.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // delivered just now
		}
		if err != nil {
			return list, err
		}
		list = append(list, w)
	}
	return list, nil
}

// examine reads a journal without locking it: what is being written to it is
// taken for torn.
func examine(path string) (Waiting, error) {
	session, _, _ := strings.Cut(filepath.Base(path), ".")
	w := Waiting{
		Session: ikigai.ID(session), Path: path,
		Refused: strings.HasSuffix(path, suffixRefused), Damaged: strings.HasSuffix(path, suffixDamaged),
	}
	w.Aside = w.Refused || w.Damaged
	f, err := os.Open(path)
	if err != nil {
		return w, err
	}
	defer f.Close()
	r, err := readFile(f)
	for err == nil {
		var record Record
		if record, err = r.next(); err == nil {
			w.count(record)
		}
	}
	w.Bytes = r.size
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errTorn):
		return w, nil
	case errors.Is(err, errDamaged), errors.Is(err, errHeader):
		w.Damaged = true
		return w, nil
	}
	return w, err
}

func (w *Waiting) count(r Record) {
	if w.Since == 0 && len(r.Events) > 0 {
		w.Since = r.Events[0].Time
	}
	w.Events += len(r.Events)
}
