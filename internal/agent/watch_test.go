package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"ikigai"
)

// watcher is a Watcher that has something to tell, once it is let.
type watcher struct {
	blind bool
	let   chan struct{} // closed when After may go on; nil lets it at once
	seen  []string
	begun bool
}

func (w *watcher) Begin() { w.begun = true }

func (w *watcher) Before(_ context.Context, callID string, record func(...ikigai.Event)) func(context.Context) {
	w.seen = append(w.seen, "before")
	if w.blind {
		return nil
	}
	return func(context.Context) {
		if w.let != nil {
			<-w.let
		}
		w.seen = append(w.seen, "after "+callID)
		record(ikigai.NewEvent(ikigai.KindChange, "/x", ikigai.ChangeData{CallID: callID, Path: "/x", Noticed: true}))
	}
}

func (w *watcher) Announce(_ context.Context, path string) func(context.Context) {
	w.seen = append(w.seen, "announced "+filepath.Base(path))
	return func(context.Context) { w.seen = append(w.seen, "done") }
}

// TestWatched looks for what tools change that neither announce it nor only
// read, while the model thinks, and before anything else is changed. P19
func TestWatched(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	announcing := tool("announcing", false, func(ctx context.Context, c ikigai.Call) ikigai.Result {
		if err := c.Intend(ctx, file); err != nil {
			t.Error(err)
		}
		return ikigai.Result{}
	})
	announcing.Announces = true
	kit := []ikigai.Tool{tool("any", false, echo), tool("reading", true, echo), announcing}
	cases := []struct{ name, calls, seen string }{
		{"one that does not announce", "1 any {}", "before, after 1"},
		{"one that only reads", "1 reading {}", ""},
		{"one that announces", "1 announcing {}", "announced f, done"},
		{"one after the other", "1 any {};2 any {}", "before, after 1, before, after 2"},
		{"one that is refused", "1 none {}", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, _, m := newAgent(t, [][]any{calls(strings.Split(c.calls, ";")...), says("done")}, kit...)
			a.Model = telling{m}
			w := &watcher{}
			a.Watcher = w
			if _, err := run(t, a); err != nil {
				t.Fatal(err)
			}
			if !w.begun {
				t.Error("a request went out, and the watch was not begun")
			}
			if got := strings.Join(w.seen, ", "); got != c.seen {
				t.Errorf("got %s, want %s", got, c.seen)
			}
		})
	}
}

// TestWatchingDoesNotHoldUp asks the model before it is known what a tool has
// changed, and ends the statement after that.
func TestWatchingDoesNotHoldUp(t *testing.T) {
	w := &watcher{let: make(chan struct{})}
	asked := func() { close(w.let) } // the second request has come
	a, l, _ := newAgent(t, [][]any{calls("1 any {}"), append([]any{asked}, says("done")...)}, tool("any", false, echo))
	a.Watcher = w
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(l.kinds(), "change"); n != 1 {
		t.Errorf("%d changes are recorded: %s", n, l.kinds())
	}
}

// TestWatchingEndsInTime leaves a person who has stopped the turn waiting for a
// moment, not for as long as it takes.
func TestWatchingEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{let: make(chan struct{})}
		a, _, _ := newAgent(t, [][]any{calls("1 any {}"), says("done")}, tool("any", false, echo))
		ctx, stop := context.WithCancel(t.Context())
		a.Tools[0].Run = func(context.Context, ikigai.Call) ikigai.Result {
			stop()
			return ikigai.Result{}
		}
		a.Watcher = w
		if _, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil)); ikigai.KindOf(err) != ikigai.ErrorCancelled {
			t.Error(err)
		}
		close(w.let)
		synctest.Wait()
	})
}

// TestLargePreImage keeps what is too large for a store in a file, up to a
// limit, and says so where it keeps nothing.
func TestLargePreImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := tool("write", false, func(ctx context.Context, c ikigai.Call) ikigai.Result {
		if err := c.Intend(ctx, path); err != nil {
			t.Error(err)
		}
		return ikigai.Result{}
	})
	cases := []struct {
		size    int64
		keep    bool
		notKept string
	}{
		{64<<20 + 1, true, ""},
		{64<<20 + 1, false, "larger than 64 MiB"},
		{1<<30 + 1, true, "larger than 1024 MiB"},
	}
	for _, c := range cases {
		if err := os.WriteFile(path, nil, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, c.size); err != nil {
			t.Fatal(err)
		}
		a, l, _ := newAgent(t, [][]any{calls("1 write {}"), says("done")}, write)
		if c.keep {
			a.KeepDir = filepath.Join(t.TempDir(), "made", "kept")
		}
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		var d ikigai.ChangeData
		if err := l.events[3].DecodeData(&d); err != nil {
			t.Fatal(err)
		}
		kept := d.File != ""
		if d.NotKept != c.notKept || kept != (c.notKept == "") || d.Size != c.size || d.Mode != 0o640 || len(l.events[3].Blobs) > 0 {
			t.Errorf("%d bytes: %+v", c.size, d)
		}
		if info, err := os.Stat(d.File); kept && (err != nil || info.Size() != c.size) {
			t.Errorf("%v, %v", info, err)
		}
	}
}
