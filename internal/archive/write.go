package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"ikigai"
	"ikigai/internal/blob"
)

// WriteOptions says how an archive is written. The zero value writes it
// without redaction.
type WriteOptions struct {
	By       string              // the program that writes
	Written  ikigai.Micros       // now
	Redact   func(string) string // takes secrets out of a text; nil leaves all as it is
	Progress func(Progress)      // called now and then; may be nil
}

// Write writes the sessions with these IDs, or all if there are none, to w, in
// the form that Read reads. The memory it takes does not depend on the number
// of events. An error leaves an archive without its last line, which Read
// notices.
func Write(ctx context.Context, w io.Writer, from Source, o WriteOptions, sessions ...ikigai.ID) (Contents, error) {
	items, err := plan(ctx, from, sessions)
	if err != nil {
		return Contents{}, fmt.Errorf("list the sessions to export: %w", err)
	}
	out := newWriter(ctx, w, from, o)
	head := headLine{Line: "archive", Format: format, Version: Version, By: o.By, Written: o.Written, Sessions: int64(len(items))}
	for _, it := range items {
		head.Events += int64(it.upTo - it.Base)
	}
	out.progress.Of = head.Events
	if err := out.line(head); err != nil {
		return out.contents, err
	}
	for _, it := range items {
		if err := out.session(it); err != nil {
			return out.contents, fmt.Errorf("export session %s: %w", it.ID, err)
		}
	}
	return out.contents, out.close()
}

type writer struct {
	ctx      context.Context
	from     Source
	o        WriteOptions
	out      *bufio.Writer
	sum      hash.Hash
	buffer   []byte
	written  seen // the hashes of blobs that stand in the archive
	redactor redactor
	contents Contents
	progress Progress
}

func newWriter(ctx context.Context, w io.Writer, from Source, o WriteOptions) *writer {
	sum := sha256.New()
	return &writer{
		ctx: ctx, from: from, o: o, sum: sum, written: seen{},
		out:      bufio.NewWriterSize(io.MultiWriter(w, sum), 256<<10),
		redactor: newRedactor(o.Redact),
	}
}

// session writes a session: its line, then its own events.
func (w *writer) session(it item) error {
	w.progress.Session = it.ID
	w.redactor.begin(it)
	err := w.line(sessionLine{
		Line: "session", ID: it.ID, Dir: w.redactor.text(it.Dir), Title: w.redactor.text(it.Title),
		Created: it.Created, Parent: it.Parent, Base: it.Base,
	})
	if err != nil {
		return err
	}
	w.contents.Sessions++
	for e, err := range w.from.Events(w.ctx, it.ID, it.Base) {
		if err != nil {
			return err
		}
		if !it.whole && e.Seq > it.upTo {
			break
		}
		if err := w.event(e); err != nil {
			return err
		}
	}
	w.progress.Sessions++
	w.tell()
	return nil
}

func (w *writer) event(e ikigai.Event) error {
	if err := checkEvent(&e); err != nil {
		return err
	}
	// Whether the tail of a request may stay is known once the blobs before it
	// have been looked through.
	if err := w.blobs(w.redactor.withoutTail(e)); err != nil {
		return err
	}
	original := e.Data
	e = w.redactor.event(e)
	if w.redactor.keepsTail(e) {
		if err := w.blobs(original); err != nil {
			return err
		}
	}
	w.buffer = appendEvent(w.buffer[:0], &e)
	w.contents.Events++
	w.progress.Events++
	if w.progress.Events%1024 == 0 {
		w.tell()
	}
	return w.flush()
}

// blobs writes the blobs that data names and that are not in the archive yet.
func (w *writer) blobs(data []byte) (err error) {
	eachHash(data, func(hash string) {
		if err == nil && !w.written.has(hash) {
			err = w.blob(hash)
		}
	})
	return err
}

func (w *writer) blob(hash string) error {
	content, err := w.from.Blob(w.ctx, hash)
	if errors.Is(err, ikigai.ErrNotFound) {
		return nil // a hash of something else
	}
	if err != nil {
		return err
	}
	w.written.add(hash)
	if redacted, changed := w.redactor.blob(hash, content); changed {
		content, hash = redacted, blob.Hash(redacted)
	}
	w.buffer = appendBlob(w.buffer[:0], hash, content)
	w.contents.Blobs++
	return w.flush()
}

func (w *writer) line(v any) error {
	w.buffer = appendLine(w.buffer[:0], v)
	return w.flush()
}

// maxBuffer is the size beyond which the memory of a line is not kept for the
// lines that follow.
const maxBuffer = 4 << 20

func (w *writer) flush() error {
	n, err := w.out.Write(w.buffer)
	w.progress.Bytes += int64(n)
	if cap(w.buffer) > maxBuffer {
		w.buffer = nil
	}
	return err
}

// close writes the last line, which is not part of what it has the sum of.
func (w *writer) close() error {
	w.contents.Redacted = w.redactor.texts
	w.contents.RedactedBlobs = w.redactor.blobs
	w.contents.RedactedRequests = w.redactor.requests
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := w.line(endLine{"end", w.contents, hex.EncodeToString(w.sum.Sum(nil))}); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *writer) tell() {
	if w.o.Progress != nil {
		w.o.Progress(w.progress)
	}
}

// seen is a set of hashes that stays small: when it is full it forgets, so
// that a blob may be handled twice, which does no harm.
type seen map[string]struct{}

const maxSeen = 1 << 14

func (s seen) has(hash string) bool {
	_, ok := s[hash]
	return ok
}

func (s seen) add(hash string) {
	if len(s) >= maxSeen {
		clear(s)
	}
	s[hash] = struct{}{}
}
