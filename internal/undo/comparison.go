package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/preimage"
	"ikigai/internal/walk"
)

// comparison finds what a tool has changed.
type comparison struct {
	*Watcher
	ctx     context.Context
	callID  string
	was, is *tree
	record  func(...ikigai.Event)

	events []ikigai.Event // to be recorded
	bytes  int            // of their blobs
}

// maxHashed is the most bytes of a file that are read to know it again.
const maxHashed = 256 << 20

// errUnread is the reason where a file was not read in time.
var errUnread = errors.New("there was no time to read it before")

func (c *comparison) run() {
	candidates := slices.DeleteFunc(differing(c.was, c.is), func(p pair) bool {
		if c.isAnnounced(filepath.Join(c.config.Dir, p.path())) {
			return true
		}
		if p.was == nil || p.is == nil || p.was.stat != p.is.stat {
			return false
		}
		_, differs := c.differs(p) // it only may have been changed in the same moment
		return !differs
	})
	pairs, left := c.choose(candidates)
	var names []string
	for _, p := range pairs {
		if p.was != nil && p.was.held != nil && p.was.held.object != "" {
			names = append(names, p.was.held.object)
		}
	}
	next := 0 // of pairs
	simple := func() {
		for ; next < len(pairs) && (pairs[next].was == nil || pairs[next].was.held == nil || pairs[next].was.held.object == ""); next++ {
			c.add(pairs[next], nil, nil)
		}
	}
	simple()
	c.git.objects(c.ctx, names, func(content []byte, err error) {
		c.add(pairs[next], content, err)
		next++
		simple()
	})
	c.flush()
	c.tell(len(pairs), left)
	c.is.files = slices.DeleteFunc(c.is.files, func(f file) bool { return f.stat == stat{} })
}

// differs looks at a file that may have changed, and returns what it is now.
// What it holds now is held from here on.
func (c *comparison) differs(p pair) (after ikigai.FileState, differs bool) {
	if p.is == nil {
		return after, true
	}
	after = ikigai.FileState{Exists: true}
	if p.is.stat.link() {
		after.Link = p.is.held.link
		return after, p.was == nil || !p.was.stat.link() || p.was.held.link != after.Link
	}
	if c.ctx.Err() != nil {
		after.Mode, after.Size = p.is.stat.perm(), p.is.stat.size
		return after, p.was == nil || p.was.stat != p.is.stat
	}
	content := c.settled(p.is)
	if p.is.stat == (stat{}) {
		return ikigai.FileState{}, p.was != nil
	}
	after.Mode, after.Size = p.is.stat.perm(), p.is.stat.size
	switch {
	case content != nil:
		after.SHA256 = blob.Hash(content)
	case after.Size <= maxHashed:
		if s, _, err := preimage.State(filepath.Join(c.config.Dir, p.is.path)); err == nil {
			after = s
		}
	}
	if p.was == nil || !p.was.stat.regular() {
		return after, true
	}
	same, known := c.holds(p.was.held, content)
	if content == nil || !known {
		same = p.was.stat == p.is.stat
	}
	switch {
	case content != nil && known && same && p.was.held.object == "":
		again := *p.was.held
		again.at = c.is.began
		p.is.held = &again
	case content != nil && p.is.held == nil:
		c.keep(p.is, content)
	}
	return after, !same || p.was.stat.perm() != p.is.stat.perm()
}

// settled returns what a file holds; nil if that cannot be had. Other tools may be
// changing it: it is looked at again until what it is and what it holds belong
// together. A file that is gone by then has no stat any more.
func (c *comparison) settled(f *file) []byte {
	for range 3 {
		if f.stat.size > preimage.MaxBlob {
			return nil
		}
		content, err := c.content(f)
		if content != nil || err != nil && !preimage.Missing(err) {
			return content
		}
		now, err := lstat(filepath.Join(c.config.Dir, f.path))
		if err != nil || !now.regular() {
			f.stat = stat{} // what has come in its place is found with the next look
			return nil
		}
		f.stat = now
	}
	return nil
}

// keep holds content, which a file was found to hold, if there is room: by the
// time that all others are read, it may have been changed again.
func (c *comparison) keep(f *file, content []byte) {
	if f.stat.size > c.memory.share()-c.memory.used {
		return
	}
	if from, err := c.contents.put(bytes.NewReader(content), f.stat.size); err == nil {
		f.held = &held{from: from, size: f.stat.size, at: c.is.began}
		c.memory.take(f.held)
	}
}

