package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/storetest"
)

// wantStoreError checks that err tells a person, in two sentences, what failed
// with which file.
func wantStoreError(t *testing.T, err error, path, what string) {
	t.Helper()
	var told *ikigai.Error
	if !errors.As(err, &told) || told.Kind != ikigai.ErrorStore || told.Do == "" ||
		!strings.Contains(told.What, path) || !strings.Contains(told.What, what) || strings.Contains(told.What, "(") {
		t.Errorf("got %v; want an error of the store that says %q of %s", err, what, path)
	}
}

func TestOpenCreates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "it's 100%?#&", "ikigai.db")
	s := openAt(t, path)
	if err := beginSession(s, storetest.NewID()); err != nil {
		t.Fatal(err)
	}
	if s.Path() != path {
		t.Errorf("path %s", s.Path())
	}
	for name, want := range map[string]os.FileMode{
		"": 0o600, "-wal": 0o600, "-shm": 0o600, ".leases": 0o700 | os.ModeDir, "/..": 0o700 | os.ModeDir, "/../..": 0o700 | os.ModeDir,
	} {
		info, err := os.Stat(filepath.Clean(path + name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", path+name, info.Mode(), err, want)
		}
	}
	if _, err := os.Stat(path + ".creating"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock of the creation: %v", err)
	}
}

// foreign creates a database and runs statements on it.
func foreign(t *testing.T, path string, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) { // P9
	for name, test := range map[string]struct {
		prepare func(t *testing.T, path string)
		what    string
	}{
		"garbage": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is not a database"},
		"another program's": {func(t *testing.T, path string) {
			foreign(t, path, "CREATE TABLE t (x)")
		}, "is a database of another program"},
		"another program's, with a version": {func(t *testing.T, path string) {
			foreign(t, path, "CREATE TABLE t (x); PRAGMA user_version = 1")
		}, "is a database of another program"},
		"a later version": {func(t *testing.T, path string) {
			openAt(t, path).Close()
			foreign(t, path, "PRAGMA user_version = 99")
		}, "schema version 99"},
		"damaged": {func(t *testing.T, path string) {
			openAt(t, path).Close()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(make([]byte, 3000), 100); err != nil {
				t.Fatal(err)
			}
		}, "is damaged"},
		"a directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is a directory"},
		"below a file": {func(t *testing.T, path string) {
			dir := filepath.Dir(path)
			if err := errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, "a file stands where"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dir", "ikigai.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			test.prepare(t, path)
			s, err := Open(t.Context(), path)
			if err == nil {
				_, err = storetest.All(t.Context(), s, "a") // damage may show only here
				s.Close()
			}
			wantStoreError(t, err, path, test.what)
		})
	}
}

// What a person reads of the commonest mistakes.
func TestWrongFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:         dir + " is a directory. Name a file in it, such as " + dir + "/ikigai.db.",
		text:        text + " is not a database. Name another file, or remove it if it is of no use.",
		"/dev/null": "/dev/null is not a file that can hold a database. Name a file in the setting database.",
	} {
		for name, open := range map[string]func(context.Context, string) (*Store, error){"Open": Open, "OpenExisting": OpenExisting} {
			if _, err := open(t.Context(), path); err == nil || err.Error() != want {
				t.Errorf("%s: %v\nwant %s", name, err, want)
			}
		}
	}
}

// Who only reads leaves no trace where there is nothing to read.
func TestOpenExisting(t *testing.T) {
	dir := t.TempDir()
	path, empty, blank := filepath.Join(dir, "new", "ikigai.db"), filepath.Join(dir, "empty.db"), filepath.Join(dir, "blank.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign(t, blank, "CREATE TABLE t (x); DROP TABLE t")
	for _, p := range []string{path, empty, blank} {
		if _, err := OpenExisting(t.Context(), p); !errors.Is(err, ikigai.ErrNotFound) || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 2 {
		t.Errorf("left behind: %v, %v", found, err)
	}
	openAt(t, path).Close()
	s, err := OpenExisting(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := s.Check(t.Context()); err != nil || h.Sessions != 0 || h.Events != 0 {
		t.Errorf("an empty database: %+v, %v", h, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// asNobody calls f without the rights of root, which no file mode stops.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := syscall.Seteuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Seteuid(0); err != nil {
				panic(err)
			}
		}()
	}
	f()
}

// nobodysDir returns a directory that belongs to who asNobody is.
func nobodysDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chown(d, 65534, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestNoPermission(t *testing.T) { // P9
	dir := nobodysDir(t)
	path := filepath.Join(dir, "ikigai.db")
	session := storetest.NewID()
	asNobody(t, func() {
		s := openAt(t, path)
		if err := beginSession(s, session); err != nil {
			t.Fatal(err)
		}
		s.Close()

		// The file alone: it can be read, and says that it cannot be written.
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, path)
		events, err := storetest.All(t.Context(), s, session)
		if err != nil || len(events) != 1 {
			t.Errorf("read-only file: %d events, %v", len(events), err)
		}
		err = s.Append(t.Context(), ikigai.Grant{Session: session, Fence: 1}, 1, storetest.Statement(session, 2, "lost?"))
		wantStoreError(t, err, path, "cannot be written")
		_, _, err = s.Acquire(t.Context(), session)
		wantStoreError(t, err, path, "cannot be written")
		s.Close()

		// The directory too, and no files beside it from a reader before.
		_, _ = os.Remove(path+"-wal"), os.Remove(path+"-shm")
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), path)
		wantStoreError(t, err, path, "cannot be")
		_, err = Open(t.Context(), filepath.Join(dir, "new", "ikigai.db"))
		wantStoreError(t, err, filepath.Join(dir, "new"), "may not be accessed")
		if err := errors.Join(os.Chmod(dir, 0o700), os.Chmod(path, 0o000)); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), path)
		wantStoreError(t, err, path, "cannot be opened")
	})
}

