package undo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ikigai"
	"ikigai/internal/preimage"
)

// Worker looks at files and makes of them what a Plan says.
type Worker struct {
	// Blob returns the bytes with the given hash.
	Blob func(ctx context.Context, hash string) ([]byte, error)
	// Record makes events durable. It is not needed to look.
	Record func(ctx context.Context, events ...ikigai.Event) error
	// KeepDir is where files go that are too large for a store.
	KeepDir string

	// step, which tests set, is called before anything is changed.
	step func(what string)
}

// Action is what becomes of a file.
type Action string

const (
	Restored Action = "restored" // it has other content, permissions or another target again
	Removed  Action = "removed"  // it was not there before
	Created  Action = "created"  // it is there again
	Already  Action = "already"  // it is as it was
	Left     Action = "left"     // it is left as it is
	Failed   Action = "failed"   // the system did not let it be changed; it can be tried again
)

// Step is what becomes of one file, and why.
type Step struct {
	File
	Action  Action
	Reason  string
	Added   int  // lines
	Removed int  // lines
	Lines   bool // Added and Removed are known

	now     ikigai.FileState
	changed ikigai.ChangeData // what was kept before the change
}

// Look returns what the plan would make of the files as they are now, in the
// order of their paths. It changes nothing.
func (w *Worker) Look(ctx context.Context, p Plan) ([]Step, error) {
	steps := make([]Step, 0, len(p.Files))
	for _, f := range p.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := Step{File: f, Reason: f.Note}
		w.look(ctx, &s)
		if s.Action == Created && isDir(s.Path) && !p.below(s.Path) {
			s.leave(dirInPlace)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func (w *Worker) look(ctx context.Context, s *Step) {
	now, info, err := preimage.State(s.Path)
	s.now = now
	s.adopt(now, info)
	switch {
	case err != nil:
		s.leave(unreadable(info, err))
	case same(now, s.want) && s.Target.NotKept == "":
		s.Action = Already
	case !s.left.fits(now, changedAt(info)):
		s.leave(s.differs(info))
	case !s.want.Exists:
		s.Action = Removed
		w.count(ctx, s)
	case s.Target.NotKept != "":
		s.leave(notKept + s.Target.NotKept)
	default:
		s.Action = Restored
		if !now.Exists {
			s.Action = Created
		}
		if err := w.have(ctx, s.File); err != nil {
			s.leave(err.Error())
			return
		}
		w.count(ctx, s)
	}
}

// Why a file does not come back.
const (
	dirInPlace = "a directory is in its place"
	notKept    = "what it was before was not kept: "
)

// unreadable says why it is not known what is at a path now.
func unreadable(info fs.FileInfo, err error) string {
	if info != nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return "what is in its place is no file"
	}
	return reasonOf(err)
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// below reports whether the plan is about what lies below path, too: what is a
// directory now may go with it.
func (p Plan) below(path string) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return strings.HasPrefix(f.Path, path+"/") })
}

func (s *Step) leave(reason string) { s.Action, s.Reason = Left, reason }

// differs says how a file is not what the session has left.
func (s *Step) differs(info fs.FileInfo) string {
	had := len(s.left.states) == 0 || s.left.states[len(s.left.states)-1].Exists
	switch {
	case info != nil && info.IsDir():
		return "a directory is there since"
	case !s.now.Exists:
		return "it was removed since"
	case !had:
		return "it was made anew since"
	}
	return "it was changed since"
}

// changedAt returns when a file was written last; 0 if it is not there.
func changedAt(info fs.FileInfo) ikigai.Micros {
	if info == nil {
		return 0
	}
	return ikigai.MicrosOf(info.ModTime())
}

