package history

import (
	"fmt"
	"strings"

	"ikigai"
)

// maxToldFiles is the most files that the model is told of by name.
const maxToldFiles = 20

// undoing is an undo with what the model is told of it.
type undoing struct {
	seq  ikigai.Seq
	text string
}

// addUndo keeps what the model is to be told with the next statement.
func (l *Line) addUndo(e ikigai.Event) {
	var d ikigai.UndoData
	if e.DecodeData(&d) != nil || len(d.Files) == 0 {
		return
	}
	l.undoings = append(l.undoings, undoing{e.Seq, tellUndo(d)})
}

// withUndone returns a statement with what the conversation does not know yet
// of files that were changed back. No rewind changes files: what came on another
// branch is told, too.
func (l *Line) withUndone(s step) step {
	if s.message.Kind != ikigai.KindUser || blank(s.message) {
		return s
	}
	var told strings.Builder
	for _, u := range l.undoings {
		if u.seq > l.now.knows {
			told.WriteString(u.text + "\n\n")
		}
	}
	s.message.Content = told.String() + s.message.Content
	return s
}

// tellUndo says what an undo did to files.
func tellUndo(d ikigai.UndoData) string {
	what := "The person has taken back changes of these files, which are as they were before: "
	if d.Redo {
		what = "The person has undone that, and these files have the changes again: "
	}
	files := d.Files
	more := ""
	if n := len(files) - maxToldFiles; n > 0 {
		files, more = files[:maxToldFiles], fmt.Sprintf(" and %d more", n)
	}
	return "[" + what + ikigai.CleanText(strings.Join(files, ", ")) + more + ". Read them before you rely on what they hold.]"
}
