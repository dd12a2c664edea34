package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ikigai"
)

// maxToldFiles is the most files that the model is told of by name.
const maxToldFiles = 20

// undoing is an undo, or a redo, of files.
type undoing struct {
	seq   ikigai.Seq
	redo  bool
	files []string
}

// addUndo keeps what the model is to be told with the next statement.
func (l *Line) addUndo(e ikigai.Event) {
	var d ikigai.UndoData
	if e.DecodeData(&d) == nil {
		l.undoings = append(l.undoings, undoing{e.Seq, d.Redo, d.Files})
	}
}

// withUndone returns a statement with what the conversation does not know yet
// of files that were changed back. No rewind changes files: what came on another
// branch is told, too.
func (l *Line) withUndone(s step) step {
	if s.message.Kind != ikigai.KindUser || blank(s.message) {
		return s
	}
	times := map[string]int{} // that a file was changed back, less those that it was changed forth
	for _, u := range l.undoings {
		by := 1
		if u.redo {
			by = -1
		}
		for _, path := range u.files {
			if u.seq > l.now.knows {
				times[path] += by
			}
		}
	}
	told := tellFiles("The person has taken back changes of these files, which are as they were before: ", times, 1) +
		tellFiles("The person has undone an undo, and these files are changed again: ", times, -1)
	s.message.Content, s.told = told+s.message.Content, len(told)
	return s
}

// tellFiles names the files that were changed in the direction of sign.
func tellFiles(what string, times map[string]int, sign int) string {
	var files []string
	for path, n := range times {
		if n*sign > 0 {
			files = append(files, quoted(ikigai.CleanText(path)))
		}
	}
	if len(files) == 0 {
		return ""
	}
	slices.Sort(files)
	more := ""
	if n := len(files) - maxToldFiles; n > 0 {
		files, more = files[:maxToldFiles], fmt.Sprintf(" and %d more", n)
	}
	return "[" + what + strings.Join(files, ", ") + more + ". Read them before you rely on what they hold.]\n\n"
}

// quoted returns a name as it is, or in quotes where it could pass for more than
// a name: with control characters or line breaks.
func quoted(name string) string {
	breaks := func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
	if strings.ContainsFunc(name, breaks) {
		return strconv.Quote(name)
	}
	return name
}
