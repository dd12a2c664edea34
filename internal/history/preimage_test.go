package history

import (
	"fmt"
	"sync"
	"testing"

	"ikigai"
)

// What was kept of files can be asked for while a change is recorded: a look at what a
// command has changed goes on when the person stops the turn and takes it back.
func TestPreImageBesideAdd(t *testing.T) {
	l := New(ikigai.Main)
	var beside sync.WaitGroup
	begun, done := make(chan struct{}), make(chan struct{})
	beside.Go(func() {
		close(begun)
		for {
			select {
			case <-done:
				return
			default:
				l.PreImage("/a/7")
			}
		}
	})
	<-begun
	for i := range 2000 {
		path := fmt.Sprint("/a/", i)
		e := ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{Path: path, Blob: fmt.Sprint(i)})
		e.Seq = ikigai.Seq(i + 1)
		l.Add(e)
	}
	close(done)
	beside.Wait()
	if got := l.PreImage("/a/7"); got != "7" {
		t.Errorf("got %q", got)
	}
}
