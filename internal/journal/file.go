package journal

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ikigai"
)

// A file begins with magic, 8 random bytes and a checksum of both. A record
// is its length, 8 bytes, a checksum of that, 4 bytes, a checksum of both and
// the bytes of encode, 4 bytes, all little-endian, and the bytes of encode.
// Each checksum continues the one before it.
const (
	magic      = "ikigai journal 1\n"
	headerSize = int64(len(magic) + 8 + 4)
	frameSize  = 16
)

// Errors of a reader, beside io.EOF at the clean end.
var (
	// errTorn means that the file ends within a record: what a crash leaves.
	errTorn = errors.New("the last record is incomplete")
	// errDamaged means that a record is not what was written.
	errDamaged = errors.New("a record is damaged")
	// errHeader means that the file does not begin as a journal does.
	errHeader = errors.New("the file is not a journal")
)

// checksum continues the checksum before over b.
func checksum(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

// newHeader returns the beginning of a new file and its checksum.
func newHeader() ([]byte, uint32) {
	b := append([]byte(magic), make([]byte, 8)...)
	_, _ = rand.Read(b[len(magic):]) // never fails
	sum := checksum(0, b)
	return binary.LittleEndian.AppendUint32(b, sum), sum
}

// frame returns a record as the file holds it and its checksum.
func frame(before uint32, r Record) ([]byte, uint32) {
	b := encode(make([]byte, frameSize, frameSize+1024), r)
	binary.LittleEndian.PutUint64(b, uint64(len(b)-frameSize))
	sum := checksum(before, b[:8])
	binary.LittleEndian.PutUint32(b[8:], sum)
	sum = checksum(sum, b[frameSize:])
	binary.LittleEndian.PutUint32(b[12:], sum)
	return b, sum
}

// reader reads the records of a file, one at a time.
type reader struct {
	in   *bufio.Reader
	size int64 // of the file
	end  int64 // of the records read so far
	sum  uint32
}

// readFile returns a reader of what f holds now.
func readFile(f *os.File) (*reader, error) {
	info, err := f.Stat()
	if err != nil {
		return &reader{}, err
	}
	return newReader(f, info.Size())
}

// newReader reads the header of a file of a size. A file shorter than a header
// is torn.
func newReader(f io.ReaderAt, size int64) (*reader, error) {
	r := &reader{in: bufio.NewReader(io.NewSectionReader(f, 0, size)), size: size}
	if r.size < headerSize {
		return r, errTorn
	}
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(r.in, header); err != nil {
		return r, err
	}
	random := len(header) - 4
	r.sum = checksum(0, header[:random])
	if string(header[:len(magic)]) != magic || binary.LittleEndian.Uint32(header[random:]) != r.sum {
		return r, errHeader
	}
	r.end = headerSize
	return r, nil
}

// next returns the next record: io.EOF behind the last one, errTorn and
// errDamaged as they say.
func (r *reader) next() (Record, error) {
	left := r.size - r.end
	if left == 0 {
		return Record{}, io.EOF
	}
	if left < frameSize {
		return Record{}, errTorn
	}
	var head [frameSize]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return Record{}, err
	}
	length := binary.LittleEndian.Uint64(head[:])
	sum := checksum(r.sum, head[:8])
	if sum != binary.LittleEndian.Uint32(head[8:]) {
		return Record{}, r.badFrame(head[:])
	}
	if length > uint64(left)-frameSize {
		return Record{}, errTorn
	}
	payload := make([]byte, length)
	if _, err := io.ReadFull(r.in, payload); err != nil {
		return Record{}, err
	}
	if sum = checksum(sum, payload); sum != binary.LittleEndian.Uint32(head[12:]) {
		return Record{}, errDamaged
	}
	record, err := decode(payload)
	if err != nil {
		return Record{}, errDamaged
	}
	r.sum = sum
	r.end += frameSize + int64(length)
	return record, nil
}

// badFrame tells the zeros that some file systems leave behind after a crash
// from damage.
func (r *reader) badFrame(head []byte) error {
	zeros := strings.Trim(string(head), "\x00") == ""
	for zeros {
		b, err := r.in.ReadByte()
		if err == io.EOF {
			return errTorn
		}
		if err != nil {
			return err
		}
		zeros = b == 0
	}
	return errDamaged
}

// openLocked opens the file at path for the caller alone: ikigai.ErrBusy while
// another process has it.
func openLocked(path string, flags int) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			f.Close()
			return nil, err
		}
		// It may have been delivered, and removed, before it was locked.
		if there, err := onDisk(f, path); err != nil || there {
			return f, err
		}
		f.Close()
	}
}

func flock(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ikigai.ErrBusy
		default:
			return err
		}
	}
}

func onDisk(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, there), err
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// fileName returns the path of the journal of a session.
func fileName(dir string, session ikigai.ID) (string, error) {
	for _, c := range []byte(session) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return "", fmt.Errorf("a session cannot have the ID %q", session)
		}
	}
	if session == "" || len(session) > 64 {
		return "", fmt.Errorf("a session cannot have the ID %q", session)
	}
	return filepath.Join(dir, string(session)+suffix), nil
}
