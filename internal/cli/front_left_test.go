package cli

import (
	"bufio"
	"context"
	"io"
	"testing"
	"testing/synctest"

	"ikigai/internal/config"
	"ikigai/internal/tui"
)

// Nothing begins once the person has left: a command that had them pick a session may
// say which only then.
func TestNothingBeginsOnceLeft(t *testing.T) {
	life, end := context.WithCancel(t.Context())
	f := &front{app: &app{Process: Process{Err: io.Discard}, settings: &config.Settings{}}, life: life}
	f.ui = tui.New(tui.Config{Host: f})
	f.left.Store(true)
	f.say(tui.Input{Text: "/resume 01"}) // it would wait for the session, of which there is none
	f.mu.Lock()
	if len(f.underWay()) > 0 || len(f.waiting) > 0 {
		t.Errorf("%d things are under way, and %v waits", len(f.underWay()), f.waiting)
	}
	f.mu.Unlock()
	end()
	f.running.Wait()
}

// reads is an input that nobody types at, and counts who waits for it.
type reads struct{ waiting int }

func (r *reads) Read([]byte) (int, error) {
	r.waiting++
	select {}
}

// Once the turn was stopped no other read begins beside the one that is left behind.
func TestOneReadIsLeftBehind(t *testing.T) {
	in := &reads{}
	q := &questions{lines: bufio.NewReader(in)}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	synctest.Test(t, func(*testing.T) {
		if _, ok := q.read(ctx); ok || in.waiting > 0 {
			t.Errorf("a line was read: %v; %d wait for one", ok, in.waiting)
		}
		synctest.Wait()
	})
	if in.waiting > 0 {
		t.Error("a read was begun that nobody waits for")
	}
}
