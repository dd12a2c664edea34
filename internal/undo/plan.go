package undo

import (
	"io/fs"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/preimage"
)

// Plan is what is to be made of files.
type Plan struct {
	Redo      bool
	Begun     bool         // it goes on with an undo that has not come to its end
	Statement int          // from 1: the first one whose changes are taken back; 0 where all are of none
	Last      int          // the last one
	To        ikigai.Seq   // files become what they were before this event
	Changes   []ikigai.Seq // the change events that are taken back
	Files     []File       // by path
}

// File is what is to be made of one file.
type File struct {
	Path   string
	Target ikigai.ChangeData // what was there: its side before the change
	Note   string            // where Target is not what was there at first: why
	want   ikigai.FileState
	left   trace
	events []ikigai.Seq // of the changes that are taken back by it
}

// Last plans to take back the last statement that changed files and was not
// taken back yet. It reports false if there is none.
func (l *Ledger) Last() (Plan, bool) {
	last := l.LastBefore(len(l.statements) + 1)
	p, ok := l.plan(func(c *change) bool { return c.statement >= last })
	if last > 0 {
		p.To = l.statements[last-1].Seq
	}
	return p, ok
}

// LastBefore returns the last statement before statement n whose changes were
// not all taken back, or 0.
func (l *Ledger) LastBefore(n int) (last int) {
	for _, c := range l.changes {
		if !c.undone && c.statement < n {
			last = max(last, c.statement)
		}
	}
	return last
}

// Before plans to make files what they were before an event: all changes at it
// and behind it that were not taken back yet. It reports false if there are
// none.
func (l *Ledger) Before(seq ikigai.Seq) (Plan, bool) {
	p, ok := l.plan(func(c *change) bool { return c.seq >= seq })
	p.To = seq
	return p, ok
}

// plan plans to take back those changes that are in it and were not taken back
// yet.
func (l *Ledger) plan(in func(*change) bool) (Plan, bool) {
	var all []*change
	for _, c := range l.changes {
		if !c.undone && in(c) {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return Plan{}, false
	}
	p := l.planOf(all)
	p.Begun = len(l.own) > 0
	p.concern(all)
	return p, true
}

// Redo plans to take back the last undo. It reports false if there is none, or
// if files were changed since.
func (l *Ledger) Redo() (Plan, bool) {
	if len(l.undone) == 0 {
		return Plan{}, false
	}
	last := l.undone[len(l.undone)-1]
	p := l.planOf(last.own)
	p.Redo, p.To = true, last.event
	p.concern(last.changes)
	return p, true
}

// concern says which statements the plan is about.
func (p *Plan) concern(changes []*change) {
	for i, c := range changes {
		if i == 0 {
			p.Statement = c.statement
		}
		p.Statement, p.Last = min(p.Statement, c.statement), max(p.Last, c.statement)
	}
}

// planOf plans to take back changes, given in order.
func (l *Ledger) planOf(all []*change) Plan {
	var p Plan
	byPath := map[string][]*change{}
	for _, c := range all {
		p.Changes = append(p.Changes, c.event)
		byPath[c.Path] = append(byPath[c.Path], c)
	}
	for path, changes := range byPath {
		p.Files = append(p.Files, l.file(path, changes))
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p
}

// file plans what becomes of a path after its changes, given in order. Where
// others have changed the file between two of them, what they left is the goal:
// to go further back would take away what is theirs.
func (l *Ledger) file(path string, changes []*change) File {
	f := File{Path: path, left: *l.left[path]}
	for _, c := range changes {
		f.events = append(f.events, c.event)
	}
	first := len(changes) - 1
	for ; first > 0; first-- {
		if !changes[first-1].left.fits(changes[first].before(), 0) {
			f.Note = "it was changed from outside in between; it is as it was after that"
			break
		}
	}
	f.Target, f.want = changes[first].ChangeData, changes[first].before()
	return f
}

// fits reports whether s may be what the session has left. changed is when the
// file was written last, as far as that is known.
func (t trace) fits(s ikigai.FileState, changed ikigai.Micros) bool {
	for _, left := range t.states {
		if !t.bits {
			s.Mode, left.Mode = s.Mode&permissions, left.Mode&permissions
		}
		if same(s, left) && (left.SHA256 != "" || left.Link != "" || !left.Exists || changed <= t.until) {
			return true
		}
	}
	return t.states == nil && changed <= t.until
}

// adopt has a file keep the special bits that it has now, where it is not known which
// it had.
func (f *File) adopt(now ikigai.FileState, info fs.FileInfo) {
	bits := now.Mode &^ permissions
	if bits == 0 || tellsBits(f.Target) || !f.want.Exists || f.want.Link != "" {
		return
	}
	f.want.Mode |= bits
	f.Target.Mode, f.Target.Owner = f.want.Mode, preimage.Owner(info)
}

// same reports whether two states are one, as far as is known of both. A size
// below 0 is not known, and neither is a mode of 0 beside it.
func same(a, b ikigai.FileState) bool {
	if a.Exists != b.Exists || a.Link != b.Link {
		return false
	}
	if !a.Exists || a.Link != "" {
		return true
	}
	unknown := func(s ikigai.FileState) bool { return s.Mode == 0 && s.Size < 0 }
	if a.Mode != b.Mode && !unknown(a) && !unknown(b) {
		return false
	}
	if a.SHA256 != "" && b.SHA256 != "" {
		return a.SHA256 == b.SHA256
	}
	return a.Size < 0 || b.Size < 0 || a.Size == b.Size
}
