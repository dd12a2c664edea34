package providertest

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Tally counts what becomes of the recordings that a test looks at.
type Tally struct {
	Tried, Passed int
	left          map[string]int
}

// Try holds a recording to check, in a test of its own. A check that panics has
// failed, and hides nothing of the recordings after it.
func (c *Tally) Try(t *testing.T, name string, check func(t *testing.T)) {
	t.Helper()
	c.Tried++
	if t.Run(name, func(t *testing.T) {
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		check(t)
	}) {
		c.Passed++
	}
}

// Leave counts a recording that the test is not about, and why it is not.
func (c *Tally) Leave(why string) {
	if c.left == nil {
		c.left = map[string]int{}
	}
	c.left[why]++
}

// Report logs the counts.
func (c *Tally) Report(t *testing.T) {
	t.Helper()
	t.Log(c)
}

// String returns the counts as "N tried, N passed, N not applicable: why (N), …".
func (c *Tally) String() string {
	all, reasons := 0, make([]string, 0, len(c.left))
	for _, why := range slices.Sorted(maps.Keys(c.left)) {
		all += c.left[why]
		reasons = append(reasons, fmt.Sprintf("%s (%d)", why, c.left[why]))
	}
	s := fmt.Sprintf("%d tried, %d passed, %d not applicable", c.Tried, c.Passed, all)
	if all > 0 {
		s += ": " + strings.Join(reasons, "; ")
	}
	return s
}
