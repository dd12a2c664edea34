package history

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func read(seq ikigai.Seq, resources ...ikigai.Resource) ikigai.Event {
	e := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{Output: "{}", Success: true, Resources: resources})
	e.Seq = seq
	return e
}

// P18: what the model knows of files follows the conversation through rewinds
// and clears.
func TestFiles(t *testing.T) {
	rewind := func(seq, to ikigai.Seq) ikigai.Event {
		e := ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: to})
		e.Seq = seq
		return e
	}
	aside := read(6, ikigai.Resource{URI: "/a", SHA256: "aside"})
	aside.Interaction = "title"
	f := NewFiles(ikigai.Main)
	for _, step := range []struct {
		event ikigai.Event
		want  string // what is known of /a and /b
	}{
		{read(1), ""},
		{read(2, ikigai.Resource{URI: "/a", SHA256: "a1"}, ikigai.Resource{URI: "/b", SHA256: "b1", Changed: true}), "a1 b1"},
		{read(3, ikigai.Resource{URI: "/a"}), "a1 b1"}, // a part of it was seen
		{read(4, ikigai.Resource{URI: "/a", SHA256: "a2", Changed: true}), "a2 b1"},
		{ikigai.Event{Seq: 5, Interaction: ikigai.Main, Kind: ikigai.KindToolResult, Data: []byte(`{"sha256":1`)}, "a2 b1"},
		{aside, "a2 b1"},
		{rewind(7, 3), "a1 b1"},
		{rewind(8, 1), ""},
		{read(9), ""},
		{rewind(10, 5), "a2 b1"},
		{rewind(11, 9), ""}, // the branch on which nothing was read
		{rewind(12, 10), "a2 b1"},
		{rewind(13, 99), "a2 b1"},
		{ikigai.Event{Seq: 14, Interaction: ikigai.Main, Kind: ikigai.KindClear}, ""},
		{read(15, ikigai.Resource{URI: "/b", SHA256: "b2"}), "b2"},
		{rewind(16, 12), "a2 b1"},
		{rewind(17, 15), "b2"},
	} {
		f.Add(step.event)
		var got []string
		for _, path := range []string{"/a", "/b"} {
			if hash, ok := f.Known(path); ok {
				got = append(got, hash)
			}
		}
		if diff := cmp.Diff(step.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("after event %d (-want +got):\n%s", step.event.Seq, diff)
		}
	}
}

// Folding step by step gives the same as folding the branch alone.
func FuzzFiles(f *testing.F) {
	f.Add(uint64(1), 40)
	f.Add(uint64(2), 200)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		r := rand.New(rand.NewPCG(seed, 0))
		all, after := NewFiles(ikigai.Main), []map[string]string{{}} // by event: what is known after it
		for seq := 1; seq <= min(n, 300); seq++ {
			now := maps.Clone(after[seq-1])
			var e ikigai.Event
			switch k := r.IntN(10); {
			case k == 0 && seq > 1:
				to := 1 + r.IntN(seq-1)
				e = ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: ikigai.Seq(to)})
				now = maps.Clone(after[to])
			case k == 1:
				e = ikigai.NewEvent(ikigai.KindClear, "", nil)
				now = map[string]string{}
			default:
				path, hash := "/"+strconv.Itoa(r.IntN(4)), strconv.Itoa(seq)
				e = read(0, ikigai.Resource{URI: path, SHA256: hash})
				now[path] = hash
			}
			e.Seq = ikigai.Seq(seq)
			all.Add(e)
			after = append(after, now)
			if diff := cmp.Diff(now, all.now); diff != "" {
				t.Fatalf("after event %d (-want +got):\n%s", seq, diff)
			}
		}
	})
}

// Tools that run at once ask while results are taken in.
func TestFilesAtOnce(t *testing.T) {
	f := NewFiles(ikigai.Main)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 100 {
				f.Add(read(ikigai.Seq(i*100+j+1), ikigai.Resource{URI: "/a", SHA256: "x"}))
				f.Known("/a")
			}
		})
	}
	wg.Wait()
	if hash, ok := f.Known("/a"); hash != "x" || !ok {
		t.Errorf("%q, %v", hash, ok)
	}
}
