// Package render turns blocks into text: what a person sees of a session, live
// as it happens, after it is restored and in its log. It does no input or
// output and reads neither clock nor environment.
//
// Everything that others wrote goes through safetext before it is styled, so
// the only escape sequences in the result are the package's own.
package render

import (
	"strings"
	"time"

	"ikigai/internal/safetext"
)

// Style says how things look. The zero Style is plain text that hides nothing
// of the conversation.
//
// What models and tools say is not wrapped: a terminal does that better, and
// what is copied from it is then whole. The program's own sentences are.
type Style struct {
	Width   int  // columns of the terminal, for tables and sentences; 0 if there is none: nothing is cut or wrapped
	Color   bool // use escape sequences for colours, and for bold, dim and reverse
	ASCII   bool // mark things with ASCII alone; what others wrote stays as it is
	Compact bool // fold long output to its first and last lines
	// FoldSaid folds what the person has said, as Compact does output: they know it.
	FoldSaid bool
	Verbose  bool // show the record too: system prompt, tools, requests, usage, numbers and times

	// Markdown renders the model's answers; without Color the marks of their source
	// stay. Where answers are read by programs it must not be set.
	Markdown bool

	Theme Theme // which colours; "" is ThemeTerminal
	Depth Depth // how many the terminal has

	More string         // how to see what Compact folds, such as "ikigai log --full"
	Zone *time.Location // of the times shown; nil is the local one
}

// paint styles text that holds no newline.
func (s Style) paint(how role, text string) string {
	if !s.Color || how == plain || text == "" {
		return text
	}
	return "\x1b[" + s.look().roles[how] + "m" + text + "\x1b[0m"
}

// glyph is a mark with its stand-in where only ASCII can be shown.
type glyph struct{ mark, ascii string }

var (
	callMark   = glyph{"●", "*"}
	resultMark = glyph{"↳", "->"}
	userMark   = glyph{"›", ">"}
	steerMark  = glyph{"»", ">>"}
	failMark   = glyph{"✗", "x"}
	okMark     = glyph{"✓", "+"}
	sideMark   = glyph{"◦", "o"}
	alertMark  = glyph{"!", "!"}
	thinkMark  = glyph{"~", "~"}
	forkMark   = glyph{"⑂", "Y"}
	separator  = glyph{" · ", " - "}
	ellipsis   = glyph{"…", "..."}
)

func (s Style) glyph(g glyph) string {
	if s.ASCII {
		return g.ascii
	}
	return g.mark
}

// line returns text that others wrote as part of a line.
func line(text string) string {
	text = safetext.Terminal(text)
	if strings.IndexByte(text, '\n') >= 0 {
		text = strings.ReplaceAll(text, "\n", "␊")
	}
	return text
}

// indenter puts text that comes in pieces behind a prefix, line by line. Empty
// lines stay empty.
type indenter struct {
	style       Style
	how         role
	first, rest string // prefix of the first line, and of the others
	began       bool   // the first prefix is written
	open        bool   // the line is not ended
}

// text returns what to write for the next piece, which is safe already.
func (in *indenter) text(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	for s != "" {
		piece, after, ended := strings.Cut(s, "\n")
		if piece != "" {
			if !in.open {
				b.WriteString(in.prefix())
			}
			b.WriteString(in.style.paint(in.how, piece))
			in.open = true
		}
		if ended {
			b.WriteByte('\n')
			in.open = false
		}
		s = after
	}
	return b.String()
}

// end returns what ends the last line.
func (in *indenter) end() string {
	if !in.open {
		return ""
	}
	in.open = false
	return "\n"
}

func (in *indenter) prefix() string {
	if in.began {
		return in.rest
	}
	in.began = true
	return in.first
}

// behind returns safe text with its lines behind the prefixes, ended.
func (s Style) behind(first, rest string, how role, text string) string {
	in := indenter{style: s, how: how, first: first, rest: rest}
	return in.text(text) + in.end()
}
