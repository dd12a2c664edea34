package process

import "testing"

// What is printed to one stream and then to the other stays in that order, also
// when both are there before anyone looks.
func TestOrder(t *testing.T) {
	for range 20 {
		for script, want := range map[string]string{"echo a; echo b >&2": "a\nb\n", "echo b >&2; echo a": "b\na\n"} {
			if got := text(mustRun(t, bash(t, script)).Output, Stdout, Stderr); got != want {
				t.Fatalf("%s: %q", script, got)
			}
		}
	}
}
