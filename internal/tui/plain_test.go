//go:build unix

package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// teletype is a plain Front on a pseudo-terminal, and who sits at it.
type teletype struct {
	*Front
	t      *testing.T
	host   *host
	slave  *os.File
	master *os.File
	ended  chan error
	late   chan struct{} // closed when the test takes too long

	mu   sync.Mutex
	came *sync.Cond
	text string // that the terminal shows
	seen int    // of it
	gone bool
}

func newTeletype(t *testing.T) *teletype {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	tt := &teletype{t: t, host: &host{submitted: make(chan Input, 10)}, master: closable(t, master), slave: slave, ended: make(chan error, 1), late: make(chan struct{})}
	tt.came = sync.NewCond(&tt.mu)
	go tt.read()
	tt.Front = New(Config{
		Plain: true, In: slave, Out: slave, Host: tt.host,
		Style: render.Style{Color: true}, NotifyAfter: time.Hour,
	})
	go func() { tt.ended <- tt.Run(t.Context()) }()
	timer := time.AfterFunc(30*time.Second, tt.hangUp)
	t.Cleanup(func() {
		timer.Stop()
		_ = tt.master.Close()
		for range tt.loop.plain.keys { // until nobody reads the other end
		}
		_ = slave.Close()
		shown := tt.shown()
		if i := strings.IndexAny(shown, "\x1b\u009b"); i >= 0 {
			t.Errorf("an escape sequence was written: %q", shown[max(0, i-40):i+1])
		}
	})
	return tt
}

func (tt *teletype) read() {
	buf := make([]byte, 4096)
	for {
		n, err := tt.master.Read(buf)
		tt.mu.Lock()
		tt.text += strings.ReplaceAll(string(buf[:n]), "\r", "")
		tt.gone = tt.gone || err != nil
		tt.mu.Unlock()
		tt.came.Broadcast()
		if err != nil {
			return
		}
	}
}

// closable returns file as one whose Close ends a Read.
func closable(t *testing.T, file *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	return os.NewFile(uintptr(fd), "master")
}

// hangUp has nobody wait any more.
func (tt *teletype) hangUp() {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	tt.gone = true
	tt.came.Broadcast()
	close(tt.late)
}

// left waits until Run has returned.
func (tt *teletype) left() error {
	tt.t.Helper()
	return within(tt, tt.ended)
}

// within waits for what comes on c.
func within[T any](tt *teletype, c <-chan T) (v T) {
	tt.t.Helper()
	select {
	case v = <-c:
	case <-tt.late:
		tt.t.Fatalf("nothing comes; the terminal shows\n%s", tt.shown())
	}
	return v
}

// shown returns what the terminal shows.
func (tt *teletype) shown() string {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	return tt.text
}

// sees waits until text stands behind what was seen before.
func (tt *teletype) sees(text string) {
	tt.t.Helper()
	tt.mu.Lock()
	defer tt.mu.Unlock()
	for {
		if i := strings.Index(tt.text[tt.seen:], text); i >= 0 {
			tt.seen += i + len(text)
			return
		}
		if tt.gone {
			tt.t.Fatalf("%q does not come; the terminal shows\n%s", text, tt.text)
		}
		tt.came.Wait()
	}
}

// types types lines.
func (tt *teletype) types(lines ...string) {
	tt.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(tt.master, line); err != nil {
			tt.t.Fatal(err)
		}
	}
}

func (tt *teletype) turn(answer string) {
	tt.Busy("waiting for the model")
	for piece := range strings.SplitAfterSeq(answer, " ") {
		tt.Delta(ikigai.Delta{Text: piece})
	}
	tt.Block(transcript.Block{Kind: ikigai.KindAssistant, Interaction: ikigai.Main, Text: answer, Body: ikigai.MessageData{}})
	tt.Idle()
}

