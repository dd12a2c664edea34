package sse_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/sse"
)

// copied is an Event that outlives the next call of Next.
type copied struct {
	Type, Data, ID, Extra string
	NoData, Unended       bool
}

func readAll(src io.Reader, max int) ([]copied, error) {
	r := sse.NewReader(src, max)
	var events []copied
	for {
		e, err := r.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, copied{e.Type, string(e.Data), e.ID, string(e.Extra), e.Data == nil, e.Unended})
	}
}

// pieces reads its strings one at a time.
func pieces(parts ...string) io.Reader {
	readers := make([]io.Reader, len(parts))
	for i, p := range parts {
		readers[i] = strings.NewReader(p)
	}
	return io.MultiReader(readers...)
}

func TestEvents(t *testing.T) {
	data := func(s ...string) (events []copied) {
		for _, d := range s {
			events = append(events, copied{Data: d})
		}
		return events
	}
	tests := []struct {
		name, in string
		want     []copied
	}{
		{"LF", "data: a\n\ndata: b\n\n", data("a", "b")},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", data("a", "b")},
		{"CR", "data: a\r\rdata: b\r\r", data("a", "b")},
		{"mixed ends", "data: a\r\ndata: b\rdata: c\n\r\n", data("a\nb\nc")},
		{"no space after the colon", "data:a\n\ndata:  b\n\n", data("a", " b")},
		{"comments", ": ping\n\n:\ndata: a\n: ping\n\n", data("a")},
		{"no colon", "data\n\ndata\ndata\n\n", data("", "\n")},
		{"BOM", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", []copied{{Data: "a"}, {NoData: true, Extra: "\uFEFFdata: b"}}},
		{"BOM after an empty line", "\n\uFEFFdata: b\n\n", []copied{{NoData: true, Extra: "\uFEFFdata: b"}}},
		{"event", "event: error\ndata: a\n\ndata: b\n\n", []copied{{Type: "error", Data: "a"}, {Data: "b"}}},
		{"event without data", "event: x\n\ndata: b\n\n", data("b")},
		{"id stays", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []copied{{Data: "a", ID: "7"}, {Data: "b", ID: "7"}, {Data: "c"}}},
		{"id with NUL", "id: 7\x00\ndata: a\n\n", data("a")},
		{"unended", "data: a\n\ndata: b", []copied{{Data: "a"}, {Data: "b", Unended: true}}},
		{"unended after its line", "data: b\n", []copied{{Data: "b", Unended: true}}},
		{"empty", "", nil},
		{"only ends", "\n\r\n\r\r", nil},
		// P31
		{"error field", "data: a\n\nerror: {\"code\":500}\n\n", []copied{{Data: "a"}, {NoData: true, Extra: `error: {"code":500}`}}},
		{"bare JSON", "data: a\n\n{\"error\":\n\"x\"}\n", []copied{{Data: "a"}, {NoData: true, Extra: "{\"error\":\n\"x\"}", Unended: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(tt.in), 0)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Fatalf("error %v, events (-want +got):\n%s", err, diff)
			}
			checkSplits(t, []byte(tt.in), got)
		})
	}
}

// checkSplits holds the law that it does not matter in what pieces a stream
// comes.
func checkSplits(t *testing.T, in []byte, want []copied) {
	t.Helper()
	check := func(how string, src io.Reader) {
		t.Helper()
		got, err := readAll(src, 0)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s: error %v, events (-whole +split):\n%s", how, err, diff)
		}
	}
	for i := range len(in) + 1 {
		check(fmt.Sprintf("split at %d", i), pieces(string(in[:i]), string(in[i:])))
	}
	check("byte by byte", iotest.OneByteReader(bytes.NewReader(in)))
	check("with the error beside the data", iotest.DataErrReader(bytes.NewReader(in)))
}

func TestWebPlatform(t *testing.T) {
	var file struct {
		Cases []struct {
			Name  string
			Input []byte `json:"input_base64"`
			Want  []struct {
				Event string
				Data  string
				ID    string `json:"last_event_id"`
			} `json:"expect"`
		}
	}
	files, _ := filepath.Glob(filepath.Join(fixtures(t), "sse", "*.json"))
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		for _, c := range file.Cases {
			t.Run(c.Name, func(t *testing.T) {
				all, err := readAll(bytes.NewReader(c.Input), 0)
				if err != nil {
					t.Fatal(err)
				}
				checkSplits(t, c.Input, all)
				var want, got []copied
				for _, e := range c.Want {
					want = append(want, copied{Type: strings.TrimPrefix(e.Event, "message"), Data: e.Data, ID: e.ID})
				}
				for _, e := range all {
					if !e.Unended && !e.NoData { // the others the standard drops
						got = append(got, e)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("events (-want +got):\n%s\n%q", diff, base64.StdEncoding.EncodeToString(c.Input))
				}
			})
		}
	}
}

// fixtures returns the directory of the recordings.
func fixtures(t *testing.T) string {
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	return dir
}

// P23: a line of any length up to the limit, and a clear error beyond it.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	in := "data: " + long + "\n\ndata: short\n\n"
	got, err := readAll(iotest.HalfReader(strings.NewReader(in)), 4<<20)
	if err != nil || len(got) != 2 || got[0].Data != long || got[1].Data != "short" {
		t.Fatalf("%d events, error %v", len(got), err)
	}
	for name, in := range map[string]string{
		"line":  in,
		"lines": strings.Repeat("data: "+long[:1000]+"\n", 2000),
		"extra": strings.Repeat("odd: "+long[:1000]+"\n", 2000),
	} {
		var tooLong *sse.TooLongError
		if _, err := readAll(strings.NewReader(in), 1<<20); !errors.As(err, &tooLong) || tooLong.Max != 1<<20 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRetry(t *testing.T) {
	r := sse.NewReader(strings.NewReader("retry: 1500\nretry: soon\ndata: a\n\n"), 0)
	if _, err := r.Next(); err != nil || r.Retry() != 1500*time.Millisecond {
		t.Fatalf("retry %v, error %v", r.Retry(), err)
	}
}

// An event is returned as soon as its empty line is there.
func TestNoWaiting(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r"} {
		src, w := io.Pipe()
		go io.WriteString(w, in)
		e, err := sse.NewReader(src, 0).Next()
		if err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %+v, %v", in, e, err)
		}
		src.Close()
	}
}

func TestReadError(t *testing.T) {
	boom := errors.New("boom")
	src := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(boom))
	got, err := readAll(src, 0)
	if err != boom || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("\uFEFFdata: a\r\ndata:b\r\rid: 1\nevent: x\ndata\n\n: c\nerror: e\n\ndata: un"), 3, 9)
	f.Add([]byte("data: a\r\n\r\ndata: b\n\r\n\r"), 9, 10)
	f.Add([]byte("\xEF\xBBdata: a\n\n"), 1, 2)
	f.Fuzz(func(t *testing.T, in []byte, i, j int) {
		want, err := readAll(bytes.NewReader(in), 0)
		if err != nil {
			t.Fatal(err)
		}
		i = min(max(i, 0), len(in))
		j = min(max(j, i), len(in))
		for _, src := range []io.Reader{
			pieces(string(in[:i]), string(in[i:j]), string(in[j:])),
			iotest.OneByteReader(bytes.NewReader(in)),
		} {
			got, err := readAll(src, 0)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("error %v, events (-whole +split):\n%s", err, diff)
			}
		}
	})
}

func BenchmarkNext(b *testing.B) {
	in := []byte(strings.Repeat("data: "+strings.Repeat("x", 250)+"\n\n", 1000))
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r := sse.NewReader(bytes.NewReader(in), 0)
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
