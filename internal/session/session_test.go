package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/journal"
)

// memoryLog is a store in memory that can be told to fail.
type memoryLog struct {
	mu      sync.Mutex
	events  []ikigai.Event
	forks   map[ikigai.ID]*memoryLog
	blobs   map[string]string
	appends int
	err     error  // returned instead of appending
	late    error  // returned after appending: the outcome was unknown
	hold    func() // called before each append, if there is one
}

func (l *memoryLog) Append(_ context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	if l.hold != nil {
		l.hold()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.appends++
	if fork := l.forks[g.Session]; fork != nil {
		l = fork
	}
	if l.err != nil {
		return l.err
	}
	for i, e := range events {
		if e.Seq != after+ikigai.Seq(i)+1 || e.Session != g.Session {
			return fmt.Errorf("event %d of session %s out of place", e.Seq, e.Session)
		}
		if n := int(e.Seq); n <= len(l.events) {
			if l.events[n-1].ID != e.ID {
				return ikigai.ErrConflict
			}
			continue
		}
		for _, b := range e.Blobs {
			l.blobs[b.Hash] = string(b.Bytes)
		}
		l.events = append(l.events, e)
	}
	return l.late
}

func (l *memoryLog) Events(_ context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		l.mu.Lock()
		events := l.events
		if fork := l.forks[id]; fork != nil {
			events = fork.events
		}
		l.mu.Unlock()
		for _, e := range events[min(int(after), len(events)):] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l *memoryLog) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	return ikigai.Grant{Session: id, Fence: 1}, func() error { return nil }, nil
}

func (l *memoryLog) Fork(_ context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.forks[g.Session] == nil {
		l.forks[g.Session] = &memoryLog{events: slices.Clone(l.events[:at]), blobs: l.blobs}
	}
	return nil
}

func (l *memoryLog) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *memoryLog) contents() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []string
	for _, e := range l.events {
		all = append(all, string(e.Kind)+":"+e.Content)
	}
	return strings.Join(all, " ")
}

// projection keeps what it is given.
type projection struct{ contents []string }

func (p *projection) Add(e ikigai.Event) { p.contents = append(p.contents, e.Content) }

// fixture is a session with a store that can fail and two journals.
type fixture struct {
	config  Config
	log     *memoryLog
	view    *projection
	mu      sync.Mutex
	notices []string
}

func newFixture(t *testing.T) *fixture {
	dir := t.TempDir()
	f := &fixture{log: &memoryLog{blobs: map[string]string{}, forks: map[ikigai.ID]*memoryLog{}}, view: &projection{}}
	f.config = Config{
		Store: f.log, Grant: ikigai.Grant{Session: NewID(), Fence: 1},
		Journals:    []string{filepath.Join(dir, "first"), filepath.Join(dir, "second")},
		Partial:     filepath.Join(dir, "partial"),
		Projections: []Projection{f.view},
		Notice: func(text string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.notices = append(f.notices, text)
		},
	}
	return f
}

func say(content string) ikigai.Event { return ikigai.NewEvent(ikigai.KindUser, content, nil) }

func record(t *testing.T, s *Session, events ...ikigai.Event) ikigai.Durability {
	t.Helper()
	d, err := s.Record(t.Context(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// P7, S2.19: when Record returns, the events are in the store, numbered, and
// the projections have them; Recorded was told before.
func TestRecord(t *testing.T) {
	f := newFixture(t)
	var told []ikigai.Seq
	f.config.Recorded = func(e ikigai.Event, d ikigai.Durability) {
		if d != ikigai.Stored {
			t.Errorf("event %d is %s", e.Seq, d)
		}
		told = append(told, e.Seq)
	}
	s := Begin(f.config)
	defer s.Close()
	s.Queue(say("a"))
	if d := record(t, s, say("b"), say("c")); d != ikigai.Stored {
		t.Errorf("durability %s", d)
	}
	if got := f.log.contents(); got != "user:a user:b user:c" {
		t.Errorf("log %q", got)
	}
	if diff := cmp.Diff([]ikigai.Seq{1, 2, 3}, told); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, f.view.contents); diff != "" {
		t.Error(diff)
	}
	if f.log.appends != 1 {
		t.Errorf("%d appends: a queued event did not go with the next ones", f.log.appends)
	}
	if e := f.log.events[0]; e.ID == "" || e.Time == 0 || e.Session != s.ID() || e.ID == f.log.events[1].ID {
		t.Errorf("event %+v", e)
	}
}

// A queued event that nobody follows is stored soon.
func TestQueueLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		s := Begin(f.config)
		defer s.Close()
		s.Queue(say("a"))
		time.Sleep(lingerTime) // of the bubble's clock
		synctest.Wait()
		if got := f.log.contents(); got != "user:a" {
			t.Errorf("log %q", got)
		}
	})
}

