package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	sqlRaiseFence = `UPDATE sessions SET fence = fence + 1 WHERE id = ?`

	sqlNoteLease = `INSERT INTO leases (session, fence, holder, taken) VALUES (?, ?, ?, ?)
	ON CONFLICT (session) DO UPDATE SET fence = excluded.fence, holder = excluded.holder, taken = excluded.taken`
)

// leasesSuffix, behind the path of the database, names the directory of locks:
// one for each session that is open, and one for the turn to write.
const leasesSuffix = ".leases"

// Acquire implements ikigai.Leases. The right lies in the lock on a file, which
// the system gives back when the process ends, however it ends.
func (s *Store) Acquire(ctx context.Context, session ikigai.ID) (ikigai.Grant, func() error, error) {
	operation := "open session " + string(session)
	if err := dbschema.CheckSession(session); err != nil {
		return ikigai.Grant{}, nil, fail(s.path, operation, err)
	}
	lock, err := s.lockSession(session)
	if err != nil {
		return ikigai.Grant{}, nil, fail(s.path, operation, err)
	}
	fence, err := s.nextFence(ctx, session)
	if err != nil {
		_ = unlockFile(lock)
		return ikigai.Grant{}, nil, fail(s.path, operation, err)
	}
	release := sync.OnceValue(func() error { return unlockFile(lock) })
	return ikigai.Grant{Session: session, Fence: fence}, release, nil
}

// lockSession takes the lock of a session and notes in its file who has it.
func (s *Store) lockSession(session ikigai.ID) (*os.File, error) {
	if err := s.sameFile(); err != nil {
		return nil, err
	}
	dir := s.path + leasesSuffix
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	path := filepath.Join(dir, string(session)+".lock")
	lock, err := tryLock(path)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w%s", ikigai.ErrBusy, holder(path))
	}
	if err != nil {
		return nil, err
	}
	// The note is only for people; the lock is what counts.
	if err := lock.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(lock, dbschema.Holder())
	}
	return lock, nil
}

// holder returns a remark on the process that holds the lock on a file.
func holder(path string) string {
	note, err := os.ReadFile(path)
	name := strings.TrimSpace(string(note))
	if err != nil || name == "" {
		return ""
	}
	return " (" + name + ")"
}

// noteLease notes in the database who has the right to append, for people who
// look. It belongs into a transaction that writes anyway.
func noteLease(ctx context.Context, c *connection, g ikigai.Grant, at time.Time) error {
	_, err := c.exec(ctx, sqlNoteLease, string(g.Session), g.Fence, dbschema.Holder(), at.UnixMicro())
	return err
}

// nextFence raises the fence of a session and returns it. A session that the
// database does not have yet starts at 1; its first append says so.
func (s *Store) nextFence(ctx context.Context, session ikigai.ID) (fence int64, err error) {
	err = s.writer.do(ctx, func(c *connection) error {
		if _, _, err := place(ctx, c, session); errors.Is(err, sql.ErrNoRows) {
			fence = 1
			return nil
		} else if err != nil {
			return err
		}
		return c.transaction(ctx, func(ctx context.Context) error {
			if _, err := c.exec(ctx, sqlRaiseFence, string(session)); err != nil {
				return err
			}
			if _, fence, err = place(ctx, c, session); err != nil {
				return err
			}
			return noteLease(ctx, c, ikigai.Grant{Session: session, Fence: fence}, time.Now())
		})
	})
	return fence, err
}
