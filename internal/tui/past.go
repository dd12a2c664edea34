package tui

import (
	"strings"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// past shows the end of what happened in a session before.
func (l *loop) past(blocks []transcript.Block) {
	l.fresh = false
	room := max(1, l.height-6)
	blocks = l.fill(blocks, room)
	var text strings.Builder
	write := func(pieces []render.Piece) {
		for _, p := range pieces {
			text.WriteString(p.Text)
		}
	}
	for _, b := range blocks {
		write(l.live.Block(b))
	}
	write(l.live.End())
	shown, cut := lastRows(text.String(), room, l.width)
	if above := before(blocks); above > 0 || cut {
		l.printed(l.above(above))
	}
	l.printed(shown)
}

// fill returns as many of the last blocks as fill that many rows, from where
// something begins if there is such a place among them.
func (l *loop) fill(blocks []transcript.Block, room int) []transcript.Block {
	for i := len(blocks) - 1; i >= 0; i-- {
		for line := range strings.Lines(l.live.Style.Block(blocks[i])) {
			room -= rows(line, l.width)
		}
		if room <= 0 {
			return fromBeginning(blocks[i:])
		}
	}
	return blocks
}

// fromBeginning leaves out what belongs to something that is not shown whole.
func fromBeginning(blocks []transcript.Block) []transcript.Block {
	for i := 1; i < len(blocks); i++ {
		switch blocks[i].Kind {
		case ikigai.KindUser, ikigai.KindToolCall, ikigai.KindAssistant:
			return blocks[i:]
		}
	}
	return blocks
}

// before returns how many events there are before the first of blocks.
func before(blocks []transcript.Block) ikigai.Seq {
	for _, b := range blocks {
		if b.Seq > 0 {
			return b.Seq - 1
		}
	}
	return 0
}

// lastRows returns the last lines of text that take that many rows, one at least,
// and whether there are others.
func lastRows(text string, room, width int) (last string, cut bool) {
	at := len(text)
	for at > 0 {
		from := strings.LastIndexByte(text[:at-1], '\n') + 1
		if room -= rows(text[from:at-1], width); room < 0 && at < len(text) {
			break
		}
		at = from
	}
	return text[at:], at > 0
}

// above is the line that says what is not shown.
func (l *loop) above(events ikigai.Seq) string {
	what := "more of it"
	if events > 0 {
		what = render.Count(int(events), "event")
	}
	return l.live.Style.Faint(l.glyph("…", "...")+" "+what+" above: Ctrl-O shows all") + "\n\n"
}
