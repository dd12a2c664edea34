package archive

import (
	"os"

	"ikigai"
)

// spare keeps the blobs of events that were skipped. A later session may name
// them too, and an archive holds each blob once. The bytes are in a file, so
// that their number does not matter. The zero spare is empty.
type spare struct {
	file  *os.File
	end   int64
	spans map[string]span
}

type span struct{ at, size int64 }

// put keeps blobs.
func (s *spare) put(blobs []ikigai.Blob) (err error) {
	if len(blobs) > 0 && s.file == nil {
		if s.file, err = os.CreateTemp("", "ikigai-import-*"); err != nil {
			return err
		}
		s.spans = map[string]span{}
	}
	for _, b := range blobs {
		if _, ok := s.spans[b.Hash]; ok {
			continue
		}
		if _, err := s.file.WriteAt(b.Bytes, s.end); err != nil {
			return err
		}
		s.spans[b.Hash] = span{s.end, int64(len(b.Bytes))}
		s.end += int64(len(b.Bytes))
	}
	return nil
}

// of returns blobs and those that are kept and that the data of e names.
func (s *spare) of(e ikigai.Event, blobs []ikigai.Blob) ([]ikigai.Blob, error) {
	if len(s.spans) == 0 {
		return blobs, nil
	}
	var failed error
	eachHash(e.Data, func(hash string) {
		at, ok := s.spans[hash]
		if !ok || failed != nil {
			return
		}
		b := ikigai.Blob{Hash: hash, Bytes: make([]byte, at.size)}
		_, failed = s.file.ReadAt(b.Bytes, at.at)
		blobs = append(blobs, b)
	})
	return blobs, failed
}

func (s *spare) remove() {
	if s.file == nil {
		return
	}
	s.file.Close()
	os.Remove(s.file.Name())
}
