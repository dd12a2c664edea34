package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ikigai/internal/wholefile"
)

// File is a history in a file: a line of JSON for each entry.
type File struct {
	memory
	path  string
	lines []byte      // that were read and not looked at yet: the prompt need not wait for that
	file  fs.FileInfo // that they are of; nil if there was none
	read  int64       // the end of what was read of it
	err   error
}

// line is one of the file.
type line struct {
	Text string `json:"text"`
}

const (
	mostFileBytes = 4 << 20 // beyond which the older half of the file is dropped
	mostReadBytes = 1 << 20
	mostLineBytes = 64 << 10
)

// OpenHistory returns the history in the file at path, which is made with the
// first entry, for its owner alone. Several processes may use one file at once;
// each sees the last 5,000 entries or MiB that were there when it opened it, and what
// was added since, by whomever. The file is kept near 4 MiB, and entries of more than
// 64 KiB are not written to it.
//
// If the file cannot be read, the history is usable without it and comes with
// the error.
func OpenHistory(path string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	h := &File{path: path}
	if err := h.readOn(); err != nil {
		return h, fmt.Errorf("read the history of the input: %w", err)
	}
	return h, nil
}

// readOn reads the lines that have come to the file since it was read. One that has
// been made shorter has what is newest of all, and is read anew.
func (h *File) readOn() error {
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if h.file != nil && (!os.SameFile(h.file, info) || info.Size() < h.read) {
		h.memory, h.lines, h.read = memory{}, nil, 0
	}
	lines, end, err := linesFrom(f, h.read, info.Size(), mostReadBytes)
	if err != nil {
		return err
	}
	h.lines, h.file, h.read = append(h.lines, lines...), info, end
	return nil
}

// linesFrom returns the lines of f between a place where one begins and size, the
// last most bytes of them, and where they end: somebody may be writing another one.
func linesFrom(f *os.File, from, size, most int64) (lines []byte, end int64, err error) {
	cut := max(from, size-most)
	lines = make([]byte, size-cut)
	n, err := f.ReadAt(lines, cut)
	if errors.Is(err, io.EOF) { // it was made shorter
		lines, err = lines[:n], nil
	}
	if err != nil {
		return nil, from, err
	}
	lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
	end = cut + int64(len(lines))
	if cut > from {
		_, lines, _ = bytes.Cut(lines, []byte("\n")) // the rest of a line
	}
	return lines, end, nil
}

// Entries returns what was sent, the oldest first.
func (h *File) Entries() []string {
	_ = h.readOn() // what others have sent is not worth an error
	h.load()
	return h.memory.Entries()
}

// load takes in the last of the lines that were read. What is none of ours is passed
// over.
func (h *File) load() {
	lines := h.lines
	h.lines = nil
	from := len(lines)
	for n := 0; n <= mostEntries && from > 0; n++ {
		from = bytes.LastIndexByte(lines[:from], '\n')
	}
	lines = lines[max(0, from):]
	for one := range bytes.Lines(lines) {
		var l line
		if json.Unmarshal(one, &l) == nil && l.Text != "" {
			h.memory.Add(l.Text)
		}
	}
}

// Add adds an entry. One that equals the last is not added.
func (h *File) Add(text string) {
	if all := h.Entries(); len(all) > 0 && all[len(all)-1] == text {
		return
	}
	written := len(text) <= mostLineBytes && h.keep(text)
	if !written || h.readOn() != nil {
		h.load()
		h.memory.Add(text)
	}
}

// keep writes an entry, behind what others have written meanwhile, and reports
// whether it could.
func (h *File) keep(text string) bool {
	size, err := h.write(text)
	written := err == nil
	if written && size > mostFileBytes {
		err = h.shorten()
	}
	if err != nil && h.err == nil {
		h.err = fmt.Errorf("keep the history of the input: %w", err)
	}
	return written
}

// Err returns why an entry could not be written, if one could not.
func (h *File) Err() error { return h.err }

// write appends an entry and returns how long the file was before.
func (h *File) write(text string) (size int64, err error) {
	record, err := json.Marshal(line{text})
	if err != nil {
		return 0, err
	}
	// Those who write share the lock; who makes the file shorter has it alone.
	f, err := h.open(unix.LOCK_SH)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return 0, err
	}
	last := []byte{'\n'}
	if size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil {
			return 0, err
		}
	}
	if last[0] != '\n' {
		record = append([]byte("\n"), record...) // somebody died in mid-line
	}
	_, err = f.Write(append(record, '\n'))
	return size, err
}

// open opens the file and waits for its lock, which is given back with Close.
func (h *File) open(how int) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(h.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err = flock(f, how); err == nil && h.is(f) {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
		// Another has put a shorter one in its place after we opened it.
	}
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// is reports whether f is the file that lies at the path.
func (h *File) is(f *os.File) bool {
	ours, err1 := f.Stat()
	there, err2 := os.Stat(h.path)
	return err1 == nil && err2 == nil && os.SameFile(ours, there)
}

// shorten drops the older half of the file, unless somebody else is at it.
func (h *File) shorten() error {
	f, err := h.open(unix.LOCK_EX | unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= mostFileBytes {
		return err
	}
	lines, _, err := linesFrom(f, 0, info.Size(), mostFileBytes/2)
	if err != nil {
		return err
	}
	return wholefile.Replace(h.path, lines)
}
