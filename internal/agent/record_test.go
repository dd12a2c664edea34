package agent

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"ikigai"
)

// telling is a model that tells of its requests, as real ones do.
type telling struct{ *model }

func (m telling) Stream(ctx context.Context, r ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	r.Sending(ikigai.Sent{Size: int64(len(r.Messages))})
	return m.model.Stream(ctx, r)
}

// A request stands in the log before what it led to, however fast that came. S2.21
func TestRequestsAreRecorded(t *testing.T) {
	a, l, m := newAgent(t, [][]any{calls(`1 echo {"a":1}`), says("done")}, tool("echo", false, echo))
	a.Model = telling{m}
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if got, want := l.kinds(), "user request tool_call usage tool_result request assistant usage"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	var d ikigai.RequestData
	if err := l.events[5].DecodeData(&d); err != nil || d.Size != 3 || d.Model != "test/model" {
		t.Errorf("data %+v, %v", d, err)
	}
}

// What a file held is kept as a likely copy of what it held before that.
func TestPreImagesAreAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := tool("write", false, func(ctx context.Context, c ikigai.Call) ikigai.Result {
		if err := c.Intend(ctx, path); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(path, c.Args, 0o600); err != nil {
			t.Error(err)
		}
		return ikigai.Result{Output: ikigai.JSONOutput(map[string]string{})}
	})
	a, l, _ := newAgent(t, [][]any{
		calls("1 write {}", `2 write {"a":1}`, `3 write {"a":2}`, `4 write {"a":2}`, `5 write {"a":3}`), says("done"),
	}, write)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	var last ikigai.Blob
	n := 0
	for _, e := range l.events {
		if e.Kind != ikigai.KindChange {
			continue
		}
		n++
		if n == 1 && len(e.Blobs) != 0 || n > 1 && len(e.Blobs) != 1 {
			t.Fatalf("change %d has %d blobs", n, len(e.Blobs))
		}
		if n == 1 {
			continue
		}
		b := e.Blobs[0]
		if want := last.Hash; n != 5 && b.Like != want || n == 5 && b.Like != "" { // 4 changed nothing
			t.Errorf("change %d is like %q, want %q", n, b.Like, want)
		}
		last = b
	}
}

// The cost of a reply is recorded where the price is known.
func TestCost(t *testing.T) {
	for _, known := range []bool{true, false} {
		a, l, _ := newAgent(t, [][]any{{ikigai.Delta{Text: "done", Usage: &ikigai.Usage{Input: 100, Output: 5}}, ikigai.Delta{Stop: ikigai.StopEnd}}})
		if known {
			a.Price = func(model string, u ikigai.Usage) *int64 {
				cost := u.Input*2 + u.Output*8
				return &cost
			}
		}
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		var d ikigai.UsageData
		if err := l.events[len(l.events)-1].DecodeData(&d); err != nil || d.Input != 100 {
			t.Fatalf("data %+v, %v", d, err)
		}
		if (d.Cost != nil) != known || known && *d.Cost != 240 {
			t.Errorf("cost %v", d.Cost)
		}
	}
}
