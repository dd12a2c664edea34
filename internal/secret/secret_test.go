package secret

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

const key = "secret-0123456789"

// newStore returns a store with a keyring of its own, or without any.
func newStore(t *testing.T, withKeyring bool) Store {
	t.Helper()
	environ := map[string]string{}
	if withKeyring {
		keyring.MockInit()
		environ["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
	}
	return Store{File: filepath.Join(t.TempDir(), "ikigai", "keys.json"), Getenv: func(name string) string { return environ[name] }}
}

func (s Store) wants(t *testing.T, name, key, place string) {
	t.Helper()
	if got, at, err := s.Get(t.Context(), name); got != key || at != place || err != nil {
		t.Errorf("%s: %q in %q, %v; want %q in %q", name, got, at, err, key, place)
	}
}

func TestKeyring(t *testing.T) {
	s := newStore(t, true)
	s.wants(t, "a", "", "")
	if err := s.HasKeyring(t.Context()); err != nil {
		t.Error(err)
	}
	for _, value := range []string{"old", key} {
		if err := s.Set(t.Context(), "a", value); err != nil {
			t.Fatal(err)
		}
	}
	s.wants(t, "a", key, Keyring)
	s.wants(t, "b", "", "")
	if _, err := os.Stat(s.File); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is made beside the keyring: %v", err)
	}
	if places, err := s.Delete(t.Context(), "a"); err != nil || !slices.Equal(places, []string{Keyring}) {
		t.Errorf("deleted from %q, %v", places, err)
	}
	s.wants(t, "a", "", "")
	if places, err := s.Delete(t.Context(), "a"); err != nil || len(places) > 0 {
		t.Errorf("deleted again, from %q, %v", places, err)
	}
}

// P41: the file is for the person alone, before anything is in it.
func TestFile(t *testing.T) {
	s := newStore(t, false)
	for name, value := range map[string]string{"a": "old", "b": key} {
		if err := s.SetInFile(t.Context(), name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetInFile(t.Context(), "a", key); err != nil {
		t.Fatal(err)
	}
	s.wants(t, "a", key, s.File)
	info, err := os.Stat(s.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if dir, err := os.Stat(filepath.Dir(s.File)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("its directory has the mode %v, %v", dir.Mode(), err)
	}
	if others, _ := filepath.Glob(filepath.Join(filepath.Dir(s.File), ".new-*")); len(others) > 0 {
		t.Errorf("left behind: %q", others)
	}
	for _, name := range []string{"a", "b"} {
		if places, err := s.Delete(t.Context(), name); err != nil || !slices.Equal(places, []string{s.File}) {
			t.Errorf("deleted from %q, %v", places, err)
		}
	}
	if _, err := os.Stat(s.File); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty file is left: %v", err)
	}
}

// A key lies in one place: the one that it was put into last.
func TestOnePlace(t *testing.T) {
	s := newStore(t, true)
	if err := s.SetInFile(t.Context(), "a", "old"); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "a", key); err != nil {
		t.Fatal(err)
	}
	s.wants(t, "a", key, Keyring)
	if err := s.SetInFile(t.Context(), "a", "new"); err != nil {
		t.Fatal(err)
	}
	if left, err := keyring.Get(service, "a"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring still has %q, %v", left, err)
	}
	s.wants(t, "a", "new", s.File)
}

// P41: a file that others can read, or that is none of ours, is not used, and
// no error repeats what is in it.
func TestFileThatIsNotUsed(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		mode    fs.FileMode
		want    string
	}{
		"open to the group": {`{"a": "` + key + `"}`, 0o640, "run chmod 600"},
		"open to all":       {`{"a": "` + key + `"}`, 0o604, "run chmod 600"},
		"no JSON":           {`a=` + key, 0o600, "is no file of keys"},
		"other JSON":        {`{"a": ["` + key + `"]}`, 0o600, "is no file of keys"},
	} {
		s := newStore(t, false)
		if err := os.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.File, []byte(test.content), test.mode); err != nil {
			t.Fatal(err)
		}
		got, _, err := s.Get(t.Context(), "a")
		if got != "" || err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err := s.SetInFile(t.Context(), "b", "x"); err == nil {
			t.Errorf("%s: it is written over", name)
		}
	}
}

// Where there is no keyring, nothing is found there, nothing can be kept there,
// and nothing is started to look.
func TestNoKeyring(t *testing.T) {
	keyring.MockInitWithError(errors.New("asked"))
	defer keyring.MockInit()
	s := newStore(t, false)
	s.wants(t, "a", "", "")
	if err := s.HasKeyring(t.Context()); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("error is %v", err)
	}
	if err := s.Set(t.Context(), "a", key); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("error is %v", err)
	}
	if places, err := s.Delete(t.Context(), "a"); err != nil || len(places) > 0 {
		t.Errorf("deleted from %q, %v", places, err)
	}
	s.File = ""
	if err := s.SetInFile(t.Context(), "a", key); err == nil {
		t.Error("a key is kept nowhere")
	}
}

// What the keyring fails with is told, unless it says that there is none.
func TestKeyringFails(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		absent bool
	}{
		"nobody serves secrets": {dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown"}, true},
		"it does not start":     {dbus.Error{Name: "org.freedesktop.DBus.Error.Spawn.ExecFailed"}, true},
		"no socket":             {&fs.PathError{Op: "dial", Path: "/nowhere", Err: fs.ErrNotExist}, true},
		"another system":        {keyring.ErrUnsupportedPlatform, true},
		"dismissed":             {errors.New("prompt was dismissed"), false},
		"no right":              {dbus.Error{Name: "org.freedesktop.DBus.Error.AccessDenied"}, false},
	} {
		s := newStore(t, true)
		keyring.MockInitWithError(test.err)
		_, _, err := s.Get(t.Context(), "a")
		if (err == nil) != test.absent {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.HasKeyring(t.Context()); errors.Is(err, ErrNoKeyring) != test.absent {
			t.Errorf("%s: %v", name, err)
		}
	}
	keyring.MockInit()
}

// A keyring that waits for the person is given up in time.
func TestKeyringLimit(t *testing.T) {
	s := newStore(t, true)
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		defer close(unlocked)
		hang := func() (string, error) { <-unlocked; return key, nil }
		start := time.Now()
		_, err := s.within(t.Context(), readLimit, hang)
		if err == nil || time.Since(start) != readLimit {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.within(ctx, readLimit, hang); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
	})
}
