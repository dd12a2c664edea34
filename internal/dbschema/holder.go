package dbschema

import (
	"fmt"
	"os"
)

// Holder names this process to people on other machines.
func Holder() string {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
