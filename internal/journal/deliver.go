package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"ikigai"
)

// Deliver appends to log what waits for the session of g in the journals of
// dirs, in the order in which the events follow one another, and removes each
// journal once log has everything in it. It holds one append in memory at a
// time. No journal is no error.
//
// The events are appended under g, the right that the caller holds now, not
// the one under which they were written. An error leaves everything in place
// and Deliver can be called again, with two exceptions. After ErrFenced or
// ErrConflict the journal is kept under another name and not delivered again,
// because another holder of the session has gone on meanwhile. So is one that
// is damaged, once what stands before the damage is delivered. It is
// ikigai.ErrBusy while another process has one of the journals open.
func Deliver(ctx context.Context, g ikigai.Grant, log ikigai.Log, dirs ...string) error {
	m, err := openAll(g.Session, dirs, openToDeliver)
	if err != nil {
		return fmt.Errorf("deliver the journal of session %s: %w", g.Session, err)
	}
	defer m.close()
	if err := m.deliver(ctx, g, log); err != nil {
		return fmt.Errorf("deliver the journal of session %s: %w", g.Session, err)
	}
	return nil
}

// Events yields the events of a session that wait in the journals of dirs,
// without those that it yielded before at the same place or a later one: what
// to read behind the events of a store that takes none. A journal that is
// being written to is read as far as it has come. An error is last.
func Events(session ikigai.ID, dirs ...string) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		m, err := openAll(session, dirs, os.Open)
		if err != nil {
			yield(ikigai.Event{}, fmt.Errorf("read the journal of session %s: %w", session, err))
			return
		}
		defer m.close()
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

// merged is the journals of one session in several directories.
type merged []*waitingFile

// waitingFile is an open journal with the next record in it.
type waitingFile struct {
	path   string
	file   *os.File
	reader *reader
	record Record // valid while err is nil
	err    error  // io.EOF, errTorn: there is no more
}

// openAll opens the journals of a session that there are, each with open.
func openAll(session ikigai.ID, dirs []string, open func(path string) (*os.File, error)) (merged, error) {
	var m merged
	for _, dir := range dirs {
		path, err := fileName(dir, session)
		if err != nil {
			return nil, err
		}
		f, err := open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			m.close()
			return nil, err
		}
		w := &waitingFile{path: path, file: f}
		if w.reader, w.err = readFile(f); w.err == nil {
			w.advance()
		}
		m = append(m, w)
	}
	return m, nil
}

func openToDeliver(path string) (*os.File, error) { return openLocked(path, os.O_RDWR) }

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

func (m merged) close() {
	for _, w := range m {
		w.file.Close()
	}
}

// first returns the file whose next record comes first, or nil.
func (m merged) first() *waitingFile {
	var first *waitingFile
	for _, w := range m {
		if w.err == nil && (first == nil || w.record.After < first.record.After) {
			first = w
		}
	}
	return first
}

// err returns the first error of a file other than its end.
func (m merged) err() error {
	for _, w := range m {
		if w.err != nil && !w.empty() {
			return fmt.Errorf("%s: %w", w.path, w.err)
		}
	}
	return nil
}

func (m merged) deliver(ctx context.Context, g ikigai.Grant, log ikigai.Log) error {
	for next := m.first(); next != nil; next = m.first() {
		// What cannot be read now may have its place before r.
		if err := m.unreadable(); err != nil {
			return err
		}
		r := next.record
		err := log.Append(ctx, g, r.After, r.Events...)
		if errors.Is(err, ikigai.ErrFenced) || errors.Is(err, ikigai.ErrConflict) {
			return errors.Join(err, next.keep(r.Grant.Fence, suffixRefused))
		}
		if err != nil {
			return err
		}
		next.advance()
	}
	if err := m.unreadable(); err != nil {
		return err
	}
	return m.finish()
}

// unreadable returns the error of a file that may be readable later.
func (m merged) unreadable() error {
	for _, w := range m {
		if w.err != nil && !w.empty() && !w.damaged() {
			return fmt.Errorf("%s: %w", w.path, w.err)
		}
	}
	return nil
}

// finish removes the journals that are delivered.
func (m merged) finish() error {
	var problems []error
	for _, w := range m {
		if w.damaged() {
			problems = append(problems, w.err, w.keep(0, suffixDamaged))
		} else if err := errors.Join(os.Remove(w.path), syncDir(filepath.Dir(w.path))); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// keep renames the file for good.
func (w *waitingFile) keep(fence int64, ending string) error {
	to, err := setAside(w.path, fence, ending)
	if err != nil {
		return err
	}
	return fmt.Errorf("the journal is kept as %s", to)
}
