package undo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// side is an interaction of a session whose tools run beside those of others.
type side struct {
	*fake
	name string
	mu   *sync.Mutex // over the events of the session
}

// sides returns interactions of the session of f.
func (f *fake) sides(n int) []*side {
	all, mu := make([]*side, n), new(sync.Mutex)
	for i := range all {
		all[i] = &side{f, fmt.Sprintf("task-%d", i), mu}
	}
	return all
}

// record records events of the interaction.
func (s *side) record(events ...ikigai.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		events[i].Interaction = s.name
	}
	_ = s.fake.record(context.Background(), events...)
}

// begin begins a call. All interactions have calls of the same IDs, as models do.
func (s *side) begin(id, tool string) {
	s.record(ikigai.NewEvent(ikigai.KindToolCall, tool, ikigai.ToolCallData{ID: id, Function: ikigai.ToolCallFunction{Name: tool}}))
}

func (s *side) end(id string, resources ...ikigai.Resource) {
	s.record(ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: id, Success: true, Resources: resources}))
}

// shell runs a command as bash does.
func (s *side) shell(id, command string) {
	s.t.Helper()
	s.begin(id, "bash")
	after := s.watcher.Before(context.Background(), id, s.record)
	if after == nil {
		s.t.Error("a command is not watched")
		return
	}
	run(s.t, s.dir, command)
	s.end(id)
	after(context.Background())
}

// write writes a file as file_write does.
func (s *side) write(id, name, content string) {
	s.t.Helper()
	s.begin(id, "file_write")
	done := s.watcher.Announce(context.Background(), s.dir+"/"+name)
	s.announce(id, name)
	s.replace(s.dir+"/"+name, content)
	s.end(id)
	done(context.Background())
}

// announce records what a file holds before it is changed.
func (s *side) announce(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intend(id, name)
	s.events[len(s.events)-1].Interaction = s.name
}

// credited returns which calls changed the files of dir, in the order of the log.
func (f *fake) credited() string {
	var all []string
	for _, e := range f.events {
		var d ikigai.ChangeData
		if e.Kind == ikigai.KindChange && e.DecodeData(&d) == nil {
			all = append(all, fmt.Sprintf("%s by %s of %s", strings.TrimPrefix(d.Path, f.dir+"/"), d.CallID, e.Interaction))
		}
	}
	return strings.Join(all, ", ")
}

// TestOverlap records what commands of several interactions change, once, and for
// one that was running; and leaves what a tool announces to that tool.
func TestOverlap(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/theirs", "1")
	f.replace(f.dir+"/both", "1")
	f.watch(1 << 20)
	f.say("go")
	was := f.state()
	s := f.sides(3)

	s[0].begin("call_1", "bash")
	after := s[0].watcher.Before(context.Background(), "call_1", s[0].record)
	run(t, f.dir, "echo 2 > both; echo x > first")
	s[1].shell("call_1", "echo x > second")  // what the first has done by now is found with it
	s[2].write("call_1", "announced", "new") // in the middle of the first
	run(t, f.dir, "echo 3 > both")
	s[2].write("call_2", "both", "4") // of which the first has changed something before
	run(t, f.dir, "echo 5 > both; echo more >> announced")
	s[0].end("call_1")
	after(context.Background())

	want := "both by call_1 of task-0, first by call_1 of task-0, second by call_1 of task-0, announced by call_1 of task-2, " +
		"both by call_1 of task-0, both by call_2 of task-2, announced by call_1 of task-0, both by call_1 of task-0"
	if diff := cmp.Diff(strings.Split(want, ", "), strings.Split(f.credited(), ", ")); diff != "" {
		t.Error(diff)
	}
	checkFolds(t, f.events)
	is := f.state()
	if left := f.undo(); left != "" || f.state() != was {
		t.Errorf("left %q:\n%s", left, cmp.Diff(was, f.state()))
	}
	if left := f.redo(); left != "" || f.state() != is {
		t.Errorf("left %q:\n%s", left, cmp.Diff(is, f.state()))
	}
}

// TestAnnouncedAlone records nothing twice that a tool has begun to change before
// a command runs, or that it is only preparing.
func TestAnnouncedAlone(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "1")
	f.watch(1 << 20)
	f.say("go")
	s := f.sides(2)
	s[0].begin("call_1", "file_write")
	done := s[0].watcher.Announce(context.Background(), f.dir+"/a")
	s[0].announce("call_1", "a")
	s[1].begin("call_1", "bash")
	after := s[1].watcher.Before(context.Background(), "call_1", s[1].record)
	must(t, os.WriteFile(f.dir+"/.a.ikigai-ABC", []byte("2"), 0o644))
	s[1].shell("call_2", "true") // somebody looks
	must(t, os.Rename(f.dir+"/.a.ikigai-ABC", f.dir+"/a"))
	s[0].end("call_1")
	done(context.Background())
	s[1].end("call_1")
	after(context.Background())
	if got := f.credited(); got != "a by call_1 of task-0" {
		t.Error(got)
	}
}

// TestOverlapRandom runs commands and file tools of several interactions at once,
// over files of their own and of all: every statement can be taken back, as it can
// where one tool runs after the other, and taken forward. P19
func TestOverlapRandom(t *testing.T) {
	for seed := range *sequences {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			for i := range 6 {
				f.replace(fmt.Sprintf("%s/f%d", f.dir, i), fmt.Sprint("first ", i))
			}
			f.watch(1 << 20)
			was := []string{f.state()}
			for statement := range 3 {
				f.say(fmt.Sprint("statement ", statement))
				var wg sync.WaitGroup
				for i, s := range f.sides(4) {
					r := rand.New(rand.NewPCG(uint64(seed), uint64(10*statement+i)))
					wg.Go(func() {
						for n := range 5 {
							s.act(r, statement, i, fmt.Sprint("call_", n))
						}
					})
				}
				wg.Wait()
				was = append(was, f.state())
			}
			checkFolds(t, f.events)
			for n := len(was) - 2; n >= 0; n-- {
				if left := f.undo(); left != "" || f.state() != was[n] {
					t.Fatalf("before statement %d: left %q\n%s\n%s", n+1, left, cmp.Diff(was[n], f.state()), f.credited())
				}
			}
			for n := range was[1:] {
				if left := f.redo(); left != "" || f.state() != was[n+1] {
					t.Fatalf("after statement %d: left %q\n%s", n+1, left, cmp.Diff(was[n+1], f.state()))
				}
			}
			if len(f.notices) > 0 {
				t.Error(f.notices)
			}
		})
	}
}

// act does something: to files that others change, too, with commands alone, for
// those can change a file in the very moment between two looks.
func (s *side) act(r *rand.Rand, statement, i int, id string) {
	s.t.Helper()
	own, content := fmt.Sprintf("own%d-%d", i, r.IntN(2)), fmt.Sprintf("%d %d %s %d", statement, i, id, r.IntN(1000))
	switch r.IntN(5) {
	case 0:
		s.write(id, own, content)
	case 1:
		s.shell(id, fmt.Sprintf("echo '%s' > %s", content, own))
	case 2:
		s.shell(id, fmt.Sprintf("echo '%s' > f%d; sleep 0.0%d", content, r.IntN(6), r.IntN(5)))
	case 3:
		s.shell(id, fmt.Sprintf("rm -f f%d %s; mkdir -p d%d; echo '%s' > d%d/new", r.IntN(6), own, i, content, i))
	case 4:
		s.shell(id, fmt.Sprintf("sleep 0.0%d; chmod 600 f%d", r.IntN(5), r.IntN(6)))
	}
}
