package tui

import (
	"bytes"
	"strings"

	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// maxHeld bounds what waits to be printed while something else is on the screen.
const maxHeld = 8 << 20

// block shows a block of the session.
func (l *loop) block(b transcript.Block) {
	l.fresh = false
	l.work.came()
	switch body := b.Body.(type) {
	case transcript.Call:
		l.called(b, body)
		return
	case transcript.Result:
		b.Body = l.answered(b.Interaction, body)
	}
	if l.plain != nil && l.plain.echoes(b) {
		return
	}
	l.write(l.live.Block(b))
	if !l.work.busy && !l.prompted() {
		l.write(l.live.Aims())
	}
	l.tellAsides()
}

// tellAsides prints what waits to be told by the way, where it parts nothing.
func (l *loop) tellAsides() {
	if len(l.asides) == 0 || l.live.Replying() || len(l.calls) > 0 || l.prompted() {
		return
	}
	l.gap()
	asides := l.asides
	l.asides = nil
	for _, line := range asides {
		l.tell(l.live.Style.Faint(safe(line)))
	}
}

// prompted reports whether a person has been told to type a line, which nothing should
// get in the way of.
func (l *loop) prompted() bool { return l.plain != nil && l.plain.asks }

// notice tells the person something.
func (l *loop) notice(text string) {
	if l.config.Redact != nil {
		text = l.config.Redact(text)
	}
	l.parts()
	pieces := l.live.Block(render.Notice(text))
	if (l.echoed || l.blank) && len(pieces) > 0 { // it says what has become of the command, or stands apart
		pieces[0].Text, l.apart = strings.TrimPrefix(pieces[0].Text, "\n"), false
	}
	l.write(pieces)
}

// tell prints what somebody asked to see, which does not belong to the session.
func (l *loop) tell(text string) {
	l.print(text)
	l.parts()
	l.apart = true
}

// print prints text that is styled already, at the beginning of a line.
func (l *loop) print(text string) {
	if text != "" {
		l.beside()
		l.printed(ended(text))
	}
}

// echo prints a command ahead of what it prints. A front of lines shows it already.
func (l *loop) echo(line string) {
	if l.plain != nil {
		return
	}
	l.beside()
	l.gap()
	l.printed(l.live.Style.Faint(safe(line)) + "\n")
	l.echoed = true
}

// beside parts what does not belong to a reply from what has come of it.
func (l *loop) beside() {
	if l.live.Replying() && !l.apart {
		l.gap()
		l.apart = true
	}
}

// gap prints an empty line, unless the last one is empty.
func (l *loop) gap() {
	if !l.blank {
		l.printed("\n")
	}
}

// write prints what belongs to the session.
func (l *loop) write(pieces []render.Piece) {
	for _, p := range pieces {
		if l.apart && !strings.HasPrefix(p.Text, "\n") {
			l.gap()
		}
		l.apart = false
		l.printed(p.Text)
	}
}

// printed adds whole lines to what is to be printed. If that is too much, its
// beginning is let go.
func (l *loop) printed(lines string) {
	l.atEnd, l.echoed = nil, false
	l.blank = lines == "\n" || strings.HasSuffix(lines, "\n\n")
	l.out = append(l.out, lines...)
	if len(l.out) <= maxHeld {
		return
	}
	from := len(l.out) - maxHeld/2
	from += bytes.IndexByte(l.out[from:], '\n') + 1
	l.out = append(l.out[:0], l.out[from:]...)
	l.lost = true
}

// taken takes what is to be printed next: whole lines, of about n bytes.
func (l *loop) taken(n int) string {
	text := ""
	if l.lost {
		l.lost = false
		text = "(more came than is kept while something else is shown: Ctrl-O shows all)\n"
	}
	end := len(l.out)
	if end > n {
		end = bytes.LastIndexByte(l.out[:n], '\n') + 1
	}
	if end == 0 && len(l.out) > 0 { // a line that is longer
		end = bytes.IndexByte(l.out, '\n') + 1
	}
	text += string(l.out[:end])
	l.out = l.out[end:]
	if len(l.out) == 0 {
		l.out = nil
	}
	return text
}

// restyle changes how things look from here on.
func (l *loop) restyle(theme string, compact bool) {
	l.live.Style.Theme, l.live.Style.Compact = render.Theme(theme), compact
}
