package tools

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"syscall"

	"ikigai/internal/match"
)

const (
	blockSize   = 1 << 20 // bytes of a file in memory, unless a line is longer
	longestLine = 8 << 20 // of a longer line only a part at a time is in memory
)

// blockReader hands out a file in blocks of whole lines. Around the lines that
// are to be searched, a block has those that may be shown with them, as far as
// there is room. A line for which there is none has a longLine in its place.
type blockReader struct {
	lines int          // to be shown around a match
	find  *match.Lines // of what is searched for
	most  int          // bytes that buf may have

	src  io.Reader
	buf  []byte
	used int  // bytes in buf
	end  bool // of the file
	next int  // where in buf the next block begins

	data  []byte // the block: the beginning of buf
	line  int    // the number of its first line
	from  int    // where the lines to be searched begin
	limit int    // where the lines begin that the next block searches

	long  []longLine // in buf, in order
	ahead int        // the first of them that was not looked at for a match
	text  int        // where the lines before it begin, which find has
}

// reset begins a file. What is UTF-16 by its mark is read as UTF-8, and a mark is
// no part of the first line.
func (r *blockReader) reset(src io.Reader) error {
	if r.buf == nil {
		r.buf = make([]byte, blockSize)
	}
	*r = blockReader{lines: r.lines, find: r.find, most: r.most, src: src, buf: r.buf, line: 1, long: r.long[:0]}
	if err := r.fill(); err != nil {
		return err
	}
	e, mark := marked(r.buf[:r.used])
	if e.width() > 1 {
		r.src = e.reader(io.MultiReader(bytes.NewReader(bytes.Clone(r.buf[mark:r.used])), src))
		r.used, r.end = 0, false
		return r.fill()
	}
	r.used = copy(r.buf, r.buf[mark:r.used])
	return nil
}

// advance reads the next block. It returns false at the end of the file, and
// for a binary file. The block before is gone.
func (r *blockReader) advance(ctx context.Context) (bool, error) {
	if r.data == nil && isBinary(r.buf[:min(r.used, binaryProbe)]) {
		return false, nil
	}
	r.drop()
	for {
		if err := r.fill(); err != nil {
			return false, err
		}
		if r.end {
			r.data, r.limit, r.next = r.buf[:r.used], r.used, r.used
			break
		}
		whole := bytes.LastIndexByte(r.buf[:r.used], '\n') + 1
		r.data = r.buf[:whole]
		if r.cut(lastLines(r.data, r.lines)) {
			break
		}
		if len(r.buf) < r.most {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
			continue
		}
		if r.used-whole < r.most/2 && r.cut(whole) { // there is no room for all lines that may be shown
			break
		}
		if err := r.shorten(ctx, whole); err != nil {
			return false, err
		}
	}
	r.look(r.from, 0)
	return r.from < r.limit, nil
}

// cut has the block search the lines up to limit. It reports whether there are any.
func (r *blockReader) cut(limit int) bool {
	r.limit, r.next = limit, lastLines(r.data[:limit], r.lines)
	if r.limit-r.next > r.most/2 {
		r.next = r.limit
	}
	return r.limit > r.from
}

// drop forgets what lies before the next block.
func (r *blockReader) drop() {
	if !r.end { // of a file that fits into one block nothing more is asked
		r.line += bytes.Count(r.buf[:r.next], []byte{'\n'})
	}
	r.used = copy(r.buf, r.buf[r.next:r.used])
	r.from = r.limit - r.next
	r.long = slices.DeleteFunc(r.long, func(l longLine) bool { return l.start < r.next })
	for i := range r.long {
		r.long[i].start -= r.next
		r.long[i].end -= r.next
	}
	r.next = 0
}

// match returns the next line of the block that matches.
func (r *blockReader) match() (match.Line, bool) {
	for {
		if m, ok := r.find.Next(); ok {
			return m.Shift(r.text), true
		}
		if r.ahead == len(r.long) {
			return match.Line{}, false
		}
		l := r.long[r.ahead]
		r.look(min(l.end+1, len(r.data)), r.ahead+1)
		if l.matches {
			return match.Line{Start: l.start, End: l.end, At: l.start}, true
		}
	}
}

// look goes on at text, with those long lines from number ahead on that follow it.
func (r *blockReader) look(text, ahead int) {
	for ahead < len(r.long) && r.long[ahead].start < text {
		ahead++
	}
	r.text, r.ahead = text, ahead
	end := len(r.data)
	if ahead < len(r.long) {
		end = r.long[ahead].start
	}
	r.find.Reset(r.data[text:end])
}

// fill reads until the buffer is full or the file at its end.
func (r *blockReader) fill() error {
	for r.used < len(r.buf) && !r.end {
		n, err := r.src.Read(r.buf[r.used:])
		r.used += n
		if errors.Is(err, io.EOF) {
			r.end = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// lastLines returns where the last n lines of b begin. The last of them ends
// with b.
func lastLines(b []byte, n int) int {
	at := len(b)
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(b[:at-1], '\n') + 1
	}
	return at
}

func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// rawFile is a file without what an os.File does beside reading, which is half
// of the system calls for a small file.
type rawFile int

func openRaw(path string) (rawFile, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		if err != syscall.EINTR {
			return rawFile(fd), err
		}
	}
}

func (f rawFile) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), b)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f rawFile) close() { _ = syscall.Close(int(f)) }
