package undo

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ikigai"
	"ikigai/internal/preimage"
)

// maxCompared is the most bytes of a file that a Difference compares.
const maxCompared = 8 << 20

// Difference is what became of a file since a place in the session, whoever
// changed it.
type Difference struct {
	Path    string
	Was, Is ikigai.FileState
	// Others reports whether the session is not all that has changed the file.
	Others bool
	// Unknown is why there is no patch; "" if there is one.
	Unknown string

	was, is []byte
}

// Since returns what was there, before an event, of the files that were changed at it
// or behind it, by path. What was taken back since is not among it.
func (l *Ledger) Since(seq ikigai.Seq) []File {
	byPath := map[string]*File{}
	last := map[string]*change{}
	for _, c := range l.changes {
		if c.undone || c.seq < seq {
			continue
		}
		f := byPath[c.Path]
		if f == nil {
			f = &File{Path: c.Path, Target: c.ChangeData, want: c.before(), left: *l.left[c.Path]}
			byPath[c.Path] = f
		} else if !last[c.Path].left.fits(c.before(), 0) {
			f.Note = "it was changed from outside in between"
		}
		last[c.Path] = c
	}
	all := make([]File, 0, len(byPath))
	for _, f := range byPath {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Differences yields what became of those files that are not as they were, one at a
// time, until ctx ends. It changes nothing.
func (w *Worker) Differences(ctx context.Context, files []File) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				yield(Difference{}, err)
				return
			}
			if d := w.difference(ctx, f); d.Unknown != "" || !same(d.Is, d.Was) {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func (w *Worker) difference(ctx context.Context, f File) Difference {
	now, info, err := preimage.State(f.Path)
	f.adopt(now, info)
	d := Difference{Path: f.Path, Was: f.want, Is: now, Others: f.Note != ""}
	switch {
	case err != nil:
		d.Unknown = unreadable(info, err)
		return d
	case f.Target.NotKept != "":
		d.Unknown = notKept + f.Target.NotKept
	case same(now, f.want):
		return d
	default:
		if d.was, d.is, err = w.contents(ctx, f, now, maxCompared); err != nil {
			d.Unknown = err.Error()
		} else if bytes.IndexByte(d.was, 0) >= 0 || bytes.IndexByte(d.is, 0) >= 0 {
			d.Unknown = "it is no text"
		}
	}
	d.Others = d.Others || !f.left.fits(now, changedAt(info))
	return d
}

// Mode says how permissions differ where a patch does not say so, "" where they do
// not.
func (d Difference) Mode() string {
	if d.Was.Mode == 0 || d.Is.Mode == 0 || d.Was.Mode == d.Is.Mode || gitMode(d.Was) != gitMode(d.Is) {
		return ""
	}
	return fmt.Sprintf("its permissions were %04o and are %04o", d.Was.Mode, d.Is.Mode)
}

// Patch returns the difference as `git apply` takes it, with the file under a name;
// "" where a patch has nothing to say.
func (d Difference) Patch(name string) string {
	switch {
	case d.Unknown != "":
		return ""
	case d.Was.Exists && d.Is.Exists && (d.Was.Link == "") != (d.Is.Link == ""):
		gone, come := d, d // Git has no patch that makes a link of a file
		gone.Is, gone.is, come.Was, come.was = ikigai.FileState{}, nil, ikigai.FileState{}, nil
		return gone.Patch(name) + come.Patch(name)
	}
	from, to := quoted("a/"+name), quoted("b/"+name)
	head := "diff --git " + from + " " + to + "\n"
	switch was, is := gitMode(d.Was), gitMode(d.Is); {
	case !d.Was.Exists:
		head += "new file mode " + is + "\n"
		from = "/dev/null"
	case !d.Is.Exists:
		head += "deleted file mode " + was + "\n"
		to = "/dev/null"
	case was != is && d.Was.Mode != 0:
		head += "old mode " + was + "\nnew mode " + is + "\n"
	}
	if hunks := hunks(d.was, d.is); hunks != "" {
		return head + "--- " + from + "\n+++ " + to + "\n" + hunks
	} else if strings.Count(head, "\n") > 1 {
		return head
	}
	return ""
}

// Lines counts the lines that are added and taken away. It reports false where
// they were not compared.
func (d Difference) Lines() (added, removed int, ok bool) {
	if d.Unknown != "" {
		return 0, 0, false
	}
	added, removed = countLines(hunks(d.was, d.is))
	return added, removed, true
}

// contextLines is how many lines a hunk has around what changes.
const contextLines = 3

// hunks returns those of a unified difference, "" where there is none. What both begin
// and end with is not compared but for the context: a change is often small, and a
// file large.
func hunks(was, is []byte) string {
	head := sharedHead(was, is)
	tail := sharedTail(was[len(head):], is[len(head):])
	context := lastLines(head, contextLines)
	start := len(head) - len(context)
	skipped := bytes.Count(head[:start], []byte("\n"))
	behind := len(tail) - len(firstLines(tail, contextLines))
	_, all, _ := strings.Cut(string(diff.Diff("a", was[start:len(was)-behind], "b", is[start:len(is)-behind])), "\n+++ b\n")
	if skipped == 0 {
		return all
	}
	var b strings.Builder
	for line := range strings.Lines(all) {
		var from, lines, to, others int
		if n, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &lines, &to, &others); n == 4 {
			line = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", from+skipped, lines, to+skipped, others)
		}
		b.WriteString(line)
	}
	return b.String()
}

// sharedHead returns the lines that both begin with, as far as they end with a newline.
func sharedHead(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:bytes.LastIndexByte(a[:n], '\n')+1]
}

// sharedTail returns the lines that both end with.
func sharedTail(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	tail := a[len(a)-n:]
	if n == len(a) && n == len(b) {
		return tail
	}
	return tail[bytes.IndexByte(tail, '\n')+1:] // the line that it begins in differs before it
}

// firstLines returns the first n lines of text.
func firstLines(text []byte, n int) []byte {
	end := 0
	for range n {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// lastLines returns the last n lines of text, which ends with a newline if it is not
// empty.
func lastLines(text []byte, n int) []byte {
	start := len(text)
	for range n {
		if start == 0 {
			break
		}
		start = bytes.LastIndexByte(text[:start-1], '\n') + 1
	}
	return text[start:]
}

// countLines counts the lines that hunks add and take away.
func countLines(hunks string) (added, removed int) {
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// gitMode is what Git keeps of a file's mode.
func gitMode(s ikigai.FileState) string {
	switch {
	case s.Link != "":
		return "120000"
	case fs.FileMode(s.Mode)&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// quoted returns a name as Git writes it in a patch: in quotation marks where it
// holds what would end or break the line.
func quoted(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