func TestRecordAfterClose(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	s.Queue(say("a"))
	s.Close()
	s.Close()
	if _, err := s.Record(t.Context(), say("b")); err == nil {
		t.Error("a closed session took an event")
	}
	if got := f.log.contents(); got != "user:a" {
		t.Errorf("log %q", got)
	}
}

// S2.23, P9: while the store fails, events go to the journal and the person is
// told once; when it works again, everything is delivered, in order and once,
// and the person is told.
func TestLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		s := Begin(f.config)
		record(t, s, say("a"))
		f.log.fail(errors.New("disk full"))
		for _, content := range []string{"b", "c", "d"} {
			if d := record(t, s, say(content)); d != ikigai.Journalled {
				t.Fatalf("%s is %s", content, d)
			}
		}
		if n := len(f.notices); n != 1 || !strings.Contains(f.notices[0], "disk full") {
			t.Errorf("notices %q", f.notices)
		}
		f.log.fail(nil)
		time.Sleep(retryTime)  // of the bubble's clock
		record(t, s, say("e")) // the store is tried behind it
		synctest.Wait()
		if d := record(t, s, say("f")); d != ikigai.Stored {
			t.Errorf("f is %s", d)
		}
		s.Close()
		if got := f.log.contents(); got != "user:a user:b user:c user:d user:e user:f" {
			t.Errorf("log %q", got)
		}
		if n := len(f.notices); n != 2 {
			t.Errorf("notices %q", f.notices)
		}
		waiting(t, f, 0)
	})
}

// Who is told of an event, or that the store works again, finds the session as
// durable as it is then.
func TestDurabilityIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		var s *Session
		var told []string
		f.config.Recorded = func(e ikigai.Event, d ikigai.Durability) {
			if d != s.Durability() {
				t.Errorf("%s is %s, the session %s", e.Content, d, s.Durability())
			}
		}
		f.config.Notice = func(text string) {
			first, _, _ := strings.Cut(text, ":")
			told = append(told, fmt.Sprint(first, " ", s.Durability()))
		}
		s = Begin(f.config)
		record(t, s, say("a"))
		f.log.fail(errors.New("disk full"))
		record(t, s, say("b"))
		f.log.fail(nil)
		time.Sleep(retryTime)  // of the bubble's clock
		record(t, s, say("c")) // the store is tried behind it
		synctest.Wait()
		f.log.fail(errors.New("disk full"))
		record(t, s, say("d"))
		f.log.fail(nil)
		s.Close()
		away, back := "The database takes no events stored", "The database works again. All events of this session are in it. "
		if want := []string{away, back + "stored", away, back + "stored"}; !slices.Equal(told, want) {
			t.Errorf("told %q", told)
		}
	})
}

// waiting checks how many journals are left.
func waiting(t *testing.T, f *fixture, want int) {
	t.Helper()
	n := 0
	for _, dir := range f.config.Journals {
		list, err := journal.List(dir)
		if err != nil && !errors.Is(err, syscall.ENOTDIR) {
			t.Fatal(err)
		}
		n += len(list)
	}
	if n != want {
		t.Errorf("%d journals wait, want %d", n, want)
	}
}