func TestPlainTalks(t *testing.T) {
	tt := newTeletype(t)
	tt.sees("you: ")
	tt.types("hello\n", "\n")
	tt.sees("you: ")
	tt.Block(transcript.Block{Kind: ikigai.KindUser, Interaction: ikigai.Main, Text: "hello", Body: ikigai.MessageData{}})
	tt.turn("Hello, **you**.\n\nWhat \x1b[31mis\x1b[0m it?")
	tt.sees("is it?\nyou: ")
	tt.types("two \\\n")
	tt.sees("and: ")
	tt.types("lines\n")
	tt.sees("you: ")
	tt.Print("\x1b[1mbold\x1b[0m")
	tt.sees("\nbold\nyou: ")
	tt.Page(t.Context(), "A page", "\x1b[2mof\x1b[0m\ntext", true)
	tt.sees("A page\nof\ntext\n(the end of A page)\nyou: ")
	tt.SetInput("hello")
	tt.sees("said anew: hello\nyou: ")
	tt.types("?\n")
	tt.sees("Ctrl-D leaves.\nyou: ")
	tt.types("\x04")
	if err := tt.left(); err != nil {
		t.Error(err)
	}
	if got, want := tt.host.took(), "submit hello\nsubmit two \nlines\nleave"; got != want {
		t.Errorf("the host was asked for\n%s\nwant\n%s", got, want)
	}
	if shown := tt.shown(); strings.Count(shown, "hello\n") != 2 {
		t.Errorf("what was typed does not stand there twice:\n%s", shown)
	}
}

func TestPlainTakesLinesWhileItWorks(t *testing.T) {
	tt := newTeletype(t)
	tt.sees("you: ")
	tt.Busy("waiting for the model")
	tt.Waiting([]Input{{Text: "and then this"}})
	tt.sees("\nThis waits until its turn comes: and then this\n")
	tt.types("more\n")
	within(tt, tt.host.submitted)
	tt.turn("done")
	tt.sees("done\nyou: ")
	if got := tt.host.took(); got != "submit more" {
		t.Errorf("the host was asked for %q", got)
	}
}

func TestPlainStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, _ := io.Pipe()
		var out strings.Builder
		h := &host{busy: true}
		f := New(Config{Plain: true, In: in, Out: &out, Host: h})
		ended := make(chan error)
		go func() { ended <- f.Run(t.Context()) }()
		defer in.Close()
		interrupt := func(want string) {
			t.Helper()
			f.box.post(func(l *loop) { l.plain.interrupted(l) })
			synctest.Wait()
			if got := h.took(); got != want {
				t.Errorf("the host was asked for %q, not %q", got, want)
			}
		}
		h.waiting = []Input{{Text: "one"}, {Text: "two"}}
		interrupt("take back two\ntake back one\nstop")
		asked := make(chan Answer, 1)
		go func() {
			asked <- f.Ask(t.Context(), Question{Prompt: "Run it?", Choices: []Choice{{Key: 'y', Label: "yes"}}})
		}()
		synctest.Wait()
		h.waiting = []Input{{Text: "three"}}
		interrupt("take back three")
		if a := <-asked; a.Choice != -1 {
			t.Errorf("the question is answered with %d", a.Choice)
		}
		h.busy = false
		interrupt("")
		time.Sleep(leaveTime)
		interrupt("")
		time.Sleep(leaveTime - 1)
		interrupt("leave")
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := strings.Count(out.String(), "\nCtrl-C again leaves, and so does Ctrl-D.\nyou: "); n != 2 {
			t.Errorf("it is told %d times how to leave:\n%s", n, out.String())
		}
		for _, back := range []string{"one two", "three"} {
			if !strings.Contains(out.String(), "\nThis is what was said, to be said anew: "+back+"\n") {
				t.Errorf("%q is not given back:\n%s", back, out.String())
			}
		}
	})
}

// taken is a terminal from which Ctrl-C takes away what was typed, between the
// question whether there is something and the read.
type taken struct {
	there atomic.Bool
	reads chan bool
}

func (r *taken) await(millis int) (there, tells bool) {
	if millis == 0 {
		return r.there.Load(), true
	}
	return true, true
}

func (r *taken) Read([]byte) (int, error) {
	r.there.Store(false)
	r.reads <- true
	<-r.reads
	return 0, io.ErrClosedPipe
}

// Nobody who wants the terminal waits for what Ctrl-C has taken away.
func TestPlainReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &taken{reads: make(chan bool)}
		in.there.Store(true)
		r := newLineReader(in)
		r.await = in.await
		r.start()
		<-in.reads
		stopped := make(chan bool)
		go func() {
			r.stop()
			close(stopped)
		}()
		synctest.Wait()
		select {
		case <-stopped:
		default:
			t.Error("stop waits for somebody to type")
		}
		close(in.reads)
		<-stopped
	})
}

