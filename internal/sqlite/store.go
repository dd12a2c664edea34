package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"ikigai"
)

// Store is a log in a SQLite file. It is safe for concurrent use.
type Store struct {
	path    string
	file    os.FileInfo // of the database as it was opened
	readers *readers
	writer  *writer

	migration Migration

	// lastBlob is what was packed last. The next version of a file is most often
	// the difference from it.
	lastBlob atomic.Pointer[ikigai.Blob]
}

var _ ikigai.Store = (*Store)(nil)

// Open opens the database file at path, or creates it with its directory,
// readable by its owner alone. An error is an *ikigai.Error of kind store.
// The caller closes the store.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, true)
}

// OpenExisting is like Open for who only reads: it creates nothing. Where there
// is no file, or an empty one, the error wraps ikigai.ErrNotFound.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, false)
}

// open opens the database file at path, which it creates, if need be, only if
// create is true.
func open(ctx context.Context, path string, create bool) (*Store, error) {
	prepare := needFile
	if create {
		prepare = ensureFile
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fail(path, "open", err)
	}
	keepLocks()
	if err := prepare(path); err != nil {
		return nil, fail(path, "open", err)
	}
	s := &Store{path: path, writer: newWriter(path)}
	err = s.writer.do(ctx, func(c *connection) (err error) {
		s.migration, err = prepareSchema(ctx, c, path, create)
		return err
	})
	if err != nil {
		_ = s.writer.close() // the first error tells more
		return nil, fail(path, "open", err)
	}
	if s.file, err = os.Stat(path); err != nil {
		_ = s.writer.close() // the first error tells more
		return nil, fail(path, "open", err)
	}
	s.readers = newReaders(path, min(4, max(2, runtime.NumCPU())))
	return s, nil
}

// Path returns the absolute path of the database file.
func (s *Store) Path() string { return s.path }

// Migration tells what Open did to an older file.
func (s *Store) Migration() Migration { return s.migration }

// Close waits for an append under way and closes the store. Rights to append
// that the store gave out stay taken until they are given back.
func (s *Store) Close() error {
	err := errors.Join(s.readers.Close(), s.writer.close())
	if err != nil {
		return fail(s.path, "close", err)
	}
	return nil
}

// sameFile returns an error if the path no longer leads to the file that was
// opened. SQLite would go on writing into a file that nobody finds again.
func (s *Store) sameFile() error {
	now, err := os.Stat(s.path)
	if err == nil && os.SameFile(s.file, now) {
		return nil
	}
	return &ikigai.Error{
		Kind: ikigai.ErrorStore, Err: err,
		What: fmt.Sprintf("The database %s was removed or replaced while it was open", s.path),
		Do:   "Put the file back, or start again to use what is there now",
	}
}

// keepLocks makes SQLite use locks that survive when another part of the
// process, a tool that searches files for one, opens and closes the database
// file. With POSIX locks, the default, that would silently give up SQLite's.
var keepLocks = sync.OnceFunc(func() {
	// Where there are no such locks, the default is all there is.
	_, _ = sqlite.OFDLocking(true)
})

// ensureFile creates an empty file at path, with its directory, unless there
// is one. SQLite would create it too, but for everybody to read.
func ensureFile(path string) error {
	if err := needFile(path); !errors.Is(err, ikigai.ErrNotFound) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// needFile returns an error unless there is a file at path with something in
// it. If there is none, the error wraps ikigai.ErrNotFound.
func needFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && info.Size() == 0 && info.Mode().IsRegular():
		return notFound(path)
	case err == nil && !info.Mode().IsRegular():
		return notAFile(path, info.IsDir())
	case err == nil:
		openCompanions(path, info.Mode().Perm())
	}
	return err
}

// openCompanions gives the files that SQLite keeps beside a database the
// database's permissions. Made while it was read-only, they would stay so, and
// it with them.
func openCompanions(path string, perm os.FileMode) {
	for _, suffix := range []string{"-wal", "-shm"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Mode().Perm() != perm {
			_ = os.Chmod(path+suffix, perm) // what cannot be changed is told when it is written
		}
	}
}

// openPool returns a pool of at most size connections to the file at path,
// with further parameters.
func openPool(path string, size int, parameters string) *sql.DB {
	return connect(path, size, "mode=rw&_txlock=immediate&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"+
		"&_pragma=cache_size(-4000)"+parameters)
}

// openReadOnly returns a connection that cannot write, for statements of the
// person.
func openReadOnly(path string) *sql.DB {
	return connect(path, 1, "mode=ro&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=busy_timeout(5000)")
}

func connect(path string, size int, parameters string) *sql.DB {
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	connector, err := sqlite.NewConnector(name.String() + "?" + parameters)
	if err != nil {
		panic("sqlite: parameters of a connection: " + err.Error()) // they are constant and the path is escaped
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}
