package undo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ikigai/internal/preimage"
	"ikigai/internal/walk"
)

// held is what a file holds, or where that is to be had.
type held struct {
	link   string    // where a symbolic link points to
	from   int64     // where the content begins in contents
	size   int64     // its bytes; 0 if it is not there, too
	object string    // the name of the content among git's objects
	reason string    // why neither is known
	at     time.Time // when it was found out

	ignored bool // git ignores the file, and its bytes count for that share
}

// holds reports whether content is known to be the one held, and whether that
// is known at all.
func (w *Watcher) holds(h *held, content []byte) (same, known bool) {
	switch {
	case h == nil || h.reason != "":
		return false, false
	case h.object != "":
		return h.object == objectName(content), true
	case h.size != int64(len(content)):
		return false, true
	}
	was, err := w.contents.get(h.from, h.size)
	return bytes.Equal(was, content), err == nil
}

// objectName returns the name that git gives to content.
func objectName(content []byte) string {
	sum := sha1.New()
	_, _ = fmt.Fprintf(sum, "blob %d\x00", len(content)) // a hash takes everything
	_, _ = sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// memory is what the contents of a tree may take of it, in bytes.
type memory struct {
	limit, used int64
	ignored     int64 // of used: files that git ignores
}

// share is what files that git ignores may take: they are many, and most can be
// made again.
func (m memory) share() int64 { return m.limit / 16 }

// hold finds out what each file of a tree holds, those first that are lost
// otherwise and small, until ctx ends.
func (w *Watcher) hold(ctx context.Context, t *tree) {
	w.memory.used, w.memory.ignored = 0, 0
	var missing []*file
	need := int64(0)
	for i := range t.files {
		f := &t.files[i]
		switch {
		case f.held != nil:
			w.memory.take(f.held)
		case f.stat.regular():
			missing = append(missing, f)
		}
	}
	w.contents.tidy(t.files, w.memory.used)
	if len(missing) == 0 {
		return
	}
	w.git.refresh(t)
	missing = slices.DeleteFunc(missing, func(f *file) bool {
		if object := w.git.object(f); object != "" {
			f.held = &held{object: object, at: t.began}
			return true
		}
		need += f.stat.size
		return false
	})
	var listed map[string]bool
	if w.memory.used+need > w.memory.share() {
		listed = w.sort(ctx, missing)
	}
	for _, f := range missing {
		if ctx.Err() != nil {
			return
		}
		w.read(f, listed != nil && !listed[f.path])
	}
}

// take counts what is held.
func (m *memory) take(h *held) {
	m.used += h.size
	if h.ignored {
		m.ignored += h.size
	}
}

// sort puts files in the order of how much they are worth being held: first
// those that git does not ignore, which it returns, then those high up, then the
// small ones.
func (w *Watcher) sort(ctx context.Context, files []*file) map[string]bool {
	listed := map[string]bool{}
	if list, err := walk.Files(ctx, w.config.Dir, walk.Options{Hidden: true}); err == nil {
		for _, e := range list.Entries {
			listed[e.Path] = true
		}
	}
	ignored := func(f *file) int {
		if listed[f.path] {
			return 0
		}
		return 1 + strings.Count(f.path, "/")
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(ignored(a), ignored(b)), cmp.Compare(a.stat.size, b.stat.size))
	})
	return listed
}

// read holds the content of a file, if there is room for it.
func (w *Watcher) read(f *file, ignored bool) {
	h := &held{at: time.Now(), ignored: ignored}
	switch {
	case f.stat.size > preimage.MaxBlob:
		h.reason = fmt.Sprintf("larger than %d MiB", preimage.MaxBlob>>20)
	case f.stat.size > w.memory.limit-w.memory.used:
		h.reason = "the directory holds more than is kept in memory (undo_limit)"
	case ignored && f.stat.size > w.memory.share()-w.memory.ignored:
		h.reason = "git ignores it, and there is more of that than is kept in memory (undo_limit)"
	default:
		whole, err := w.open(f, func(from io.Reader) (err error) {
			h.from, err = w.contents.put(from, f.stat.size)
			return err
		})
		if err != nil {
			h.reason = reasonOf(err)
			break
		}
		if !whole {
			return // it changes right now
		}
		h.size = f.stat.size
		w.memory.take(h)
	}
	f.held = h
}

// content returns what a file holds; nil if that is not what the file was when
// it was looked at.
func (w *Watcher) content(f *file) ([]byte, error) {
	content := make([]byte, f.stat.size)
	whole, err := w.open(f, func(from io.Reader) error {
		_, err := io.ReadFull(from, content)
		return err
	})
	if !whole || err != nil {
		return nil, err
	}
	return content, nil
}

// open has what a file holds read. It reports false if that is not what the
// file was when it was looked at.
func (w *Watcher) open(f *file, read func(io.Reader) error) (whole bool, err error) {
	path := filepath.Join(w.config.Dir, f.path)
	from, info, err := preimage.Open(path)
	if err != nil {
		return false, err
	}
	defer from.Close()
	if sys, ok := info.Sys().(*syscall.Stat_t); !ok || uint64(sys.Ino) != f.stat.ino || info.Size() != f.stat.size {
		return false, nil
	}
	if err := read(from); errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	after, err := lstat(path)
	return err == nil && after == f.stat, nil
}
