package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/tty"
)

func TestQuestion(t *testing.T) {
	question := Question{Text: "rm -r build", Prompt: "Run it?", Choices: []Choice{{Key: 'y', Label: "yes"}, {Key: 'n', Label: "no"}}}
	play(t, 80, 24, Config{}, func(s *stage) {
		answers := make(chan int, 3)
		ask := func(ctx context.Context) {
			time.Sleep(pause)
			go func() { answers <- s.Ask(ctx, question).Choice }()
			s.settle()
		}
		ask(s.t.Context())
		s.shows("rm -r build\n", "Run it?")
		s.types("y")
		if n := <-answers; n != 0 {
			t.Errorf("y is answer %d", n)
		}
		ask(s.t.Context())
		s.keys(press(tty.KeyEscape))
		if n := <-answers; n != -1 {
			t.Errorf("Esc is answer %d", n)
		}
		ctx, cancel := context.WithCancel(s.t.Context())
		ask(ctx)
		ask(s.t.Context())
		cancel()
		if n := <-answers; n != -1 {
			t.Errorf("a question that was given up has answer %d", n)
		}
		s.types("n")
		if n := <-answers; n != 1 {
			t.Errorf("n is answer %d", n)
		}
		s.hides("Run it?")
	})
}

// Of a call that is asked about what stands on the screen is not printed again.
func TestQuestionBelowItsCall(t *testing.T) {
	first, second := callBlock("1", "bash", `{"command":"make"}`), callBlock("2", "bash", `{"command":"make check"}`)
	last := Question{Text: "all of it", Rest: "the rest", Call: "2"}
	named := Question{Text: "all of it", Rest: "the rest", Call: "1", Named: true}
	for _, test := range []struct {
		name   string
		before func(*loop)
		q      Question
		want   string
	}{
		{"the last", func(*loop) {}, last, "the rest"},
		{"one above it", func(*loop) {}, Question{Text: "all of it", Rest: "the rest", Call: "1"}, "all of it"},
		{"one above it, named", func(*loop) {}, named, "the rest"},
		{"after something else", func(l *loop) { l.print("words") }, last, "all of it"},
		{"after an answer", func(l *loop) { l.delta(ikigai.Delta{Text: "words\n"}) }, last, "all of it"},
		{"no call", func(*loop) {}, Question{Text: "all of it", Rest: "the rest"}, "all of it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLoop(Config{Terminal: newFake(80, 24), Host: &host{}}, newMailbox())
			l.block(first)
			l.block(second)
			test.before(l)
			if got := l.about(test.q); got != test.want {
				t.Errorf("%q is printed, not %q", got, test.want)
			}
		})
	}
	for compact, want := range map[bool]string{false: "the rest", true: "all of it"} {
		l := newLoop(Config{Terminal: newFake(80, 24), Host: &host{}, Style: render.Style{Compact: compact}}, newMailbox())
		l.block(callBlock("2", "bash", fmt.Sprintf(`{"command":%q}`, strings.Repeat("make\n", 30))))
		if got := l.about(last); got != want {
			t.Errorf("compact %v: %q is printed, not %q", compact, got, want)
		}
	}
	l := newLoop(Config{Terminal: newFake(80, 24), Host: &host{}}, newMailbox())
	l.block(first)
	l.delta(ikigai.Delta{Text: "an open line"})
	l.block(second)
	if got := l.about(named); got != "all of it" {
		t.Errorf("something stands between the calls, and %q is printed", got)
	}
}