func TestPlainAsks(t *testing.T) {
	q := Question{Text: "\x1b[1mrm -r dir\x1b[0m", Prompt: "May this run?", Choices: []Choice{
		{Key: 'y', Label: "yes, once"}, {Key: 'r', Label: "as a rule", Words: true, With: "rm *"}, {Key: 'n', Label: "no"},
	}}
	for _, test := range []struct {
		types []string
		want  Answer
	}{
		{[]string{"y\n"}, Answer{Choice: 0}},
		{[]string{"\n", "yes\n", "No\n"}, Answer{Choice: 2}},
		{[]string{"R\n", "\n"}, Answer{Choice: 1, Words: "rm *"}},
		{[]string{"as a rule\n", "rm -r *\n"}, Answer{Choice: 1, Words: "rm -r *"}},
		{[]string{"\x04"}, Answer{Choice: -1}},
		{[]string{"r\n", "\x04"}, Answer{Choice: -1}},
	} {
		t.Run(strings.Join(test.types, ""), func(t *testing.T) {
			tt := newTeletype(t)
			tt.sees("you: ")
			answer := make(chan Answer, 1)
			go func() { answer <- tt.Ask(t.Context(), q) }()
			tt.sees("rm -r dir\nMay this run?\n  y: yes, once\n  r: as a rule\n  n: no\n")
			for _, line := range test.types {
				tt.sees(": ")
				tt.types(line)
			}
			if got := within(tt, answer); got != test.want {
				t.Errorf("the answer is %v, want %v", got, test.want)
			}
			tt.sees("you: ")
			if got := tt.host.took(); got != "" {
				t.Errorf("the host was asked for %q", got)
			}
		})
	}
}

// A question that waits calls the person.
func TestPlainReminds(t *testing.T) {
	var out strings.Builder
	l := newLoop(Config{Plain: true, In: strings.NewReader(""), Out: &out, Host: &host{}, NotifyAfter: time.Minute}, newMailbox())
	a := newAsked(Question{Prompt: "May this run?"})
	l.ask(a)
	for after, want := range []int{0, 1, 1} {
		if l.remind(a.since.Add(time.Duration(after) * time.Minute)); strings.Count(out.String(), "\a") != want {
			t.Errorf("after %d minutes: %q", after, out.String())
		}
	}
}

// What was typed before the question came is no answer to it.
func TestPlainTakesNoAnswerInAdvance(t *testing.T) {
	p := newPlain(strings.NewReader(""), io.Discard, nil)
	h := &host{}
	l := newLoop(Config{Host: h}, newMailbox())
	l.plain, l.term = p, p
	typed := make(chan bool)
	go func() {
		close(typed)
		p.send(lineKey([]byte("y")))
	}()
	<-typed
	a := newAsked(Question{Choices: []Choice{{Key: 'y'}}})
	synced := false
	for !synced { // until the line has come, whenever that is
		l.ask(a)
		synced = h.took() == "submit y"
		if !synced {
			l.withdraw(a)
		}
	}
	select {
	case got := <-a.answer:
		t.Errorf("the question was answered: %v", got)
	default:
	}
}

func TestPlainQuestionIsWithdrawn(t *testing.T) {
	tt := newTeletype(t)
	ctx, stop := context.WithCancel(t.Context())
	answer := make(chan Answer, 1)
	go func() { answer <- tt.Ask(ctx, Question{Prompt: "Well?", Choices: []Choice{{Key: 'y', Label: "yes"}}}) }()
	tt.sees("answer: ")
	stop()
	tt.sees("you: ")
	if got := within(tt, answer); got.Choice != -1 {
		t.Errorf("the answer is %v", got)
	}
	tt.types("y\n")
	tt.sees("you: ")
	if got := tt.host.took(); got != "submit y" {
		t.Errorf("the host was asked for %q", got)
	}
}

