//go:build linux && (amd64 || arm64)

package cli

import (
	"cmp"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/killtest"
	"ikigai/internal/race"
)

// TestKillMatrix kills the program before and after every system call by which
// it changes the world, in every phase of a session's life, and lets it go on.
// Witnesses outside of the program say what its log must hold: the screen that
// was painted, the file to which tools append what they do, the requests that
// came to the model.
//
// P7, S2.19, S2.25, S5.7, laws 2, 3 and 8.
func TestKillMatrix(t *testing.T) {
	dir := inMemory(t)
	buildKilled(t, dir)
	for _, s := range killStores {
		t.Run(s.name, func(t *testing.T) {
			m := &matrix{dir: dir, alike: s.alike}
			m.store = s.open(t, m)
			for _, phase := range killPhases {
				t.Run(phase.name, func(t *testing.T) { m.try(t, phase) })
			}
			t.Log(&m.tally)
		})
	}
}

// buildKilled builds the program, and what starts it to be killed, in a directory.
func buildKilled(t *testing.T, dir string) {
	t.Helper()
	goCommand(t, "build", "-buildvcs=false", "-ldflags=-s -w", "-o", dir, "ikigai/cmd/ikigai", "ikigai/internal/killtest/launch")
}

// inMemory returns a directory for a test, in the system's memory where there
// is one. A kill leaves there what it leaves on a disk, synced or not.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ikigai-kill-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// everyPoint is set by make kill.
var everyPoint = flag.Bool("kill.all", false, "try every point of the kill matrix")

// matrix is the phases of a session in a store by the points of each.
type matrix struct {
	dir   string               // holds the programs and the places of the rows
	store func(*row) killStore // gives a row its store
	alike []string             // classes of points that are much the same in this store, of which fewer are tried
	tally tally
}

// killWorkers is how many rows are tried at once. They wait for one another's
// programs rather than for the processor.
const killWorkers = 6

// try kills the program at every point of a phase.
func (m *matrix) try(t *testing.T, phase killPhase) {
	points := m.some(m.points(t, phase), cmp.Or(phase.every, 5))
	todo := make(chan killtest.Point, len(points)) // a worker ends early where a row fails what it shares with others
	for _, point := range points {
		todo <- point
	}
	close(todo)
	var workers sync.WaitGroup
	for range killWorkers {
		workers.Go(func() {
			for point := range todo {
				t.Run(point.String(), func(t *testing.T) {
					r := m.newRow(t, phase)
					reached := r.run(&point).Reached
					if !reached {
						t.Log("The program ended before it came to this point.")
					}
					m.tally.tried(reached)
					r.goesOn()
				})
			}
		})
	}
	workers.Wait()
}

// some returns those points that are tried, each nth of most: a row starts up to
// eight programs. With the race detector they are few: what is killed is built
// without it, so that it sees no more of a death.
func (m *matrix) some(points []killtest.Point, n int) []killtest.Point {
	switch {
	case *everyPoint:
		return points
	case race.Enabled || testing.Short():
		return thin(points, 32)
	}
	var some, alike []killtest.Point
	for _, p := range points {
		if slices.Contains(m.alike, p.Class) {
			alike = append(alike, p)
		} else {
			some = append(some, p)
		}
	}
	return append(thin(some, n), thin(alike, 4*n)...)
}

// points returns the points of a phase, which is run to its end for that. Where
// threads race, runs differ a little.
func (m *matrix) points(t *testing.T, phase killPhase) []killtest.Point {
	var whole []killtest.Outcome
	for range 3 {
		r := m.newRow(t, phase)
		outcome := r.run(nil)
		if code := outcome.Status.ExitStatus(); code != exitAnswered {
			t.Fatalf("the program ended with %d and painted\n%s", code, r.screen)
		}
		r.goesOn()
		whole = append(whole, outcome)
	}
	return killtest.Points(whole...)
}

