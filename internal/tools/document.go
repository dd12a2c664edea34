package tools

import (
	"bytes"
	"io"
	"iter"
	"os"
	"slices"

	"ikigai"
	"ikigai/internal/media"
)

// mostEdited is the most bytes of a file that is held in memory to be edited.
const mostEdited = 256 << 20

// document is the text of a file as it is edited: bytes of the file's own
// encoding, so that what no edit touches stays as it is.
type document struct {
	encoding
	raw   []byte        // of the file
	hash  func() string // of what was read; to be called before anything is changed
	mark  int           // bytes of its byte order mark
	lf    []byte        // a line break
	cr    []byte        // that may stand before it
	spare []byte        // memory of an earlier raw
}

// readDocument reads a file that is open, with room for it to grow, and hashes it
// if that is wanted.
func readDocument(path string, f *os.File, room int, hashed bool) (*document, *ikigai.Result) {
	raw, hash, err := readWhole(f, room, hashed)
	if err != nil {
		failure := fileFailure("read", path, err)
		return nil, &failure
	}
	d := &document{raw: raw, hash: hash}
	d.encoding, d.mark = marked(raw)
	switch {
	case len(raw) > mostEdited:
		failure := ikigai.Failure(codeTooLarge, "File "+display(path)+" is larger than "+size(mostEdited)+", too large to be edited here", "Use bash with sed or a script")
		return nil, &failure
	case d.isBinary():
		failure := ikigai.Failure(codeBinary, "File "+display(path)+" is binary", "Use bash with a program that knows its form")
		return nil, &failure
	case d.mark == 0:
		d.encoding = guess(raw)
	}
	d.lf, d.cr = d.ascii("\n"), d.ascii("\r")
	return d, nil
}

// readWhole reads f into memory that has room for so many more bytes. Of a file
// that is too large it reads little more than what shows that. The hash of what
// it has read, "" unless it is wanted, comes when it is asked for; until then raw
// must not be changed.
func readWhole(f *os.File, room int, hashed bool) (raw []byte, hash func() string, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	raw = make([]byte, 0, int(min(info.Size(), mostEdited))+room+bytes.MinRead)
	parts := make(chan []byte, 16)
	defer close(parts)
	if hash = func() string { return "" }; hashed {
		hash = hashParts(parts)
	}
	for len(raw) <= mostEdited {
		if len(raw) == cap(raw) {
			raw = slices.Grow(raw, bytes.MinRead) // it is longer than it said
		}
		n, err := f.Read(raw[len(raw):min(len(raw)+hashedAtOnce, cap(raw))])
		if hashed {
			parts <- raw[len(raw) : len(raw)+n]
		}
		raw = raw[:len(raw)+n]
		switch {
		case err == io.EOF:
			return raw, hash, nil
		case err != nil:
			return raw, hash, err
		}
	}
	return raw, hash, nil
}

// isBinary reports whether the file is no text: it holds a NUL, or is an image
// or a document of a known type.
func (d *document) isBinary() bool {
	nul := make([]byte, d.width())
	return d.index(d.text(), nul, 0) >= 0 || media.Type(d.raw) != ""
}

// text is what follows the byte order mark. Places in it are offsets in bytes.
func (d *document) text() []byte { return d.raw[d.mark:] }

// line returns the number of the line that offset at is in, from 1.
func (d *document) line(at int) int { return d.count(d.text()[:at], d.lf) + 1 }

// lineStart returns where the line that offset at is in begins.
func (d *document) lineStart(at int) int {
	i := d.lastIndex(d.text()[:at], d.lf)
	if i < 0 {
		return 0
	}
	return i + len(d.lf)
}

// lineEnd returns where the line that offset at is in ends, and where the next
// one begins: both are the end of the text in its last line.
func (d *document) lineEnd(at int) (end, next int) {
	text := d.text()
	end = d.index(text, d.lf, at)
	if end < 0 {
		return len(text), len(text)
	}
	next = end + len(d.lf)
	if bytes.HasSuffix(text[at:end], d.cr) {
		end -= len(d.cr)
	}
	return end, next
}

// breakNear returns the line break of the line that offset at is in, or of one
// nearby, where that is the last.
func (d *document) breakNear(at int) []byte {
	text := d.text()
	end, next := d.lineEnd(at)
	if end == next {
		next = d.lineStart(at)
		end = next - min(next, len(d.lf))
		if end > 0 && bytes.HasSuffix(text[:end], d.cr) {
			end -= len(d.cr)
		}
	}
	switch {
	case end < next:
		return bytes.Clone(text[end:next])
	case d.index(text, d.cr, 0) >= 0:
		return d.cr // as on machines of long ago
	}
	return d.lf
}

// change is a part of a text and what comes in its place.
type change struct {
	start, end int
	by         []byte
}

// replace makes one change, where the text lies if there is room.
func (d *document) replace(c change) {
	old := len(d.raw)
	size := old - (c.end - c.start) + len(c.by)
	if size > cap(d.raw) {
		d.replaceAll(func(yield func(change) bool) { yield(c) }, size)
		return
	}
	start, end := c.start+d.mark, c.end+d.mark
	d.raw = d.raw[:max(size, old)]
	copy(d.raw[start+len(c.by):size], d.raw[end:old])
	copy(d.raw[start:], c.by)
	d.raw = d.raw[:size]
}

// replaceAll makes changes, which are in order and do not overlap, and make the
// file one of size bytes.
func (d *document) replaceAll(changes iter.Seq[change], size int) {
	out := d.spare[:0]
	if cap(out) < size {
		out = make([]byte, 0, size)
	}
	at := 0
	for c := range changes {
		out = append(append(out, d.raw[at:c.start+d.mark]...), c.by...)
		at = c.end + d.mark
	}
	out = append(out, d.raw[at:]...)
	d.raw, d.spare = out, d.raw
}
