package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
	"ikigai/internal/tty"
)

func said(kind ikigai.Kind, text string) transcript.Block {
	return transcript.Block{Kind: kind, Interaction: ikigai.Main, Text: text, Body: ikigai.MessageData{}}
}

// resultBlock is the result of a command, whose call stands right above it.
func resultBlock(id, output string) transcript.Block {
	var fold transcript.Transcript
	fold.Add(ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: id, Function: ikigai.ToolCallFunction{Name: "bash", Arguments: "{}"}}))
	encoded, _ := json.Marshal(map[string]string{"output": output})
	return fold.Add(ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: id, Output: string(encoded), Success: true}))[0]
}

// What commands print says which command it was, and stands apart from a reply that
// comes meanwhile.
func TestEcho(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Print("before\n")
		s.Echo("/cost")
		s.Print("nothing\n")
		s.shows("before\n\n/cost\nnothing\n")
		s.Delta(ikigai.Delta{Text: "One.\n\nTwo"})
		s.shows("One.\n")
		s.Echo("/jobs")
		s.Print("none\n")
		s.Block(said(ikigai.KindAssistant, "One.\n\nTwo."))
		s.shows("One.\n\n/jobs\nnone\n\n", "Two.")
		s.Delta(ikigai.Delta{Text: "Three.\n\nFour"})
		s.shows("Three.\n")
		s.Echo("/model x")
		s.Notice("There is no x. Choose another.")
		s.Delta(ikigai.Delta{Text: " and five.\n\nSix"})
		s.shows("Three.\n\n/model x\n! There is no x. Choose another.\n\nFour and five.\n")
		s.Notice("The store is away. Wait.")
		s.Block(said(ikigai.KindAssistant, "Three.\n\nFour and five.\n\nSix"))
		s.shows("five.\n\n! The store is away. Wait.\n\nSix\n")
	})
}

// A result below which call it stands says so itself where something that was asked for
// meanwhile stands between the two, also that of a command that was typed.
func TestResultNamesItsCall(t *testing.T) {
	for between, want := range map[string]string{"": "● bash  $ make\n  done", "one job\n": "● bash  $ make\none job\n\n↳ bash  $ make\n  done"} {
		play(t, 80, 24, Config{}, func(s *stage) {
			var fold transcript.Transcript
			event := func(kind ikigai.Kind, data any) {
				for _, b := range fold.Add(ikigai.NewEvent(kind, "", data)) {
					s.Block(b)
				}
			}
			s.Busy("running a command")
			event(ikigai.KindToolCall, ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: "bash", Arguments: `{"command":"make"}`}})
			if between != "" {
				s.Print(between)
			}
			event(ikigai.KindToolResult, ikigai.ToolResultData{ToolCallID: "1", Name: "bash", Output: `{"output":"done","exit_code":0}`, Success: true})
			s.shows(want)
		})
	}
}

// What has happened by the way is told where it parts neither a reply nor a call from
// its result.
func TestAsideWaits(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Aside("job 1 ended: exit code 0, 12 s")
		s.shows("job 1 ended: exit code 0, 12 s\n----")
		s.Busy("waiting for the model")
		s.Delta(ikigai.Delta{Text: "One.\n\nTwo"})
		s.Aside("job 2 ended")
		s.hides("job 2")
		s.Block(said(ikigai.KindAssistant, "One.\n\nTwo."))
		s.shows("Two.\n\njob 2 ended\n")
		s.Block(transcript.Block{Kind: ikigai.KindToolCall, Interaction: ikigai.Main, Body: transcript.Call{ID: "x", Name: "bash"}})
		s.Aside("job 3 ended")
		s.hides("job 3")
		s.Block(resultBlock("x", "done"))
		s.shows("  done\n\njob 3 ended\n----")
	})
}

