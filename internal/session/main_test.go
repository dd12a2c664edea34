package session

import (
	"testing"

	"go.uber.org/goleak"
)

// What crash.Guard holds in a test would have ended the program.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("ikigai/internal/crash.Guard"))
}
