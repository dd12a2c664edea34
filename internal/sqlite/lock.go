package sqlite

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile waits for the lock on a file and returns the function that gives it
// back and removes the file.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := tryLock(path)
		if err == nil {
			return func() { _ = unlockFile(f) }, nil
		}
		if err != unix.EWOULDBLOCK {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// tryLock creates the file at path if need be and takes the lock on it, which
// lasts until the file is closed or the process ends. The error is
// unix.EWOULDBLOCK while another has it.
func tryLock(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			return nil, err
		}
		// The holder before us may have removed the file after we opened it.
		if onDisk(f, path) {
			return f, nil
		}
		f.Close()
	}
}

// flock takes the lock on a file, or gives it back, as how says.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err != unix.EINTR {
			return err
		}
	}
}

func onDisk(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// unlockFile removes the file of a lock and gives the lock back.
func unlockFile(f *os.File) error {
	err := os.Remove(f.Name())
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
