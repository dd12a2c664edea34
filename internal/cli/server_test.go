package cli

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
	"ikigai/internal/scriptserver"
)

// onServer makes a place whose database is on a server, behind a proxy.
func onServer(t *testing.T, script string) (*place, *pgtest.Proxy) {
	t.Helper()
	server := pgtest.Shared(t)
	p := newPlace(t, script)
	proxy := pgtest.NewProxy(t, server.Addr())
	p.database = pgtest.URL(server.Database(t, postgres.Migrate), proxy.Addr())
	return p, proxy
}

// P9, law 8: a server that is away, or that says nothing, keeps nobody from a
// new session: it is answered, the person is told once, and a later start
// delivers what waited.
func TestServerAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*pgtest.Proxy, bool){
		"refuses": (*pgtest.Proxy).Refuse, "says nothing": (*pgtest.Proxy).BlackHole,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, proxy := onServer(t, diskScript)
			away(proxy, true)
			c := p.run(exitAnswered, "run", "--json", "work")
			c.tells(1, toldJournal)
			shown := printed(c)
			doctor := p.run(exitStore, "doctor")
			if !strings.Contains(doctor.out.String(), "events of session "+string(shown[0].Session)+" wait in ") {
				t.Errorf("doctor does not show what waits:\n%s", doctor.out)
			}
			away(proxy, false)
			p.delivered(shown)
			p.notTwice("one")
			p.run(exitAnswered, "doctor")
		})
	}
}

// P9: a session that began while a new database was away is in the log as soon
// as somebody asks for it: the database is made, and what waited is delivered.
func TestLogOfWhatWaits(t *testing.T) {
	t.Parallel()
	p, proxy := onServer(t, diskScript)
	proxy.Refuse(true)
	shown := printed(p.run(exitAnswered, "run", "--json", "work"))
	proxy.Refuse(false)
	if got, want := len(p.log()), len(shown); got != want {
		t.Errorf("%d events in the log, %d were shown", got, want)
	}
}

// P9: the server goes in mid-session and comes back: the person is told of both,
// and everything is in the database, in order and once.
func TestServerGoesAndComes(t *testing.T) {
	t.Parallel()
	p, proxy := onServer(t, `
user: work
call: bash {"command": "echo one >> witness"}
reply:
call: bash {"command": "echo two >> witness"}
reply:
say: Done.
`)
	p.onRequest(func(n int, _ scriptserver.Request) { proxy.Refuse(n == 2) })
	c := p.run(exitAnswered, "run", "--json", "work")
	c.tells(1, toldJournal)
	log := p.log()
	if got, want := asJSON(of(ikigai.KindToolResult, log)), asJSON(of(ikigai.KindToolResult, printed(c))); got != want {
		t.Errorf("results %s, want %s", got, want)
	}
	if answers := of(ikigai.KindAssistant, log); len(answers) != 1 || answers[0].Content != "Done." {
		t.Errorf("answers: %s", asJSON(answers))
	}
}

// P41: the password of the database is in no output, error or environment,
// whatever happens to the server.
func TestServerPassword(t *testing.T) {
	t.Parallel()
	p, proxy := onServer(t, "user: work\ncall: bash {\"command\": \"env; tr '\\\\0' '\\\\n' </proc/self/environ; ikigai config show\"}\nreply:\nsay: {{output}}\n")
	const secret = "s3cr3t-word"
	p.database = strings.Replace(p.database, "postgres@", "postgres:"+secret+"@", 1)
	for _, away := range []bool{false, true} {
		proxy.Refuse(away)
		for _, args := range [][]string{
			{"run", "work"}, {"log", "-v"}, {"doctor"}, {"db", "status"}, {"config", "show", "--json"}, {"sessions"}, {"export"},
			{"run", "--continue", "work"}, {"sql", "select nothing"}, {"db", "copy", p.database, "copy.db"}, {"search", "x"},
		} {
			cmd := p.command(args...)
			cmd.Env = append(cmd.Env, "PGPASSWORD="+secret, "PGSSLPASSWORD="+secret)
			c := startChild(t, cmd)
			within(t, c.ended, "end of "+args[0])
			if text := c.out.String() + c.err.String(); strings.Contains(text, secret) {
				t.Errorf("away %v: %v shows the password:\n%s", away, args, text)
			}
		}
	}
}

