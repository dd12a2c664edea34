package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ikigai"
)

// Events yields the events of a session that wait in the journals of dirs,
// without those that it yielded before at the same place or a later one: what
// to read behind the events of a store that takes none. What another writer
// left aside is no part of it. A journal that is being written to is read as
// far as it has come. An error is last.
func Events(session ikigai.ID, dirs ...string) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		all, err := openAll(session, dirs, os.Open)
		defer all.close()
		if err != nil {
			yield(ikigai.Event{}, fmt.Errorf("read the journal of session %s: %w", session, err))
			return
		}
		m := slices.DeleteFunc(slices.Clone(all), func(w *waitingFile) bool { return w.aside })
		last := ikigai.Seq(0)
		for next := m.first(); next != nil; next = m.first() {
			for _, e := range next.record.Events {
				if e.Seq <= last {
					continue
				}
				if !yield(e, nil) {
					return
				}
				last = e.Seq
			}
			next.advance()
		}
		if err := m.err(); err != nil {
			yield(ikigai.Event{}, fmt.Errorf("read the journal of session %s: %w", session, err))
		}
	}
}

// files is journals of one session, in several directories.
type files []*waitingFile

// waitingFile is an open journal with the next record in it.
type waitingFile struct {
	path   string
	aside  bool // left by a writer before the last one
	file   *os.File
	reader *reader
	fence  int64      // of the first record
	after  ikigai.Seq // of the first record
	record Record     // valid while err is nil
	err    error      // io.EOF, errTorn: there is no more
}

// openAll opens the journals of a session that there are, each with open. The
// caller closes what it returns, in any case.
func openAll(session ikigai.ID, dirs []string, open func(path string) (*os.File, error)) (files, error) {
	var all files
	for _, dir := range dirs {
		path, err := fileName(dir, session)
		if err != nil {
			return all, err
		}
		aside, err := asideOf(path)
		if err != nil {
			return all, err
		}
		for i, path := range append(aside, path) {
			f, err := open(path)
			if absent(err) {
				continue
			}
			if err != nil {
				return all, err
			}
			w := &waitingFile{path: path, aside: i < len(aside), file: f}
			if w.reader, w.err = readFile(f); w.err == nil {
				w.advance()
				w.fence, w.after = w.record.Grant.Fence, w.record.After
			}
			all = append(all, w)
		}
	}
	return all, nil
}

// absent reports whether an error is that there is no such file or, where something
// else stands in the place of its directory, that there can be none.
func absent(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENOTDIR)
}

// asideOf returns the journals that other writers left beside the one at path.
func asideOf(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	prefix := strings.TrimSuffix(filepath.Base(path), suffix) + "."
	var aside []string
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name[len(prefix):], suffix) {
			aside = append(aside, filepath.Join(filepath.Dir(path), name))
		}
	}
	return aside, nil
}

func openToDeliver(path string) (*os.File, error) { return openLocked(path, os.O_RDWR) }

// openOwn passes over what another process has open.
func openOwn(path string) (*os.File, error) {
	f, err := openToDeliver(path)
	if errors.Is(err, ikigai.ErrBusy) {
		err = os.ErrNotExist
	}
	return f, err
}

func (w *waitingFile) advance() { w.record, w.err = w.reader.next() }

// empty reports whether all records were read. A torn one was never
// acknowledged: whoever wrote it knew that it was not kept.
func (w *waitingFile) empty() bool {
	return errors.Is(w.err, io.EOF) || errors.Is(w.err, errTorn)
}

// damaged reports whether the rest of the file can never be read.
func (w *waitingFile) damaged() bool {
	return errors.Is(w.err, errDamaged) || errors.Is(w.err, errHeader)
}

// keep renames the file for good.
func (w *waitingFile) keep(fence int64, ending string) error {
	to, err := setAside(w.path, fence, ending)
	if err != nil {
		return err
	}
	return fmt.Errorf("the journal is kept as %s", to)
}

func (m files) close() {
	for _, w := range m {
		w.file.Close()
	}
}

// byWriter yields the journals of each writer under its fence, those of the last
// one first: where it and another have events for the same places, its right
// was the newer. Fence 0 is for those without records.
func (m files) byWriter() iter.Seq2[int64, files] {
	writers := map[int64]files{}
	for _, w := range m {
		writers[w.fence] = append(writers[w.fence], w)
	}
	return func(yield func(int64, files) bool) {
		for _, fence := range slices.Backward(slices.Sorted(maps.Keys(writers))) {
			if !yield(fence, writers[fence]) {
				return
			}
		}
	}
}

// first returns the file whose next record comes first, or nil.
func (m files) first() *waitingFile {
	var first *waitingFile
	for _, w := range m {
		if w.err == nil && (first == nil || w.record.After < first.record.After) {
			first = w
		}
	}
	return first
}

// err returns the first error of a file other than its end.
func (m files) err() error {
	for _, w := range m {
		if w.err != nil && !w.empty() {
			return fmt.Errorf("%s: %w", w.path, w.err)
		}
	}
	return nil
}

// unreadable returns the error of a file that may be readable later.
func (m files) unreadable() error {
	for _, w := range m {
		if w.err != nil && !w.empty() && !w.damaged() {
			return fmt.Errorf("%s: %w", w.path, w.err)
		}
	}
	return nil
}

// finish removes the journals that are delivered. The one with the first event
// goes last: it is what a delivery that is repeated finds the fork by.
func (m files) finish() error {
	slices.SortStableFunc(m, func(a, b *waitingFile) int { return cmp.Compare(b.after, a.after) })
	var problems []error
	for _, w := range m {
		if w.damaged() {
			problems = append(problems, w.err, w.keep(0, suffixDamaged))
		} else if err := errors.Join(os.Remove(w.path), syncDir(filepath.Dir(w.path))); err != nil {
			problems = append(problems, err)
			break
		}
	}
	return errors.Join(problems...)
}
