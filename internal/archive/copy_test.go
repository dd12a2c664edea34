package archive

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestCopy(t *testing.T) {
	from, to := newMemory(), newMemory()
	parent, fork1, fork2, other := sample(t, from)
	report, err := Copy(t.Context(), from, to, CopyOptions{})
	if err != nil || len(report.Skipped()) > 0 || report.Added != report.Contents.Events || report.Known != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	if diff := cmp.Diff(from.sessions, to.sessions, cmp.AllowUnexported(kept{})); diff != "" {
		t.Error(diff)
	}
	same(t, from, to, parent, fork1, fork2, other)

	appends := to.appends
	fill(t, from, fork1, user("later"), withBlob("/c", []byte("c")))
	report, err = Copy(t.Context(), from, to, CopyOptions{})
	if err != nil || report.Added != 2 || to.appends != appends+1 {
		t.Errorf("repeated: %+v, %v", report, err)
	}
	same(t, from, to, parent, fork1, fork2, other)

	// What is there and further on stays so.
	fill(t, to, other, user("only there"))
	if report, err = Copy(t.Context(), from, to, CopyOptions{}); err != nil || report.Added != 0 || len(report.Skipped()) > 0 {
		t.Errorf("ahead: %+v, %v", report, err)
	}
	fill(t, from, other, user("only here"))
	report, err = Copy(t.Context(), from, to, CopyOptions{})
	skipped := report.Skipped()
	if err != nil || len(skipped) != 1 || skipped[0].Session != other || skipped[0].State != Conflict || skipped[0].At != 4 {
		t.Errorf("differing: %+v, %v", report, err)
	}
}

// A copy that an error ends after any append is completed by repeating it.
func TestCopyResumes(t *testing.T) {
	from, to := newMemory(), newMemory()
	parent, fork1, fork2, other := sample(t, from)
	for i := range 3 * batchEvents {
		fill(t, from, parent, user(string(rune('a'+i%26))))
	}
	broken := errors.New("broken")
	runs := 0
	for ; ; runs++ {
		appends := 0
		to.fail = func() error {
			if appends++; appends > 1 {
				return broken
			}
			return nil
		}
		_, err := Copy(t.Context(), from, to, CopyOptions{})
		if len(to.busy) > 0 {
			t.Fatalf("rights to append are still taken: %v", to.busy)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, broken) || runs > 100 {
			t.Fatal(err)
		}
	}
	if runs < 5 {
		t.Errorf("completed after %d runs: too few to show anything", runs)
	}
	same(t, from, to, parent, fork1, fork2, other)
}

// A source whose list of sessions speaks of more events than it yields.
type short struct{ *memory }

func (s short) Events(ctx context.Context, id ikigai.ID, after ikigai.Seq) events {
	return func(yield func(ikigai.Event, error) bool) {
		for e, err := range s.memory.Events(ctx, id, after) {
			if e.Seq == 4 || !yield(e, err) {
				return
			}
		}
	}
}

func TestCopyVerifies(t *testing.T) {
	from := newMemory()
	sample(t, from)
	_, err := Copy(t.Context(), short{from}, newMemory(), CopyOptions{})
	if ikigai.KindOf(err) != ikigai.ErrorStore {
		t.Error(err)
	}
}

// A blob that was met in a session that is skipped is brought with the next
// event that names it.
func TestCopyBlobOfSkippedSession(t *testing.T) {
	from, to := newMemory(), newMemory()
	whole, differs := newID(), newID() // the later one comes first
	fill(t, from, differs, withBlob("/a", []byte("shared")))
	fill(t, from, whole, withBlob("/a", []byte("shared")))
	fill(t, to, differs, user("other"))
	to.sessions[differs].events[0] = from.sessions[differs].events[0]
	report, err := Copy(t.Context(), from, to, CopyOptions{})
	skipped := report.Skipped()
	if err != nil || len(skipped) != 1 || skipped[0].Session != differs || skipped[0].At != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	same(t, from, to, whole)
}

// What the store refuses in the middle of a session, because somebody else has
// taken it over, is missing in that session alone.
func TestRefusedBatch(t *testing.T) {
	from := newMemory()
	whole, fenced := newID(), newID()
	fill(t, from, fenced, withBlob("/a", []byte("shared")), user("more"))
	fill(t, from, whole, withBlob("/a", []byte("shared")))
	var file bytes.Buffer
	if _, err := Write(t.Context(), &file, from, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, bring := range map[string]func(*memory) (Report, error){
		"copy": func(to *memory) (Report, error) { return Copy(t.Context(), from, to, CopyOptions{}) },
		"read": func(to *memory) (Report, error) {
			return Read(t.Context(), bytes.NewReader(file.Bytes()), to, ReadOptions{})
		},
	} {
		to := newMemory()
		appends := 0
		to.fail = func() error {
			if appends++; appends == 1 {
				return ikigai.ErrFenced
			}
			return nil
		}
		report, err := bring(to)
		skipped := report.Skipped()
		if err != nil || len(skipped) != 1 || skipped[0].Session != fenced || skipped[0].State != Busy {
			t.Fatalf("%s: %+v, %v", name, report, err)
		}
		same(t, from, to, whole)
	}
}
