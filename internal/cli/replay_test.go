package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ikigai"
	"ikigai/internal/postgres"
	"ikigai/internal/replay"
	"ikigai/internal/sqlite"
)

// replayed is what was replayed of a store.
type replayed struct{ sessions, requests, results, unknown int }

// replayAll replays every session of a store with the settings of home, and
// checks that nothing differs.
func replayAll(t testing.TB, store ikigai.Store, home string) (sum replayed) {
	t.Helper()
	a := &app{Process: Process{Env: []string{"HOME=" + home}, Out: new(bytes.Buffer), Err: new(bytes.Buffer)}, flags: map[string]string{}, dir: home}
	if err := a.load(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	sessions, err := collect(store.Sessions(ctx, ikigai.SessionQuery{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		c, err := a.replayConfig(ctx, store, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		report, err := replay.Run(ctx, c)
		if err != nil || len(report.Differences) > 0 {
			t.Errorf("session %s (%s): %v\n%s", s.ID, s.Title, err, replayText(report))
		}
		for _, u := range report.Unknown {
			sum.unknown += u.Requests
		}
		sum.sessions, sum.requests, sum.results = sum.sessions+1, sum.requests+report.Requests, sum.results+report.Results
	}
	return sum
}

// replayScripts has every session that a script has recorded in files replayed at
// its end.
func replayScripts(env *testscript.Env) {
	t := env.T().(testing.TB)
	env.Defer(func() {
		for _, file := range databases(t, env.WorkDir) {
			store, err := sqlite.OpenExisting(context.Background(), file)
			if err != nil {
				continue // it was damaged on purpose
			}
			replayEnd(t, store, env.Getenv("HOME"))
		}
	})
}

// replay replays the sessions that a test has recorded in its place.
func (p *place) replay() {
	store, err := sqlite.OpenExisting(context.Background(), p.database)
	if p.unreplayed || err != nil {
		return // there is none, or it was damaged on purpose
	}
	replayEnd(p.t, store, filepath.Join(p.root, "home"))
}

// replayServer is replayScripts for a database on a server.
func replayServer(env *testscript.Env, database string) {
	t := env.T().(testing.TB)
	env.Defer(func() {
		store, err := postgres.OpenExisting(context.Background(), database)
		if err != nil {
			t.Error(err)
			return
		}
		replayEnd(t, store, env.Getenv("HOME"))
	})
}

// replayEnd replays the sessions of a store and closes it.
func replayEnd(t testing.TB, store ikigai.Store, home string) {
	if !t.Failed() {
		t.Logf("replayed: %+v", replayAll(t, store, home))
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// databases returns the database files below a directory.
func databases(t testing.TB, dir string) (files []string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".db") {
			files = append(files, path)
		}
		return nil // what cannot be read is none
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// Every session that an earlier version recorded is replayed without a
// difference, after its database was brought up to date.
func TestReplayOfEarlierVersions(t *testing.T) { // S5.6
	t.Parallel()
	files, err := filepath.Glob("../sqlite/testdata/corpus/*.db")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			store, err := sqlite.Open(t.Context(), copied(t, file))
			must(t, err)
			defer store.Close()
			sum := replayAll(t, store, t.TempDir())
			t.Logf("%+v", sum)
			if sum.sessions == 0 || sum.requests+sum.unknown == 0 {
				t.Errorf("%+v", sum)
			}
		})
	}
}

// What was changed in a recording is found, and where.
func TestReplayFindsDifferences(t *testing.T) {
	t.Parallel()
	script := "user: look\ncall: bash {\"command\": \"echo one\"}\nreply:\nsay: It is one.\n\nuser: again\nsay: Still one.\n"
	for _, c := range []struct{ name, change, place string }{
		{"a result", `UPDATE events SET data = replace(CAST(data AS TEXT), 'one', 'two') WHERE kind = 'tool_result'`, "Statement 1, turn 2"},
		{"a reply", `UPDATE events SET content = 'It is two.' WHERE kind = 'assistant' AND content = 'It is one.'`, "Statement 2, turn 1"},
		{"a description", `UPDATE events SET data = replace(CAST(data AS TEXT), 'Run a', 'Ran a') WHERE kind = 'tools'`, "tools["},
		{"a gap", `DROP TRIGGER events_leave_together; DELETE FROM events WHERE kind = 'assistant' AND content = 'Still one.'`, "log before this event"},
		{"a late beginning", `DROP TRIGGER events_leave_together; DELETE FROM events WHERE kind = 'session'`, "event 2: log before this event"},
		{"a damaged request", `UPDATE events SET data = '[1]' WHERE kind = 'request'`, "request"},
		{"an answer of the loop", `UPDATE events SET content = 'Something else.' WHERE kind = 'feedback'`, "feedback"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, script)
			p.run(exitAnswered, "run", "look")
			p.run(exitAnswered, "run", "--continue", "again")
			if out := p.run(exitAnswered, "replay").out.String(); out != "2 statements, 3 requests, 1 result: no difference\n" {
				t.Errorf("%s", out)
			}
			damage(t, p.database, c.change)
			p.unreplayed = true
			out := p.run(exitDiffers, "replay").out.String()
			if first, _, _ := strings.Cut(out, "\n"); !strings.Contains(first, c.place) {
				t.Errorf("%q is not named first:\n%s", c.place, out)
			}
			var told struct{ Differences []replay.Difference }
			must(t, json.Unmarshal([]byte(p.run(exitDiffers, "replay", "--json").out.String()), &told))
			if len(told.Differences) == 0 || told.Differences[0].Event == 0 {
				t.Errorf("as JSON: %+v", told)
			}
		})
	}
}

// A record that is damaged is said to be.
func TestReplayOfADamagedRequest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: look\nsay: Seen.\n")
	p.run(exitAnswered, "run", "look")
	damage(t, p.database, `UPDATE events SET data = '[1]' WHERE kind = 'request'`)
	p.unreplayed = true
	if out := p.run(exitDiffers, "replay").out.String(); !strings.Contains(out, "the record is damaged: [1]") || strings.Contains(out, "not compared") {
		t.Errorf("%s", out)
	}
}