// unrecorded counts the changes that have no event of their own.
type unrecorded struct{ beyond, unnamed int }

// choose returns what is recorded of what may differ: of more than the limit of
// changes what was not made and what git does not ignore first, and nothing that the
// log cannot name.
func (c *comparison) choose(candidates []pair) (pairs []pair, left unrecorded) {
	if len(candidates) > c.config.changes {
		c.sort(candidates)
	}
	for _, p := range candidates {
		full, named := len(pairs) == c.config.changes, utf8.ValidString(p.path())
		differs := (full || !named) && p.differs()
		if !differs {
			p.after, differs = c.differs(p)
		}
		switch {
		case !differs:
		case !named:
			left.unnamed++
		case full:
			left.beyond++
		default:
			pairs = append(pairs, p)
		}
	}
	return pairs, left
}

// sort puts first what is worth most being recorded.
func (c *comparison) sort(pairs []pair) {
	kept := map[string]bool{}
	if list, err := walk.Files(c.ctx, c.config.Dir, walk.Options{Hidden: true}); err == nil {
		for _, e := range list.Entries {
			kept[e.Path] = true
		}
	}
	worth := func(p pair) int {
		switch {
		case p.was != nil && p.is == nil, p.was != nil && kept[p.path()]:
			return 0
		case p.was != nil, kept[p.path()]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return worth(a) - worth(b) })
}

// tell records, and tells the person, that changes are not recorded, if any are not.
func (c *comparison) tell(recorded int, left unrecorded) {
	n := left.beyond + left.unnamed
	if n == 0 {
		return
	}
	var why []string
	if left.beyond > 0 {
		why = append(why, fmt.Sprintf("no more than %d changes of a call are kept", c.config.changes))
	}
	if left.unnamed > 0 {
		why = append(why, "the log takes no name that is not UTF-8")
	}
	m := Missed{Files: n, Why: strings.Join(why, ", and ")}
	c.record(m.event(c.callID))
	if c.config.Notice == nil {
		return
	}
	which, those := fmt.Sprintf("%d of which are", n), "those as they are"
	if n == 1 {
		which, those = "1 of which is", "it as it is"
	}
	if n+recorded == 1 {
		which = "which is"
	}
	c.config.Notice(fmt.Sprintf("A command changed %s, %s not recorded: %s. `ikigai undo` leaves %s.", files(n+recorded), which, m.Why, those))
}

// add adds the change event of a file. content, or an error, is what git gave
// back of it, if it was asked.
func (c *comparison) add(p pair, content []byte, err error) {
	d := ikigai.ChangeData{CallID: c.callID, Path: filepath.Join(c.config.Dir, p.path()), Noticed: true, After: &p.after}
	if p.was == nil {
		d.NewDirs = c.was.newDirs(p.path())
		c.put(d, nil)
		return
	}
	d.Existed = true
	if h := p.was.held; p.was.stat.link() {
		d.Link = h.link
		c.put(d, nil)
		return
	} else if h == nil {
		err = errUnread
	} else if h.reason != "" {
		d.NotKept = h.reason
	} else if h.object == "" {
		content, err = c.contents.get(h.from, h.size)
	}
	d.Mode, d.Size, d.Owner = p.was.stat.perm(), p.was.stat.size, p.was.stat.owner()
	if err == nil && d.NotKept == "" && int64(len(content)) != d.Size {
		err = errObject
	}
	if err != nil {
		d.NotKept, content = reasonOf(err), nil
	}
	if d.NotKept == "" {
		d.Blob = blob.Hash(content)
		if content == nil {
			content = []byte{}
		}
	}
	c.put(d, content)
}

// put adds an event, and records what there is when it is enough.
func (c *comparison) put(d ikigai.ChangeData, content []byte) {
	e := ikigai.NewEvent(ikigai.KindChange, d.Path, d)
	if d.Blob != "" {
		e.Blobs = []ikigai.Blob{{Hash: d.Blob, Bytes: content}}
	}
	c.events, c.bytes = append(c.events, e), c.bytes+len(content)
	if len(c.events) >= maxBatchFiles || c.bytes >= maxBatchBytes {
		c.flush()
	}
}

func (c *comparison) flush() {
	if len(c.events) > 0 {
		c.record(c.events...)
	}
	c.events, c.bytes = nil, 0
}
