package tui

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
	"ikigai/internal/tty"
)

// plain stands in for the Terminal where nothing may move: for those who hear the
// screen, and on terminals that only print. The terminal stays in its usual mode. A
// line is read at a time, everything is printed below what was printed before, and
// nothing but text is ever written.
type plain struct {
	*lineReader
	out    io.Writer
	screen Terminal  // is asked for its size alone; it may be nil
	open   bool      // what was written last has not ended its line
	asks   bool      // the prompt was written last
	spoke  time.Time // when something was printed last
	said   int       // of what waits: what was told
	before []string  // lines of an input that goes on
	sent   []string  // what was sent off and has not come back as a statement
	dialog []dialog  // what lines answer meanwhile, the first of them
}

func newPlain(in io.Reader, out io.Writer, screen Terminal) *plain {
	return &plain{lineReader: newLineReader(in), out: out, screen: screen, spoke: time.Now()}
}

// plainStyle is style without what says nothing to those who hear it.
func plainStyle(s render.Style) render.Style {
	s.Color, s.ASCII = false, true
	return s
}

// listen has Ctrl-C be told to the front, until the function that is returned is
// called.
func (p *plain) listen(box *mailbox) func() {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	go func() {
		defer crash.Guard()
		for {
			select {
			case <-signals:
				box.post(func(l *loop) { p.interrupted(l) })
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		p.lineReader.end()
	}
}

// interrupted takes in Ctrl-C, with which the terminal has let go what was typed of
// a line.
func (p *plain) interrupted(l *loop) {
	if l.away > 0 {
		return
	}
	p.open, p.asks, p.before = true, false, nil // "^C" stands there
	l.urgent = true
	now := time.Now()
	switch {
	case p.goesAway(l):
	case l.halt():
	case now.Sub(l.interruptedAt) < leaveTime:
		l.leave()
	default:
		l.interruptedAt = now
		l.print("Ctrl-C again leaves, and so does Ctrl-D.")
	}
}

// key takes in a line, or its end that is the end of all.
func (p *plain) key(l *loop, k tty.Key) {
	p.asks = false
	if k.Ctrl('d') {
		if !p.goesAway(l) {
			l.leave()
		}
		return
	}
	p.open = false
	l.tellAsides()
	if len(p.dialog) > 0 {
		p.answered(l, k.Text)
		return
	}
	p.typed(l, k.Text)
}

// typed takes in a line of what the person says. One that ends with a backslash
// goes on in the next.
func (p *plain) typed(l *loop, line string) {
	if begins, ok := strings.CutSuffix(line, `\`); ok {
		p.before = append(p.before, begins)
		return
	}
	text := strings.TrimSpace(strings.Join(append(p.before, line), "\n"))
	p.before = nil
	switch text {
	case "":
	case "?":
		l.print(plainHelp)
	default:
		if l.config.History != nil {
			l.config.History.Add(text)
		}
		p.sent = append(p.sent, text)
		l.config.Host.Submit(Input{Text: text})
	}
}

const plainHelp = `A line that you type is sent. One that ends with \ goes on in the next line.
While the model works, what you type joins its work or waits for its end.
/help lists the commands. !COMMAND runs one and sends what it prints, !!COMMAND only runs it. @FILE names a file.
Ctrl-C stops what is under way. Ctrl-D leaves.`

// echoes reports whether b is what the person has just typed: it stands on the
// screen already.
func (p *plain) echoes(b transcript.Block) bool {
	if b.Kind != ikigai.KindUser {
		return false
	}
	i := slices.Index(p.sent, strings.TrimSpace(b.Text))
	if i < 0 {
		return false
	}
	p.sent = slices.Delete(p.sent, i, i+1)
	return true
}

// show prints what there is to print, what is waited for, and the prompt.
func (p *plain) show(l *loop) {
	p.print(l.taken(maxChunk))
	if len(l.out) > 0 {
		return
	}
	if n := len(l.waiting); n > p.said {
		p.print("This waits until its turn comes: " + safe(l.waiting[n-1].Text) + "\n")
	}
	p.said = len(l.waiting)
	if l.work.busy && len(p.dialog) == 0 {
		p.still(l)
	}
	p.prompt(l)
}

// stillEvery is how often it is told that something is still under way, while
// nothing comes of it.
const stillEvery = 10 * time.Second

// still tells what is under way, if nothing was printed for long.
func (p *plain) still(l *loop) {
	quiet := l.now.Sub(p.spoke)
	if since := l.now.Sub(l.work.since); since < quiet {
		quiet = since
	}
	if quiet < stillEvery {
		return
	}
	what, last := l.work.doing(l.now), ""
	if running := l.running(); len(running) > 0 {
		c := running[len(running)-1]
		what = "running " + safe(c.name)
		if n := len(c.last); n > 0 {
			last = ", it printed last: " + c.last[n-1]
		}
	}
	p.print("still " + what + ", " + inWords(l.now.Sub(l.work.since)) + last + "\n")
}

// inWords returns a time span to the second: "1 min 5 s".
func inWords(d time.Duration) string {
	s := int64(d / time.Second)
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d min %d s", s/60, s%60)
}

// prompt asks for a line, unless one is not needed now. What is typed all the same
// is taken in.
func (p *plain) prompt(l *loop) {
	works := l.work.busy || len(l.box.ready) > 0 // or is about to be
	if p.asks || l.over || works && len(p.dialog) == 0 && p.before == nil {
		return
	}
	text := "you: "
	switch {
	case len(p.dialog) > 0:
		text = p.dialog[0].prompt()
	case p.before != nil:
		text = "and: "
	}
	p.print(text)
	p.asks = true
}

// print writes text, cleaned of all that is not text, at the beginning of a line.
func (p *plain) print(text string) {
	if text == "" {
		return
	}
	if p.open {
		text = "\n" + text
	}
	p.open, p.asks, p.spoke = !strings.HasSuffix(text, "\n"), false, time.Now()
	_, _ = io.WriteString(p.out, safetext.Terminal(text)) // a terminal that is gone is told by its keys
}

// Start implements Terminal: lines are read.
func (p *plain) Start() error { p.lineReader.start(); return nil }

// Stop implements Terminal: no line is read until Start.
func (p *plain) Stop() error {
	p.lineReader.stop()
	if p.open {
		_, _ = io.WriteString(p.out, "\n") // as in print
	}
	p.open, p.asks = false, false
	return nil
}

// Paint implements Terminal. Nothing is drawn below.
func (p *plain) Paint(printed string, _ tty.Live) { p.print(printed) }

// Ring implements Terminal.
func (p *plain) Ring(string) { _, _ = io.WriteString(p.out, "\a") } // as in print

// Size implements Terminal. It is that of the beginning; 0 where it is not known.
func (p *plain) Size() (width, height int) {
	if p.screen == nil {
		return 0, 0
	}
	return p.screen.Size()
}

// The terminal is not asked for its size again, and has no other screen and no title.
func (p *plain) Resized() <-chan struct{} { return nil }
func (p *plain) Page([]string, int, int)  {}
func (p *plain) Title(string)             {}