func TestPlainPicks(t *testing.T) {
	var items []Item
	for i := range 45 {
		items = append(items, Item{Label: fmt.Sprintf("thing %d", i+1), About: []string{"", "odd"}[(i+1)%2]})
	}
	tt := newTeletype(t)
	tt.sees("you: ")
	picked := make(chan int, 1)
	pick := func(p Pick) { go func() { picked <- tt.Pick(t.Context(), p) }() }
	pick(Pick{Title: "Things", Items: items, At: 2, Preview: func(i, _ int) string { return fmt.Sprintf("\x1b[1mall about %d\x1b[0m", i) }})
	tt.sees("Things (45)\n1: thing 1, odd\n2: thing 2\n3: thing 3, odd (now)\n")
	tt.sees("20: thing 20\nA number picks, words narrow the list, a number behind ? shows what it is, an\nempty line shows more (25 are left). Ctrl-D leaves.\npick: ")
	tt.types("\n")
	tt.sees("21: thing 21, odd\n")
	tt.sees("pick: ")
	tt.types("?21\n")
	tt.sees("all about 20\npick: ")
	tt.types("thing 4\n")
	tt.sees("1: thing 4\n")
	tt.sees("empty line shows all again. Ctrl-D leaves.\npick: ")
	tt.types("99\n")
	tt.sees("There is no 99 in the list.\npick: ")
	tt.types("1\n")
	if got := within(tt, picked); got != 3 {
		t.Errorf("item %d is picked", got)
	}
	tt.sees("you: ")
	pick(Pick{Title: "Models", Items: []Item{{Label: "vendor/name", About: strings.Repeat("dear · ", 8) + "thinks none low med high"}}, At: -1})
	tt.sees("1: vendor/name, dear - dear - dear - dear - dear - dear - dear - dear - thinks\n   none low med high\n")
	tt.sees("pick: ")
	tt.types("\x04")
	within(tt, picked)
	tt.sees("you: ")
	pick(Pick{Title: "Found", Items: items, Search: func(_ context.Context, typed string) []int { return []int{len(typed)} }})
	tt.sees("pick: ")
	tt.types("four\n")
	tt.sees("1 found.\n1: thing 5, odd\n")
	tt.types("\x04")
	if got := within(tt, picked); got != -1 {
		t.Errorf("item %d is picked", got)
	}
	tt.sees("you: ")
}

// What is typed while somebody else has the terminal is theirs.
func TestPlainIsAway(t *testing.T) {
	tt := newTeletype(t)
	tt.sees("you: ")
	err := tt.Away(func() error {
		tt.types("not for ikigai\n")
		line, err := bufio.NewReader(tt.slave).ReadString('\n')
		if line != "not for ikigai\n" {
			t.Errorf("somebody else reads %q", line)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tt.sees("you: ")
	tt.types("again\n")
	tt.sees("you: ")
	if got := tt.host.took(); got != "submit again" {
		t.Errorf("the host was asked for %q", got)
	}
}

func TestPlainTerminalIsGone(t *testing.T) {
	tt := newTeletype(t)
	tt.sees("you: ")
	_ = tt.master.Close()
	if err := tt.left(); err != nil && !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if got := tt.host.took(); got != "leave" {
		t.Errorf("the host was asked for %q", got)
	}
}

// Long waits are told in words, and nothing is said while something comes.
func TestPlainTellsWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		var out strings.Builder
		h := &host{}
		f := New(Config{Plain: true, In: in, Out: &out, Host: h})
		ended := make(chan error)
		go func() { ended <- f.Run(t.Context()) }()
		f.Busy("waiting for the model")
		time.Sleep(25 * time.Second)
		f.Print("something")
		time.Sleep(9 * time.Second)
		f.Block(transcript.Block{Kind: ikigai.KindToolCall, Interaction: ikigai.Main, Body: transcript.Call{ID: "1", Name: "bash"}})
		f.Progress("1", []byte("compiling\nlinking"))
		time.Sleep(61 * time.Second)
		f.Idle()
		time.Sleep(time.Hour)
		_ = typed.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		want := `still waiting for the model, 10 s
still waiting for the model, 20 s
something

* bash
still running bash, 45 s, it printed last: linking
still running bash, 55 s, it printed last: linking
still running bash, 1 min 5 s, it printed last: linking
still running bash, 1 min 15 s, it printed last: linking
still running bash, 1 min 25 s, it printed last: linking
still running bash, 1 min 35 s, it printed last: linking
you: 
`
		if got := strings.TrimPrefix(out.String(), "you: \n"); got != want {
			t.Errorf("printed\n%s", got)
		}
	})
}