// What is typed ahead allows nothing: a key that does counts where it stands
// alone, and only while nothing is typed.
//
// S2.81
func TestQuestionWhileTyping(t *testing.T) {
	choices := []Choice{{Key: 'y', Label: "yes", Allows: true}, {Key: 'r', Label: "by a rule", Words: true, Allows: true}, {Key: 'n', Label: "no"}}
	asks := func(t *testing.T, test func(s *stage, answer chan int)) {
		play(t, 80, 24, Config{}, func(s *stage) {
			answer := make(chan int, 1)
			go func() { answer <- s.Ask(s.t.Context(), Question{Prompt: "Run it?", Choices: choices}).Choice }()
			s.settle()
			s.shows("y yes · r by a rule · n no · Esc stops")
			test(s, answer)
			s.settle()
			s.hides("Run it?")
		})
	}
	said := func(t *testing.T, answer chan int, want int) {
		t.Helper()
		if got := <-answer; got != want {
			t.Errorf("answer %d, not %d", got, want)
		}
	}
	t.Run("a word", func(t *testing.T) {
		asks(t, func(s *stage, answer chan int) {
			s.types("y")
			s.shows("yes …")
			time.Sleep(alone / 2)
			s.types("es, ")
			s.shows("› yes,", "finish or clear what you type, then answer")
			time.Sleep(2 * pause)
			s.types("n")
			time.Sleep(2 * pause)
			s.keys(ctrl('c'))
			s.types("y")
			s.shows("› y")
			s.keys(ctrl('c'))
			s.shows("you were typing")
			time.Sleep(2 * pause)
			s.shows("y yes")
			s.types("y")
			said(t, answer, 0)
		})
	})
	t.Run("other words", func(t *testing.T) {
		asks(t, func(s *stage, answer chan int) {
			s.types("please run it")
			s.keys(press(tty.KeyEnter))
			s.was("submit please run it")
			s.types("y")
			s.shows("› y")
			s.keys(press(tty.KeyBackspace))
			time.Sleep(2 * pause)
			s.types("n")
			said(t, answer, 2)
		})
	})
	t.Run("a rule", func(t *testing.T) {
		asks(t, func(s *stage, answer chan int) {
			s.types("rm")
			s.shows("› rm")
			s.keys(ctrl('u'))
			time.Sleep(2 * pause)
			s.types("r")
			time.Sleep(2 * alone)
			s.types("yes")
			s.keys(press(tty.KeyEnter))
			said(t, answer, 1)
		})
	})
	t.Run("another choice", func(t *testing.T) { // what the question took itself was not typed
		asks(t, func(s *stage, answer chan int) {
			s.types("r")
			time.Sleep(2 * alone)
			s.keys(press(tty.KeyEscape))
			s.shows("y yes")
			s.types("n")
			said(t, answer, 2)
		})
	})
	t.Run("the next one", func(t *testing.T) { // what the one before took is no answer to it
		asks(t, func(s *stage, answer chan int) {
			next := make(chan int, 1)
			go func() { next <- s.Ask(s.t.Context(), Question{Prompt: "And now?", Choices: choices}).Choice }()
			s.settle()
			s.types("nn")
			said(t, answer, 2)
			s.shows("And now?", "› n")
			s.keys(ctrl('c'))
			time.Sleep(2 * pause)
			s.types("n")
			said(t, next, 2)
		})
	})
	t.Run("Escape", func(t *testing.T) {
		asks(t, func(s *stage, answer chan int) {
			s.host.busy = true
			s.types("y")
			s.keys(press(tty.KeyEscape))
			s.was("stop")
			said(t, answer, -1)
			s.shows("›")
			s.hides("› y")
		})
	})
	t.Run("before it comes", func(t *testing.T) {
		play(t, 80, 24, Config{}, func(s *stage) {
			s.types("x")
			s.keys(press(tty.KeyBackspace))
			answer := make(chan int, 1)
			go func() { answer <- s.Ask(s.t.Context(), Question{Prompt: "Run it?", Choices: choices}).Choice }()
			s.settle()
			s.types("y")
			s.shows("› y", "Run it?")
		})
	})
}

// A question that comes while something is open over the session is told of there, and
// calls the person once it has waited for long enough.
func TestQuestionBehindAnOverlay(t *testing.T) {
	opens := map[string]func(*stage){
		"q":   func(s *stage) { s.Page(s.t.Context(), "Title", "the page\n", false) },
		"Esc": func(s *stage) { s.Pick(s.t.Context(), Pick{Title: "Which?", Items: []Item{{Label: "one"}}}) },
	}
	for key, open := range opens {
		play(t, 60, 10, Config{NotifyAfter: 10 * time.Second}, func(s *stage) {
			closed := make(chan bool)
			go func() {
				open(s)
				closed <- true
			}()
			s.settle()
			s.hides("asks")
			ctx, withdraw := context.WithCancel(s.t.Context())
			answered := make(chan bool)
			go func() {
				s.Ask(ctx, Question{Prompt: "Run it?"})
				answered <- true
			}()
			s.shows("ikigai asks: " + key + " to answer")
			time.Sleep(9 * time.Second)
			s.keys(press(tty.KeyDown))
			s.settle()
			if got := s.term.bells(); got != "" {
				t.Errorf("it rings too early: %q", got)
			}
			time.Sleep(time.Second)
			s.settle()
			if got := s.term.bells(); got != "ikigai asks: Run it?" {
				t.Errorf("it rings %q", got)
			}
			withdraw()
			<-answered
			s.hides("asks")
			s.keys(map[string]tty.Key{"q": {Code: tty.KeyRune, Rune: 'q'}, "Esc": press(tty.KeyEscape)}[key])
			<-closed
		})
	}
}

// Somebody who types sees the question, and is called some time after that; once.
func TestQuestionReminds(t *testing.T) {
	play(t, 60, 10, Config{NotifyAfter: 10 * time.Second}, func(s *stage) {
		go s.Ask(s.t.Context(), Question{Prompt: "Run it?"})
		s.shows("Run it?")
		time.Sleep(8 * time.Second)
		s.types("x")
		time.Sleep(8 * time.Second)
		s.settle()
		if got := s.term.bells(); got != "" {
			t.Errorf("it rings %q while somebody types", got)
		}
		time.Sleep(time.Minute)
		s.settle()
		if got := s.term.bells(); got != "ikigai asks: Run it?" {
			t.Errorf("it rings %q", got)
		}
	})
}