// What a model says that the statement is for waits until that has ended. A call and
// the question about it stand together.
func TestObjectiveWaits(t *testing.T) {
	aim := transcript.Block{Kind: ikigai.KindObjective, Interaction: ikigai.Main, Text: "Say hello", Folded: true,
		Body: transcript.Objective{ObjectiveData: ikigai.ObjectiveData{By: ikigai.ByModel}}}
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Busy("waiting for the model")
		s.Delta(ikigai.Delta{Text: "One.\n\nTwo"})
		s.Block(aim)
		s.Block(said(ikigai.KindAssistant, "One.\n\nTwo."))
		s.hides("Say hello")
		s.Idle()
		s.shows("Two.\n\n· objective: Say hello\n----")
		s.Block(aim)
		s.shows("hello\n· objective: Say hello\n----")
	})
}

// A statement with a call, as a person sees it: what is finished is printed, what
// is not stands below it.
//
// S2.45, S2.46
func TestStatement(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.types("Build it.")
		s.shows("› Build it.")
		s.keys(press(tty.KeyEnter))
		s.was("submit Build it.")

		s.Block(said(ikigai.KindUser, "Build it."))
		s.Busy("waiting for the model")
		time.Sleep(3 * time.Second)
		s.shows("› Build it.\n----", "waiting for the model 3s · Esc stops")

		s.Delta(ikigai.Delta{Text: "I will.\n\nAnd th"})
		s.shows("I will.\n", "And th", "answering")
		s.Delta(ikigai.Delta{Text: "en rest."})
		s.Block(said(ikigai.KindAssistant, "I will.\n\nAnd then rest."))
		s.Block(callBlock("1", "bash", `{"command":"make all"}`))
		s.shows("And then rest.\n", "make all")
		s.hides("Ctrl-X cancels") // it has not begun
		s.keys(ctrl('x'))
		s.was("")
		s.Progress("1", []byte("compiling\n"))
		time.Sleep(5 * time.Second)
		s.shows("  compiling", "running 5s", "Ctrl-X cancels")
		if n := strings.Count(s.term.text(), "make all"); n != 1 {
			t.Errorf("the call that runs stands %d times in\n%s", n, s.term.text())
		}
		s.keys(ctrl('x'))
		s.was("cancel 1")

		s.Block(resultBlock("1", "all the output\n"))
		s.shows("all the output\n")
		s.hides("  compiling", "running")
		s.Idle()
		s.hides("Esc stops")
	})
}

// Nothing ticks while nothing is under way.
//
// P34
func TestIdleIsStill(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Block(said(ikigai.KindUser, "One."))
		s.Busy("")
		s.settle()
		s.Idle()
		s.settle()
		before := s.term.painted()
		time.Sleep(time.Hour)
		if n := s.term.painted() - before; n > 0 {
			t.Errorf("%d paints in an idle hour", n)
		}
		s.Busy("")
		time.Sleep(10 * time.Second)
		if n := s.term.painted() - before; n > 15 {
			t.Errorf("%d paints in 10 s of waiting", n)
		}
	})
}

// However much comes, the terminal is painted once a frame, and a key is answered
// before the rest of what waits.
//
// P33, P34
func TestFlood(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.settle()
		before := s.term.painted()
		for range 1000 {
			s.Delta(ikigai.Delta{Text: "word "})
			time.Sleep(time.Millisecond)
		}
		if n := s.term.painted() - before; n > 70 {
			t.Errorf("%d paints in a second of 1,000 tokens", n)
		}
		var output strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&output, "line %d\n", i)
		}
		s.Block(callBlock("1", "bash", `{"command":"seq"}`))
		s.Block(resultBlock("1", output.String()))
		for range 100_000 {
			s.Progress("1", []byte("more\n"))
		}
		s.types("typed")
		s.shows("line 0\n", "line 5000\n", "line 9999\n", "› typed")
	})
}

