package pgtest

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// program returns the path of one of PostgreSQL's programs, or "". Debian keeps
// them off the PATH, in a directory for each version.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
}

// version returns the number in /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		return 0
	}
	return n
}

// Need ends or skips the test unless PostgreSQL is installed. Where CI=true its
// absence is a failure.
func Need(t testing.TB) {
	t.Helper()
	name := missing()
	if name == "" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("PostgreSQL's program %s is missing. Install the package postgresql.", name)
	}
	t.Skipf("PostgreSQL's program %s is missing, so nothing is tested against a server. Install the package postgresql.", name)
}

// missing returns the name of a program that is not installed, or "".
func missing() string {
	for _, name := range []string{"initdb", "postgres", "pg_basebackup"} {
		if program(name) == "" {
			return name
		}
	}
	return ""
}

// account is whom servers run as: the user postgres if this process is root,
// which PostgreSQL refuses, and otherwise this process's own user, for whom
// credential is nil.
type account struct {
	credential *syscall.Credential
}

func serverAccount() (account, error) {
	if os.Getuid() != 0 {
		return account{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return account{}, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return account{}, err
	}
	return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// own gives a directory to the account.
func (a account) own(dir string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(dir, int(a.credential.Uid), int(a.credential.Gid))
}

// command returns a command that the account runs, in a process group of its
// own: an interrupt from the keyboard must not reach servers before their tests.
// It is killed when ctx ends.
func (a account) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: a.credential}
	return c
}

// output runs a command to its end and returns what it printed.
func (a account) output(dir, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	c := a.command(ctx, dir, name, args...)
	c.WaitDelay = time.Second // what it has started may hold its output open
	return c.CombinedOutput()
}
