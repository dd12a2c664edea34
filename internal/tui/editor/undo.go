package editor

import "strings"

// change is a part of the text that was replaced.
type change struct {
	at       int
	old, new string
	cursor   int // before it
	step     int // changes of one step are undone together
}

// changes are what was done to the text since it was empty.
type changes struct {
	done, undone []change
	step         int
	size         int // bytes in done
}

const (
	mostChanges     = 10_000
	mostChangeBytes = 64 << 20
)

// next begins another step.
func (c *changes) next() { c.step++ }

// add takes in a change that has been made.
func (c *changes) add(ch change) {
	c.undone = nil
	ch.step = c.step
	c.size += len(ch.old) + len(ch.new)
	if n := len(c.done); n > 0 && c.done[n-1].goesOnWith(ch) {
		c.done[n-1].new += ch.new
		return
	}
	c.done = append(c.done, ch)
	if len(c.done) > mostChanges || c.size > mostChangeBytes {
		c.forget()
	}
}

// goesOnWith reports whether next types on where ch has typed.
func (ch *change) goesOnWith(next change) bool {
	return ch.step == next.step && ch.old == "" && next.old == "" && ch.at+len(ch.new) == next.at && len(ch.new) < 1<<10
}

// forget drops the older half of the steps.
func (c *changes) forget() {
	n := len(c.done) / 2
	for n < len(c.done) && n > 0 && c.done[n].step == c.done[n-1].step {
		n++
	}
	c.done = append([]change(nil), c.done[n:]...)
	c.size = 0
	for _, ch := range c.done {
		c.size += len(ch.old) + len(ch.new)
	}
}

// edit puts text in place of what stands between from and to, and the cursor
// behind it.
func (e *Editor) edit(from, to int, text string) {
	if from == to && text == "" {
		e.cursor = align(e.text, from)
		return
	}
	old := strings.Clone(e.text[from:to]) // what is kept must not keep all of the text
	e.changes.add(change{at: from, old: old, new: text, cursor: e.cursor})
	e.splice(from, to, text)
}

// splice is edit without a way back.
func (e *Editor) splice(from, to int, text string) {
	e.text = e.text[:from] + text + e.text[to:]
	e.cursor = align(e.text, from+len(text))
}

// undo takes the last step back.
func (e *Editor) undo() {
	c := &e.changes
	if len(c.done) == 0 {
		return
	}
	for step := c.done[len(c.done)-1].step; len(c.done) > 0; {
		last := c.done[len(c.done)-1]
		if last.step != step {
			break
		}
		c.done = c.done[:len(c.done)-1]
		c.size -= len(last.old) + len(last.new)
		c.undone = append(c.undone, last)
		e.splice(last.at, last.at+len(last.new), last.old)
		e.cursor = last.cursor
	}
	c.next()
}

// redo does the step again that was taken back last.
func (e *Editor) redo() {
	c := &e.changes
	if len(c.undone) == 0 {
		return
	}
	for step := c.undone[len(c.undone)-1].step; len(c.undone) > 0; {
		last := c.undone[len(c.undone)-1]
		if last.step != step {
			break
		}
		c.undone = c.undone[:len(c.undone)-1]
		c.size += len(last.old) + len(last.new)
		c.done = append(c.done, last)
		e.splice(last.at, last.at+len(last.old), last.new)
	}
	c.next()
}
