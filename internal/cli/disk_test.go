package cli

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
	"ikigai/internal/storetest"
)

const diskScript = `
user: work
say: I begin.
call: bash {"command": "echo one >> witness"}
reply:
expect: exit_code
say: Done.

user: long
say: {{fill 300000}}

user: read
call: file_read {"path": "there.txt"}
call: bash {"command": "echo one >> witness"}
call: file_write {"path": "made.txt", "content": "x"}
reply:
expect: what is there
expect: DENIED
expect: cannot be recorded on any disk
say: I have only read.
` + goOn

// The words by which the person is told of each step down.
const (
	toldJournal  = "The database takes no events"
	toldSecond   = "The journal takes no events"
	toldVolatile = "No disk takes events"
	toldDelivery = "had waited in a journal. They are in the database now."
)

// P9, S2.23, law 8: whatever is wrong with the database, the statement is
// answered, the person is told once, and nothing is lost: doctor shows what
// waits, and the next start with a database that works delivers it.
func TestDatabaseFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		spoil  func(p *place) (repair func())
		second bool // the first journal fails, too
	}{
		{name: "garbage", spoil: func(p *place) func() {
			p.put(p.database, strings.Repeat("This is no database.\n", 1000))
			return func() { must(p.t, os.Remove(p.database)) }
		}},
		{name: "a directory in its place", spoil: func(p *place) func() {
			must(p.t, os.MkdirAll(p.database, 0o700))
			return func() { must(p.t, os.Remove(p.database)) }
		}},
		{name: "a file in place of its directory", second: true, spoil: func(p *place) func() {
			p.put(filepath.Dir(p.database), "")
			return func() { must(p.t, os.Remove(filepath.Dir(p.database))) }
		}},
		{name: "a directory that is read-only", second: true, spoil: func(p *place) func() {
			dir := filepath.Dir(p.database)
			must(p.t, os.Mkdir(dir, 0o500))
			return func() { must(p.t, os.Chmod(dir, 0o700)) }
		}},
		{name: "a file that is read-only", spoil: func(p *place) func() {
			p.run(exitAnswered, "run", "go on") // in a session of its own
			must(p.t, os.Chmod(p.database, 0o400))
			return func() { must(p.t, os.Chmod(p.database, 0o600)) }
		}},
		{name: "locked", spoil: func(p *place) func() {
			p.run(exitAnswered, "run", "go on")
			return lock(p.t, p.database)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, diskScript)
			repair := test.spoil(p)
			c := startChild(t, unprivileged(p.command("run", "--json", "work")))
			c.ends(exitAnswered)
			c.tells(1, toldJournal)
			c.tells(map[bool]int{true: 1}[test.second], toldSecond)
			c.tells(0, toldVolatile)
			c.tells(0, "..")
			shown := printed(c)
			if answers := of(ikigai.KindAssistant, shown); len(answers) != 2 || answers[1].Content != "Done." {
				t.Errorf("answers: %s", asJSON(answers))
			}
			doctor := startChild(t, unprivileged(p.command("doctor")))
			within(t, doctor.ended, "end of doctor")
			if !strings.Contains(doctor.out.String(), "events of session "+string(shown[0].Session)+" wait in ") {
				t.Errorf("doctor does not show what waits:\n%s", doctor.out)
			}
			repair()
			p.delivered(shown)
			p.notTwice("one")
		})
	}
}

// P9, law 8: the disk becomes full while a session runs.
func TestDiskIsFull(t *testing.T) {
	p := newPlace(t, diskScript)
	// It begins where there is room: how much SQLite writes beside the database
	// until it is closed depends on how many groups the events come in.
	first := printed(p.run(exitAnswered, "run", "--json", "work"))
	database, err := os.ReadFile(p.database)
	must(t, err)
	// The long answer fits into a journal and no more into the database.
	dir, lift := storetest.SmallDisk(t, 450_000, 330_000)
	p.database = filepath.Join(dir, "ikigai.db")
	p.put(p.database, string(database))
	c := p.run(exitAnswered, "run", "--json", "--continue", "long")
	c.tells(1, toldJournal)
	c.tells(0, toldVolatile)
	lift()
	p.delivered(slices.Concat(first, parseEvents(t, c.out.String())))
}

