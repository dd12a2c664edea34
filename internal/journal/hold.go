package journal

import (
	"errors"
	"os"
	"strings"

	"ikigai"
)

// suffixLock is the ending of the files that Hold locks. They are empty.
const suffixLock = ".lock"

// Hold keeps other processes from the journals of a session in dirs until release
// is called or this one ends, also while it has none of them open. It is
// ikigai.ErrBusy while another one holds them, or has one open. A directory that
// takes no file is passed over: nobody can hold anything there.
func Hold(session ikigai.ID, dirs ...string) (release func(), err error) {
	var locked []*os.File
	release = func() {
		for _, f := range locked {
			_ = os.Remove(f.Name()) // an empty file that stays is in nobody's way
			f.Close()
		}
	}
	for _, dir := range dirs {
		path, err := fileName(dir, session)
		if err != nil {
			return nil, err
		}
		_ = os.MkdirAll(dir, 0o700)
		f, err := openLocked(strings.TrimSuffix(path, suffix)+suffixLock, os.O_CREATE|os.O_RDWR)
		if err == nil {
			locked = append(locked, f)
		}
		if errors.Is(err, ikigai.ErrBusy) || isOpen(path) {
			release()
			return nil, ikigai.ErrBusy
		}
	}
	return release, nil
}

// isOpen reports whether a process has the journal at path open.
func isOpen(path string) bool {
	f, err := openToDeliver(path)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, ikigai.ErrBusy)
}
