package undo

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ikigai"
	"ikigai/internal/preimage"
)

// Difference is what became of a file since a place in the session, whoever
// changed it.
type Difference struct {
	Path string
	// Note is what the patch does not say of the file, as that others have changed it,
	// too, or why there is no patch; "" for nothing.
	Note string
	// Was and Is are what was there and what is there now.
	Was, Is ikigai.FileState

	was, is  []byte
	compared bool
}

// Differences returns what became of those files of a plan that are not as it would
// make them, in the order of their paths. It changes nothing.
func (w *Worker) Differences(ctx context.Context, p Plan) ([]Difference, error) {
	var all []Difference
	for _, f := range p.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now, info, err := preimage.State(f.Path)
		d := Difference{Path: f.Path, Note: f.Note, Was: f.want, Is: now}
		switch {
		case err != nil:
			d.Note = unreadable(info, err)
		case same(now, f.want) && f.Target.NotKept == "":
			continue
		case f.Target.NotKept != "":
			d.Note = notKept + f.Target.NotKept
		default:
			if !f.left.fits(now, changedAt(info)) {
				d.Note = "others have changed it, too"
			}
			w.compare(ctx, f, &d)
		}
		all = append(all, d)
	}
	return all, nil
}

// compare reads what a patch of the file is made of.
func (w *Worker) compare(ctx context.Context, f File, d *Difference) {
	was, is, err := w.contents(ctx, f, d.Is)
	switch {
	case err != nil:
		d.Note = err.Error()
		return
	case d.Was.Mode == 0 || d.Is.Mode == 0 || d.Was.Mode == d.Is.Mode:
	case gitMode(d.Was) == gitMode(d.Is) && d.Note == "":
		d.Note = fmt.Sprintf("its permissions were %04o and are %04o", d.Was.Mode, d.Is.Mode)
	}
	d.was, d.is, d.compared = was, is, true
}

// Patch returns the difference as `git apply` takes it, with the file under a name;
// "" where there is none, which Note says the reason of.
func (d Difference) Patch(name string) string {
	switch {
	case !d.compared:
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
	added, removed = countLines(hunks(d.was, d.is))
	return added, removed, d.compared
}

// hunks returns those of a unified difference, "" where there is none.
func hunks(was, is []byte) string {
	_, all, _ := strings.Cut(string(diff.Diff("a", was, "b", is)), "\n+++ b\n")
	return all
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