// What is printed in one go is bounded, so that a key waits for no more than that.
func TestChunks(t *testing.T) {
	l := newLoop(Config{Terminal: newFake(80, 24), Host: &host{}}, newMailbox())
	want := strings.Repeat(strings.Repeat("x", 99)+"\n", 5000)
	l.print(want)
	var got strings.Builder
	for len(l.out) > 0 {
		chunk := l.taken(maxChunk)
		if len(chunk) > maxChunk || !strings.HasSuffix(chunk, "\n") {
			t.Fatalf("a chunk of %d bytes", len(chunk))
		}
		got.WriteString(chunk)
	}
	if got.String() != want {
		t.Error("what was printed differs")
	}
	l.print(strings.Repeat("y", 3*maxChunk))
	if n := len(l.taken(maxChunk)); n != 3*maxChunk+1 {
		t.Errorf("of one long line %d bytes are printed", n)
	}
}

func TestStopAndEdit(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.host.busy = true
		s.Busy("")
		s.settle()
		s.keys(press(tty.KeyEscape))
		s.was("stop")
		s.host.busy = false
		s.Idle()
		s.settle()
		s.keys(press(tty.KeyEscape))
		s.was("edit last")
		s.SetInput("Again, please.")
		s.shows("› Again, please.")
		s.keys(press(tty.KeyEscape), press(tty.KeyEscape))
		s.was("")
	})
}

func TestLeave(t *testing.T) {
	for name, leave := range map[string]func(*stage){
		"Ctrl-D":       func(s *stage) { s.keys(ctrl('d')) },
		"Ctrl-C twice": func(s *stage) { s.keys(ctrl('c')); s.shows("Ctrl-C again leaves"); s.keys(ctrl('c')) },
		"Ctrl-C clears first": func(s *stage) {
			s.types("text")
			s.keys(ctrl('c'))
			s.hides("text", "again leaves")
			s.keys(ctrl('c'), ctrl('c'))
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 80, 24, Config{}, func(s *stage) {
				s.Print("the last words\n")
				leave(s)
				if err := <-s.ended; err != nil {
					t.Error(err)
				}
				s.was("leave")
				s.shows("the last words\n")
			})
		})
	}
	play(t, 80, 24, Config{}, func(s *stage) {
		s.keys(ctrl('c'))
		time.Sleep(3 * time.Second)
		s.hides("again leaves")
		s.keys(ctrl('c'))
		s.was("")
	})
}

// A key that does something when it is pressed twice does nothing if another one came
// in between, whatever that one was for.
func TestTwiceInARow(t *testing.T) {
	between := map[string]func(*stage){
		"typing":    func(s *stage) { s.types("x"); s.keys(press(tty.KeyBackspace)) },
		"a command": func(s *stage) { s.types("/jobs"); s.keys(press(tty.KeyEnter)); s.host.took() },
		"drawing":   func(s *stage) { s.keys(ctrl('l')) },
		"a pager": func(s *stage) {
			go s.Page(s.t.Context(), "All", "text\n", false)
			s.settle()
			s.types("q")
		},
	}
	for name, come := range between {
		t.Run(name, func(t *testing.T) {
			for key, told := range map[tty.Key]string{ctrl('c'): "Ctrl-C again leaves", press(tty.KeyEscape): "Esc again edits"} {
				play(t, 80, 24, Config{}, func(s *stage) {
					s.keys(key)
					s.shows(told)
					come(s)
					s.hides(told)
					s.keys(key)
					s.shows(told)
					s.was("")
				})
			}
		})
	}
}

func TestTerminalVanishes(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		answered := make(chan int)
		go func() { answered <- s.Pick(s.t.Context(), Pick{Items: []Item{{Label: "x"}}}) }()
		s.settle()
		close(s.term.keys)
		if err := <-s.ended; !errors.Is(err, ErrGone) {
			t.Errorf("Run returned %v", err)
		}
		if n := <-answered; n != -1 {
			t.Errorf("Pick returned %d", n)
		}
		if a := s.Ask(s.t.Context(), Question{}); a.Choice != -1 {
			t.Errorf("Ask returned %v", a)
		}
		s.was("leave")
	})
}

