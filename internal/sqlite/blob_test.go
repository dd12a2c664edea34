package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/storetest"
)

// edits returns versions of a text, each a small change of the one before.
func edits(n int) []ikigai.Blob {
	text := strings.Repeat("a line of the text that is edited\n", 100)
	var list []ikigai.Blob
	for i := range n {
		text = text[:i*30] + fmt.Sprintf("<%d>", i) + text[i*30:]
		b := storetest.Blob([]byte(text))
		if i > 0 {
			b.Like = list[i-1].Hash
		}
		list = append(list, b)
	}
	return list
}

// write has a new session name each of the blobs, and returns its grant.
func write(t *testing.T, s *Store, blobs ...ikigai.Blob) ikigai.Grant {
	t.Helper()
	g := ikigai.Grant{Session: storetest.NewID(), Fence: 1}
	if err := s.Append(t.Context(), g, 0, storetest.Session(g.Session, "/src")); err != nil {
		t.Fatal(err)
	}
	for i, b := range blobs {
		e := storetest.Event(g.Session, ikigai.Seq(i+2), ikigai.KindChange, "/f", ikigai.ChangeData{Path: "/f", Blob: b.Hash})
		e.Blobs = []ikigai.Blob{b}
		if err := s.Append(t.Context(), g, ikigai.Seq(i+1), e); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// Nobody has to read more than maxDeltaDepth differences.
func TestDeltasAreNotDeep(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	versions := edits(3 * maxDeltaDepth)
	write(t, s, versions...)
	deepest, whole := 0, 0
	for _, v := range versions {
		var depth, size int
		if err := s.readers.QueryRow(sqlBlobDepth, v.Hash).Scan(&depth, &size); err != nil || size != len(v.Bytes) {
			t.Fatalf("depth %d, size %d, %v", depth, size, err)
		}
		deepest = max(deepest, depth)
		if depth == 0 {
			whole++
		}
	}
	if deepest != maxDeltaDepth || whole != 3 {
		t.Errorf("depth %d, %d kept whole", deepest, whole)
	}
}

// A Vacuum may take a blob, or the base of a difference, between the look at
// the store and the transaction.
func TestBlobsGoneMeanwhile(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	versions := edits(2)
	g := write(t, s, versions[0])
	event := ikigai.Event{Blobs: versions}
	seen, err := s.packBlobs(t.Context(), []ikigai.Event{event})
	if err != nil || seen[0].row.Hash != "" || seen[1].row.Encoding != blob.Delta {
		t.Fatalf("packed %+v, %v", seen, err)
	}
	if err := s.Remove(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Vacuum(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen[0], seen[1] = seen[1], seen[0] // the difference comes before its base
	err = s.writer.commit(t.Context(), func(ctx context.Context, c *connection) error { return insertBlobs(ctx, c, seen) })
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		if got, err := s.Blob(t.Context(), v.Hash); err != nil || !bytes.Equal(got, v.Bytes) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// The base of a difference cannot go, whoever tries.
func TestBasesStay(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	versions := edits(2)
	write(t, s, versions...)
	if err := statement(t, s, "DELETE FROM blobs WHERE base IS NULL"); err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("the base was removed: %v", err)
	}
}

func TestVacuumGivesSpaceBack(t *testing.T) {
	const part = 512 << 10 // more than all else that is in the file
	path := filepath.Join(t.TempDir(), "ikigai.db")
	for name, path := range map[string]string{
		"new": path, "from version 1": copyOf(t, filepath.Join("testdata", "corpus", "v1.db")),
	} {
		s := openAt(t, path)
		noise := make([]byte, 3*part)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
		kept := storetest.Blob(noise[:part])
		write(t, s, kept)
		g := write(t, s, storetest.Blob(noise))
		if err := s.Remove(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		freed, err := s.Vacuum(t.Context())
		if err != nil || freed < 2*part {
			t.Errorf("%s: freed %d, %v", name, freed, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() > 2*part {
			t.Errorf("%s: the file has %d bytes, %v", name, info.Size(), err)
		}
		if got, err := s.Blob(t.Context(), kept.Hash); err != nil || !bytes.Equal(got, kept.Bytes) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		var mode int
		if err := s.readers.QueryRow("PRAGMA auto_vacuum").Scan(&mode); err != nil || mode != 2 {
			t.Errorf("%s: auto_vacuum %d, %v", name, mode, err)
		}
		wantHealthy(t, path)
	}
}
