package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ikigai"
)

// Endings of file names. A file that is not to be delivered any more is kept
// under another name, so that it stands in nobody's way.
const (
	suffix        = ".journal"
	suffixRefused = ".refused"
	suffixDamaged = ".damaged"
)

// Journal takes the events of one session that its store does not take. It is
// used by one goroutine at a time.
type Journal struct {
	path  string
	grant ikigai.Grant
	file  *os.File
	end   int64  // of the last record
	sum   uint32 // of the last record
	tail  tail
	err   error // of a sync, after which nothing is certain about the file
}

// tail is what a file ends with.
type tail struct {
	records int
	fence   int64
	seq     ikigai.Seq
}

var errGone = errors.New("the file was removed or replaced while it was open")

// Open opens the journal of the session of g in dir, or creates it with its
// directory, readable by its owner alone. What a crash left of an unfinished
// record is cut off. It is ikigai.ErrBusy while another process has the journal
// open. The caller closes the journal.
func Open(dir string, g ikigai.Grant) (*Journal, error) {
	path, err := fileName(dir, g.Session)
	if err != nil {
		return nil, fmt.Errorf("open a journal: %w", err)
	}
	j := &Journal{path: path, grant: g}
	if err := j.open(); err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	return j, nil
}

func (j *Journal) open() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := openLocked(j.path, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	j.file = f
	if err := j.recover(); err != nil {
		f.Close()
		return err
	}
	return nil
}

// recover finds the end of the records and cuts off what is behind them.
func (j *Journal) recover() error {
	r, err := readFile(j.file)
	for err == nil {
		var record Record
		if record, err = r.next(); err == nil {
			j.tail.add(record)
		}
	}
	j.end, j.sum = r.end, r.sum
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case !errors.Is(err, errTorn):
		return err
	}
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	if j.end > 0 {
		return syncData(j.file)
	}
	return j.begin()
}

// begin writes the header of a new file.
func (j *Journal) begin() error {
	header, sum := newHeader()
	if err := j.write(header); err != nil {
		return err
	}
	j.sum = sum
	return syncDir(filepath.Dir(j.path))
}

// Append writes the events, with their blobs, behind those that wait already.
// They follow the event at after, whose ID is afterID, "" for none. They are on
// the disk when it returns nil. After an error they are not in the journal, and
// the same events can be appended again.
func (j *Journal) Append(after ikigai.Seq, afterID ikigai.ID, events ...ikigai.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := j.append(Record{Grant: j.grant, After: after, AfterID: afterID, Events: events}); err != nil {
		return fmt.Errorf("append to journal %s: %w", j.path, err)
	}
	return nil
}

func (j *Journal) append(r Record) error {
	if j.err != nil {
		return j.err
	}
	// Nobody would find what is written to a file that was removed.
	if there, err := onDisk(j.file, j.path); err != nil || !there {
		return errors.Join(errGone, err)
	}
	if j.tail.otherWriter(r) {
		if err := j.startAfresh(); err != nil {
			return err
		}
	}
	framed, sum := frame(j.sum, r)
	if err := j.write(framed); err != nil {
		return err
	}
	j.sum = sum
	j.tail.add(r)
	return nil
}

// write writes b at the end and makes it durable, or leaves the end where it is.
func (j *Journal) write(b []byte) error {
	if _, err := j.file.WriteAt(b, j.end); err != nil {
		// What was written of it gives back its space and is no record.
		return errors.Join(err, j.file.Truncate(j.end))
	}
	if err := syncData(j.file); err != nil {
		j.err = fmt.Errorf("sync: %w", err)
		return errors.Join(j.err, j.file.Truncate(j.end))
	}
	j.end += int64(len(b))
	return nil
}

// startAfresh gives what another writer left, which is to be delivered apart,
// another name and begins a new file.
func (j *Journal) startAfresh() error {
	if _, err := setAside(j.path, j.tail.fence, suffix); err != nil {
		return err
	}
	err := j.file.Close()
	j.end, j.sum, j.tail = 0, 0, tail{}
	if openErr := j.open(); openErr != nil {
		j.err = openErr
	}
	return errors.Join(err, j.err)
}

// Close closes the journal. Its file stays until it is delivered. A file
// without events is removed.
func (j *Journal) Close() error {
	var err error
	if there, _ := onDisk(j.file, j.path); there && j.tail.records == 0 && j.err == nil {
		err = os.Remove(j.path)
	}
	if err = errors.Join(err, j.file.Close()); err != nil {
		return fmt.Errorf("close journal %s: %w", j.path, err)
	}
	return nil
}

func (t *tail) add(r Record) {
	t.records++
	t.fence = r.Grant.Fence
	if n := len(r.Events); n > 0 {
		t.seq = r.Events[n-1].Seq
	}
}

// otherWriter reports whether r does not go on where the file ends, and comes
// from another holder of the session.
func (t *tail) otherWriter(r Record) bool {
	return t.records > 0 && t.fence != r.Grant.Fence && t.seq != r.After
}

// setAside renames a journal so that it stands in nobody's way, and returns its
// new path. The caller has it locked.
func setAside(path string, fence int64, ending string) (string, error) {
	base := strings.TrimSuffix(path, suffix)
	for n := 0; ; n++ {
		to := fmt.Sprintf("%s.%d%s", base, fence, ending)
		if n > 0 {
			to = fmt.Sprintf("%s.%d-%d%s", base, fence, n, ending)
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err := os.Rename(path, to); err != nil {
			return "", err
		}
		return to, syncDir(filepath.Dir(path))
	}
}
