package editor

import "strings"

// ring is what was killed, the last one last.
type ring struct {
	texts    []string
	at       int // that was yanked
	from, to int // where it was put
}

const mostKills = 30

// kill takes out what stands between from and to and keeps it. Kills in a row
// are kept as one.
func (e *Editor) kill(from, to int) {
	text := strings.Clone(e.text[from:to])
	backwards := to == e.cursor && from != to
	r := &e.ring
	switch n := len(r.texts); {
	case text == "":
	case e.before == killing && n > 0 && backwards:
		r.texts[n-1] = text + r.texts[n-1]
	case e.before == killing && n > 0:
		r.texts[n-1] += text
	default:
		r.texts = append(r.texts, text)
		r.texts = r.texts[max(0, len(r.texts)-mostKills):]
	}
	e.now = killing
	e.edit(from, to, "")
}

// yank puts what was killed last at the cursor.
func (e *Editor) yank() {
	r := &e.ring
	if len(r.texts) == 0 {
		return
	}
	r.at = len(r.texts) - 1
	e.putYanked(e.cursor, e.cursor)
}

// yankOlder puts what was killed before it in place of what was just yanked.
func (e *Editor) yankOlder() {
	r := &e.ring
	if e.before != yanking || len(r.texts) == 0 {
		return
	}
	r.at = (r.at + len(r.texts) - 1) % len(r.texts)
	e.putYanked(r.from, r.to)
}

func (e *Editor) putYanked(from, to int) {
	r := &e.ring
	e.edit(from, to, r.texts[r.at])
	r.from, r.to = from, from+len(r.texts[r.at])
	e.now = yanking
}
