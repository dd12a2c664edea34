// Package exttool makes tools of executable files, whatever they are written
// in.
//
// An executable in a directory of tools is asked once what it is, with
// --schema. A call runs it with the input, a JSON object, as its argument and
// on standard input; it answers with one JSON object on standard output. That
// is version 1 of the protocol; docs/tools.md tells authors all of it.
// Directories of executables that speak Amp's protocol work too.
//
// The executables that Load is given are run: whether they may be is for
// others to judge.
package exttool

import (
	"time"

	"ikigai"
)

// Config is what the tools need to know. Only Dirs must be set.
type Config struct {
	Dirs      []Dir     // a tool of a later one replaces that of the same name of an earlier one
	Cache     string    // directory for what tools said of themselves; "" for none
	Env       []string  // environment of the tools
	Session   ikigai.ID // "" where there is none
	SpillDir  string    // where whole outputs go when they are too long; made when first needed
	MaxOutput int       // bytes of a result that a model is shown; 0 for 1 MiB

	// Patient waits for tools as long as they may take to say what they are,
	// instead of a second, and also for those that could not say it before.
	Patient bool

	// Leave, when it is closed, ends tools that are being stopped at once. It
	// may be nil.
	Leave <-chan struct{}

	patience time.Duration // a test's, for the time that tools are waited for; 0 for a second
}

// Dir is a directory of executables.
type Dir struct {
	Path    string // what is looked at, and run from; absolute
	Shown   string // the path that people know; "" if it is Path
	Origin  string // "system", "user", "project"
	Toolbox bool   // the executables speak Amp's protocol
}

// shown returns the path that people know of a file in the directory.
func (d Dir) shown() string {
	if d.Shown != "" {
		return d.Shown
	}
	return d.Path
}

// Tool is a tool with what is known of it beside what a model is told.
type Tool struct {
	ikigai.Tool
	Origin string        // of its directory
	Limit  time.Duration // the time that a call has, unless it says so itself
}

// Problem is why a file is not used as a tool, or was not looked at.
type Problem struct {
	Path string `json:"path"`
	What string `json:"what"` // what is wrong: a sentence without its full stop
	Do   string `json:"do"`   // what to do: a sentence without its full stop
}

// String returns both sentences behind the path.
func (p Problem) String() string { return p.Path + ": " + p.What + ". " + p.Do + "." }

// Shadow is a tool that another of the same name replaces.
type Shadow struct {
	Name string `json:"name"`
	Path string `json:"path"` // of the file that is not used
	By   string `json:"by"`   // the path of the file that is
}