// What comes while a pager is open is printed when it closes, in order.
func TestOverlayHolds(t *testing.T) {
	play(t, 40, 10, Config{}, func(s *stage) {
		s.Print("before\n")
		closed := make(chan bool)
		go func() {
			s.Page(s.t.Context(), "Title", "the page\n", false)
			closed <- true
		}()
		s.shows("the page")
		s.Print("one\n")
		s.Delta(ikigai.Delta{Text: "two\n\nthree"})
		s.term.resize(60, 12)
		s.hides("one", "two")
		s.types("q")
		<-closed
		s.shows("before\none\n", "two\n", "three")
	})
}

// Who stops what is under way stops what waits for its end, too, and has it in the
// input again.
func TestStopGivesBack(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.host.busy, s.host.waiting = true, []Input{{Text: "first"}, {Text: "second"}}
		s.Busy("working")
		s.Waiting(s.host.waiting)
		s.types("third")
		s.keys(press(tty.KeyEscape))
		s.was("take back second\ntake back first\nstop")
		s.shows("› first", "second", "third")
	})
}

func TestAway(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		err := s.Away(func() error {
			if s.term.started {
				t.Error("the terminal is not given away")
			}
			s.Print("meanwhile\n")
			return errors.New("its error")
		})
		if err == nil || err.Error() != "its error" {
			t.Errorf("Away returned %v", err)
		}
		s.shows("meanwhile\n")
	})
}

func TestEditElsewhere(t *testing.T) {
	edit := func(text string) (string, error) { return text + " and more", nil }
	play(t, 80, 24, Config{Edit: edit}, func(s *stage) {
		s.types("some")
		s.keys(ctrl('g'))
		s.shows("› some and more")
		if s.term.starts != 2 {
			t.Errorf("started %d times", s.term.starts)
		}
	})
}

// A panic gives the terminal back before it goes on.
func TestPanic(t *testing.T) {
	l := newLoop(Config{Terminal: newFake(80, 24), Host: &host{}}, newMailbox())
	l.box.post(func(*loop) { panic("oh") })
	defer func() {
		if recover() != "oh" || l.term.(*fake).started {
			t.Error("the terminal is not given back, or the panic is gone")
		}
	}()
	_ = l.run(t.Context())
}

func TestSuspend(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		suspended := 0
		s.loop.stopGroup = func() {
			suspended++
			if s.term.started {
				t.Error("the terminal is not given back")
			}
		}
		s.types("text")
		s.keys(ctrl('z'))
		s.shows("› text")
		if suspended != 1 || s.term.starts != 2 {
			t.Errorf("suspended %d times, started %d times", suspended, s.term.starts)
		}
	})
}

func TestQueueAndTakeBack(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Busy("")
		s.settle()
		s.types("Then this.")
		s.keys(press(tty.KeyTab))
		s.was("queue Then this.")
		s.host.waiting = []Input{{Text: "Then this.", Queue: true}}
		s.Waiting(s.host.waiting)
		s.shows("then: Then this.  (Up takes it back)")
		s.keys(press(tty.KeyUp))
		s.was("take back Then this.")
		s.Waiting(nil)
		s.shows("› Then this.")
	})
}

func TestNotifies(t *testing.T) {
	play(t, 80, 24, Config{NotifyAfter: 10 * time.Second}, func(s *stage) {
		s.Status(Status{Title: "Work\x1b]0;x\x07"})
		s.Busy("")
		time.Sleep(5 * time.Second)
		s.Idle()
		s.settle()
		if len(s.term.rang) > 0 {
			t.Error("it rings after 5 s")
		}
		s.Busy("")
		time.Sleep(11 * time.Second)
		s.Idle()
		s.settle()
		if len(s.term.rang) != 1 || acts(s.term.rang[0]) || acts(s.term.title) || !strings.Contains(s.term.title, "Work") {
			t.Errorf("rang %q, title %q", s.term.rang, s.term.title)
		}
	})
}