// P7, P9: the program is killed while events go to a journal.
func TestKillWhileJournalled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, diskScript)
	p.put(p.database, strings.Repeat("This is no database.\n", 1000))
	started := make(chan *child, 1)
	p.onRequest(func(n int, _ scriptserver.Request) {
		if n == 2 {
			(<-started).kill()
		}
	})
	c := p.start("run", "--json", "work")
	started <- c
	within(t, c.ended, "end of the program, which is killed")
	must(t, os.Remove(p.database))
	p.delivered(printed(c))
	p.notTwice("one")
}

// Law 8: what waits is delivered by the next start, whatever it is about. It
// does not hold up the first request.
func TestDeliveredByAnyStart(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "go on"}, {"log"}, {"sessions"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, diskScript)
			p.run(exitAnswered, "run", "go on")
			must(t, os.Rename(p.database, p.database+".away"))
			must(t, os.Mkdir(p.database, 0o700))
			shown := printed(p.run(exitAnswered, "run", "--json", "work"))
			must(t, os.Remove(p.database))
			must(t, os.Rename(p.database+".away", p.database))

			started := make(chan *child, 1)
			p.onRequest(func(int, scriptserver.Request) { // it has come: now there is time
				c := <-started
				c.err.awaitText(t, toldDelivery)
			})
			c := p.start(args...)
			started <- c
			c.ends(exitAnswered)
			c.tells(1, toldDelivery)
			p.onRequest(func(int, scriptserver.Request) {})

			again := p.run(exitAnswered, "run", "go on")
			again.tells(0, toldDelivery)
			log := p.run(exitAnswered, "log", "--json", string(shown[0].Session)).out.String()
			if got := parseLog(t, log); asJSON(got) != asJSON(shown) {
				t.Errorf("recorded\n%s\ndelivered\n%s", asJSON(shown), asJSON(got))
			}
			p.nothingWaits()
		})
	}
}

// P9, law 8: when nothing durable takes events, only tools that read run; the
// model and the person are told, and the exit code says it.
func TestNothingDurable(t *testing.T) {
	t.Parallel()
	p := newPlace(t, diskScript)
	p.put(filepath.Dir(p.database), "")
	p.put(p.file("there.txt"), "what is there")
	cmd := p.command("run", "read")
	cmd.Env = append(cmd.Env, "TMPDIR="+filepath.Dir(p.database))
	c := startChild(t, cmd)
	c.ends(exitStore)
	if got := c.out.String(); got != "I have only read.\n" {
		t.Errorf("answer %q", got)
	}
	c.tells(1, toldVolatile)
	c.tells(1, "The session could not be kept.")
	p.allAccepted()
	if len(p.lines("witness"))+len(p.lines("made.txt")) > 0 {
		t.Error("a tool has changed something that is recorded nowhere")
	}
}

// A directory that somebody else could have prepared takes no journal, and
// nothing in it is delivered.
func TestForeignJournal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, diskScript)
	p.put(filepath.Dir(p.database), "")
	c := p.run(exitAnswered, "run", "--json", "work")
	shown := printed(c)
	must(t, os.Remove(filepath.Dir(p.database)))
	own, err := filepath.Glob(filepath.Join(p.root, "tmp", "ikigai-*"))
	if err != nil || len(own) != 1 {
		t.Fatalf("directories for journals: %q, %v", own, err)
	}
	must(t, os.Chmod(own[0], 0o777))
	p.run(exitAnswered, "run", "go on").tells(0, toldDelivery)
	must(t, os.Chmod(own[0], 0o700))
	p.run(exitAnswered, "sessions").tells(1, toldDelivery)
	p.run(exitAnswered, "log", string(shown[0].Session))
}

// P9: what waits for one database is not delivered into another, whether that
// lies beside it or shares only the place for second journals with it.
func TestEachDatabaseHasItsJournals(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p *place) (repair func()){
		"beside": func(p *place) func() {
			p.put(p.database, strings.Repeat("This is no database.\n", 1000))
			return func() { must(p.t, os.Remove(p.database)) }
		},
		"second journal": func(p *place) func() {
			p.put(filepath.Dir(p.database), "")
			return func() { must(p.t, os.Remove(filepath.Dir(p.database))) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, diskScript)
			repair := spoil(p)
			shown := printed(p.run(exitAnswered, "run", "--json", "work"))
			repair()
			other := filepath.Join(filepath.Dir(p.database), "other.db")
			p.run(exitAnswered, "--database", other, "run", "go on").tells(0, toldDelivery)
			p.run(exitAnswered, "demo").tells(0, toldDelivery)
			p.delivered(shown)
		})
	}
}

