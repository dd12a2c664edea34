//go:build linux && (amd64 || arm64)

package killtest

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Program is a program to be run and, if Kill is set, to be killed.
type Program struct {
	Launcher string // the command launch of this package, built
	Path     string
	Args     []string // without the name of the program
	Dir      string
	Env      []string
	Terminal *os.File // standard output and standard error
	Typed    bool     // the terminal is standard input, too; else that is empty

	// Class names what a call is about, in the words of the test, such as
	// "journal". Calls of class "" are not counted.
	Class func(Call) string
	// Kill is where the program is killed; nil lets it run to its end.
	Kill *Point
	// Patience bounds the run, with all that the program started.
	Patience time.Duration
}

// Call is a system call that changes something outside of the program.
type Call struct {
	Name string // such as "pwrite64"
	// On is what it changes: an absolute path; "tcp:ADDRESS" or "unix:PATH",
	// where a socket leads to; or what /proc says of anything else.
	On string
	// Tool tells that not the program makes it but one that it has started.
	// The first call of each is the execve that starts it.
	Tool bool
}

// Point is a moment in the life of a program: before or after the call N of a
// class, counted from 1. The calls of a class follow one another in the same
// order in every run, however threads race.
type Point struct {
	Class string
	N     int
	After bool
}

// String returns p as people name it, fit for the name of a test.
func (p Point) String() string {
	when := "before"
	if p.After {
		when = "after"
	}
	return fmt.Sprintf("%s %s %d", when, p.Class, p.N)
}

// Outcome is how a run has ended.
type Outcome struct {
	Calls   []Counted       // as they began
	Reached bool            // the program came to the point and was killed there
	Status  unix.WaitStatus // of the program
}

// Counted is a call with its class and its place in it.
type Counted struct {
	Call
	Class string
	N     int
}

// Points returns both points of every call of the outcomes of several runs:
// threads race, so that one may have more calls of a class than another.
func Points(outcomes ...Outcome) []Point {
	most := map[string]int{}
	var all []Point
	for _, o := range outcomes {
		for _, c := range o.Calls {
			if c.N > most[c.Class] {
				most[c.Class] = c.N
				all = append(all, Point{c.Class, c.N, false}, Point{c.Class, c.N, true})
			}
		}
	}
	return all
}
