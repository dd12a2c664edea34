package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"ikigai/internal/archive"
)

// How far something is stands on one line, cut to the terminal, and leaves no
// trace; where nobody looks, and within a blink, nothing is told.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := &meter{out: &out, width: 20, next: time.Now().Add(-time.Second)}
		tell := m.archived("copying")
		tell(archive.Progress{Events: 50, Of: 200, Bytes: 12_345})
		tell(archive.Progress{Events: 60, Of: 200, Bytes: 12_345}) // too soon
		m.end()
		m.end()
		if got, want := out.String(), "\rcopying: 25 %, 50 e\x1b[K\r\x1b[K"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		(&meter{}).tell("nothing")
		out.Reset()
		m = &meter{out: &out, width: 20, next: time.Now().Add(time.Hour)}
		m.tell("within a blink")
		m.end()
		if out.Len() > 0 {
			t.Errorf("told %q within a blink", out.String())
		}
	})
}

// What cannot say how far it is tells how long it takes, after a second.
func TestMeterWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := &meter{out: &out, width: 80, next: time.Now().Add(blink)}
		m.working("reading")()
		if out.Len() > 0 {
			t.Errorf("told %q at once", out.String())
		}
		end := m.working("reading")
		time.Sleep(2*time.Second + blink)
		end()
		if got, want := out.String(), "\rreading, 1s (Ctrl-C stops)\x1b[K\rreading, 2s (Ctrl-C stops)\x1b[K\r\x1b[K"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	(&meter{}).working("nothing")()
}