// countedBlobs counts how often blobs are read.
type countedBlobs struct {
	ikigai.Blobs
	read *int
}

func (b countedBlobs) Blob(ctx context.Context, hash string) ([]byte, error) {
	*b.read++
	return b.Blobs.Blob(ctx, hash)
}

// Where every request differs for one reason, only the first is looked into.
func TestReplayOfManyDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind    ikigai.Kind
		was, is string
		again   int
	}{
		{ikigai.KindTools, "Run a", "Ran a", 40},
		{ikigai.KindToolResult, "one", "two", 39},
	} {
		p := newPlace(t, "user: look\ncall: bash {\"command\": \"echo one\"}\nrepeat: 40\n\nreply:\nsay: It is one.\n")
		p.run(exitAnswered, "run", "look")
		store, err := sqlite.OpenExisting(t.Context(), p.database)
		must(t, err)
		defer store.Close()
		home := filepath.Join(p.root, "home")
		a := &app{Process: Process{Env: []string{"HOME=" + home}, Out: new(bytes.Buffer), Err: new(bytes.Buffer)}, flags: map[string]string{}, dir: home}
		must(t, a.load())
		config, err := a.replayConfig(t.Context(), store, p.log()[0].Session)
		must(t, err)
		for i, e := range config.Events {
			if e.Kind == c.kind {
				config.Events[i].Data = bytes.Replace(e.Data, []byte(c.was), []byte(c.is), 1)
				break
			}
		}
		read := 0
		config.Blobs = countedBlobs{store, &read}
		report, err := replay.Run(t.Context(), config)
		must(t, err)
		if len(report.Differences) != 1 || report.Differences[0].Again != c.again || read > 5 {
			t.Errorf("%s: %d blobs were read for %+v", c.kind, read, report.Differences)
		}
	}
}

// A replay with recorded replies reaches nobody: it opens no connection, asks for
// no key, and starts neither servers nor tools.
func TestReplayReachesNobody(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: look\ncall: bash {\"command\": \"echo x >> ran\"}\nreply:\nsay: Done.\n")
	p.run(exitAnswered, "run", "look")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	connections := make(chan struct{}, 100)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				close(connections)
				return
			}
			connections <- struct{}{}
			c.Close()
		}
	}()
	settings := filepath.Join(p.root, "home", ".config", "ikigai")
	must(t, os.WriteFile(filepath.Join(settings, "config.json"), fmt.Appendf(nil,
		`{"model": "test/scripted", "objectives": "text", "vendors": {"test": {"base_url": "http://%s", "key_cmd": "echo key; touch %[2]s/key"}}, "mcpServers": {"s": {"command": "touch", "args": ["%[2]s/server"]}}}`,
		listener.Addr(), p.root), 0o600))
	must(t, os.MkdirAll(filepath.Join(settings, "tools"), 0o700))
	must(t, os.WriteFile(filepath.Join(settings, "tools", "mine"), fmt.Appendf(nil, "#!/bin/sh\ntouch %s/tool\n", p.root), 0o700))
	p.run(exitAnswered, "replay")
	must(t, listener.Close())
	for range connections {
		t.Error("a connection was opened")
	}
	for _, name := range []string{"key", "server", "tool"} {
		if _, err := os.Stat(filepath.Join(p.root, name)); err == nil {
			t.Errorf("what makes the %s was run", name)
		}
	}
	if got := p.lines("ran"); len(got) != 1 {
		t.Errorf("the call was run again: %s", got)
	}
	p.run(exitVendor, "run", "look") // the same settings act where something is sent
	for _, name := range []string{"key", "server", "tool"} {
		if _, err := os.Stat(filepath.Join(p.root, name)); err != nil {
			t.Errorf("a run does not reach the %s either: %v", name, err)
		}
	}
}

// What a project brings that is not trusted does not act in a replay with real
// tools either.
func TestReplayOfAnUntrustedProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t, trustScript)
	p.bring()
	p.run(exitAnswered, "run", "work")
	p.inert()
	must(t, os.Remove(p.file("real")))
	c := p.run(exitAnswered, "replay", "--tools", "real")
	c.tells(1, "is ignored because nobody has said to trust it")
	p.inert()
}

