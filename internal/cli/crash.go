package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"ikigai/internal/crash"
)

// keepCrash keeps the details of a panic, on the goroutine of which it is called, in a
// file, and returns what the person is told. The directory is everybody's, and nobody
// must know beforehand where the file will be.
func keepCrash(v any) string {
	path := "nowhere"
	f, err := os.CreateTemp("", "ikigai-crash-*.txt")
	if err == nil {
		path = f.Name()
		_, err = fmt.Fprintf(f, "%v\n\n%s", v, debug.Stack())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		path += ": " + err.Error()
	}
	return fmt.Sprintf("ikigai itself broke: %v. What was recorded is safe; the details are in %s.", v, path)
}

// breaks ends the program after a panic on a goroutine that nobody looks after. What
// goes on has a moment to end, and what was started is killed. The first panic counts.
func (a *app) breaks(v any) {
	if a.broke.Swap(true) {
		return
	}
	defer os.Exit(exitInternal) // what is done here may break, too
	told := keepCrash(v)
	a.endAll()
	a.hurry.Do(func() { close(a.leave) })
	time.Sleep(leaveTime)
	a.exitNow(told, exitInternal)
}

// awaitBroken keeps the program from ending by itself once breaks ends it.
func (a *app) awaitBroken() {
	if a.broke.Load() {
		select {}
	}
}

// exitNow tells why, and ends the program wherever it stands, also where nobody takes
// what it tells.
func (a *app) exitNow(why string, code int) {
	a.giveBack()
	time.AfterFunc(endTime, func() { os.Exit(code) })
	if a.overwrites(a.Err) {
		fmt.Fprint(a.Err, "\r\x1b[K")
	}
	a.printNotice(why)
	os.Exit(code)
}

// giveBack gives the terminal back, if it was taken. What does that may be what broke,
// so it is not waited for for ever.
func (a *app) giveBack() {
	if a.restore == nil {
		return
	}
	given := make(chan struct{})
	go func() {
		defer crash.Guard()
		a.restore()
		close(given)
	}()
	select {
	case <-given:
	case <-time.After(endTime):
	}
}
