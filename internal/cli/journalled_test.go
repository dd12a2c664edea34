package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
	"ikigai/internal/scriptserver"
)

// onStopped makes a place whose database is on a server that can be stopped.
func onStopped(t *testing.T, script string) (*place, *pgtest.Cluster) {
	t.Helper()
	server := pgtest.New(t, pgtest.Options{})
	p := newPlace(t, script)
	p.database = server.URL(server.Database(t, postgres.Migrate))
	return p, server
}

// journalScript answers, and counts in a file how often its tool has run.
const journalScript = `
user: Count
call: bash {"command": "echo one >> witness"}
reply:
say: Counted.

user: Break
call: bash {"command": "echo two >> witness"}
reply:
say: never seen

user: *
say: So be it.
`

// A session that began while a server is away goes on in the journal, in one process
// after the other, also behind one that was killed, until the server is back: all is
// in its log then, in order and once.
//
// P7, P9, laws 2, 3 and 8
func TestGoOnInJournal(t *testing.T) {
	t.Parallel()
	p, server := onStopped(t, journalScript)
	server.Stop(t)
	p.run(exitAnswered, "run", "Count")
	shown := p.log()
	id := string(shown[0].Session)

	p.run(exitAnswered, "run", "--continue", "And now?").tells(1, toldJournal)
	p.killedAt(5, "run", "--resume", id, "Break")
	p.run(exitAnswered, "run", "--resume", id[:20], "Go on").tells(1, toldJournal)
	s := p.types("--continue")
	s.WaitFor("Counted.")
	s.says("Anything else?", "So be it.")
	s.reads("/context", "Anything else?")
	s.leaves()
	s.WaitFor("Go on with `ikigai --resume " + id + "`.")

	list := p.run(exitStore, "sessions")
	if !strings.Contains(list.out.String(), id[:8]) || strings.Count(list.out.String(), "\n") > 2 {
		t.Errorf("the list has\n%s", list.out)
	}
	list.tells(1, "Check that PostgreSQL runs there and listens.")
	away := p.log()
	if got := len(of(ikigai.KindUser, away)); got != 5 {
		t.Errorf("%d statements wait, want 5", got)
	}

	server.Start(t)
	p.run(exitAnswered, "run", "--resume", id, "The last one").tells(0, toldJournal)
	log := p.log()
	if len(log) <= len(away) || asJSON(log[:len(away)]) != asJSON(away) || asJSON(away[:len(shown)]) != asJSON(shown) {
		t.Errorf("while the server was away\n%s\nthen\n%s", asJSON(away), asJSON(log))
	}
	if got := strings.Join(p.lines("witness"), " "); got != "one two" {
		t.Errorf("the tools ran: %s", got)
	}
	p.nothingWaits()
	if files, _ := filepath.Glob(filepath.Join(p.root, "home", ".local", "share", "ikigai", "*", "journal", "*", "*")); len(files) > 0 {
		t.Errorf("left behind: %s", files)
	}
}

// killedAt runs the program and kills it while it waits for the answer to the n-th
// request of all.
func (p *place) killedAt(n int, args ...string) {
	p.t.Helper()
	asked, gone := make(chan struct{}), make(chan struct{})
	p.onRequest(func(i int, _ scriptserver.Request) {
		if i == n {
			close(asked)
			<-gone
		}
	})
	c := p.start(args...)
	within(p.t, asked, "request")
	c.kill()
	close(gone)
}

// Who has a session open in the journal has it alone, and a delivery waits for them.
//
// P8
func TestOneHolderInJournal(t *testing.T) {
	t.Parallel()
	p, server := onStopped(t, journalScript)
	server.Stop(t)
	p.run(exitAnswered, "run", "Count")
	s := p.types("--continue")
	s.WaitFor("Counted.")
	p.run(exitStore, "run", "--continue", "And now?").tells(1, "is open elsewhere")
	server.Start(t)
	p.run(exitUsage, "run", "--continue", "And now?").tells(1, "There is no session in")
	s.says("Anything else?", "So be it.")
	s.leaves()
	if got := len(of(ikigai.KindUser, p.log())); got != 2 {
		t.Errorf("the log has %d statements, want 2", got)
	}
	p.nothingWaits()
}

// A session whose beginning is in a server that went away waits for it, which is told.
// From its front, another one that the journal holds whole is seen and gone on with.
//
// P9
func TestEndOfSessionInJournal(t *testing.T) {
	t.Parallel()
	p, server := onStopped(t, journalScript)
	s := p.types()
	s.says("Begin", "So be it.")
	began := string(p.log()[0].Session)
	server.Stop(t)
	s.says("Go on", "So be it.")
	p.run(exitAnswered, "run", "Count")
	whole := string(p.log()[0].Session)
	s.says("/sessions", "Go on with which session?")
	s.Send("Down")
	s.WaitFor("Counted.")
	s.escapes("Go on with which session?")
	s.says("/resume "+whole, "Counted.")
	s.says("Anything else?", "So be it.")
	s.says("/resume "+began, "its beginning is in the database alone.")
	s.leaves()
	s.WaitFor("Go on with `ikigai --resume " + whole + "`.")
	p.run(exitStore, "run", "--resume", began, "Go on").tells(1, "its beginning is in the database alone")

	server.Start(t)
	s = p.types("--resume", began)
	s.says("Once more", "So be it.")
	server.Stop(t)
	s.says("The end", "So be it.")
	s.leaves()
	s.WaitFor("go on with `ikigai --resume " + began + "`.")
	server.Start(t)
	for id, statements := range map[string]int{began: 4, whole: 2} {
		if log := parseLog(t, p.run(exitAnswered, "log", "--json", id).out.String()); len(of(ikigai.KindUser, log)) != statements {
			t.Errorf("%s has %s", id, kindsOf(log))
		}
	}
	p.nothingWaits()
}
