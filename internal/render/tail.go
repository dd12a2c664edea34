package render

import (
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/markdown"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// maxTail bounds how much of a line that is still coming Tail looks at: as much
// as a large terminal shows.
const maxTail = 16 << 10

// Tail returns what has come of a reply and is not final yet, as it would look if
// nothing more came: ended lines, to stand below everything that was written. Of
// a line that has grown very long it is the end. Without Style.Markdown there is
// none, for everything was written at once.
func (l *Live) Tail() string {
	if !l.Style.Markdown {
		return ""
	}
	if l.answer.begun {
		if l.markdown == nil {
			return ""
		}
		return l.apart(ikigai.KindAssistant, l.answer.shown, joined(l.markdown.Tail()))
	}
	in := l.thinking.indent
	if !l.thinking.begun {
		in = l.Style.thinker()
	}
	return l.apart(ikigai.KindThinking, l.thinking.begun, in.text(l.Style.read(l.thinking.tail(l.Style.Compact)))+in.end())
}

// apart returns a tail of that kind with the empty line before it that will come with
// its first line, unless that is shown.
func (l *Live) apart(kind ikigai.Kind, shown bool, tail string) string {
	if shown || tail == "" {
		return tail
	}
	page := l.page
	return page.gap(transcript.Block{Kind: kind}) + tail
}

// tail returns the last line of thinking as far as it has come. Where nothing
// was written of it, because it may have to be folded, that is all there is.
func (s *stream) tail(folds bool) string {
	if !folds {
		return string(s.part[fromRune(s.part, maxTail):])
	}
	came := s.came.String()
	came = came[fromRune(came, maxTail):]
	came = strings.TrimRight(safetext.Terminal(noNUL(came)), "\n")
	return came[strings.LastIndexByte(came, '\n')+1:]
}

// maxArriving bounds what the status line shows of what arrives, in bytes.
const maxArriving = 256

// arrives puts the end of the line that is arriving on the status line, and reports
// whether there is one. What is written at once needs no such thing.
func (l *Live) arrives() bool {
	if !l.Terminal || !l.Style.Markdown || l.answer.begun && l.Exact {
		return false
	}
	s := &l.thinking
	if l.answer.begun {
		s = &l.answer
	}
	came := s.came.String()
	came = safetext.Terminal(noNUL(came[fromRune(came, maxArriving):]))
	came = strings.ReplaceAll(came[strings.LastIndexByte(came, '\n')+1:], "\t", " ")
	l.status.last, l.status.ended = endNarrow(came, l.Style.Width-besideArriving), true
	return strings.TrimSpace(l.status.last) != ""
}

// besideArriving is how much of the status line its mark and the time take.
const besideArriving = 16

// endNarrow returns the end of text that takes no more than width, on no terminal.
func endNarrow(text string, width int) string {
	from := len(text)
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:from])
		if width -= narrow(r); width < 0 {
			break
		}
		from -= n
	}
	return text[from:]
}

// fromRune returns where the last n bytes of text begin, or the first whole
// character of them.
func fromRune[T string | []byte](text T, n int) int {
	from := max(0, len(text)-n)
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// stream returns what renders an answer.
func (s Style) stream() *markdown.Stream {
	style := markdown.Style{Width: s.Width, ASCII: s.ASCII, Safe: safetext.Terminal}
	if s.Color {
		style.Looks = &s.look().markdown
	}
	return markdown.NewStream(style)
}

// rendered returns the safe text of an answer as it looks.
func (s Style) rendered(text string) string {
	if !s.Markdown {
		return ended(text)
	}
	m := s.stream()
	return joined(m.Write(text)) + joined(m.End())
}

// joined returns lines with their ends.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