// The end of the past fills a screen, and no more is printed.
func TestPast(t *testing.T) {
	var blocks []transcript.Block
	for i := range 1000 {
		b := said(ikigai.KindUser, fmt.Sprintf("statement %d", i))
		b.Seq = ikigai.Seq(i + 1)
		blocks = append(blocks, b)
	}
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Past(blocks)
		s.shows("events above: Ctrl-O shows all", "› statement 999\n", "› statement 995\n")
		s.hides("statement 980")
	})
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Past([]transcript.Block{said(ikigai.KindAssistant, strings.Repeat("a line\n\n", 500)+"the end")})
		s.shows("more of it above", "the end\n")
		if n := strings.Count(s.term.text(), "a line"); n > 20 {
			t.Errorf("%d lines", n)
		}
	})
	play(t, 80, 24, Config{}, func(s *stage) { // it begins where something does
		s.Past([]transcript.Block{said(ikigai.KindAssistant, strings.Repeat("long\n\n", 50)), blocks[0], blocks[1]})
		s.shows("› statement 0\n", "› statement 1\n")
		s.hides("long")
	})
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Past(blocks[:3])
		s.shows("› statement 0\n")
		s.hides("above")
	})
}

func TestComplete(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.host.complete = func(_ context.Context, before string) Completions {
			if before != "/mo" {
				return Completions{}
			}
			return Completions{From: 0, Items: []Completion{{Text: "/model", About: "which is asked\x1b[2J"}}}
		}
		s.types("/mo")
		s.shows("/model", "which is asked")
		s.keys(press(tty.KeyTab))
		s.shows("› /model")
		s.hides("which is asked")
	})
}

func TestPick(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		picked := make(chan int, 1)
		pick := Pick{Title: "Sessions", Items: []Item{{Label: "first\x1b[2J"}, {Label: "second"}, {Label: "third"}},
			Search: func(_ context.Context, typed string) []int {
				return map[string][]int{"": {0, 1, 2}, "x": {2, 1}}[typed]
			},
			Preview: func(i, _ int) string { return fmt.Sprintf("preview of %d", i) }}
		go func() { picked <- s.Pick(s.t.Context(), pick) }()
		s.shows("Sessions", "first", "preview of 0")
		s.types("x")
		s.shows("preview of 2")
		s.hides("first", "\x1b[2J")
		s.keys(press(tty.KeyDown), press(tty.KeyEnter))
		if n := <-picked; n != 1 {
			t.Errorf("picked %d", n)
		}
	})
}

func TestRestyle(t *testing.T) {
	play(t, 80, 24, Config{Style: render.Style{}}, func(s *stage) {
		s.Restyle("mono", true)
		s.Block(callBlock("1", "bash", `{"command":"seq 100"}`))
		s.Block(resultBlock("1", strings.Repeat("line\n", 100)))
		s.shows("more lines")
	})
}

func TestKeysAreShown(t *testing.T) {
	play(t, 100, 40, Config{}, func(s *stage) {
		s.types("?")
		s.shows("Ctrl-R", "search the history")
		s.hides("› ?")
		s.types("w?")
		s.shows("› w?")
		s.hides("search the history")
	})
}

// After Quit everything that came before is printed, and nothing waits for ever.
func TestQuit(t *testing.T) {
	play(t, 80, 24, Config{}, func(s *stage) {
		s.Delta(ikigai.Delta{Text: "half a li"})
		s.Print(strings.Repeat("line\n", 20_000) + "the last\n")
		s.Quit()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		s.shows("half a li\n", "the last\n")
		if s.Away(func() error { return nil }) == nil {
			t.Error("Away after the end")
		}
	})
}
