package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

// listed returns the sessions of the directory, the newest first.
func (p *place) listed() (all []sessionLine) {
	p.t.Helper()
	for line := range strings.Lines(p.run(exitAnswered, "sessions", "--json").out.String()) {
		var s sessionLine
		must(p.t, json.Unmarshal([]byte(line), &s))
		all = append(all, s)
	}
	return all
}

// running returns the number of runs that are recorded.
func (p *place) running() (n int) {
	p.t.Helper()
	must(p.t, filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(filepath.Dir(path)) == "running" {
			n++
		}
		return err
	}))
	return n
}

// openFiles returns how many files a process has open. Connections are not counted:
// those to the vendor are kept for a while.
func openFiles(t *testing.T, pid int) (n int) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("a system without /proc")
	}
	for _, f := range files {
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && !strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// A fork in which nothing happens is in no log, wherever it was begun and whichever
// way it is left; one that goes on is.
func TestTalkInAFork(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	p.run(exitAnswered, "run", "hello")
	first := string(p.listed()[0].ID)

	s := p.types("--continue", "--fork")
	s.WaitFor("Hello to you.")
	s.Send("C-d")
	if code := s.Exited(); code != exitAnswered || strings.Contains(s.History(), "--resume") {
		t.Errorf("exit code %d, %s", code, s.History())
	}
	if all := p.listed(); len(all) != 1 {
		t.Fatalf("%d sessions", len(all))
	}

	s = p.types("--continue")
	s.WaitFor("Hello to you.")
	for range 2 { // a fork, then a fork of the fork in which nothing has happened
		s.enters("/fork")
		s.WaitFor("after all that was said")
		s.Send("Enter")
		s.Until("the end of the list", func(screen string) bool { return !strings.Contains(screen, "after all that was said") })
		s.WaitFor("This is a copy now.")
		s.Send("C-l")
	}
	s.says("/resume ffff", "There is no session ffff")
	s.says("more", `You said "more".`)
	s.Send("C-d")
	s.WaitFor("Go on with `ikigai --resume ")
	s.Exited()
	all := p.listed()
	if len(all) != 2 || string(all[0].ID) == first || string(all[0].Parent) != first {
		t.Fatalf("the sessions are %s", asJSON(all))
	}
	if got := kindsOf(parseEvents(t, p.run(exitAnswered, "log", "--json").out.String())); got != "system user assistant user assistant" {
		t.Errorf("the fork has %s", got)
	}
}

// Who goes on with another session leaves nothing of the one before: what ran for it
// has ended, others can open it, and what was meant for it stays with it.
func TestTalkSwitches(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript+`
user: job
call: bash {"command": "exec 9>gate; echo there >&9; exec sleep 1000", "background": true}

reply:
say: It runs.
`)
	p.unreplayed = true // of commands that were typed, and of a job that was ended
	p.run(exitAnswered, "run", "hello")
	first := p.listed()[0].ID

	g := p.gate("gate")
	must(t, os.WriteFile(p.file("notes"), []byte("a note"), 0o600))
	s := p.types("--file", "notes", "--goal", "Great things")
	s.enters("job")
	g.awaits("there")
	s.answered("It runs.")
	second := p.listed()[0].ID
	s.says("/resume "+string(first), "Hello to you.")
	g.awaitGone()
	s.says("here now", `You said "here now".`)
	if p.run(exitAnswered, "run", "--resume", string(second), "beside"); p.running() != 1 {
		t.Errorf("%d runs are recorded", p.running())
	}
	open := 0
	for round := range 3 {
		for _, id := range []ikigai.ID{second, first} {
			s.enters("/resume " + string(id))
			said := fmt.Sprintf("%d in %.13s", round, id)
			s.says(said, fmt.Sprintf("You said %q.", said))
		}
		if round == 0 {
			open = openFiles(t, s.Pid())
		}
	}
	s.Wait(fmt.Sprintf("no more than %d open files", open), func() bool { return openFiles(t, s.Pid()) <= open })
	s.leaves()
	for id, want := range map[ikigai.ID]string{
		first:  "system user assistant" + strings.Repeat(" user assistant", 1+3),
		second: "system user tool_call tool_result assistant" + strings.Repeat(" user assistant", 1+3),
	} {
		events := parseLog(t, p.run(exitAnswered, "log", "--json", string(id)).out.String())
		if got := kindsOf(events); got != want {
			t.Errorf("%s has %s, want %s", id, got, want)
		}
		goals := of(ikigai.KindGoal, events)
		if said := of(ikigai.KindUser, events)[0].Content; (id == second) != (len(goals) == 1 && strings.Contains(said, "a note")) {
			t.Errorf("%s begins with %q, and has the goals %s", id, said, asJSON(goals))
		}
	}
	if p.running() != 0 {
		t.Errorf("%d runs are still recorded", p.running())
	}
}
