package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/tui"
)

// outline is what came of each statement of a session. It is a function of its
// events.
type outline struct {
	statements map[ikigai.Seq]*outlined
	now        *outlined
	inRound    bool // the last event of the conversation was a call
}

// outlined is a statement.
type outlined struct {
	text  string
	turns int
	files []string // that were changed, in order
}

// Add takes in the session's next event.
func (o *outline) Add(e ikigai.Event) {
	if e.Kind == ikigai.KindChange && o.now != nil {
		o.change(e)
	}
	if e.Interaction != ikigai.Main || !e.Kind.Conversation() {
		return
	}
	switch {
	case e.IsStatement():
		if o.statements == nil {
			o.statements = map[ikigai.Seq]*outlined{}
		}
		o.now = &outlined{text: e.Content}
		o.statements[e.Seq] = o.now
	case e.Kind == ikigai.KindToolCall && !o.inRound && o.now != nil:
		o.now.turns++
	}
	o.inRound = e.Kind == ikigai.KindToolCall
}

// change takes in that a file was changed, unless it was changed back.
func (o *outline) change(e ikigai.Event) {
	var d ikigai.ChangeData
	if e.DecodeData(&d) == nil && (d.CallID != "" || d.Noticed) && d.Unrecorded == "" && !slices.Contains(o.now.files, d.Path) {
		o.now.files = append(o.now.files, d.Path)
	}
}

// about says what came of a statement, in few words.
func (s *outlined) about(dir string) string {
	const most = 3 // files that are named
	words := []string{render.Count(s.turns, "turn")}
	if n := len(s.files); n > 0 {
		names := make([]string, min(n, most))
		for i := range names {
			names[i] = below(dir, s.files[i])
		}
		if n > most {
			names = append(names, fmt.Sprintf("%d more", n-most))
		}
		words = append(words, "changed "+strings.Join(names, ", "))
	}
	return inOneLine(strings.Join(words, " · "))
}

// below returns path as seen from dir, if it lies below it.
func below(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// statementPick returns the statements of the conversation to pick from, the last
// first: their objectives, where a model or the person has put them into words,
// and what came of them. seqs are their events.
func (f *front) statementPick(ctx context.Context, w *work, past *timeline) (pick tui.Pick, seqs []ikigai.Seq, err error) {
	var o outline
	if err := fold(f.events(ctx, w), o.Add); err != nil {
		return pick, nil, err
	}
	dir := f.whereabouts().dir
	objectives := map[ikigai.Seq]string{}
	for _, objective := range w.purpose.Objectives() {
		objectives[objective.Statement] = objective.Text
	}
	for m := past.now(); m != nil; m = m.before {
		s := o.statements[m.seq]
		if m.statement == "" || s == nil {
			continue
		}
		label := objectives[m.seq]
		if label == "" {
			label = m.statement
		}
		pick.Items = append(pick.Items, tui.Item{Label: inOneLine(label), About: s.about(dir)})
		seqs = append(seqs, m.seq)
	}
	pick.Preview = func(i, _ int) string { return o.statements[seqs[i]].preview(dir) }
	return pick, seqs, nil
}

// preview returns the whole of a statement, and the files that were changed for it.
func (s *outlined) preview(dir string) string {
	text := strings.TrimRight(safetext.Terminal(s.text), "\n") + "\n"
	if len(s.files) > 0 {
		text += "\n"
	}
	for _, path := range s.files {
		text += "changed " + inOneLine(below(dir, path)) + "\n"
	}
	return text
}
