//go:build linux && (amd64 || arm64)

package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"ikigai/internal/killtest"
	"ikigai/internal/race"
)

// undoPhases are an undo and a redo of what a file tool and a command did.
var undoPhases = []killPhase{
	{name: "undo", args: []string{"undo"}, before: func(r *row) {
		r.put(r.file("made.txt"), "old")
		r.place.run(exitAnswered, "run", "work")
	}},
	{name: "redo", args: []string{"redo"}, before: func(r *row) {
		r.put(r.file("made.txt"), "old")
		r.place.run(exitAnswered, "run", "work")
		r.place.run(exitAnswered, "undo")
	}},
}

// TestKillUndo kills an undo before and after every system call by which it
// changes the world, and asks for it again: it comes to its end, whatever was
// done by then, and can be taken back. P19, laws 1 and 2.
func TestKillUndo(t *testing.T) {
	dir := inMemory(t)
	buildKilled(t, dir)
	for _, s := range killStores {
		t.Run(s.name, func(t *testing.T) {
			m := &matrix{dir: dir}
			m.store = s.open(t, m)
			for _, phase := range undoPhases {
				t.Run(phase.name, func(t *testing.T) {
					for _, point := range undoPoints(t, m, phase, s.name) {
						t.Run(point.String(), func(t *testing.T) {
							t.Parallel()
							killUndo(m.newRow(t, phase), point)
						})
					}
				})
			}
		})
	}
}

// undoPoints returns the points of a phase. Those at which files change are all
// of them tried on one store: the others see no more of files than it does.
func undoPoints(t *testing.T, m *matrix, phase killPhase, store string) []killtest.Point {
	t.Helper()
	outcome := m.newRow(t, phase).run(nil)
	if code := outcome.Status.ExitStatus(); code != exitAnswered {
		t.Fatalf("the program ended with %d", code)
	}
	var files, others []killtest.Point
	for _, p := range killtest.Points(outcome) {
		if p.Class == "working directory" {
			files = append(files, p)
		} else {
			others = append(others, p)
		}
	}
	if len(files) < 6 {
		t.Fatalf("only at %d points files are changed", len(files))
	}
	switch {
	case *everyPoint:
		return append(files, others...)
	case race.Enabled || testing.Short() || store != killStores[0].name:
		return append(thin(files, 4), thin(others, 32)...)
	}
	return append(files, thin(others, 10)...)
}

// killUndo kills an undo or a redo at a point and does it again.
func killUndo(r *row, point killtest.Point) {
	r.t.Helper()
	r.run(&point)
	before, after := "old", "made"
	if r.phase.name == "redo" {
		before, after = after, before
	}
	r.again(r.phase.args[0])
	r.madeIs(before)
	other := map[string]string{"undo": "redo", "redo": "undo"}[r.phase.args[0]]
	r.place.run(exitAnswered, other)
	r.madeIs(after)
	r.logNow()
}

// again asks for what a death may have kept from its end.
func (r *row) again(command string) {
	r.t.Helper()
	c := r.start(command)
	within(r.t, c.ended, "end of "+command)
	if code := c.cmd.ProcessState.ExitCode(); code != exitAnswered && code != exitUsage {
		r.t.Fatalf("%s ends with %d: %s%s", command, code, c.out.String(), c.err.String())
	}
}

// madeIs checks what the file of the file tool holds, and that the one of the
// command is there with what it made.
func (r *row) madeIs(content string) {
	r.t.Helper()
	if got := r.lines("made.txt"); !slices.Equal(got, []string{content}) {
		r.t.Errorf("made.txt holds %q, not %q", got, content)
	}
	if left, _ := filepath.Glob(r.file(".ikigai*")); len(left) > 0 {
		r.t.Errorf("half-written files are left: %q", left)
	}
	want := []string{"one", "two"}
	if content == "old" {
		want = nil
	}
	if got := r.lines("witness"); !slices.Equal(got, want) {
		r.t.Errorf("witness holds %q, not %q", got, want)
	}
}
