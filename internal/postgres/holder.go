package postgres

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"ikigai/internal/dbschema"
)

// newHolder returns the name of a store as the holder of leases, such as
//
//	process 4711 on kiwi [3f2a9c1b 5d2e88a0]
//
// of which the first part is for people. The first number in brackets is that
// of the running system, or empty where it has none, and the second one is that
// of the store.
func newHolder() string {
	var store [4]byte
	_, _ = rand.Read(store[:]) // never fails
	return fmt.Sprintf("%s [%s %s]", strings.ToValidUTF8(dbschema.Holder(), "?"), runningSystem(), hex.EncodeToString(store[:]))
}

// runningSystem returns a number that this system has until it is started
// again, and that is another one in a container with processes of its own; or ""
// where there is none.
func runningSystem() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(string(boot) + space))
	return hex.EncodeToString(sum[:4])
}

// isDead reports whether holder is a process of the same running system as mine,
// and dead. Of others it is never known: a lease of theirs must end by itself.
func isDead(holder, mine string) bool {
	pid, system := parseHolder(holder)
	_, here := parseHolder(mine)
	return pid > 0 && system != "" && system == here && syscall.Kill(pid, 0) == syscall.ESRCH
}

func parseHolder(holder string) (pid int, system string) {
	name, numbers, _ := strings.Cut(holder, " [")
	system, _, _ = strings.Cut(numbers, " ")
	name, _ = strings.CutPrefix(name, "process ")
	name, _, _ = strings.Cut(name, " ")
	pid, err := strconv.Atoi(name)
	if err != nil {
		return 0, ""
	}
	return pid, system
}
