package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"ikigai/internal/crash"
)

// service is what our keys are found by in the keyring.
const service = "ikigai"

// Limits on the keyring, which may ask the person to unlock it.
const (
	readLimit  = 5 * time.Second
	writeLimit = time.Minute
)

// fromKeyring is ask, for which a missing keyring has nothing.
func (s Store) fromKeyring(ctx context.Context, name string) (string, error) {
	key, err := s.ask(ctx, name)
	if errors.Is(err, ErrNoKeyring) {
		return "", nil
	}
	return key, err
}

// ask returns what the keyring has under name, "" if nothing.
func (s Store) ask(ctx context.Context, name string) (string, error) {
	key, err := s.within(ctx, readLimit, func() (string, error) { return keyring.Get(service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	return key, err
}

func (s Store) tell(ctx context.Context, name, key string) error {
	_, err := s.within(ctx, writeLimit, func() (string, error) { return "", keyring.Set(service, name, key) })
	return err
}

// forget removes what the keyring has under name, and reports whether there was
// anything.
func (s Store) forget(ctx context.Context, name string) (found bool, err error) {
	_, err = s.within(ctx, writeLimit, func() (string, error) { return "", keyring.Delete(service, name) })
	if errors.Is(err, keyring.ErrNotFound) || errors.Is(err, ErrNoKeyring) {
		return false, nil
	}
	return err == nil, err
}

// within calls f, which asks the keyring, and waits for it no longer than limit.
// What f does after that is lost. Errors hold nothing of a key.
func (s Store) within(ctx context.Context, limit time.Duration, f func() (string, error)) (string, error) {
	if !s.reachable() {
		return "", ErrNoKeyring
	}
	type result struct {
		key string
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer crash.Guard()
		key, err := f()
		done <- result{key, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.key, explain(r.err)
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timer.C:
		return "", fmt.Errorf("the keyring did not answer within %s; it may have to be unlocked", limit)
	}
}

// reachable reports whether a keyring can be there. Where it is reached over
// D-Bus and there is no bus, the library would start one.
func (s Store) reachable() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if s.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := s.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}

// explain returns err as ErrNoKeyring where that is what it means.
func explain(err error) error {
	var fromBus dbus.Error
	switch {
	case err == nil, errors.Is(err, keyring.ErrNotFound):
		return err
	case errors.Is(err, keyring.ErrUnsupportedPlatform), errors.Is(err, os.ErrNotExist):
		return ErrNoKeyring
	case errors.As(err, &fromBus) && isAbsence(fromBus.Name):
		return ErrNoKeyring
	}
	return fmt.Errorf("the keyring failed: %w", err)
}

// isAbsence reports whether an error of the bus says that nobody serves secrets
// there.
func isAbsence(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last == "ServiceUnknown" || last == "NameHasNoOwner" || last == "NoServer" || strings.Contains(name, ".Spawn.")
}
