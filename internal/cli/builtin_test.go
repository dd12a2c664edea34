package cli

import "testing"

// A file replaces a tool of the program's own also where that is no tool of package
// tools.
func TestBuiltin(t *testing.T) {
	for file, want := range map[string]bool{"bash": true, "file-read.py": true, "delegate-tasks": true, "delegate_tasks.sh": true, "mine": false} {
		if builtin(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}
