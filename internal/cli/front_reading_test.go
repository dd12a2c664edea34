package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
	"ikigai/internal/tmuxtest"
)

// readsItself has the front show all that it can of a session in which something
// was written, then something changed.
func (s *typist) readsItself() {
	s.t.Helper()
	s.reads("/context", "Change it")
	s.reads("/log", "It is changed.")
	s.reads("/log -v", "request to test/scripted")
	s.Send("C-o")
	s.Until("all of the session", func(screen string) bool {
		return strings.Contains(screen, "q close") && strings.Contains(screen, "It is changed.")
	})
	s.closes()
	s.says("/cost", "main")
	s.reads("/raw", "SHA-256 as recorded")
	s.reads("/raw 1", "SHA-256 as recorded")
	s.reads("/raw #1", `"kind": "session"`)
	s.says("/goal", "EVENT OBJECTIVE BY")
	for _, name := range []string{"out.html", "out.jsonl"} {
		s.says("/export "+name, "The session is in "+s.p.file(name)+" now.")
		if content, err := os.ReadFile(s.p.file(name)); err != nil || !strings.Contains(string(content), "It is changed.") {
			s.t.Errorf("%s: %v\n%.2000s", name, err, content)
		}
	}
	s.says("/search thr*", "Found: thr*")
	s.WaitFor("three")
	s.Send("Enter")
	s.WaitFor("goes on with it")
	s.WaitFor("I change it.")
	s.Send("q")
	s.WaitFor("Enter picks")
	s.escapes("Found: thr*")
	s.WaitFor("Other sessions cannot be seen now.")
	s.says("/search nowhere", "Nothing was found")
	s.says("/sessions", "Go on with which session?")
	s.Until("this session and what was said in it", func(screen string) bool {
		return strings.Contains(screen, "2 statements") && strings.Contains(screen, "It is changed.") && strings.Contains(screen, "Write it")
	})
	s.Send("Enter")
	s.WaitFor("That session is open here.")
}

// A session is read from what the program itself holds of it while a server is away,
// also what that had taken before; when it is back, all is in it.
//
// P9, law 8
func TestReadingWhileServerIsAway(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgtest.Options{})
	p := newPlace(t, slashScript)
	p.database = server.URL(server.Database(t, postgres.Migrate))
	s := p.types()
	s.says("Write it", "It is written.")
	server.Stop(t)
	s.says("Change it", "It is changed.")
	s.readsItself()
	s.says("/undo", "/redo brings them back.")
	s.file("a.txt", "one\ntwo\n")
	server.Start(t)
	s.says("And now?", "So be it.")
	s.leaves()
	if got := kindsOf(p.log()); strings.Count(got, "user") != 3 {
		t.Errorf("the log has %s", got)
	}
}

// A session that was opened again is read although the server says nothing any more,
// without a long wait; what it alone has is told.
//
// P9
func TestReadingAgainWhileServerIsSilent(t *testing.T) {
	t.Parallel()
	p, proxy := onServer(t, slashScript)
	p.run(exitAnswered, "run", "Write it")
	s := p.types("--continue")
	s.WaitFor("It is written.")
	proxy.BlackHole(true)
	s.says("Change it", "It is changed.")
	s.reads("/context", "Write it")
	s.reads("/log", "It is changed.")
	s.says("/resume 0123", "The database does not answer within 1.5 s.")
	s.says("/raw 1", "What was kept before the session was opened here is in the database alone. The database does not answer within 1.5 s.")
	s.says("/search tw*", "Found: tw*")
	s.escapes("Found: tw*")
	proxy.BlackHole(false)
	s.leaves()
	if got := kindsOf(p.log()); strings.Count(got, "user") != 2 {
		t.Errorf("the log has %s", got)
	}
}

// Likewise where no disk takes events.
//
// P9
func TestReadingFromMemory(t *testing.T) {
	t.Parallel()
	p := newPlaceIn(t, t.TempDir(), slashScript)
	must(t, os.WriteFile(filepath.Join(p.root, "file"), nil, 0o600))
	p.database = filepath.Join(p.root, "file", "ikigai.db")
	s := p.sits(tmuxtest.Config{Env: []string{"TMPDIR=/dev/null/none"}, Width: 100, Height: 50}, sessionOpen)
	s.reads("/context", "environment")
	s.says("/sessions", "Other sessions cannot be seen now.")
	for _, said := range [][2]string{{"Write it", "It is written."}, {"Change it", "It is changed."}} {
		s.enters(said[0])
		s.WaitFor("Let tools change things all the same?")
		s.WaitFor("y yes")
		s.Send("y")
		s.answered(said[1])
	}
	s.WaitFor("memory only")
	s.readsItself()
	s.leaves()
}

// Who leaves before the session is open, which a server keeps them from, has not failed.
func TestReadingIsLeftEarly(t *testing.T) {
	t.Parallel()
	p, proxy := onServer(t, slashScript)
	proxy.BlackHole(true)
	s := p.talk("--continue")
	s.Send("C-d")
	if code := s.Exited(); code != exitAnswered || strings.Contains(s.History(), "ikigai:") {
		t.Errorf("the front ended with %d:\n%s", code, s.History())
	}
}
