package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"testing"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/race"
)

// generated is a source of one long session, made as it is read: a statement,
// and so on, each tenth event with a blob.
type generated struct {
	id ikigai.ID
	n  int
}

func (g generated) Sessions(context.Context, ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		yield(ikigai.SessionInfo{ID: g.id, Dir: "/src", Events: ikigai.Seq(g.n)}, nil)
	}
}

func (g generated) Events(_ context.Context, _ ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		for seq := int(after) + 1; seq <= g.n; seq++ {
			if !yield(g.event(seq), nil) {
				return
			}
		}
	}
}

func (g generated) event(seq int) ikigai.Event {
	e := ikigai.Event{
		Session: g.id, Seq: ikigai.Seq(seq), ID: ikigai.ID(fmt.Sprintf("0192f0c1-0000-7000-8000-%012d", seq)), Interaction: ikigai.Main,
		Kind: ikigai.KindUser, Time: ikigai.Micros(seq), Content: "a statement of some words that say what is to be done",
	}
	switch {
	case seq == 1:
		e.Kind = ikigai.KindSession
	case seq%10 == 0:
		e.Data = fmt.Appendf(nil, `{"path":"/src/%d","blob":"%s"}`, seq, blob.Hash(g.content(seq)))
	default:
		e.Data = fmt.Appendf(nil, `{"id":"call_%d","type":"function","function":{"name":"bash","arguments":"{\"command\":\"go test ./... -run %d\"}"}}`, seq, seq)
	}
	return e
}

func (generated) content(seq int) []byte {
	return fmt.Appendf(nil, "what was in the file before event %d", seq)
}

func (g generated) Blob(_ context.Context, hash string) ([]byte, error) {
	// The events name the blobs in order, so that there is no need to find one.
	generatedBlob += 10
	if b := g.content(generatedBlob); blob.Hash(b) == hash {
		return b, nil
	}
	return nil, errors.New("a blob is read out of turn")
}

var generatedBlob int

// counting is a target that counts what it is given and keeps none of it.
type counting struct {
	head          ikigai.Seq
	events, blobs int
}

func (c *counting) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	return ikigai.Grant{Session: id}, func() error { return nil }, nil
}

func (c *counting) Append(_ context.Context, _ ikigai.Grant, after ikigai.Seq, list ...ikigai.Event) error {
	if after != c.head {
		return ikigai.ErrConflict
	}
	c.head += ikigai.Seq(len(list))
	c.events += len(list)
	for _, e := range list {
		c.blobs += len(e.Blobs)
	}
	return nil
}

func (c *counting) Events(context.Context, ikigai.ID, ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(func(ikigai.Event, error) bool) {}
}

func (c *counting) Sessions(_ context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		if c.head > 0 {
			yield(ikigai.SessionInfo{ID: generatedSession, Events: c.head}, nil)
		}
	}
}

func (c *counting) Fork(context.Context, ikigai.Grant, ikigai.ID, ikigai.Seq) error {
	return errors.New("no forks")
}

const (
	generatedSession = ikigai.ID("0192f0c1-0000-7000-8000-000000000000")
	million          = 1_000_000 / race.Tenth
	// What may be added to the live heap between the first tenth of the events
	// and their end: less than ten bytes for each event, and more than what
	// the set of hashes takes when it is full.
	maxGrowth = 8 << 20
)

// heap watches the live heap as events go by. What is not alive does not
// count, so that it does not matter when the collector runs.
type heap struct {
	t           *testing.T
	from        int64
	first, last uint64
}

func (h *heap) progress(p Progress) {
	if p.Events < h.from {
		return
	}
	h.from += million / 10
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if h.first == 0 {
		h.first = m.HeapAlloc
	}
	h.last = m.HeapAlloc
}

func (h *heap) check() {
	h.t.Helper()
	h.t.Logf("live heap after a tenth %.1f MB, in the end %.1f MB", float64(h.first)/1e6, float64(h.last)/1e6)
	if h.from < million {
		h.t.Errorf("the last progress was before event %d", h.from)
	}
	if h.last > h.first+maxGrowth {
		h.t.Errorf("the live heap grew from %d to %d bytes", h.first, h.last)
	}
}

// 1,000,000 events go out of a store and into one in constant memory.
func TestConstantMemory(t *testing.T) {
	from := generated{generatedSession, million}
	t.Run("write and read", func(t *testing.T) {
		generatedBlob = 0
		out, in, to := heap{t: t, from: million / 10}, heap{t: t, from: million / 10}, &counting{}
		pr, pw := io.Pipe()
		go func() {
			_, err := Write(t.Context(), pw, from, WriteOptions{Progress: out.progress})
			pw.CloseWithError(err)
		}()
		_, err := Read(t.Context(), pr, to, ReadOptions{Progress: in.progress})
		if err != nil || to.events != million || to.blobs != million/10 {
			t.Fatalf("%d events, %d blobs, %v", to.events, to.blobs, err)
		}
		out.check()
		in.check()
	})
	t.Run("copy", func(t *testing.T) {
		generatedBlob = 0
		h, to := heap{t: t, from: million / 10}, &counting{}
		_, err := Copy(t.Context(), from, to, CopyOptions{Progress: h.progress})
		if err != nil || to.events != million || to.blobs != million/10 {
			t.Fatalf("%d events, %d blobs, %v", to.events, to.blobs, err)
		}
		h.check()
	})
}

func BenchmarkWrite(b *testing.B) {
	b.ReportAllocs()
	var counted countingWriter
	generatedBlob = 0
	if _, err := Write(b.Context(), &counted, generated{generatedSession, b.N}, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(counted) / int64(b.N))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	generatedBlob = 0
	pr, pw := io.Pipe()
	go func() {
		_, err := Write(b.Context(), pw, generated{generatedSession, b.N}, WriteOptions{})
		pw.CloseWithError(err)
	}()
	if _, err := Read(b.Context(), pr, &counting{}, ReadOptions{}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

type countingWriter int64

func (w *countingWriter) Write(p []byte) (int, error) {
	*w += countingWriter(len(p))
	return len(p), nil
}
