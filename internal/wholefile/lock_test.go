package wholefile

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// What several change at once, each while they have the lock, has the changes of all.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "number")
	must(t, Replace(path, []byte("0")))
	const writers, times = 4, 20
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range times {
				if err := addOne(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, err := os.ReadFile(path); err != nil || string(got) != strconv.Itoa(writers*times) {
		t.Errorf("after %d changes: %s, %v", writers*times, got, err)
	}
	if info, err := os.Stat(path + ".lock"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the lock: %v, %v", info.Mode(), err)
	}
}

func addOne(path string) error {
	unlock, err := Lock(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(content))
	if err != nil {
		return err
	}
	return Replace(path, []byte(strconv.Itoa(n+1)))
}

func TestLockFails(t *testing.T) {
	if _, err := Lock(filepath.Join(t.TempDir(), "none", "lock")); err == nil {
		t.Error("a lock in no directory is held")
	}
}
