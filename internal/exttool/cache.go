package exttool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/wholefile"
)

// cacheVersion changes when what is made of a description does.
const cacheVersion = 1

// cache remembers what executables said of themselves, by their content, and
// by what it costs little to ask of a file which content that is.
type cache struct {
	Version int              `json:"version"`
	Files   map[string]known `json:"files"` // by path
	Said    map[string]said  `json:"said"`  // by protocol and content
}

// known is a file whose content has been read.
type known struct {
	Stamp stamp  `json:"stamp"`
	Key   string `json:"key"` // into Said
}

// said is what an executable said of itself, or why it said nothing that can be
// used.
type said struct {
	Spec *spec  `json:"spec,omitempty"`
	What string `json:"what,omitempty"`
	Do   string `json:"do,omitempty"`
}

func saidOf(s spec, bad *ikigai.Error) said {
	if bad != nil {
		return said{What: bad.What, Do: bad.Do}
	}
	return said{Spec: &s}
}

// stamp is what changes with a file: size, time of the last change of content
// and of anything, number, device.
type stamp [5]int64

// settled is the age from which on a file that has not changed its times has
// not changed.
const settled = 100 * time.Millisecond

// stampOf looks at a file, through links.
func stampOf(path string) (s stamp, mode uint32, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return s, 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), int64(st.Ino), int64(st.Dev)}, uint32(st.Mode), nil
}

// fresh reports whether the file changed so recently that it could change again
// without its times telling.
func (s stamp) fresh(now time.Time) bool { return now.Sub(time.Unix(0, s[2])) < settled }

// cacheFile is the file in the directory for the cache.
func cacheFile(dir string) string { return filepath.Join(dir, "tools.json") }

func emptyCache() cache {
	return cache{Version: cacheVersion, Files: map[string]known{}, Said: map[string]said{}}
}

// readCache reads the cache of a directory. One that cannot be read is empty.
func readCache(dir string) cache {
	if dir == "" {
		return emptyCache()
	}
	raw, err := os.ReadFile(cacheFile(dir))
	var c cache
	if err != nil || json.Unmarshal(raw, &c) != nil || c.Version != cacheVersion || c.Files == nil || c.Said == nil {
		return emptyCache()
	}
	return c
}

// write adds the cache to what is on the disk, without the files that are gone,
// and replaces the file in one step. What two programs write at once may lose
// what one of them has found out; that is then found out again.
func (c cache) write(dir string) error {
	if dir == "" {
		return nil
	}
	all := readCache(dir)
	maps.Copy(all.Files, c.Files)
	maps.Copy(all.Said, c.Said)
	used := map[string]bool{}
	for path, k := range all.Files {
		if _, err := os.Stat(path); err != nil {
			delete(all.Files, path)
			continue
		}
		used[k.Key] = true
	}
	maps.DeleteFunc(all.Said, func(key string, _ said) bool { return !used[key] })
	return wholefile.Replace(cacheFile(dir), encode(all))
}

// hashFile returns the hash of a file's content, in hexadecimal.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
