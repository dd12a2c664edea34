package undo

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestSameMoment trusts no file that may have been changed again in the moment
// in which it was looked at: it would look no different.
func TestSameMoment(t *testing.T) {
	moment := time.Unix(1_000_000, 0)
	at := func(d time.Duration) stat {
		return stat{size: 1, mtime: moment.Add(-time.Hour).UnixNano(), ctime: moment.Add(d).UnixNano(), ino: 7}
	}
	for _, c := range []struct {
		changed time.Duration
		trusted bool
	}{{-time.Minute, true}, {-time.Millisecond, false}, {time.Millisecond, false}} {
		was := &tree{files: []file{{path: "a", stat: at(c.changed), held: &held{at: moment}}}, began: moment}
		is := &tree{files: []file{{path: "a", stat: at(c.changed)}}, began: moment.Add(time.Minute)}
		if got := len(differing(was, is)) == 0; got != c.trusted {
			t.Errorf("changed %s before it was looked at: taken for the same %t", -c.changed, got)
		}
		is.inherit(was)
		if got := is.files[0].held != nil; got != c.trusted {
			t.Errorf("changed %s before it was read: the content is taken over %t", -c.changed, got)
		}
		s := at(c.changed)
		g := git{at: moment, index: map[string]indexEntry{"a": {mtime: s.mtime, ctime: s.ctime, ino: 7, size: 1, object: "o"}}}
		if got := g.object(&is.files[0]) != ""; got != c.trusted {
			t.Errorf("changed %s before the index was written: taken for git's object %t", -c.changed, got)
		}
	}
}

// TestObject takes nothing from git that does not have the name asked for.
func TestObject(t *testing.T) {
	name := objectName([]byte("text"))
	for answer, want := range map[string]string{
		name + " blob 4\ntext\n":                 "text",
		name + " blob 4\ntest\n":                 "another",
		name + " tree 4\ntext\n":                 "another",
		name + " missing\n":                      "another",
		name + " blob 4\nte":                     "broken",
		name + " blob 99999999999\ntext\n":       "broken",
		name + " blob -4\ntext\n":                "broken",
		"fatal: not a git repository\n":          "broken",
		"":                                       "broken",
		strings.Repeat("x", 1<<20) + " blob 4\n": "broken",
	} {
		content, err := readObject(bufio.NewReader(strings.NewReader(answer)), name)
		got := string(content)
		switch {
		case errors.Is(err, errObject):
			got = "another"
		case err != nil:
			got = "broken"
		}
		if got != want {
			t.Errorf("%.60q: %s (%v), want %s", answer, got, err, want)
		}
	}
}
