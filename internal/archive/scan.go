package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"ikigai"
	"ikigai/internal/blob"
)

// maxLine is the longest line that is read, in bytes. No event or blob that a
// store takes comes near it; without a limit a file without line ends would
// fill the memory.
const maxLine = 1 << 30

// scanned is what a line holds: one of these.
type scanned struct {
	session *Session
	event   *ikigai.Event
	blob    *ikigai.Blob
}

// scanner reads the lines of an archive and checks that they fit together.
type scanner struct {
	in       *bufio.Reader
	sum      hash.Hash
	number   int   // of the line read last
	bytes    int64 // read so far
	long     []byte
	session  *Session
	seq      ikigai.Seq // of the event read last
	contents Contents
	expected int64 // events, as the first line says
}

func newScanner(r io.Reader) *scanner {
	return &scanner{in: bufio.NewReaderSize(r, 256<<10), sum: sha256.New()}
}

// next returns what the next line holds that is of a session, and io.EOF
// behind the last line of a whole archive. Any other error is an *ikigai.Error
// or that of the reader.
func (s *scanner) next() (scanned, error) {
	if s.number == 0 {
		if err := s.head(); err != nil {
			return scanned{}, err
		}
	}
	text, err := s.line()
	if err == io.EOF {
		return scanned{}, s.damage("the file ends before its last line")
	}
	if err != nil {
		return scanned{}, err
	}
	var l anyLine
	if err := json.Unmarshal(text, &l); err != nil {
		return scanned{}, s.damage(err.Error())
	}
	if l.Line == "end" {
		return scanned{}, s.end(&l)
	}
	s.sum.Write(text)
	return s.content(&l)
}

func (s *scanner) content(l *anyLine) (it scanned, err error) {
	switch l.Line {
	case "":
		return s.event(l)
	case "session":
		if l.ID == "" {
			return it, s.damage("a session has no ID")
		}
		s.session, s.seq = &Session{ID: l.ID, Parent: l.Parent, Base: l.Base}, l.Base
		s.contents.Sessions++
		it.session = s.session
	case "blob":
		if blob.Hash(l.Base64) != l.Hash {
			return it, s.damage("a blob has not the hash it should have")
		}
		s.contents.Blobs++
		it.blob = &ikigai.Blob{Hash: l.Hash, Bytes: l.Base64}
	default:
		return it, s.damage(fmt.Sprintf("a line of kind %q is unknown", l.Line))
	}
	return it, nil
}

func (s *scanner) event(l *anyLine) (scanned, error) {
	e := l.event()
	switch {
	case s.session == nil || e.Session != s.session.ID:
		return scanned{}, s.damage(fmt.Sprintf("an event belongs to session %q, which has not begun", e.Session))
	case e.Seq != s.seq+1:
		return scanned{}, s.damage(fmt.Sprintf("event %d follows event %d", e.Seq, s.seq))
	case e.ID == "" || e.Kind == "" || e.Interaction == "":
		return scanned{}, s.damage("an event lacks its ID, kind or interaction")
	}
	s.seq = e.Seq
	s.contents.Events++
	return scanned{event: &e}, nil
}

// head reads the first line.
func (s *scanner) head() error {
	text, err := s.line()
	if err != nil && err != io.EOF {
		return err
	}
	var l anyLine
	if json.Unmarshal(text, &l) != nil || l.Line != "archive" || l.Format != format {
		return &ikigai.Error{
			Kind: ikigai.ErrorUsage,
			What: "This is no archive of ikigai: its first line does not say so",
			Do:   "Name a file that ikigai export has written",
		}
	}
	if l.Version > Version || l.Version < 1 {
		return &ikigai.Error{
			Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("The archive has the form of version %d, and this program reads version %d", l.Version, Version),
			Do:   "Import it with a newer ikigai",
		}
	}
	s.expected = l.Contents.Events
	s.sum.Write(text)
	return nil
}

// end checks the last line and that nothing follows it.
func (s *scanner) end(l *anyLine) error {
	if l.SHA256 != hex.EncodeToString(s.sum.Sum(nil)) {
		return s.damage("the lines before it are not those that were written: their SHA-256 differs")
	}
	if l.Sessions != s.contents.Sessions || l.Events != s.contents.Events || l.Contents.Blobs != s.contents.Blobs {
		return s.damage("there are not as many sessions, events and blobs as it says")
	}
	s.contents = l.Contents
	if _, err := s.line(); err != io.EOF {
		if err != nil {
			return err
		}
		return s.damage("something stands behind the last line")
	}
	return io.EOF
}

// line returns the next line with its newline, good until the next call.
func (s *scanner) line() ([]byte, error) {
	s.number++
	s.long = s.long[:0]
	if cap(s.long) > maxBuffer {
		s.long = nil
	}
	for {
		piece, err := s.in.ReadSlice('\n')
		s.bytes += int64(len(piece))
		switch {
		case err == nil && len(s.long) == 0:
			return piece, nil
		case err == nil:
			return append(s.long, piece...), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if err == io.EOF && len(s.long)+len(piece) > 0 {
				return nil, s.damage("the file ends within it")
			}
			return nil, err
		}
		if s.long = append(s.long, piece...); len(s.long) > maxLine {
			return nil, s.damage(fmt.Sprintf("it is longer than %d MiB", maxLine>>20))
		}
	}
}

func (s *scanner) damage(why string) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("Line %d of the archive is damaged: %s", s.number, why),
		Do:   "Export the sessions again, if they are still there. The lines before it can be imported as they are",
	}
}

// IsArchive reports whether a file that begins with head is an archive.
func IsArchive(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"line":"archive","format":"`+format+`"`))
}