// reasonOf returns what went wrong in one line, without the path that stands beside it.
func reasonOf(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// have reports an error where what a file held is not to be had.
func (w *Worker) have(ctx context.Context, f File) error {
	var err error
	switch {
	case f.Target.Link != "":
	case f.Target.File != "":
		_, err = os.Stat(f.Target.File)
	default:
		_, err = w.Blob(ctx, f.Target.Blob)
	}
	if err != nil {
		return fmt.Errorf("what it was before cannot be read: %s", reasonOf(err))
	}
	return nil
}

// maxBatch bounds the files whose content is kept in one go, and their bytes.
const (
	maxBatchFiles = 256
	maxBatchBytes = 16 << 20
)

// Apply makes of the files what Look has found, as far as they are still as
// they were then: what is there is recorded in change events first, and at the
// end what was done in one undo event. It returns what came of each file. After
// an error the same plan can be made again: it goes on where this one ended.
// Where no file is as it was, nothing is recorded as taken back.
func (w *Worker) Apply(ctx context.Context, p Plan, steps []Step) ([]Step, error) {
	steps = slices.Clone(steps)
	// What is removed comes first: a file may have to stand where a directory
	// was made for others.
	slices.SortStableFunc(steps, func(a, b Step) int { return order(a) - order(b) })
	for start := 0; start < len(steps); {
		end, bytes := start, int64(0)
		for end < len(steps) && order(steps[end]) == order(steps[start]) && end-start < maxBatchFiles &&
			(end == start || bytes+steps[end].now.Size <= maxBatchBytes) {
			bytes += steps[end].now.Size
			end++
		}
		if err := w.batch(ctx, steps[start:end]); err != nil {
			return nil, err
		}
		start = end
	}
	slices.SortFunc(steps, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
	if !Done(steps) {
		return steps, nil
	}
	w.at("record the undo")
	return steps, w.Record(ctx, undoEvent(p, steps))
}

// Done reports whether any file is as it was: if none is, nothing was taken back.
func Done(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Acts() || s.Action == Already })
}

func order(s Step) int {
	if s.Action == Removed || s.gone() {
		return 0
	}
	return 1
}

// gone reports whether the file was removed already. Directories that were made
// with it may be left of an undo that did not come to its end.
func (s Step) gone() bool { return s.Action == Already && !s.want.Exists }

// batch keeps what is there of some files, and then changes them.
func (w *Worker) batch(ctx context.Context, steps []Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var events []ikigai.Event
	for i := range steps {
		s := &steps[i]
		if s.gone() {
			w.removeDirs(s.Path, s.Target.NewDirs)
		}
		if s.Acts() {
			if event, err := w.keep(s); err != nil {
				s.Action, s.Reason = Failed, reasonOf(err)
			} else if s.Acts() {
				events = append(events, event)
			}
		}
	}
	if len(events) == 0 {
		return nil
	}
	w.at("record what is there")
	if err := w.Record(ctx, events...); err != nil {
		return err
	}
	dirs := map[string]bool{}
	for i := range steps {
		s := &steps[i]
		if !s.Acts() {
			continue
		}
		if err := w.do(ctx, s); err != nil {
			s.Action, s.Reason = Failed, reasonOf(err)
			continue
		}
		dirs[filepath.Dir(s.Path)] = true
	}
	for dir := range dirs {
		_ = preimage.SyncDir(dir) // it may be gone with its last file
	}
	return nil
}

// Acts reports whether the step changes anything.
func (s Step) Acts() bool {
	return s.Action == Restored || s.Action == Removed || s.Action == Created
}

// keep returns the change event of a file that is about to be changed back.
func (w *Worker) keep(s *Step) (ikigai.Event, error) {
	if isDir(s.Path) {
		s.leave(dirInPlace)
		return ikigai.Event{}, nil
	}
	data, blobs, err := preimage.Take(s.Path, w.KeepDir)
	if err != nil {
		return ikigai.Event{}, err
	}
	if is := (&change{ChangeData: data}).before(); !same(is, s.now) {
		s.leave("it was changed just now")
		return ikigai.Event{}, nil
	}
	after := s.want
	data.After = &after
	s.changed = data
	event := ikigai.NewEvent(ikigai.KindChange, s.Path, data)
	event.Blobs = blobs
	for i := range blobs {
		if s.Target.Blob != blobs[i].Hash {
			event.Blobs[i].Like = s.Target.Blob
		}
	}
	return event, nil
}

