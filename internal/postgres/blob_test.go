package postgres

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"ikigai"
	"ikigai/internal/storetest"
)

// noise returns bytes that cannot be made smaller.
func noise(seed byte, size int) []byte {
	b := make([]byte, 0, size+32)
	for sum := sha256.Sum256([]byte{seed}); len(b) < size; sum = sha256.Sum256(sum[:]) {
		b = append(b, sum[:]...)
	}
	return b[:size]
}

// The base of a difference may be removed between the look at it and the append,
// or be one that was never stored.
func TestBaseIsGone(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	g, _ := beginSession(t, s)
	base := storetest.Blob(noise(1, 100_000))
	like := storetest.Blob(append([]byte("changed"), base.Bytes...))
	like.Like = base.Hash
	s.blobs.add(plainBlob{hash: base.Hash, bytes: base.Bytes})
	e := storetest.Event(g.Session, 2, ikigai.KindChange, "/f", ikigai.ChangeData{Path: "/f", Blob: like.Hash})
	e.Blobs = []ikigai.Blob{like, like}
	if err := s.Append(t.Context(), g, 1, e); err != nil {
		t.Fatal(err)
	}
	if got, err := openAt(t, url).Blob(t.Context(), like.Hash); err != nil || !bytes.Equal(got, like.Bytes) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A difference is not read without end, and a damaged blob is told.
func TestDamagedBlobs(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	a, b := storetest.Blob([]byte("a")).Hash, storetest.Blob([]byte("b")).Hash
	if err := runScript(t, url, `ALTER TABLE blobs DISABLE TRIGGER USER;
		INSERT INTO blobs VALUES ('`+a+`', 1, 'delta', NULL, 'x'), ('`+b+`', 1, 'delta', '`+a+`', 'x');
		UPDATE blobs SET base = '`+b+`' WHERE hash = '`+a+`';
		INSERT INTO blobs VALUES ('`+storetest.Blob([]byte("c")).Hash+`', 1, 'raw', NULL, 'other'), ('`+storetest.Blob([]byte("d")).Hash+`', 1, 'later', NULL, 'd')`); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b", "c", "d"} {
		_, err := s.Blob(t.Context(), storetest.Blob([]byte(text)).Hash)
		wantSaid(t, text, err, ikigai.ErrorStore, "is damaged")
	}
	h, err := s.Check(t.Context())
	if err != nil || len(h.Problems) != 1 {
		t.Errorf("check: %+v, %v", h, err)
	}
}

func TestRecentBlobs(t *testing.T) {
	var r recentBlobs
	blob := func(name string, size int) plainBlob { return plainBlob{hash: name, bytes: make([]byte, size)} }
	for _, name := range []string{"a", "b", "a", "c"} {
		r.add(blob(name, 4<<20))
	}
	for i := range 3 {
		if _, there := r.get(string(rune('a' + i))); !there {
			t.Errorf("%c is not there", 'a'+i)
		}
	}
	r.add(blob("d", 5<<20))
	if _, there := r.get("b"); there || r.size > maxRecentBytes {
		t.Errorf("the oldest is still there, of %d bytes", r.size)
	}
	r.add(blob("e", maxDeltaBytes+1))
	if _, there := r.get("e"); there {
		t.Error("one is there that no difference can be from")
	}
	for i := range 2 * maxRecent {
		r.add(blob(string(rune('k'+i)), 1))
	}
	if len(r.list) != maxRecent || r.size != maxRecent {
		t.Errorf("%d blobs of %d bytes", len(r.list), r.size)
	}
}
