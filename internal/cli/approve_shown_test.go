package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// shownScript edits a file, writes a new one and edits the first one again.
const shownScript = `
user: work
call: file_edit {"path": "text", "edits": [{"old": "two", "new": "zwei"}]}
call: file_write {"path": "new", "content": "first\nsecond\n"}

reply:
call: file_edit {"path": "text", "edits": [{"old": "three", "new": "drei"}]}

reply:
say: All is done.
`

// The difference that a question shows is on the screen once: the result says that it
// was done as shown. Where the file has changed since it was shown, what was done is
// shown, too. Ctrl-O and the log show each result with its difference. S2.81
func TestShownOnce(t *testing.T) {
	p := newPlace(t, shownScript)
	must(t, os.WriteFile(p.file("text"), []byte("one\ntwo\nthree\n"), 0o644))
	s := p.types("--approval", "ask")
	s.enters("work")
	s.asked("Run file_edit(", "-two", "+zwei")
	s.Send("y")
	s.asked("Run file_write(", "first", "second")
	s.Send("y")
	s.asked("Run file_edit(", "-three", "+drei")
	must(t, os.WriteFile(p.file("text"), []byte("zero\none\nzwei\nthree\n"), 0o644))
	s.Send("y")
	s.answered("All is done.")
	screen := s.History()
	for text, times := range map[string]int{"+zwei": 1, "    second": 1, "+drei": 2, "@@ -1,3 +1,3 @@": 2, "@@ -1,4 +1,4 @@": 1, "as shown": 2} {
		if n := strings.Count(screen, text); n != times {
			t.Errorf("%q stands there %d times, not %d:\n%s", text, n, times, screen)
		}
	}
	s.Send("C-o")
	s.WaitFor("q close")
	shownInResults(t, s.Screen.Screen())
	s.closes()
	s.leaves()
	shownInResults(t, p.run(exitAnswered, "log").out.String())
}

// shownInResults checks that each result of shownScript has its difference.
func shownInResults(t *testing.T, log string) {
	t.Helper()
	for _, text := range []string{"+zwei", "    second", "+drei", "@@ -1,4 +1,4 @@"} {
		if n := strings.Count(log, text); n != 1 {
			t.Errorf("%q stands there %d times, not once:\n%s", text, n, log)
		}
	}
	if strings.Contains(log, "as shown") {
		t.Errorf("nobody was asked there:\n%s", log)
	}
}

// So it is with run, where a question that is not right below its call names it. S2.81
func TestRunShowsOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, shownScript)
	must(t, os.WriteFile(p.file("text"), []byte("one\ntwo\nthree\n"), 0o644))
	a := p.asks(t)
	for n, text := range []string{"+zwei", "    second", "+drei"} {
		a.await("question "+text, func(s string) bool {
			return strings.Count(s, "this session, r = as a rule] ") == n+1 && strings.HasSuffix(s, "] ") && strings.Contains(s, text)
		})
		a.type_("y")
	}
	a.ends(exitAnswered)
	screen := ownColours.ReplaceAllString(strings.ReplaceAll(a.screen.String(), "\r", ""), "")
	for text, times := range map[string]int{"+zwei": 1, "    second": 1, "+drei": 1, "as shown": 3, "! file_edit  path=\"text\"\n": 1, "! file_write": 1, "↳": 0} {
		if n := strings.Count(screen, text); n != times {
			t.Errorf("%q stands there %d times, not %d:\n%s", text, n, times, screen)
		}
	}
}

// ownColours are those of package render.
var ownColours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
