package undo

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestContentsOutside keeps contents outside of the heap, and gives back the
// room of those that are no longer held.
func TestContentsOutside(t *testing.T) {
	f := newFake(t)
	const mib = 1 << 20
	for i := range 16 {
		f.replace(fmt.Sprintf("%s/large%d", f.dir, i), strings.Repeat(string(rune('a'+i)), mib))
	}
	heap := func() uint64 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before := heap()
	f.watch(64 * mib)
	known := func() (used, end int64) {
		if f.before("look") == nil {
			t.Fatal("it is not watched")
		}
		f.watcher.running = nil // nothing of it is to be found
		return f.watcher.memory.used, f.watcher.contents.end
	}
	// A file that was written shortly before it was looked at is read once more.
	if used, end := known(); used != 16*mib || end > 2*used+mib {
		t.Errorf("%d bytes are held, %d kept", used, end)
	}
	if now := heap(); now > before+4*mib {
		t.Errorf("%d bytes lie in the heap", now-before)
	}
	was := f.state()
	f.say("go")
	for i := range 8 {
		f.shell(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' %d | tee large0 large1 large2 large3 large4 >large5", mib, i))
	}
	if used, end := known(); used != 16*mib || end > 2*used+mib {
		t.Errorf("%d bytes are held, %d kept", used, end)
	}
	f.shell("rm *")
	if left := f.undo(); left != "" || f.state() != was {
		t.Errorf("left %q:\n%s", left, f.state())
	}
}
