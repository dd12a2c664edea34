// Package foreign reads the session files of other agents as events: of
// Claude Code, of Codex and of pi.
//
// # What becomes of what
//
// Statements, answers, thinking, calls, results, images, usage and the system
// prompt become the events that ikigai itself would have recorded. A title or
// summary becomes an answer in the interaction "title"; a conversation beside
// the main one (Claude Code's sidechains, Codex's messages between agents)
// events of an interaction of its own; a compaction, in which the other agent
// put a summary in place of what came before, an event of the interaction
// "compaction": the conversation itself stays whole.
//
// A line that has no counterpart, such as a snapshot of files or a second
// record of what another line says, is left out and counted in a Warning, as
// is everything that cannot be read. Nothing of the conversation is left out
// silently.
//
// # Files that are trees
//
// Claude Code and pi keep the ways that a person went back from in the same
// file. The way that the file ends on is the session; each other one becomes a
// fork of it, or of another fork, that shares the past up to where they part.
// The calls and results of one reply may stand on branches of their own; they
// belong to the reply.
//
// # Identity
//
// IDs are made from those of the source and depend on nothing else: reading a
// file twice gives the same events, and a file that has grown the same events
// and more, so that importing again adds what is new alone.
package foreign

import (
	"fmt"
	"io"

	"ikigai"
)

// Format is the kind of a session file.
type Format string

const (
	ClaudeCode Format = "claude-code"
	Codex      Format = "codex"
	Pi         Format = "pi"
)

// String returns the name that people know.
func (f Format) String() string {
	switch f {
	case ClaudeCode:
		return "Claude Code"
	case Codex:
		return "Codex"
	}
	return string(f)
}

// File is what a session file holds.
type File struct {
	Format   Format
	Source   string    // the session's ID in the file; "" if it has none
	Sessions []Session // the one that the file ends on, then forks, parents first
	Warnings []Warning // in the order of the file
}

// Session is a session with its own events, complete with session, place, ID,
// time and blobs. Those of a fork follow after Base.
type Session struct {
	ID     ikigai.ID
	Parent ikigai.ID  // of a fork: the session whose events it shares
	Base   ikigai.Seq // of a fork: the last event that it shares
	Events []ikigai.Event
}

// Warning says what of a file is not in the events, or not as it was.
type Warning struct {
	Line  int    // the first line concerned, from 1
	Count int    // how many lines, or things in them
	What  string // a sentence without its full stop
}

// String returns the warning as a person is told it.
func (w Warning) String() string {
	if w.Count == 1 {
		return fmt.Sprintf("%s (line %d).", w.What, w.Line)
	}
	return fmt.Sprintf("%s (%d times, first in line %d).", w.What, w.Count, w.Line)
}

// Read reads a session file whole. Events without a time of their own get that
// of the event before; if there is none, that is fallback, which may be when
// the file was last changed. The error is that of r, or an *ikigai.Error of
// kind usage: the file is of no known format or holds no conversation.
func Read(r io.Reader, fallback ikigai.Micros) (File, error) {
	lines, broken, err := readLines(r)
	if err != nil {
		return File{}, err
	}
	form, err := detect(lines)
	if err != nil {
		return File{}, err
	}
	d := newDecoder(form, fallback)
	if broken > 0 {
		d.warn(broken, "A line is no JSON object and was left out; the last line of a file is often cut off")
	}
	switch form {
	case ClaudeCode:
		(&claude{decoder: d}).read(lines)
	case Codex:
		(&codex{decoder: d}).read(lines)
	case Pi:
		(&pi{decoder: d}).read(lines)
	}
	return d.file()
}
