//go:build linux && (amd64 || arm64)

package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// TestKillMatrixFront is TestKillMatrix over the interactive front: a conversation is
// typed, with a text, a tool, a change of a file, something said meanwhile and a command
// of the person's own. An export that is killed has written its file or has not.
//
// P7, S2.19, S2.25, laws 2 and 3.
func TestKillMatrixFront(t *testing.T) {
	dir := inMemory(t)
	buildKilled(t, dir)
	m := &matrix{dir: dir}
	m.store = killFiles(t, m)
	for _, phase := range []killPhase{
		{name: "front", types: (*scribe).talks, before: (*row).beforeTalk, every: 20},
		{name: "export", args: []string{"export", "--format", "html", "-o", "page.html"}, before: (*row).beforeExport, during: (*row).exports, every: 20},
	} {
		t.Run(phase.name, func(t *testing.T) { m.try(t, phase) })
	}
	t.Log(&m.tally)
}

// beforeTalk makes the pipe on which the first tool waits.
func (r *row) beforeTalk() { must(r.t, syscall.Mkfifo(r.file("steered"), 0o600)) }

// scribe types at the terminal of a program that may be killed at any moment.
type scribe struct {
	*row
	terminal *os.File
	painted  *output
	over     <-chan struct{} // closed when nothing more is painted
}

// talks holds the conversation.
func (s *scribe) talks() {
	steered, err := os.OpenFile(s.file("steered"), os.O_RDWR, 0) // open for the tool, too
	if err != nil {
		s.t.Error(err)
		return
	}
	defer steered.Close()
	for _, step := range []struct {
		until func() bool
		then  func()
	}{
		{s.shows("test/scripted"), s.enters("talk")},
		{s.has("witness", "one\n"), s.enters("turn left")},
		{s.shows("turn left"), func() { _, _ = steered.WriteString("on\n") }}, // the pipe has room
		{s.shows("ρ"), s.enters("!echo two >> witness; echo second-$((40+3))")},
		{s.shows("second-43"), s.enters("/quit")},
	} {
		if !s.waits(step.until) {
			return
		}
		step.then()
	}
	<-s.over // the pipe stays open as long as anybody may read it
}

// waits waits until ok is true. It is false once the program is gone.
func (s *scribe) waits(ok func() bool) bool {
	for !ok() {
		select {
		case <-s.over:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// shows returns whether something was painted in one piece.
func (s *scribe) shows(text string) func() bool {
	return func() bool { return strings.Contains(ansi.Strip(s.painted.String()), text) }
}

// has returns whether a file holds a text.
func (s *scribe) has(name, text string) func() bool {
	return func() bool {
		content, _ := os.ReadFile(s.file(name)) // there may be none yet
		return string(content) == text
	}
}

// enters returns what types a line and sends it off.
func (s *scribe) enters(line string) func() {
	return func() { _, _ = s.terminal.WriteString(line + "\r") } // the program may be gone
}

// frontMarks are those of marks that the front shows in other words. What a tool has
// said so far is shown while it runs; what it has said in the end stands with its exit
// code.
var frontMarks = map[string]*regexp.Regexp{
	`command="echo one`: regexp.MustCompile(`\$ echo one`),
	`command="echo two`: regexp.MustCompile(`\$ echo two`),
	"first-42":          regexp.MustCompile(`first-42\s+exit code 0`),
	"second-43":         regexp.MustCompile(`second-43\s+exit code 0`),
}

// seesFront takes in what was painted, over and over: each letter counts once.
func (r *row) seesFront(painted string) {
	text := ansi.Strip(painted)
	letters := strings.Split(only(unicode.Greek, text)+only(unicode.Cyrillic, text), "")
	slices.Sort(letters)
	r.screen += strings.Join(slices.Compact(letters), "")
	for _, m := range marks {
		shown, other := frontMarks[m.painted]
		if other && shown.MatchString(text) || !other && strings.Contains(text, m.painted) {
			r.screen += "\n" + m.painted
		}
	}
	if made := r.lines("made.txt"); len(made) > 0 && made[0] != "made" {
		r.t.Errorf("a file was written in part: %q", made)
	}
}

// beforeExport makes a session to export.
func (r *row) beforeExport() { r.place.run(exitAnswered, "run", "go on") }

// exports checks what an export has left: the file as a whole, or none.
func (r *row) exports() (end func()) {
	return func() {
		page, err := os.ReadFile(r.file("page.html"))
		if err == nil && !strings.HasSuffix(string(page), "</html>\n") {
			r.t.Errorf("a page of %d bytes was written in part", len(page))
		}
	}
}