// damage changes a database that refuses to be changed.
func damage(t *testing.T, path, change string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec("DROP TRIGGER events_stay; " + change)
	must(t, err)
	must(t, db.Close())
}

// Real tools are run again, and what they answer and leave behind is compared.
func TestReplayWithRealTools(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\ncall: file_write {\"path\": \"a.txt\", \"content\": \"a\\n\"}\nreply:\ncall: bash {\"command\": \"cat in.txt; cp in.txt out.txt\"}\nreply:\nsay: Done.\n")
	must(t, os.WriteFile(p.file("in.txt"), []byte("x\n"), 0o600))
	p.run(exitAnswered, "run", "work")
	for _, name := range []string{"a.txt", "out.txt"} {
		must(t, os.Remove(p.file(name)))
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "in.txt"), []byte("x\n"), 0o600))
	c := p.run(exitAnswered, "replay", "--tools", "real", "--dir", dir)
	c.tells(1, "The tools of the session are run again in "+dir)
	if want := "1 statement, 3 requests, 2 results, 2 files: no difference\n"; c.out.String() != want {
		t.Errorf("%s", c.out)
	}
	must(t, os.Remove(filepath.Join(dir, "a.txt")))
	must(t, os.WriteFile(filepath.Join(dir, "in.txt"), []byte("y\n"), 0o600))
	out := p.run(exitDiffers, "replay", "--tools", "real", "--dir", dir).out.String()
	for _, want := range []string{"tool result bash output differs", "file " + p.file("out.txt") + " differs", "3 requests, 2 results, 2 files: 2 differences"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not told:\n%s", want, out)
		}
	}
}

// Another model is asked what the recorded one was asked; what it calls is not run.
func TestReplayWithAnotherModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: look\ncall: bash {\"command\": \"echo one >> ran\"}\nreply:\nsay: It is one.\n\nuser: again\nsay: Still one.\n")
	p.run(exitAnswered, "run", "look")
	p.run(exitAnswered, "run", "--continue", "again")
	out := p.run(exitAnswered, "replay", "--model", "test/other", "--statement", "1").out.String()
	for _, want := range []string{"test/scripted, as recorded\n", "test/other\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not told:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "It is one."); n != 2 {
		t.Errorf("%d answers:\n%s", n, out)
	}
	if got := p.lines("ran"); fmt.Sprint(got) != "[one]" {
		t.Errorf("the call was run again: %s", got)
	}
	p.run(exitUsage, "replay", "--model", "test/other", "--statement", "3").err.awaitText(t, "no statement 3, it has 2")
	p.allAccepted()
}

// Answers stand side by side where there is room for them.
func TestAnswersSideBySide(t *testing.T) {
	answers := []answer{
		{Model: "a/one", Text: "A text that is longer than its column has room for, so that it goes on below.", Input: 10, Output: 2, recorded: true},
		{Model: "b/two", Calls: []string{`bash(command="ls")`}, Millis: 1500},
	}
	want := `a/one, as recorded                       │ b/two
10 tokens in, 2 out, 0.0 s               │ 0 tokens in, 0 out, 1.5 s
                                         │
A text that is longer than its column    │ calls bash(command="ls")
has room for, so that it goes on below.  │
`
	if got := answersText(answers, 83); got != want {
		t.Errorf("side by side:\n%s", got)
	}
	answers[0].Text, answers[1].Model = "\tx\ty", "b/\x1b[2J"
	for line := range strings.SplitSeq(strings.TrimSpace(answersText(answers, 83)), "\n") {
		if before, _, ok := strings.Cut(line, "│"); !ok || len(before) != 41 || strings.ContainsAny(line, "\t\x1b") {
			t.Errorf("%q", line)
		}
	}
	if got := answersText(answers, 70); !strings.Contains(got, "y\n\nb/") {
		t.Errorf("one below the other:\n%s", got)
	}
}

// A script is played with real tools, and what it expects and does not find is
// told with its line.
func TestReplayScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t, idle)
	script := "user: look\ncall: bash {\"command\": \"cat name.txt\"}\n\nreply:\nexpect: %s\nsay: Fine.\n\nuser: more\nsay: More.\n"
	must(t, os.WriteFile(p.file("name.txt"), []byte("Ada\n"), 0o600))
	must(t, os.WriteFile(p.file("good.script"), fmt.Appendf(nil, script, "Ada"), 0o600))
	must(t, os.WriteFile(p.file("bad.script"), fmt.Appendf(nil, script, "Bob"), 0o600))
	if out := p.run(exitAnswered, "replay", "good.script").out.String(); out != "2 statements: no difference\n" {
		t.Errorf("%s", out)
	}
	out := p.run(exitDiffers, "replay", "bad.script").out.String()
	if !strings.HasPrefix(out, "bad.script:4: ") || !strings.Contains(out, "Bob") || !strings.Contains(out, "2 statements: 1 difference\n") {
		t.Errorf("%s", out)
	}
	p.run(exitUsage, "sessions") // nothing was kept
}
