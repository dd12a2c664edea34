package tools

import (
	"bytes"
	"context"
)

// longLine is a line that is not in memory as a whole. In its place stands a text
// with a part of it, around its first match, that tells its length.
type longLine struct {
	start, end int // of the text, without the line break
	matches    bool
}

// longText is how many bytes of a long line its text has at most: with what is
// said beside them, it is not longer than what is shown.
const longText = shownLine - 64

// shorten reads the line that begins at start to its end, looks for a match in it
// and puts a longLine in its place. It needs a buf of at least four times
// shownLine, half of it for this line.
func (r *blockReader) shorten(ctx context.Context, start int) error {
	find, next := r.find.Long(), start // where the part begins that is looked at next
	long, text, gone := longLine{start: start}, []byte(nil), 0
	for read := start; ; read = r.used {
		if err := r.fill(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end, last := r.used, r.end
		if i := bytes.IndexByte(r.buf[read:r.used], '\n'); i >= 0 {
			end, last = read+i, true
		}
		to, line := end-shownLine, r.buf[start:end] // with a match comes what is shown of it
		if last {
			to, line = end, bytes.TrimSuffix(line, []byte{'\r'})
		}
		at := -1
		if !long.matches {
			at, next = find.Part(r.buf[:end], next, to)
		}
		if long.matches = long.matches || at >= 0; at >= 0 || text == nil {
			text = partOf(line, max(at, start)-start, longText, gone > 0, !last)
		}
		if last {
			r.put(long, append(text, lengthOf(gone+len(line))...), end)
			return nil
		}
		if long.matches {
			next = to
		}
		n := next - shownLine - start
		r.used = start + copy(r.buf[start:], r.buf[start+n:r.used])
		next, gone = next-n, gone+n
	}
}

// put puts the text of a long line in the place of what there is of it, which
// ends at end.
func (r *blockReader) put(l longLine, text []byte, end int) {
	rest := r.buf[end:r.used]
	l.end = l.start + copy(r.buf[l.start:end], text)
	r.used = l.end + copy(r.buf[l.end:], rest)
	r.long = append(r.long, l)
}