// P9: the second journal, then memory, each step told once; then back.
func TestLadderToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.log.fail(errors.New("gone"))
		block(t, f.config.Journals[0])
		s := Begin(f.config)
		if d := record(t, s, say("a")); d != ikigai.Journalled {
			t.Fatalf("a is %s", d)
		}
		s.Close()
		waiting(t, f, 1)

		f.config.Journals = []string{f.config.Journals[0], filepath.Join(f.config.Journals[0], "below")}
		f.notices = nil
		s = Begin(f.config)
		for range 3 {
			if d := record(t, s, say("b")); d != ikigai.Volatile {
				t.Fatalf("b is %s", d)
			}
		}
		if len(f.notices) != 3 { // store, journal, second journal
			t.Errorf("notices %q", f.notices)
		}
		f.log.fail(nil)
		time.Sleep(retryTime) // of the bubble's clock
		if d := record(t, s, say("c")); d != ikigai.Stored {
			t.Errorf("c is %s", d)
		}
		s.Close()
		if got := f.log.contents(); got != "user:b user:b user:b user:c" {
			t.Errorf("log %q", got)
		}
	})
}

// Law 7: a store that hangs holds nobody up while a journal takes the events.
func TestHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.config.Store = hangingLog{f.log}
		s := Begin(f.config)
		start := time.Now()
		for range 100 {
			if d := record(t, s, say("x")); d != ikigai.Journalled {
				t.Fatalf("durability %s", d)
			}
			time.Sleep(time.Second) // of the bubble's clock
		}
		if waited := time.Since(start) - 100*time.Second; waited > storeTimeout+15*time.Second {
			t.Errorf("100 events waited %s for the store", waited)
		}
		s.Close()
	})
}

// hangingLog is a store that answers nothing.
type hangingLog struct{ *memoryLog }

func (hangingLog) Append(ctx context.Context, _ ikigai.Grant, _ ikigai.Seq, _ ...ikigai.Event) error {
	<-ctx.Done()
	return ctx.Err()
}

// P8: a session that another process has taken over is told, whatever was told
// before, and the store is asked no more.
func TestLostSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		s := Begin(f.config)
		f.log.fail(errors.New("disk full"))
		record(t, s, say("a"))
		f.log.fail(ikigai.ErrFenced)
		time.Sleep(retryTime) // of the bubble's clock
		record(t, s, say("b"))
		synctest.Wait()
		asked := f.log.appends
		time.Sleep(time.Hour) // of the bubble's clock
		record(t, s, say("c"))
		if n := len(f.notices); n != 2 || !strings.Contains(f.notices[1], "Another process has gone on") {
			t.Errorf("notices %q", f.notices)
		}
		if f.log.appends != asked {
			t.Errorf("the store was asked %d more times", f.log.appends-asked)
		}
		s.Close()
		// The other process has added nothing: a later start can still append.
		if n := len(f.notices); n != 3 || !strings.Contains(f.notices[2], "waits in a journal, for a later start") {
			t.Errorf("notices %q", f.notices)
		}
		waiting(t, f, 1)
	})
}

