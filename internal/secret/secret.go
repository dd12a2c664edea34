// Package secret keeps keys of vendors for a person: in the system's keyring or,
// where that is what they want, in a file that only they can read.
package secret

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoKeyring says that this machine, or this login, has no keyring.
var ErrNoKeyring = errors.New("there is no keyring")

// Keyring is the place of a key that the system's keyring has.
const Keyring = "the keyring"

// Store is where keys are kept. A key lies in one place only.
type Store struct {
	// File is the path of the file of keys; "" if there is no place for one.
	File string
	// Getenv returns a variable of the environment.
	Getenv func(name string) string
}

// Get returns the key that is kept under name, and the place that it lies in:
// Keyring or the path of the file. Both are "" if there is none, also where there
// is no keyring. The keyring is asked only when the file has none, and is given
// up after some seconds: it may have to ask the person first.
func (s Store) Get(ctx context.Context, name string) (key, place string, err error) {
	if key, place, err = s.InFile(ctx, name); err != nil || key != "" {
		return key, place, err
	}
	key, err = s.fromKeyring(ctx, name)
	if err != nil || key == "" {
		return "", "", err
	}
	return key, Keyring, nil
}

// InFile is Get for the file alone: it takes no time, and nobody is asked anything.
func (s Store) InFile(_ context.Context, name string) (key, place string, err error) {
	keys, err := s.read()
	if key = keys[name]; err != nil || key == "" {
		return "", "", err
	}
	return key, s.File, nil
}

// HasKeyring returns ErrNoKeyring, or another error, when the keyring takes no
// keys.
func (s Store) HasKeyring(ctx context.Context) error {
	_, err := s.ask(ctx, "ikigai")
	return err
}

// Set keeps a key in the keyring. The error is ErrNoKeyring where there is none.
func (s Store) Set(ctx context.Context, name, key string) error {
	if err := s.tell(ctx, name, key); err != nil {
		return err
	}
	_, err := s.deleteFromFile(name)
	return err
}

// SetInFile keeps a key in the file, as plain text with mode 0600.
func (s Store) SetInFile(ctx context.Context, name, key string) error {
	keys, err := s.read()
	if err != nil {
		return err
	}
	if keys == nil {
		keys = map[string]string{}
	}
	keys[name] = key
	if err := s.write(keys); err != nil {
		return err
	}
	if _, err := s.forget(ctx, name); err != nil {
		return fmt.Errorf("the key is in %s, and an older one may be in the keyring: %w", s.File, err)
	}
	return nil
}

// Delete removes the key that is kept under name from wherever it lies, and
// returns the places that it was in.
func (s Store) Delete(ctx context.Context, name string) (places []string, err error) {
	inFile, fileErr := s.deleteFromFile(name)
	if inFile {
		places = append(places, s.File)
	}
	inKeyring, keyringErr := s.forget(ctx, name)
	if inKeyring {
		places = append(places, Keyring)
	}
	return places, errors.Join(fileErr, keyringErr)
}
