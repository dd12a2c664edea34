package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ikigai"
)

// A session is whole in the journals if they hold it from its first event on, none
// missing and by one writer, whichever of them holds what.
func TestWhole(t *testing.T) {
	tests := []struct {
		name string
		left func(t *testing.T, first, second string)
		want string // its events; "" for none
	}{
		{"nothing", func(*testing.T, string, string) {}, ""},
		{"from the beginning", func(t *testing.T, first, _ string) {
			leave(t, first, 3, "", of(1, "a", "b")...)
			leave(t, first, 3, "b", of(3, "c")...)
		}, "a b c"},
		{"in two places", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a")...)
			leave(t, second, 3, "a", of(2, "b")...)
			leave(t, first, 3, "b", of(3, "c")...)
		}, "a b c"},
		{"an event in both", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a", "b")...)
			leave(t, second, 3, "a", of(2, "b", "c")...)
		}, "a b c"},
		{"the end", func(t *testing.T, first, _ string) { leave(t, first, 3, "a", of(2, "b")...) }, ""},
		{"a gap", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a")...)
			leave(t, second, 3, "b", of(3, "c")...)
		}, ""},
		{"behind another event", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a")...)
			leave(t, second, 3, "x", of(2, "b")...)
		}, ""},
		{"another event at a place", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a", "b")...)
			leave(t, second, 3, "a", of(2, "x")...)
		}, ""},
		{"two writers", func(t *testing.T, first, second string) {
			leave(t, first, 3, "", of(1, "a")...)
			leave(t, second, 4, "a", of(2, "b")...)
		}, ""},
		{"what was left aside", func(t *testing.T, first, _ string) {
			leave(t, first, 3, "", of(1, "a", "b")...)
			leave(t, first, 4, "a", of(2, "x")...)
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first, second := t.TempDir(), t.TempDir()
			test.left(t, first, second)
			events, g, err := Whole(session, first, second)
			if got := contents(events); got != test.want || (got == "") != errors.Is(err, ikigai.ErrNotFound) {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
			if test.want != "" && g != grant {
				t.Errorf("under %v, want %v", g, grant)
			}
		})
	}
}

// awayLog is a store that could not be opened.
type awayLog struct{ fakeLog }

func (*awayLog) Away() error { return &AwayError{errors.New("no server answers")} }

// To a store that could not be opened nothing is delivered, and no journal is found to
// have no place in it.
func TestDeliverToNone(t *testing.T) {
	dir := t.TempDir()
	leave(t, dir, 3, "", of(1, "a", "b")...)
	leave(t, dir, 4, "lost", of(2, "c")...)
	for range 2 {
		if _, err := Deliver(t.Context(), grant, &awayLog{}, dir); !IsAway(err) {
			t.Errorf("delivered: %v", err)
		}
		if l := list(t, dir); len(l) != 2 || l[0].Refused || l[1].Refused {
			t.Errorf("%+v", l)
		}
	}
}

// One process at a time holds the journals of a session, in all of their directories;
// who has one of them open holds them, too.
func TestHold(t *testing.T) { // P8
	first, second, none := t.TempDir(), filepath.Join(t.TempDir(), "new"), "/dev/null/none"
	release, err := Hold(session, first, second, none)
	if err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{first}, {second}, {none, second}} {
		if _, err := Hold(session, dirs...); !errors.Is(err, ikigai.ErrBusy) {
			t.Errorf("held twice in %s: %v", dirs, err)
		}
	}
	release()
	for _, dir := range []string{first, second} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s holds %v, %v", dir, entries, err)
		}
	}

	j := mustOpen(t, second, grant)
	if _, err := Hold(session, first, second); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("held while a journal is open: %v", err)
	}
	mustClose(t, j)
	release, err = Hold(session, first, second)
	if err != nil {
		t.Fatal(err)
	}
	release()
}
