package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGitBreaksOff says why there is no content in one line: that there was no time
// for it, or what git did.
func TestGitBreaksOff(t *testing.T) {
	first, second := objectName([]byte("one")), objectName([]byte("two"))
	program := t.TempDir() + "/git"
	for what, c := range map[string]struct{ goesOn, want string }{
		"out of time":  {"printf '%s blob 3\\nt'; exec tail -f /dev/null", errUnread.Error()},
		"it ends":      {"printf '%s blob 3\\nt'", "git did not give it back: what it says breaks off"},
		"it fails":     {"printf 'fatal: %s\\n'; exit 128", `git did not give it back: git says "fatal: ` + second + `"`},
		"it is killed": {"printf '%s'; kill -9 $$", "git did not give it back: what it says breaks off"},
	} {
		script := fmt.Sprintf("#!/bin/sh\nprintf '%s blob 3\\none\\n'\n"+c.goesOn+"\n", first, second)
		must(t, os.WriteFile(program, []byte(script), 0o700))
		ctx, cancel := context.WithCancel(context.Background())
		var got []string
		g := git{program: program, dir: t.TempDir(), env: os.Environ()}
		g.objects(ctx, []string{first, second, second}, func(content []byte, err error) {
			if len(got) == 0 && what == "out of time" {
				cancel()
			}
			if err != nil {
				content = []byte(reasonOf(err))
			}
			got = append(got, string(content))
		})
		cancel()
		if want := []string{"one", c.want, c.want}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	if got := reasonOf(errors.Join(errUnread, errObject)); strings.Contains(got, "\n") {
		t.Errorf("a note of two lines: %q", got)
	}
}