// Law 8, P8: what happens in a session after another process has gone on with it
// is a fork at the end, each side's events once.
func TestLostSessionBecomesAFork(t *testing.T) {
	for _, journals := range []bool{true, false} {
		f := newFixture(t)
		if !journals { // until the end
			block(t, f.config.Journals[0])
			f.config.Journals = f.config.Journals[:1]
		}
		s := Begin(f.config)
		record(t, s, say("a"), say("b"))
		f.log.mu.Lock()
		other := say("theirs")
		other.ID, other.Seq = NewID(), 3
		f.log.events = append(f.log.events, other)
		f.log.mu.Unlock()
		record(t, s, say("c"))
		record(t, s, say("d"), say("e"))
		if !journals {
			if err := os.Remove(f.config.Journals[0]); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		if got := f.log.contents(); got != "user:a user:b user:theirs" {
			t.Errorf("log %q", got)
		}
		if len(f.log.forks) != 1 {
			t.Fatalf("%d forks, notices %q", len(f.log.forks), f.notices)
		}
		for id, fork := range f.log.forks {
			last := fork.events[len(fork.events)-1]
			if got := fork.contents(); got != "user:a user:b user:c user:d user:e fork:"+last.Content {
				t.Errorf("fork %q", got)
			}
			if told := f.notices[len(f.notices)-1]; !strings.Contains(told, "3 events") || !strings.Contains(told, string(id)) {
				t.Errorf("told %q", told)
			}
			config := f.config
			config.Grant, config.Projections = ikigai.Grant{Session: id, Fence: 2}, []Projection{&projection{}}
			again, err := Restore(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			record(t, again, say("f"))
			again.Close()
			if got := fork.contents(); !strings.HasSuffix(got, " user:f") {
				t.Errorf("fork %q", got)
			}
		}
		waiting(t, f, 0)
	}
}

// block puts a file where a directory is wanted.
func block(t *testing.T, path string) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// P9: what could be kept nowhere is said at the end.
func TestLossIsTold(t *testing.T) {
	f := newFixture(t)
	f.log.fail(errors.New("gone"))
	f.config.Journals = nil
	s := Begin(f.config)
	record(t, s, say("a"))
	s.Close()
	if last := f.notices[len(f.notices)-1]; !strings.Contains(last, "1 event") || !strings.Contains(last, "lost") {
		t.Errorf("notices %q", f.notices)
	}
}

// An append whose outcome is unknown is sent again; nothing is there twice.
func TestUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.log.late = errors.New("connection lost")
		s := Begin(f.config)
		record(t, s, say("a"))
		f.log.mu.Lock()
		f.log.late = nil
		f.log.mu.Unlock()
		time.Sleep(retryTime) // of the bubble's clock
		record(t, s, say("b"))
		s.Close()
		if got := f.log.contents(); got != "user:a user:b" {
			t.Errorf("log %q", got)
		}
	})
}

// S2.22: events are independent: a failing second write leaves the first.
func TestIndependence(t *testing.T) {
	f := newFixture(t)
	f.config.Journals = nil
	s := Begin(f.config)
	record(t, s, say("call"))
	f.log.fail(errors.New("gone"))
	record(t, s, say("result"))
	s.Close()
	if got := f.log.contents(); got != "user:call" {
		t.Errorf("log %q", got)
	}
}

// S2.26, S5.6, P13: a restored session gives the projections the same events
// in the same order and goes on behind them, what waited in a journal included.
func TestRestore(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	record(t, s, say("a"), say("b"))
	f.log.fail(errors.New("gone"))
	record(t, s, say("c"))
	s.Close()
	waiting(t, f, 1)

	f.log.fail(nil)
	f.view.contents = nil
	s, err := Restore(t.Context(), f.config)
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, say("d"))
	s.Close()
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, f.view.contents); diff != "" {
		t.Error(diff)
	}
	if got := f.log.contents(); got != "user:a user:b user:c user:d" {
		t.Errorf("log %q", got)
	}
	waiting(t, f, 0)
}

