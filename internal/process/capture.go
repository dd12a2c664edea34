package process

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"slices"
	"sync"
	"unicode/utf8"
)

// The streams of a command.
const (
	Stdout = iota
	Stderr
)

// Output is what is kept of both streams, or of a part of them.
type Output struct {
	Pieces []Piece // in the order in which they arrived
	Total  [2]int64

	File      string // with the whole output, "" if there is none
	FileBytes int64  // less than all of it when the file reached its limit
	FileErr   error  // why the file is missing, or not whole
}

// Piece is a run of bytes of one stream. Gap bytes of the same stream are left
// out before it. A piece begins and ends between characters.
type Piece struct {
	Stream int
	Gap    int64
	Bytes  []byte
}

// MaxFile bounds the file that takes the whole output.
const MaxFile = 1 << 30

// wholeLine is the number of bytes given up so that a cut falls between lines.
const wholeLine = 512

// ErrFileFull tells that the output did not fit into its file.
var ErrFileFull = errors.New("the limit of the file")

// capture takes in both streams of a command in bounded memory.
type capture struct {
	mu       sync.Mutex
	streams  [2]kept
	last     int // the stream of the last bytes
	order    int // grows whenever the bytes of another stream follow
	spill    func() (*os.File, error)
	file     *os.File
	out      Output // what is known of the file
	progress func([]byte)
}

func newCapture(c Command) *capture {
	k := &capture{spill: c.Spill, progress: c.Progress}
	for i, limit := range c.Limits {
		k.streams[i] = kept{headLimit: limit / 2, tailLimit: limit - limit/2}
	}
	return k
}

// wholeRunes returns the length of b without a character that is not whole.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				break
			}
			return i
		}
	}
	return len(b)
}

func (k *capture) add(stream int, data []byte) {
	if len(data) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.progress != nil {
		k.progress(data)
	}
	s := &k.streams[stream]
	if k.spill != nil && s.total+int64(len(data)) > int64(s.headLimit+s.tailLimit) {
		k.openFile()
	}
	k.write(data)
	if k.last != stream {
		k.last = stream
		k.order++
	}
	s.add(data, k.order)
}

// openFile creates the file and writes what came so far. That is still whole.
func (k *capture) openFile() {
	k.file, k.out.FileErr = k.spill()
	k.spill = nil
	if k.out.FileErr != nil {
		k.file = nil
		return
	}
	k.out.File = k.file.Name()
	for _, p := range k.pieces() {
		k.write(p.Bytes)
	}
}

// write appends to the file, if there is one, as far as its limit goes.
func (k *capture) write(data []byte) {
	if k.file == nil || k.out.FileErr != nil {
		return
	}
	if room := MaxFile - k.out.FileBytes; int64(len(data)) > room {
		data = data[:room]
		k.out.FileErr = ErrFileFull
	}
	n, err := k.file.Write(data)
	k.out.FileBytes += int64(n)
	if err != nil {
		k.out.FileErr = err
	}
}

// take returns what is kept since it was last called, and keeps what comes from
// here on. With the last call nothing more may come.
func (k *capture) take(last bool) Output {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !last && k.spill != nil && k.streams[Stdout].total+k.streams[Stderr].total > 0 {
		k.openFile() // once this is taken, the whole is nowhere else
	}
	if last && k.file != nil {
		if err := k.file.Close(); err != nil && k.out.FileErr == nil {
			k.out.FileErr = err
		}
		k.file = nil
	}
	out := k.out
	out.Pieces = k.pieces()
	for i := range k.streams {
		s := &k.streams[i]
		out.Total[i] = s.total
		*s = kept{headLimit: s.headLimit, tailLimit: s.tailLimit}
	}
	return out
}

// pieces returns what is kept of both streams in the order of arrival.
func (k *capture) pieces() []Piece {
	var all []placed
	for i := range k.streams {
		all = append(all, k.streams[i].pieces(i)...)
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.order, b.order) })
	var pieces []Piece
	for _, p := range all {
		if n := len(pieces) - 1; n >= 0 && pieces[n].Stream == p.Stream && p.Gap == 0 {
			pieces[n].Bytes = slices.Concat(pieces[n].Bytes, p.Bytes)
			continue
		}
		pieces = append(pieces, p.Piece)
	}
	return pieces
}

// kept is the beginning and the end of one stream.
type kept struct {
	headLimit, tailLimit int

	total      int64
	order      int    // of the last bytes
	head, tail []byte // tail is at most twice as long as its limit
	headMarks  []mark
	tailMarks  []mark
}

// mark says when the bytes of a stream arrived: those up to end, exclusive, and
// from the end of the mark before.
type mark struct {
	order int
	end   int64 // offset in the stream
}

type placed struct {
	Piece
	order int
}

func (s *kept) add(data []byte, order int) {
	s.order = order
	if n := min(s.headLimit-len(s.head), len(data)); n > 0 {
		s.head = append(s.head, data[:n]...)
		s.total += int64(n)
		data = data[n:]
		s.headMarks = addMark(s.headMarks, mark{order, s.total})
	}
	if len(data) == 0 {
		return
	}
	s.total += int64(len(data))
	data = data[max(0, len(data)-s.tailLimit):]
	if len(s.tail)+len(data) > 2*s.tailLimit {
		s.tail = s.tail[:copy(s.tail, s.tail[len(s.tail)-(s.tailLimit-len(data)):])]
	}
	s.tail = append(s.tail, data...)
	s.tailMarks = addMark(s.tailMarks, mark{order, s.total})
	if len(s.tailMarks) > 2*s.tailLimit+1 {
		old := s.total - int64(s.tailLimit)
		s.tailMarks = slices.DeleteFunc(s.tailMarks, func(m mark) bool { return m.end <= old })
	}
}

func addMark(marks []mark, m mark) []mark {
	if n := len(marks); n > 0 && marks[n-1].order == m.order {
		marks[n-1].end = m.end
		return marks
	}
	return append(marks, m)
}

// pieces returns what is kept, cut between characters, and between lines where
// that costs little.
func (s *kept) pieces(stream int) []placed {
	head := s.head
	tail := s.tail[max(0, len(s.tail)-s.tailLimit):]
	if int64(len(head)+len(tail)) < s.total {
		head, tail = endOfHead(head), startOfTail(tail)
	}
	all := split(stream, head, 0, s.headMarks)
	ends := split(stream, tail, s.total-int64(len(tail)), s.tailMarks)
	if gap := s.total - int64(len(head)+len(tail)); gap > 0 {
		if len(ends) == 0 {
			ends = []placed{{Piece{Stream: stream}, s.order}}
		}
		ends[0].Gap = gap
	}
	return append(all, ends...)
}

// split cuts data, which begins at the offset start of its stream, at marks.
func split(stream int, data []byte, start int64, marks []mark) []placed {
	var all []placed
	for _, m := range marks {
		n := min(m.end-start, int64(len(data)))
		if n <= 0 {
			continue
		}
		all = append(all, placed{Piece{Stream: stream, Bytes: data[:n:n]}, m.order})
		data, start = data[n:], start+n
	}
	return all
}

func endOfHead(b []byte) []byte {
	b = b[:wholeRunes(b)]
	if i := bytes.LastIndexByte(b, '\n') + 1; i > 0 && len(b)-i < min(wholeLine, len(b)/2) {
		return b[:i]
	}
	return b
}

func startOfTail(b []byte) []byte {
	for n := 0; n < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); n++ {
		b = b[1:]
	}
	if i := bytes.IndexByte(b, '\n') + 1; i > 0 && i < min(wholeLine, len(b)/2) {
		return b[i:]
	}
	return b
}
