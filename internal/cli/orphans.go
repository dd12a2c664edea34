package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ikigai/internal/process"
	"ikigai/internal/session"
)

// running is the directory of the records of runs. Each is a file that is there
// and locked as long as its run lives: one that is not locked tells of a run
// that crashed.
func (p places) running() string { return filepath.Join(p.root, "running") }

// runMark is what every process that a run starts has in its environment.
func runMark(run string) string { return "IKIGAI_RUN=" + run }

// recordRun records this run and has the environment of its processes marked. It
// returns what ends the record once they have ended. A disk that does not take
// the record is no reason to run nothing.
func (a *app) recordRun() (end func()) {
	path := filepath.Join(a.places().running(), string(session.NewID()))
	f, err := createRecord(path)
	if os.IsNotExist(err) {
		_ = os.MkdirAll(filepath.Dir(path), 0o700) // the next line says it
		f, err = createRecord(path)
	}
	if err != nil {
		return func() {}
	}
	a.mark = runMark(filepath.Base(path))
	return func() {
		_ = os.Remove(path) // else the next start looks for processes and finds none
		_ = f.Close()
	}
}

func createRecord(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if !lockRecord(f) {
		_ = f.Close()
		return nil, os.ErrExist
	}
	return f, nil
}

// lockRecord reports whether nobody else had f locked.
func lockRecord(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }

// tellOrphans tells the person what still runs of runs that crashed. It ends
// nothing: a person may need it.
func (a *app) tellOrphans(notice func(string)) {
	if found := a.orphans(); len(found) > 0 {
		notice(describeOrphans(found))
	}
}

// leftRunning tells of the same.
func (r *checkup) leftRunning() {
	if found := r.orphans(); len(found) > 0 {
		r.line("--  ", "processes", describeOrphans(found))
	}
}

// orphans returns what still runs of runs that crashed. It looks at the
// processes of this machine only where a record tells of such a run.
func (a *app) orphans() []process.Info {
	dir := a.places().running()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there was no run yet
	}
	var all []process.Info
	for _, e := range entries {
		all = append(all, orphansOf(filepath.Join(dir, e.Name()))...)
	}
	return all
}

// orphansOf returns what still runs of the run of a record. It removes the
// record once nothing can be found any more.
func orphansOf(record string) []process.Info {
	f, err := os.Open(record)
	if err != nil {
		return nil // the run has just ended
	}
	defer f.Close()
	if !lockRecord(f) {
		return nil // the run lives
	}
	found, gone := process.Marked(runMark(filepath.Base(record)))
	if gone {
		_ = os.Remove(record) // the next look tries again
	}
	return found
}

const (
	mostOrphans = 5  // that are told of with their commands
	mostCommand = 60 // characters of a command
)

func describeOrphans(found []process.Info) string {
	what, ids, each := "processes of a run that crashed are", "", make([]string, 0, mostOrphans)
	if len(found) == 1 {
		what = "process of a run that crashed is"
	}
	for i, p := range found {
		ids += fmt.Sprintf(" %d", p.PID)
		if i < mostOrphans {
			each = append(each, fmt.Sprintf("%d %s (since %s)", p.PID, shortCommand(p.Command), p.Since.Format(time.DateTime)))
		}
	}
	if more := len(found) - len(each); more > 0 {
		each = append(each, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d %s still running: %s. End what is not needed with `kill%s`.", len(found), what, strings.Join(each, ", "), ids)
}

// shortCommand returns a command on one line.
func shortCommand(command string) string {
	r := []rune(strings.Join(strings.Fields(command), " "))
	if len(r) > mostCommand {
		return string(r[:mostCommand-1]) + "…"
	}
	return string(r)
}
