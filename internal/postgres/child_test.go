package postgres

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

// Variables that make this binary another process of a test.
const (
	roleVar    = "POSTGRES_TEST_ROLE" // "write" or "hold"
	urlVar     = "POSTGRES_TEST_URL"
	sessionVar = "POSTGRES_TEST_SESSION"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := play(role, os.Getenv(urlVar), ikigai.ID(os.Getenv(sessionVar))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := pgtest.Main(m)
	if err := goleak.Find(); status == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func play(role, url string, session ikigai.ID) error {
	ctx := context.Background()
	s, err := Open(ctx, url)
	if err != nil {
		return err
	}
	if role == "write" {
		return storetest.WriteUntilKilled(s, session, os.Stdout)
	}
	if _, _, err := s.Acquire(ctx, session); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// other returns the command of another process.
func other(t *testing.T, role, url string, session ikigai.ID) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), roleVar+"="+role, urlVar+"="+url, sessionVar+"="+string(session))
	c.Stderr = os.Stderr
	return c
}
