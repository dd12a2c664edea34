package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"ikigai"
)

// fail returns err, which ended an operation on the database at path, as an
// error that says what failed and what to do. Errors that say so already, those
// of the contract and those of an ended context, keep their identity.
func fail(path, operation string, err error) error {
	var told *ikigai.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return err
	case errors.Is(err, ikigai.ErrFenced), errors.Is(err, ikigai.ErrConflict),
		errors.Is(err, ikigai.ErrBusy), errors.Is(err, ikigai.ErrForked), errors.Is(err, ikigai.ErrNotFound),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", operation, err)
	}
	what, do := explain(path, err)
	return &ikigai.Error{Kind: ikigai.ErrorStore, What: what, Do: do, Err: fmt.Errorf("%s: %w", operation, err)}
}

func notFound(path string) error { return fmt.Errorf("database %s: %w", path, ikigai.ErrNotFound) }

// notAFile returns the error about a path that leads to no regular file.
func notAFile(path string, isDir bool) error {
	e := &ikigai.Error{
		Kind: ikigai.ErrorStore,
		What: path + " is not a file that can hold a database",
		Do:   "Name a file in the setting database",
	}
	if isDir {
		e.What = path + " is a directory"
		e.Do = "Name a file in it, such as " + filepath.Join(path, "ikigai.db")
	}
	return e
}

func explain(path string, err error) (what, do string) {
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Sprintf("The database %s is locked by another program", path),
			"Close the program that holds it, or wait until it is done"
	case sqlite3.SQLITE_FULL:
		return fmt.Sprintf("The disk that holds the database %s is full", path),
			"Free some space on it"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return fmt.Sprintf("The database %s cannot be written", path),
			fmt.Sprintf("Make the file and the directory %s writable", filepath.Dir(path))
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Sprintf("The database %s cannot be opened", path),
			fmt.Sprintf("Check that the directory %s is there and writable", filepath.Dir(path))
	case sqlite3.SQLITE_NOTADB:
		return path + " is not a database",
			"Name another file, or remove it if it is of no use"
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Sprintf("The database %s is damaged", path),
			"Make a copy of it, then put back a backup or move it away; a new one is created at the next start"
	case sqlite3.SQLITE_IOERR:
		return fmt.Sprintf("The database %s cannot be read or written", path),
			"Check that its disk is connected, healthy and not full"
	}
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EEXIST) {
		return fmt.Sprintf("The database %s cannot be created: a file stands where %s or a directory above it belongs", path, filepath.Dir(path)),
			"Name another file in the setting database"
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Sprintf("The database %s may not be accessed", path),
			fmt.Sprintf("Check the permissions of the file and of the directory %s", filepath.Dir(path))
	}
	return fmt.Sprintf("The database %s cannot be used", path),
		"Run `ikigai doctor` to have it checked"
}

// code returns SQLITE_BUSY for errTurn and otherwise the primary result code of SQLite that err wraps, or 0.
func code(err error) int {
	if errors.Is(err, errTurn) {
		return sqlite3.SQLITE_BUSY
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool { return code(err) == sqlite3.SQLITE_BUSY }
