package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ikigai/internal/wholefile"
)

// read returns the keys of the file by name; none if there is no file. It
// refuses a file that others can read: what is in it is no secret any more.
func (s Store) read() (map[string]string, error) {
	if s.File == "" {
		return nil, nil
	}
	info, err := os.Stat(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the file of keys cannot be read: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others than you can read %s; run chmod 600 %[1]s and have the vendors make new keys", s.File)
	}
	content, err := os.ReadFile(s.File)
	if err != nil {
		return nil, fmt.Errorf("the file of keys cannot be read: %w", err)
	}
	var keys map[string]string
	if json.Unmarshal(content, &keys) != nil { // its error could repeat a key
		return nil, fmt.Errorf("%s is no file of keys; remove it and log in again", s.File)
	}
	return keys, nil
}

// write replaces the file in one step.
func (s Store) write(keys map[string]string) error {
	if s.File == "" {
		return errors.New("there is no home directory to keep a file of keys in")
	}
	content, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Replace(s.File, append(content, '\n'))
}

// deleteFromFile reports whether the file had a key under name.
func (s Store) deleteFromFile(name string) (found bool, err error) {
	keys, err := s.read()
	if _, found = keys[name]; err != nil || !found {
		return false, err
	}
	delete(keys, name)
	if len(keys) == 0 {
		return true, os.Remove(s.File)
	}
	return true, s.write(keys)
}