func TestRestoreOfNothing(t *testing.T) {
	f := newFixture(t)
	if _, err := Restore(t.Context(), f.config); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// P7: what was shown of a reply when the process died is restored as
// interrupted, once.
func TestPartial(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	record(t, s, say("a"))
	s.Show(ikigai.Delta{Thinking: "hm"})
	s.Show(ikigai.Delta{Text: "half an "})
	s.Show(ikigai.Delta{Text: "ans"})
	saved := copyFile(t, f.config.Partial) // as a kill would leave it
	s.Close()

	copyBack(t, f.config.Partial, saved)
	s, err := Restore(t.Context(), f.config)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := f.log.contents(); got != "user:a interrupted:half an ans" {
		t.Errorf("log %q", got)
	}
	var d ikigai.InterruptedData
	if err := f.log.events[1].DecodeData(&d); err != nil || d.Reason != "crash" || d.Thinking != "hm" {
		t.Errorf("data %+v, %v", d, err)
	}

	copyBack(t, f.config.Partial, saved) // a kill before the file was removed
	if s, err = Restore(t.Context(), f.config); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := f.log.contents(); got != "user:a interrupted:half an ans" {
		t.Errorf("restored twice: %q", got)
	}
}

// P7: a kill takes an event with it that was only queued when the reply began,
// and a second one comes before the file is removed: the text is kept once.
func TestPartialBehindQueued(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	record(t, s, say("a"))
	s.Queue(ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{}))
	s.Show(ikigai.Delta{Text: "half"})
	saved := copyFile(t, f.config.Partial)
	s.Close()
	f.log.events = f.log.events[:1]

	for range 2 {
		copyBack(t, f.config.Partial, saved)
		s, err := Restore(t.Context(), f.config)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if got := f.log.contents(); got != "user:a interrupted:half" {
		t.Errorf("log %q", got)
	}
}

// P7: text that is in the log as an answer is not restored once more, and a
// torn file gives what is whole of it.
func TestPartialOutOfDate(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	record(t, s, say("a"))
	s.Show(ikigai.Delta{Text: "answer"})
	saved := copyFile(t, f.config.Partial)
	record(t, s, ikigai.NewEvent(ikigai.KindAssistant, "answer", nil))
	record(t, s, say("b"))
	s.Show(ikigai.Delta{Text: "second"})
	second := copyFile(t, f.config.Partial)
	s.Close()

	copyBack(t, f.config.Partial, saved)
	s, err := Restore(t.Context(), f.config)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	copyBack(t, f.config.Partial, second+`{"text":"to`)
	if s, err = Restore(t.Context(), f.config); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := f.log.contents(); got != "user:a assistant:answer user:b interrupted:second" {
		t.Errorf("log %q", got)
	}
}

func copyFile(t *testing.T, path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func copyBack(t *testing.T, path, content string) {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// P2: text that stores do not take is cleaned, and the bytes it came from are
// kept in a blob.
func TestHostileText(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	e := ikigai.NewEvent(ikigai.KindToolResult, "a\x00\xff", nil)
	e.Data = []byte(`{"output":"\ud800\u0000ok"}`)
	record(t, s, e, say("plain"))
	s.Close()
	got := f.log.events[0]
	if !utf8.ValidString(got.Content) || strings.Contains(got.Content+string(got.Data), "\x00") || strings.Contains(string(got.Data), `\ud800`) {
		t.Errorf("event %+v", got)
	}
	var d struct {
		Output  string `json:"output"`
		Content string `json:"original_content"`
		Data    string `json:"original_data"`
	}
	if err := got.DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	if f.log.blobs[d.Content] != "a\x00\xff" || f.log.blobs[d.Data] != `{"output":"\ud800\u0000ok"}` || d.Output != "\uFFFD\uFFFDok" {
		t.Errorf("data %+v with blobs %q", d, f.log.blobs)
	}
	if plain := f.log.events[1]; plain.Data != nil || plain.Blobs != nil {
		t.Errorf("plain event %+v", plain)
	}
}

func TestManyGoroutines(t *testing.T) {
	f := newFixture(t)
	s := Begin(f.config)
	f.log.hold = func() { // the first append lasts until all goroutines wait for theirs
		for waiting := ikigai.Seq(0); waiting < 16; runtime.Gosched() {
			s.mu.Lock()
			waiting = s.head
			s.mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				if _, err := s.Record(t.Context(), say("x")); err != nil {
					t.Error(err)
				}
				s.Show(ikigai.Delta{Text: "y"})
			}
		})
	}
	wg.Wait()
	s.Close()
	if n := len(f.log.events); n != 320 {
		t.Errorf("%d events", n)
	}
	if f.log.appends >= 320 {
		t.Errorf("%d appends: nothing was written in groups", f.log.appends)
	}
}

func TestAhead(t *testing.T) {
	boom := errors.New("boom")
	for _, n := range []int{0, 1, aheadEvents, 5*aheadEvents + 1} {
		events := func(yield func(ikigai.Event, error) bool) {
			for i := range n {
				if !yield(ikigai.Event{Seq: ikigai.Seq(i + 1)}, nil) {
					return
				}
			}
			yield(ikigai.Event{}, boom)
		}
		got := 0
		for e, err := range ahead(events) {
			if err != nil {
				if got != n || err != boom {
					t.Errorf("%d events, then %v", got, err)
				}
				got = -1
				continue
			}
			if got++; e.Seq != ikigai.Seq(got) {
				t.Fatalf("event %d in place %d", e.Seq, got)
			}
		}
		if got != -1 {
			t.Errorf("the error after %d events was lost", n)
		}
		for range ahead(events) {
			break // the reader must end, too; goleak of TestMain sees it
		}
	}
}
