package editor

import (
	"strings"

	"ikigai/internal/fuzzy"
	"ikigai/internal/tty"
)

// list is what the text could go on with.
type list struct {
	asked     bool // by Tab; else it has come by itself
	from      int  // byte of the text from which on an item takes its place
	all       []Completion
	items     []Completion // those that go with what was typed since they came
	chosen    int          // of items; -1 if none is
	moved     bool         // the person has chosen it
	dismissed int          // where the word begins, plus one, for which the person wants none
}

func (l *list) open() bool { return len(l.items) > 0 }

// trigger reports whether completions are wanted as one types, and where the word
// begins that they are for.
func (e *Editor) trigger() (start int, ok bool) {
	before := e.Before()
	const mostWord = 4 << 10
	start = max(0, len(before)-mostWord)
	if i := strings.LastIndexAny(before[start:], " \t\n"); i >= 0 {
		start += i + 1
	} else if start > 0 {
		return 0, false
	}
	if strings.HasPrefix(before, "/") && strings.IndexByte(before, '\n') < 0 {
		return start, true
	}
	return start, mentions(before[start:])
}

// mentions reports whether a word names a file.
func mentions(word string) bool { return strings.HasPrefix(strings.TrimLeft(word, "([{<\"'`"), "@") }

// completeTyping keeps the list in step with what was typed.
func (e *Editor) completeTyping(k tty.Key, changed bool) Event {
	typed := k.Printable() || k.Is(tty.KeyBackspace, 0)
	if !changed || !typed || e.vi.normal {
		e.list = list{dismissed: e.list.dismissed}
		return Changed
	}
	start, ok := e.trigger()
	if ok && e.list.dismissed == start+1 {
		return Changed
	}
	l := &e.list
	l.dismissed = 0
	goesOn := l.open() && l.from <= e.cursor && !strings.ContainsAny(e.text[l.from:e.cursor], " \t\n")
	if !goesOn {
		e.list = list{}
	}
	if !ok && !goesOn {
		return Changed
	}
	e.narrow()
	return Complete
}

// narrow leaves those items that go with what is typed, until others come.
func (e *Editor) narrow() {
	l := &e.list
	texts := make([]string, len(l.all))
	for i, c := range l.all {
		texts[i] = c.Text
	}
	l.items = nil
	for _, i := range fuzzy.Rank(e.typed(), texts, len(texts)) {
		l.items = append(l.items, l.all[i])
	}
	l.chosen, l.moved = e.unmoved(), false
}

// unmoved is the item that is chosen before the person has moved: none, unless they
// have asked for it, where Enter sends what stands there. That is among the arguments
// of a command, and where what was typed behind an @ begins no item: it may be what
// is meant, such as a name.
func (e *Editor) unmoved() int {
	start, _ := e.trigger()
	switch {
	case e.list.asked, start == 0 && !mentions(e.Before()):
		return 0
	case mentions(e.Before()[start:]) && len(e.list.items) > 0 && names(e.typed(), e.list.items[0].Text):
		return 0
	}
	return -1
}

// names reports whether what was typed is how a path begins, or names it whole from
// one of its directories on.
func names(typed, path string) bool {
	typed, path = strings.TrimPrefix(strings.Trim(typed, `"`), "./"), strings.Trim(path, `"`)
	begins := len(path) >= len(typed) && strings.EqualFold(path[:len(typed)], typed)
	return begins || strings.HasSuffix(path, "/"+typed)
}

// typed is what an item would take the place of.
func (e *Editor) typed() string {
	if e.list.from > e.cursor {
		return ""
	}
	return e.text[e.list.from:e.cursor]
}

// Completed takes in the completions for a text before the cursor. They are
// dropped if that is no longer what stands there; it reports whether View
// changes.
func (e *Editor) Completed(before string, c Completions) bool {
	if before != e.Before() || e.search.on || e.vi.normal || c.From < 0 || c.From > len(before) {
		return false
	}
	l := &e.list
	if start, ok := e.trigger(); !l.asked && !l.open() && (!ok || l.dismissed == start+1) {
		return false
	}
	was := *l
	*l = list{asked: was.asked, from: c.From, all: c.Items, items: c.Items}
	switch {
	case len(c.Items) == 0:
		l.asked = false
		return was.open()
	case was.asked && len(c.Items) == 1 && !was.open():
		e.takeItem(0)
		return true
	}
	l.chosen = e.unmoved()
	for i, item := range c.Items {
		if was.moved && was.chosen >= 0 && item.Text == was.items[was.chosen].Text {
			l.chosen, l.moved = i, true
		}
	}
	return true
}

// listKey does what a key means to an open list. It is not done with those that
// mean nothing to it.
func (e *Editor) listKey(k tty.Key) (event Event, done bool) {
	l := &e.list
	switch {
	case k.Is(tty.KeyUp, 0), k.Ctrl('p'), k.Is(tty.KeyTab, tty.Shift):
		l.choose(-1)
	case k.Is(tty.KeyDown, 0), k.Ctrl('n'):
		l.choose(1)
	case k.Is(tty.KeyTab, 0):
		return e.takeItem(max(l.chosen, 0)), true
	case k.Is(tty.KeyEnter, 0):
		if l.chosen < 0 || !l.moved && l.items[l.chosen].Text == e.typed() {
			return Nothing, false
		}
		return e.takeItem(l.chosen), true
	case k.Is(tty.KeyEscape, 0):
		start, _ := e.trigger()
		e.list = list{dismissed: start + 1}
		return Changed, !e.config.Vi // there it leaves insert mode, too
	default:
		return Nothing, false
	}
	return Changed, true
}

func (l *list) choose(step int) {
	if l.chosen < 0 && step < 0 {
		l.chosen = 0
	}
	l.chosen = (l.chosen + step + len(l.items)) % len(l.items)
	l.moved = true
}

// takeItem puts an item into the text.
func (e *Editor) takeItem(i int) Event {
	item, from := e.list.items[i], alignBack(e.text, min(e.list.from, e.cursor))
	text := clean(item.Text)
	if c, ok := e.attached(item); ok {
		from, text = len(strings.TrimSuffix(e.text[:from], "@")), c
	}
	if !item.More && !strings.HasPrefix(e.text[e.cursor:], " ") {
		text += " "
	}
	e.list = list{}
	e.changes.next()
	e.edit(from, e.cursor, text)
	e.changes.next()
	if _, ok := e.trigger(); ok {
		return Complete
	}
	return Changed
}

// attached returns the chip of an image that an item names, with its path, which the
// statement may be about, too.
func (e *Editor) attached(item Completion) (string, bool) {
	if item.Path == "" || !e.attaches() || !e.config.Image(item.Path) {
		return "", false
	}
	return e.imageChip(item.Path, strings.Trim(item.Text, `"`))
}
