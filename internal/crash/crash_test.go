package crash

import (
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
)

// A panic comes to the handler with the stack of what panicked, before what else the
// goroutine defers, which never comes.
func TestGuard(t *testing.T) {
	met, stacks := make(chan any, 1), make(chan string, 1)
	stop := Handle(func(v any) {
		stacks <- string(debug.Stack())
		met <- v
	})
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer Guard()
		breaks()
	}()
	if v := <-met; v != "broken" {
		t.Errorf("the handler was given %v", v)
	}
	if stack := <-stacks; !strings.Contains(stack, "crash.breaks") {
		t.Errorf("the stack does not lead to what broke:\n%s", stack)
	}
	select {
	case <-ended:
		t.Error("whoever waits takes for done what is not")
	default:
	}
}

func breaks() { panic("broken") }

// A goroutine that does not panic ends as ever, and without a handler one that does
// is somebody else's.
func TestGuardMeetsNothing(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		stop := Handle(func(v any) { t.Errorf("the handler was given %v", v) })
		go func() { defer Guard() }()
		synctest.Wait()
		stop()
		go func() {
			defer func() {
				if recover() == nil {
					t.Error("a panic that nobody handles was swallowed")
				}
			}()
			defer Guard()
			panic("broken")
		}()
		synctest.Wait()
	})
}
