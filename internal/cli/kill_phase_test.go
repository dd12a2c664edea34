//go:build linux && (amd64 || arm64)

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// killScript is what the model says in the matrix. Its letters stand once in
// it, in the order of the alphabet, so that a letter that is missing or comes
// twice is seen wherever it stands: Greek for text, Cyrillic for thinking.
const killScript = `
chunk: 8

user: work
think: абвгдежз
say: αβγδεζηθ
call: bash {"command": "echo one >> witness; echo first-$((40+2))"}
call: file_write {"path": "made.txt", "content": "made"}
reply:
say: ικλμνξ
call: bash {"command": "echo two >> witness; echo second-$((40+3))"}
reply:
think: икл
say: οπρ

user: talk
think: абвгдежз
say: αβγδεζηθ
call: bash {"command": "echo one >> witness; read -r line < steered; echo first-$((40+2))"}
reply:
steer: turn left
say: ικλμνξ
call: file_write {"path": "made.txt", "content": "made"}
reply:
say: οπρ

user: little
think: абвгдежз
say: αβγδ
call: bash {"command": "echo one >> witness; echo first-$((40+2))"}
reply:
say: εζηθ

user: half
think: абвгдежз
say: αβγδεζηθικλ
fault: hang after 5

user: die
say: αβγδ
call: bash {"command": "echo one >> witness; kill -9 $PPID; sleep 1000"}
call: bash {"command": "echo two >> witness"}

user: more
think: мнопр
say: στυφχψω
` + goOn

// killPhase is a part of a session's life.
type killPhase struct {
	name   string
	fresh  bool                    // there is no database yet
	before func(*row)              // brings the session there
	args   []string                // of the program that is killed
	during func(*row) (end func()) // what happens while it runs
	types  func(*scribe)           // types at the interactive front
	every  int                     // each so manieth point is tried, unless all are; 0 for each fifth
}

var killPhases = []killPhase{
	{name: "session", fresh: true, args: []string{"run", "work"}},
	{name: "restored after a reply", args: []string{"run", "--continue", "more"}, before: func(r *row) {
		c := r.start("run", "half")
		c.out.awaitText(r.t, "εζηθ")
		c.kill()
		r.sees(c.err.String() + c.out.String())
	}},
	{name: "restored after a tool", args: []string{"run", "--continue", "more"}, before: func(r *row) {
		c := r.start("run", "die")
		within(r.t, c.ended, "end of a program whose tool kills it")
		r.sees(c.err.String() + c.out.String())
	}},
	{name: "outage", args: []string{"run", "--json", "work"}, during: (*row).outage},
	{name: "delivery", args: []string{"sessions"}, before: func(r *row) {
		r.store.takeAway()
		c := r.start("run", "--json", "little")
		c.ends(exitAnswered)
		c.tells(1, toldJournal)
		r.sees(c.out.String())
		r.store.bringBack()
		r.id = r.shown[0].Session
	}},
	{name: "fenced out", args: []string{"sessions"}, before: (*row).fenceOut},
}

// fenceOut has a session go on elsewhere while some of its events wait in a
// journal here.
func (r *row) fenceOut() {
	r.onRequest(func(n int, _ scriptserver.Request) {
		if n == 2 {
			r.store.takeAway()
		}
	})
	here := printed(r.place.run(exitAnswered, "run", "--json", "little"))
	r.store.bringBack()
	r.onRequest(func(int, scriptserver.Request) {})
	r.id = here[0].Session

	found := r.hideJournal()
	elsewhere := parseEvents(r.t, r.place.run(exitAnswered, "run", "--json", "--resume", string(r.id), "more").out.String())
	must(r.t, os.Rename(found+".hidden", found))
	common := slices.IndexFunc(here, func(e ikigai.Event) bool { return e.Seq == elsewhere[0].Seq })
	r.shown, r.forked = slices.Concat(here[:common], elsewhere), here[common:]
}

// hideJournal makes the journal of the row one that is not on this machine, and
// returns its path.
func (r *row) hideJournal() (path string) {
	r.t.Helper()
	must(r.t, filepath.WalkDir(r.root, func(p string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(p, ".journal") {
			path = p
		}
		return err
	}))
	must(r.t, os.Rename(path, path+".hidden"))
	return path
}

// outage takes the store away when the second request comes, until the third,
// or the end.
func (r *row) outage() (end func()) {
	var mu sync.Mutex
	over := false
	r.onRequest(func(n int, _ scriptserver.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case over: // what a program sent that is dead by now
		case n == 2:
			r.store.takeAway()
		case n == 3:
			r.store.bringBack()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		r.store.bringBack()
	}
}