// A full disk loses nothing that was acknowledged, and the store goes on, as it
// is, once there is room again.
func TestDiskFull(t *testing.T) { // P9
	dir, lift := storetest.SmallDisk(t, 1<<20, 1<<20)
	path := filepath.Join(dir, "ikigai.db")
	s := openAt(t, path)
	g, release, err := s.Acquire(t.Context(), storetest.NewID())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	events := []ikigai.Event{storetest.Session(g.Session, "/src")}
	if err := s.Append(t.Context(), g, 0, events...); err != nil {
		t.Fatal(err)
	}
	appendMore := func() error {
		n := ikigai.Seq(len(events))
		e := storetest.Statement(g.Session, n+1, strings.Repeat("fills the disk ", 500))
		err := s.Append(t.Context(), g, n, e)
		if err == nil {
			events = append(events, e)
		}
		return err
	}
	full := appendMore()
	for full == nil && len(events) < 1000 {
		full = appendMore()
	}
	wantStoreError(t, full, path, "")
	for range 3 {
		if err := appendMore(); err == nil {
			t.Log("some room was left for a smaller one") // no fault: it must be there below
		}
	}
	lift()
	for range 10 {
		if err := appendMore(); err != nil {
			t.Fatalf("with room again: %v", err)
		}
	}
	for _, store := range []*Store{s, openAt(t, path)} {
		got, err := storetest.All(t.Context(), store, g.Session)
		if err != nil || len(got) != len(events) {
			t.Fatalf("%d events, %v; want %d", len(got), err, len(events))
		}
		storetest.CheckLog(t, got)
	}
	wantHealthy(t, path)
}

// SQLite would go on writing into a file that was removed, and everything
// would be lost at the end.
func TestFileReplaced(t *testing.T) { // P9
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"renamed": func(path string) error { return os.Rename(path, path+".old") },
		"replaced by garbage": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("garbage"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ikigai.db")
			s := openAt(t, path)
			g, release, err := s.Acquire(t.Context(), storetest.NewID())
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			if err := s.Append(t.Context(), g, 0, storetest.Session(g.Session, "/src")); err != nil {
				t.Fatal(err)
			}
			if err := replace(path); err != nil {
				t.Fatal(err)
			}
			err = s.Append(t.Context(), g, 1, storetest.Statement(g.Session, 2, "lost?"))
			wantStoreError(t, err, path, "removed or replaced")
			_, _, err = s.Acquire(t.Context(), storetest.NewID())
			wantStoreError(t, err, path, "removed or replaced")
			_, err = s.Check(t.Context())
			wantStoreError(t, err, path, "removed or replaced")
		})
	}
}

// Bytes overwritten or cut off while the store is open are an error, never a
// crash and never silence.
func TestFileDamagedWhileOpen(t *testing.T) { // P9
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	session := storetest.NewID()
	for range 20 {
		if err := beginSession(s, storetest.NewID()); err != nil {
			t.Fatal(err)
		}
	}
	s.Close() // everything is in the file itself now
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err == nil {
		err = beginSession(s, session)
		s.Close()
	}
	wantStoreError(t, err, path, "is damaged")
}

func TestLockedByAnother(t *testing.T) { // P9
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	stop, _ := start(t, "lock", path, "")
	session := storetest.NewID()
	g := ikigai.Grant{Session: session, Fence: 1}
	first := storetest.Session(session, "/src")

	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	if err := s.Append(ctx, g, 0, first); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline: %v", err)
	}
	s.writer.do(t.Context(), func(c *connection) error { c.wait = 1; return nil })
	wantStoreError(t, s.Append(t.Context(), g, 0, first), path, "is locked by another program")
	if _, err := storetest.All(t.Context(), s, session); err != nil {
		t.Errorf("reading while another process writes: %v", err)
	}
	stop()
	if err := s.Append(t.Context(), g, 0, first); err != nil {
		t.Errorf("once the other process is done: %v", err)
	}
}