// thin keeps the first call of each class and each nth of the others.
func thin(points []killtest.Point, n int) []killtest.Point {
	var few []killtest.Point
	for i, p := range points {
		if p.N == 1 && p.After || i%n == 0 {
			few = append(few, p)
		}
	}
	return few
}

// row is one point of a phase: a place of its own, and what its witnesses saw.
type row struct {
	*place
	matrix *matrix
	phase  killPhase
	store  killStore
	id     ikigai.ID      // of the session, if it is known; "" for the last one
	screen string         // what was painted, by all programs so far, other than events
	shown  []ikigai.Event // what was printed as JSON
	forked []ikigai.Event // what was printed of events that another session must hold
}

func (m *matrix) newRow(t *testing.T, phase killPhase) *row {
	t.Helper()
	root, err := os.MkdirTemp(m.dir, "row-")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(root)) })
	r := &row{place: newPlaceIn(t, root, killScript), matrix: m, phase: phase}
	r.program = filepath.Join(m.dir, "ikigai")
	r.store = m.store(r)
	if phase.before != nil {
		phase.before(r)
	}
	return r
}

// run runs the program of the phase at a terminal, to the point or to its end.
func (r *row) run(point *killtest.Point) killtest.Outcome {
	r.t.Helper()
	if r.phase.during != nil {
		defer r.phase.during(r)()
	}
	ours, theirs, err := pty.Open()
	must(r.t, err)
	defer ours.Close()
	must(r.t, pty.Setsize(ours, &pty.Winsize{Rows: 50, Cols: 1000}))
	painted, over := newOutput(), make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(painted, ours) // it ends with an error when the other end is closed
	}()
	if r.phase.types != nil {
		go r.phase.types(&scribe{r, ours, painted, over})
	}
	outcome, err := killtest.Run(killtest.Program{
		Launcher: filepath.Join(r.matrix.dir, "launch"), Path: r.program, Args: r.phase.args, Dir: r.work, Typed: r.phase.types != nil,
		Env: append(r.env(), "TERM=xterm"), Terminal: theirs, Class: r.class, Kill: point, Patience: patience,
	})
	if errors.Is(err, unix.EPERM) && os.Getenv("CI") == "" {
		r.t.Skipf("no program can be traced here: %v", err)
	}
	if err := errors.Join(err, theirs.Close()); err != nil {
		r.t.Fatalf("%v\nIt has painted %q", err, painted)
	}
	select {
	case <-over:
	case <-time.After(patience):
		r.t.Fatalf("something holds the terminal open %s after the program and all that it started have ended", patience)
	}
	if r.phase.types != nil {
		r.seesFront(painted.String())
	} else {
		r.sees(painted.String())
	}
	return outcome
}

// statusLine is what is painted to be painted over.
var statusLine = regexp.MustCompile("\r[^\r\n]*\x1b\\[K")

// sees takes in what was shown.
func (r *row) sees(painted string) {
	for line := range strings.Lines(painted) {
		if strings.HasPrefix(line, "{") {
			r.shown = append(r.shown, parseEvents(r.t, line)...)
		} else {
			r.screen += statusLine.ReplaceAllString(line, "")
		}
	}
}

// class names what a call of the program is about. The tools that the program
// starts count with their beginning and with what they append.
func (r *row) class(c killtest.Call) string {
	if class := r.store.class(c); class != "" {
		return class
	}
	switch {
	case c.Tool && c.Name == "execve", c.On == r.file("witness"):
		return "tool"
	case c.Tool:
		return ""
	case strings.HasPrefix(c.On, "/dev/pts/"):
		return "terminal"
	case strings.HasPrefix(c.On, "tcp:"):
		return "request"
	case strings.HasPrefix(c.On, r.work):
		return "working directory"
	case strings.Contains(c.On, "/journal"):
		return "journal"
	case strings.HasPrefix(c.On, r.root) && strings.Contains(c.On, "/sessions"):
		return "partial reply"
	case strings.HasPrefix(c.On, r.root):
		return "directory"
	}
	return ""
}
