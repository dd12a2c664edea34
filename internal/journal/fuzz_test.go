package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// What decode accepts, encode gives back: decoding again finds the same.
func FuzzDecode(f *testing.F) {
	full := event(7, "content")
	full.Data = []byte(`{"a":1}`)
	full.Blobs = []ikigai.Blob{{Hash: "h", Bytes: []byte("bytes")}, {}}
	for _, r := range []Record{{}, {Grant: grant, After: 6, AfterID: "id", Events: []ikigai.Event{full, event(8, "")}}} {
		f.Add(encode(nil, r))
	}
	f.Add(oldest(Record{Grant: grant, After: 6, Events: []ikigai.Event{full, event(8, "")}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(b)
		if err != nil {
			return
		}
		again, err := decode(encode(nil, r))
		if diff := cmp.Diff(r, again); err != nil || diff != "" {
			t.Errorf("%v (-first +again):\n%s", err, diff)
		}
	})
}

// oldest is encode of the version that knew neither AfterID nor Like.
func oldest(r Record) []byte {
	b := encode(nil, r)
	n := 1 // for the length of AfterID
	for _, e := range r.Events {
		n += len(e.Blobs)
	}
	return b[:len(b)-n]
}

func TestOldestVersion(t *testing.T) {
	want := Record{Grant: grant, After: 6, Events: []ikigai.Event{event(7, "a"), event(8, "b")}}
	want.Events[0].Blobs = []ikigai.Blob{{Hash: "h", Bytes: []byte("bytes")}}
	got, err := decode(oldest(want))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Any event comes back as it was, byte for byte.
func FuzzEncode(f *testing.F) {
	f.Add("id", "main", "user", int64(1), int64(2), "content", []byte(`{}`), "hash", []byte("blob"))
	f.Add("", "\xff", "\x00", int64(-1), int64(1)<<62, "", []byte{}, "", []byte{})
	f.Fuzz(func(t *testing.T, id, interaction, kind string, seq, time int64, content string, data []byte, hash string, blob []byte) {
		e := ikigai.Event{
			Session: session, Seq: ikigai.Seq(seq), ID: ikigai.ID(id), Interaction: interaction, Kind: ikigai.Kind(kind),
			Time: ikigai.Micros(time), Content: content, Data: data, Blobs: []ikigai.Blob{{Hash: hash, Bytes: blob, Like: id}},
		}
		want := Record{Grant: ikigai.Grant{Session: session, Fence: time}, After: ikigai.Seq(seq), AfterID: ikigai.ID(kind), Events: []ikigai.Event{e, {}}}
		got, err := decode(encode(nil, want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// Any file is read without a panic and to an end that has a name, and whatever
// follows real records does not change them.
func FuzzRead(f *testing.F) {
	real := realFile(f)
	f.Add(real)
	f.Add(real[:len(real)-3])
	f.Add([]byte(magic))
	f.Add(make([]byte, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		readAll(t, b)
		if n := readAll(t, append(bytes.Clone(real), b...)); n != 2 {
			t.Errorf("%d records, want the 2 real ones", n)
		}
	})
}

func realFile(f *testing.F) []byte {
	header, sum := newHeader()
	one, sum := frame(sum, Record{Grant: grant, Events: []ikigai.Event{event(1, "a")}})
	two, _ := frame(sum, Record{Grant: grant, After: 1, Events: []ikigai.Event{event(2, "b")}})
	return bytes.Join([][]byte{header, one, two}, nil)
}

func readAll(t *testing.T, b []byte) (records int) {
	t.Helper()
	r, err := newReader(bytes.NewReader(b), int64(len(b)))
	for err == nil {
		if _, err = r.next(); err == nil {
			records++
		}
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errTorn), errors.Is(err, errDamaged), errors.Is(err, errHeader):
	default:
		t.Errorf("error %v", err)
	}
	return records
}