// A person at a terminal is asked before a session is deleted, and only y
// deletes it.
func TestDeleteAsks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, goOn)
	p.run(exitAnswered, "run", "go on")
	id := string(p.log()[0].Session)
	for _, test := range []struct {
		answer string
		code   int
	}{{"\n", exitDenied}, {"what\n", exitDenied}, {"y\n", exitAnswered}} {
		ours, theirs, err := pty.Open()
		must(t, err)
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		cmd := p.command("sessions", "delete", id[:18])
		cmd.Stdin, cmd.Stderr = theirs, theirs
		screen := newOutput()
		go io.Copy(screen, ours) // until the terminal is closed
		c := startChild(t, cmd)
		screen.awaitText(t, "Delete session "+id+" (7 events, go on)? This cannot be undone. [y/N] ")
		_, err = io.WriteString(ours, test.answer)
		must(t, err)
		c.ends(test.code)
	}
	p.run(exitUsage, "log", id)
}

// Output into a pipe that nobody reads to its end is no error to tell of.
func TestPipeIsClosed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nsay: {{fill 300000}}\n")
	p.run(exitAnswered, "run", "work")
	for _, args := range [][]string{{"log"}, {"log", "--json"}, {"log", "--request", "1"}, {"export"},
		{"sql", "--json", "select content from events"}, {"sql", "select content from events"}, {"search", "--json", "-n", "0", "work"}, {"sessions"}} {
		r, w, err := os.Pipe()
		must(t, err)
		cmd := p.command(args...)
		cmd.Stdout = w
		must(t, r.Close())
		c := startChild(t, cmd)
		must(t, w.Close())
		within(t, c.ended, "end of "+args[0])
		if c.err.String() != "" {
			t.Errorf("%v tells of it: %s", args, c.err)
		}
	}
}

// A statement runs to its end, and into the log, though nobody reads its answer to
// the end. Commands still end where nobody reads what they print.
func TestAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "work"}, {"run", "--json", "work"}} {
		p := newPlace(t, "user: work\nsay: First.\ncall: bash {\"command\": \"yes | head -1 >/dev/null; echo ${PIPESTATUS[0]} >witness\"}\nreply:\nsay: Done.\n")
		r, w, err := os.Pipe()
		must(t, err)
		must(t, r.Close())
		cmd := p.command(args...)
		cmd.Stdout = w
		c := startChild(t, cmd)
		must(t, w.Close())
		c.ends(exitInternal)
		c.tells(1, "The answer could not be written, it is in the log")
		if got := p.lines("witness"); !slices.Equal(got, []string{"141"}) {
			t.Errorf("%v: the tool saw %v", args, got)
		}
		if replies := of(ikigai.KindAssistant, p.log()); len(replies) != 2 || replies[1].Content != "Done." {
			t.Errorf("%v: %s", args, asJSON(replies))
		}
	}
}

// On a terminal what a search finds stands out, unless NO_COLOR asks for plain
// text; and nothing in it acts on the terminal. P42
func TestSearchOnTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\ncall: bash {\"command\": \"printf 'a needle \\\\033[2J here'\"}\nreply:\nsay: Done.\n")
	p.run(exitAnswered, "run", "work")
	for _, color := range []bool{true, false} {
		ours, theirs, err := pty.Open()
		must(t, err)
		must(t, pty.Setsize(ours, &pty.Winsize{Rows: 50, Cols: 100}))
		cmd := p.command("search", "--tool", "bash", "-n", "1", "needle")
		cmd.Stdout = theirs
		if cmd.Env = append(cmd.Env, "TERM=xterm"); !color {
			cmd.Env = append(cmd.Env, "NO_COLOR=1")
		}
		screen := newOutput()
		go io.Copy(screen, ours) // until the terminal is closed
		c := startChild(t, cmd)
		c.ends(exitAnswered)
		screen.awaitText(t, "here")
		must(t, theirs.Close())
		if got := bytes.Contains([]byte(screen.String()), []byte("\x1b[1;33mneedle\x1b[0m")); got != color {
			t.Errorf("color %v: %q", color, screen)
		}
		if strings.Contains(screen.String(), "\x1b[2J") {
			t.Errorf("what a tool printed acts on the terminal: %q", screen)
		}
		ours.Close()
	}
}
