//go:build unix

package cli

import (
	"os"
	"syscall"
	"testing"
)

// A command in the background that ends by itself is told with a line, and the model
// is not told more than it was.
func TestJobEndsOnScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: *
call: bash {"command": "read -r x <gate; exit 3", "background": true}

reply:
say: It runs.
`)
	must(t, syscall.Mkfifo(p.file("gate"), 0o600))
	s := p.types()
	s.says("Begin", "It runs.")
	must(t, os.WriteFile(p.file("gate"), []byte("go\n"), 0o600))
	s.WaitFor("job 1 ended: exit code 3, ")
	s.leaves()
}
