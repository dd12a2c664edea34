package render

import (
	"errors"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/markdown"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// Piece is text to be written at once: to the standard output if Answer is
// set, to the standard error otherwise.
type Piece struct {
	Text   string
	Answer bool
}

// Live shows a session while it happens. The model's answers, the newline that
// ends each and an empty line between two of them go to the standard output,
// everything else to the standard error. Written to one terminal, both together
// are what a Page of the same Style shows of the same blocks later; but a Live
// is never verbose.
//
// Delta shows a reply as it comes, in pieces of whole characters. The blocks of
// the reply's events, which arrive after it, then add what is still missing and
// nothing twice.
//
// With Style.Markdown a reply is written in whole lines, each once it is final.
// What is not final yet is told by Tail.
//
// A Live belongs to one goroutine at a time.
type Live struct {
	// Style is that of the blocks.
	Style Style
	// Exact passes answers on as they are, for an output that is no terminal.
	Exact bool
	// Terminal says that the standard error is a terminal of Style.Width
	// columns, which knows how to clear a line: Tick and Progress show
	// something.
	Terminal bool

	page     Page
	begun    bool // something of the reply is shown
	answered bool // the standard output holds an answer
	thinking stream
	answer   stream
	markdown *markdown.Stream   // of the answer, where Style.Markdown asks for it
	held     []transcript.Block // what came in the middle of the answer's line
	late     []transcript.Block // files that were found to have changed while the reply came
	status   status
	out      []Piece
}

// stream is what was shown of a part of a reply before its event came.
type stream struct {
	came   strings.Builder
	filter safetext.Filter
	begun  bool
	shown  bool     // something of the answer is written
	open   bool     // the line is not ended
	indent indenter // of the thinking
	part   []byte   // of the thinking: the line that is not whole yet, where lines are written whole
}

// Delta takes in a piece of a reply of the main interaction.
func (l *Live) Delta(d ikigai.Delta) []Piece {
	l.status.forget("")
	if d.Retry != nil {
		l.show(Notice(l.Style.Retry(*d.Retry)))
	}
	// What the model thinks once it has begun to answer waits for its event:
	// it would tear the answer apart.
	if d.Thinking != "" && !l.answer.begun {
		l.think(d.Thinking)
	}
	if text := d.Text + d.Refusal; text != "" {
		l.say(text)
	}
	out := l.taken()
	if l.arrives() {
		l.status.elapsed = 0
		out = append(out, l.showStatus()...)
	}
	return out
}

// Block takes in a block of the session's transcript.
func (l *Live) Block(b transcript.Block) []Piece {
	if r, ok := b.Body.(transcript.Result); ok {
		l.status.forget(r.ToolCallID)
	} else if l.status.call == "" {
		l.status.forget("") // what arrived of a reply
	}
	switch {
	case l.page.waits(b):
	case b.Interaction != ikigai.Main:
		l.show(b)
	case l.begun && found(b):
		l.late = append(l.late, b)
	case b.Kind == ikigai.KindThinking:
		l.thought(b.Text)
		l.add(b, l.Style.damage(b))
		l.begun = l.answer.shown
	case b.Kind == ikigai.KindAssistant:
		l.said(b.Text)
		l.add(b, l.Style.parts(b)+l.Style.damage(b))
		l.finish()
	case b.Kind == ikigai.KindInterrupted:
		d, _ := b.Body.(ikigai.InterruptedData)
		l.thought(d.Thinking)
		l.said(b.Text)
		l.add(b, l.Style.interruption(d)+l.Style.damage(b))
		l.finish()
	case b.Kind.Conversation(), b.Kind == ikigai.KindError:
		l.finish()
		l.show(b)
	default:
		l.show(b)
	}
	return l.taken()
}

// add writes what stands below the streamed part of b.
func (l *Live) add(b transcript.Block, text string) {
	if text == "" {
		return
	}
	if !l.begun {
		l.begin(b.Kind)
	}
	l.endAnswerLine()
	l.page.took(b)
	l.write(text, false)
}

// Replying reports whether a reply has begun to be shown and has not ended.
func (l *Live) Replying() bool { return l.begun }

// End ends what is open, at the end of a turn or of the program, and before
// anything else is written to the terminal.
func (l *Live) End() []Piece {
	l.finish()
	l.write(l.page.End(), false)
	l.clearStatus()
	return l.taken()
}

// Aims writes what a model has said meanwhile that the statement was for, where the
// statement has ended.
func (l *Live) Aims() []Piece {
	l.write(l.page.shown(&l.page.aims), false)
	return l.taken()
}

// taken returns what there is to write and forgets it.
func (l *Live) taken() []Piece {
	out := l.out
	l.out = nil
	return out
}

func (l *Live) write(text string, answer bool) {
	if text != "" {
		l.clearStatus()
		l.out = append(l.out, Piece{text, answer})
	}
}

// show shows a block that was not streamed, at the beginning of a line.
func (l *Live) show(b transcript.Block) {
	if l.answer.open {
		l.held = append(l.held, b)
		return
	}
	l.write(l.thinking.indent.end(), false)
	l.page.Style = l.Style
	l.page.Style.Verbose = false
	l.write(l.page.Block(b), false)
}

// begin goes to where a part of a reply begins.
func (l *Live) begin(kind ikigai.Kind) {
	l.write(l.page.stood(), false)
	l.write(l.page.gap(transcript.Block{Kind: kind}), false)
	l.begun = true
}

// placeAnswer goes to where an answer begins or, if something came in between, goes
// on with text. The empty line between two answers is theirs, for without it Markdown
// takes them for one paragraph.
func (l *Live) placeAnswer(text string) {
	gap := func() string { return l.page.gap(transcript.Block{Kind: ikigai.KindAssistant}) }
	switch {
	case !l.answer.shown:
		l.write(gap(), l.answered)
		l.begun, l.answered, l.answer.shown = true, true, true
	case l.page.last != ikigai.KindAssistant && !l.answer.open && !strings.HasPrefix(text, "\n"):
		l.write(gap(), false)
	}
}

// think takes in a piece of the model's thinking. Compact shows it once it is
// whole: it may have to be folded.
func (l *Live) think(text string) {
	l.thinking.came.WriteString(text)
	l.write(l.page.stood(), false) // above what Tail tells
	if l.Style.Compact {
		return
	}
	l.writeThinking(l.thinking.filter.Text(noNUL(text)))
}

// thought takes in the whole of the model's thinking.
func (l *Live) thought(text string) {
	t := &l.thinking
	rest, ok := t.rest(text)
	switch {
	case !t.begun:
		*t = stream{}
		rest = text
	case !ok:
		rest = text
	case !l.answer.begun:
		l.think(rest)
		rest = ""
	}
	l.closeThinking()
	l.showThinking(rest)
	l.thinking = stream{}
}

// showThinking shows thinking that was not streamed.
func (l *Live) showThinking(text string) {
	if text = l.Style.thinking(text); text != "" {
		l.endAnswerLine()
		l.begin(ikigai.KindThinking)
		l.write(text, false)
	}
}

func (l *Live) writeThinking(text string) {
	t := &l.thinking
	if l.Style.Markdown {
		text = t.whole(text)
	}
	if text == "" {
		return
	}
	if !t.begun {
		l.begin(ikigai.KindThinking)
		t.begun = true
		t.indent = l.Style.thinker()
	} else if l.page.last != ikigai.KindThinking {
		l.write(l.page.gap(transcript.Block{Kind: ikigai.KindThinking}), false) // something came in between
	}
	l.write(t.indent.text(l.Style.read(text)), false)
}

// closeThinking ends the thinking so far.
func (l *Live) closeThinking() {
	if t := &l.thinking; l.Style.Compact && !t.begun && t.came.Len() > 0 {
		t.begun = true
		l.showThinking(ikigai.CleanText(t.came.String()))
	}
	l.writeThinking(l.thinking.filter.End())
	if len(l.thinking.part) > 0 {
		l.writeThinking("\n")
	}
	l.write(l.thinking.indent.end(), false)
}

// say shows a piece of the answer.
func (l *Live) say(text string) {
	a := &l.answer
	a.came.WriteString(text)
	if !l.Exact {
		text = a.filter.Text(noNUL(text))
	}
	l.goOn(text)
}

// Resize has what comes from now on be for a terminal of that many columns.
func (l *Live) Resize(width int) {
	l.Style.Width = width
	if l.markdown != nil {
		l.markdown.Resize(width)
	}
}

// goOn goes on with the answer.
func (l *Live) goOn(text string) {
	if text == "" {
		return
	}
	if !l.answer.begun {
		l.closeThinking()
		l.write(l.page.stood(), false) // above what Tail tells
		l.answer.begun = true
	}
	if l.rendered() {
		text = joined(l.markdown.Write(text))
	}
	l.writeAnswer(text)
}

// rendered reports whether answers are.
func (l *Live) rendered() bool {
	if !l.Style.Markdown || l.Exact {
		return false
	}
	if l.markdown == nil {
		l.markdown = l.Style.stream()
	}
	return true
}

// said takes in the whole of an answer.
func (l *Live) said(text string) {
	rest, ok := l.answer.rest(text)
	if !ok {
		l.endAnswer()
		rest = text
	}
	l.say(rest)
	l.endAnswer()
}

// writeAnswer writes to the standard output. What waited for the end of a line
// comes as soon as there is one.
func (l *Live) writeAnswer(text string) {
	if text == "" {
		return
	}
	l.placeAnswer(text)
	l.answer.open = !strings.HasSuffix(text, "\n")
	l.write(text, true)
	if !l.answer.open {
		held := l.held
		l.held = nil
		for _, b := range held {
			l.show(b)
		}
	}
}

// finish ends a reply of which no more will come.
func (l *Live) finish() {
	l.closeThinking()
	l.thinking = stream{}
	l.endAnswer()
	l.begun = false
	late := l.late
	l.late = nil
	for _, b := range late {
		l.show(b)
	}
}

// endAnswer ends the answer, with a newline if it lacks one.
func (l *Live) endAnswer() {
	l.goOn(l.answer.filter.End())
	l.endAnswerLine()
	l.answer, l.markdown = stream{}, nil
}

// endAnswerLine ends the line that the answer has come to.
func (l *Live) endAnswerLine() {
	if l.markdown != nil {
		l.writeAnswer(joined(l.markdown.End()))
	}
	if l.answer.open {
		l.writeAnswer("\n")
	}
}

// whole takes in text and returns the lines of it that are whole.
func (s *stream) whole(text string) string {
	end := strings.LastIndexByte(text, '\n') + 1
	lines := string(s.part) + text[:end]
	if end == 0 {
		lines = ""
	} else {
		s.part = s.part[:0]
	}
	s.part = append(s.part, text[end:]...)
	return lines
}

// rest returns what of the whole text has not been shown, and false if what
// has been shown is not its beginning.
func (s *stream) rest(whole string) (string, bool) {
	return strings.CutPrefix(whole, ikigai.CleanText(s.came.String()))
}

// noNUL replaces NUL as the log does, in which no text holds one.
func noNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// Retry says that a request is sent again.
func (s Style) Retry(r ikigai.Retry) string {
	why := "The request failed."
	if r.Err != nil {
		why = strings.TrimRight(r.Err.Error(), "\n")
	}
	var e *ikigai.Error
	if errors.As(r.Err, &e) {
		why = e.What + "."
	}
	return fmt.Sprintf("%s The request is sent again in %s (attempt %d of %d failed).", why, Duration(r.After), r.Attempt, r.Of)
}
