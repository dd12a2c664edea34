package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ikigai"
	"ikigai/internal/storetest"
)

// The test binary is also the other process of a test: with a role in its
// environment it plays that instead of running tests.
const (
	roleVariable    = "IKIGAI_TEST_ROLE"
	pathVariable    = "IKIGAI_TEST_PATH"
	sessionVariable = "IKIGAI_TEST_SESSION"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func play(role string) error {
	var s *Store
	err := patiently(func() (err error) {
		s, err = Open(context.Background(), os.Getenv(pathVariable))
		return err
	})
	if err != nil {
		return err
	}
	session := ikigai.ID(os.Getenv(sessionVariable))
	switch role {
	case "write":
		return storetest.WriteUntilKilled(s, session, os.Stdout)
	case "hold": // the right to append to the session, until standard input ends
		if _, _, err := s.Acquire(context.Background(), session); err != nil {
			return err
		}
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "lock": // the database, until standard input ends
		return s.writer.do(context.Background(), func(c *connection) error {
			return c.transaction(context.Background(), func(context.Context) error {
				fmt.Println("locked")
				_, err := io.Copy(io.Discard, os.Stdin)
				return err
			})
		})
	case "once": // begins a session when standard input ends
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
		return patiently(func() error { return beginSession(s, session) })
	case "visit": // opens and closes the store
		return s.Close()
	}
	return fmt.Errorf("the role is unknown")
}

// patiently does something again while others have the database: on a busy machine
// they may have it for longer than the store waits for its turn.
func patiently(do func() error) error {
	for {
		err := do()
		if err == nil || !strings.Contains(err.Error(), "is locked by another program") {
			return err
		}
	}
}

func beginSession(s *Store, session ikigai.ID) error {
	g, release, err := s.Acquire(context.Background(), session)
	if err != nil {
		return err
	}
	defer release()
	return s.Append(context.Background(), g, 0, storetest.Session(session, "/src"))
}

// other returns another process with a role at the database at path.
func other(t *testing.T, role, path string, session ikigai.ID) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, sessionVariable+"="+string(session))
	c.Stderr = os.Stderr
	return c
}