// do changes one file, and says so where not all of its mode comes back.
func (w *Worker) do(ctx context.Context, s *Step) error {
	if err := w.change(ctx, s); err != nil || s.want.Mode&^permissions == 0 {
		return err
	}
	info, err := os.Lstat(s.Path)
	if err != nil {
		return err
	}
	if is := preimage.Mode(info.Mode()); s.want.Mode&^is != 0 {
		s.Reason = strings.TrimPrefix(s.Reason+"; ", "; ") +
			fmt.Sprintf("its mode is %04o, not %04o: setuid and setgid come back where owner and group are the same", is, s.want.Mode)
	}
	return nil
}

func (w *Worker) change(ctx context.Context, s *Step) error {
	switch {
	case s.Action == Removed:
		w.at("remove " + s.Path)
		if err := os.Remove(s.Path); err != nil {
			return err
		}
		w.removeDirs(s.Path, s.Target.NewDirs)
		return nil
	case s.Target.Link != "":
		return w.link(s)
	case s.now.SHA256 == s.want.SHA256 && s.now.Exists:
		w.at("chmod " + s.Path)
		info, err := os.Lstat(s.Path)
		if err != nil {
			return err
		}
		return os.Chmod(s.Path, mode(s.Target, info))
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o777); err != nil {
		return err
	}
	return w.write(s, func(to io.Writer) error { return w.content(ctx, s.Target, to) })
}

// removeDirs removes the directories that were made with a file, as far as they
// are empty.
func (w *Worker) removeDirs(path string, n int) {
	for range n {
		path = filepath.Dir(path)
		w.at("remove " + path)
		if syscall.Rmdir(path) != nil { // never a file
			return
		}
	}
}

// content writes what a file held to to.
func (w *Worker) content(ctx context.Context, d ikigai.ChangeData, to io.Writer) error {
	if d.File == "" {
		bytes, err := w.Blob(ctx, d.Blob)
		if err != nil {
			return err
		}
		_, err = to.Write(bytes)
		return err
	}
	from, _, err := preimage.Open(d.File)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}

func (w *Worker) at(what string) {
	if w.step != nil {
		w.step(what)
	}
}

// undoEvent returns the event that says what was done.
func undoEvent(p Plan, steps []Step) ikigai.Event {
	d := ikigai.UndoData{Redo: p.Redo, To: p.To, Changes: []ikigai.Seq{}, Files: []string{}}
	again := map[ikigai.Seq]bool{} // can be tried again
	for _, s := range steps {
		switch s.Action {
		case Left, Failed:
			for _, seq := range s.events {
				again[seq] = s.Target.NotKept == ""
			}
			d.Left = append(d.Left, ikigai.LeftFile{Path: s.Path, Reason: s.Reason})
		default:
			d.Files = append(d.Files, s.Path)
		}
	}
	for _, seq := range p.Changes {
		if !again[seq] {
			d.Changes = append(d.Changes, seq)
		}
	}
	return ikigai.NewEvent(ikigai.KindUndo, summary(d), d)
}

// maxNamed is the most files that a summary names.
const maxNamed = 10

// summary says in a line what an undo has done.
func summary(d ikigai.UndoData) string {
	what := "changes of %s taken back"
	if d.Redo {
		what = "an undo of %s taken back"
	}
	text := fmt.Sprintf(what, files(len(d.Files)))
	for i, left := range d.Left {
		switch i {
		case 0:
			text += fmt.Sprintf("; %s left: ", files(len(d.Left)))
		case maxNamed:
			return text + fmt.Sprintf(" and %d more", len(d.Left)-i)
		default:
			text += ", "
		}
		text += fmt.Sprintf("%s (%s)", left.Path, left.Reason)
	}
	return text
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