// What was set aside is left alone at later starts.
func TestDamagedJournalStaysAside(t *testing.T) {
	t.Parallel()
	p := newPlace(t, diskScript)
	p.run(exitAnswered, "run", "work")
	id := p.log()[0].Session
	aside := filepath.Join(filepath.Dir(p.database), "journal", filepath.Base(p.database), string(id)+".1.damaged")
	p.put(aside, "no journal")
	before := p.fence(id)
	p.run(exitAnswered, "sessions")
	p.run(exitAnswered, "log")
	if after := p.fence(id); after != before {
		t.Errorf("the fence went from %d to %d", before, after)
	}
	doctor := p.start("doctor")
	doctor.ends(exitStore)
	if !strings.Contains(doctor.out.String(), aside) {
		t.Errorf("doctor:\n%s", doctor.out)
	}
}

// A statement whose events a damaged database will never take is answered, and the
// exit code says that they are not in it, but in a file.
func TestStatementIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlaceIn(t, t.TempDir(), "user: first\nsay: One.\n\nuser: second\nsay: Two.\n")
	p.run(exitAnswered, "run", "first")
	db, err := sql.Open("sqlite", p.database)
	must(t, err)
	_, err = db.Exec("UPDATE sessions SET head = 9999")
	must(t, err)
	must(t, db.Close())
	c := p.run(exitStore, "run", "--continue", "second")
	if c.out.String() != "Two.\n" {
		t.Errorf("answered %q", c.out)
	}
	c.tells(1, "cannot be brought into the database")
	c.tells(1, ".refused. Keep that file.")
	c.tells(0, "The session could not be kept")
}

// fence returns the fence of a session in the database.
func (p *place) fence(id ikigai.ID) (fence int64) {
	p.t.Helper()
	db, err := sql.Open("sqlite", p.database)
	must(p.t, err)
	defer db.Close()
	must(p.t, db.QueryRow("SELECT fence FROM sessions WHERE id = ?", string(id)).Scan(&fence))
	return fence
}

// delivered checks that a session that waits in journals goes on, and that its
// log holds the events that were printed.
func (p *place) delivered(shown []ikigai.Event) {
	p.t.Helper()
	id := string(shown[0].Session)
	lost := len(callsWithoutResult(shown))
	next := p.run(exitAnswered, "run", "--resume", id, "go on")
	next.tells(0, toldJournal)
	next.tells(1, toldDelivery)
	if got := next.out.String(); got != "I go on.\n" {
		p.t.Errorf("the session went on with %q", got)
	}
	if n := strings.Count(p.body(), "may have run"); n > lost {
		p.t.Errorf("%d calls may have run, want at most %d", n, lost)
	}
	events := parseLog(p.t, p.run(exitAnswered, "log", "--json", id).out.String())
	if len(events) < len(shown) || asJSON(events[:len(shown)]) != asJSON(shown) {
		p.t.Errorf("recorded\n%s\ndelivered\n%s", asJSON(shown), asJSON(events))
	}
	p.allAccepted()
	p.nothingWaits()
}

func (p *place) nothingWaits() {
	p.t.Helper()
	if doctor := p.run(exitAnswered, "doctor").out.String(); !strings.Contains(doctor, "nothing waits for the database") {
		p.t.Errorf("doctor:\n%s", doctor)
	}
}

// put writes a file, with its directory.
func (p *place) put(path, content string) {
	p.t.Helper()
	must(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(p.t, os.WriteFile(path, []byte(content), 0o600))
}

// lock takes the lock on a database, as another program may, until the
// returned function is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	conn, err := db.Conn(context.Background())
	must(t, err)
	_, err = conn.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	must(t, err)
	return func() {
		must(t, conn.Close())
		must(t, db.Close())
	}
}
