package cli

import (
	"strings"
	"testing"
)

// P7: right after a kill in the middle of a reply, the log shows what the person
// saw of it, before anybody goes on with the session and after.
func TestLogAfterKill(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nsay: I begin. {{fill 4000}}\nfault: hang after 3\n"+goOn)
	c := p.start("run", "work")
	c.out.awaitText(t, "I beg")
	c.kill()
	const told = "not finished: the program that showed this is still at it, or was ended from outside"
	page := p.run(exitAnswered, "log").out.String()
	if !strings.Contains(page, "\nI beg") || !strings.Contains(page, told) {
		t.Errorf("the log does not show what was shown:\n%s", page)
	}
	p.run(exitAnswered, "run", "--continue", "go on")
	page = p.run(exitAnswered, "log").out.String()
	if strings.Count(page, "I beg") != 1 || strings.Contains(page, told) || !strings.Contains(page, "interrupted (crash)") {
		t.Errorf("the log after the session went on:\n%s", page)
	}
}
