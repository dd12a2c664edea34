package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
	"ikigai/internal/undo"
)

// undoText is what a person is told of an undo.
func (t *taking) undoText(p *past, done took) string {
	plan, steps := done.plan, done.steps
	var b strings.Builder
	b.WriteString(undoTitle(p, plan, steps, t.dryRun) + ":\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "  %-8s  %s", s.Action, t.name(s.Path))
		if s.Lines && s.Added+s.Removed > 0 {
			fmt.Fprintf(&b, "  +%d -%d", s.Added, s.Removed)
		}
		if s.Reason != "" {
			b.WriteString(": " + s.Reason)
		}
		b.WriteString("\n")
	}
	for _, text := range unknownText(done.lost, done.missed) {
		b.WriteString("! " + text + ".\n")
	}
	switch acts := slices.ContainsFunc(steps, undo.Step.Acts); {
	case !undo.Done(steps):
		b.WriteString(t.furtherText(p, plan))
	case t.dryRun:
		b.WriteString("Nothing was changed; without --dry-run it will be.\n")
	case !acts:
		b.WriteString("Nothing was changed.\n")
	case plan.Redo:
		b.WriteString(t.command("undo") + " takes them back again.\n")
	default:
		b.WriteString(t.command("redo") + " brings them back.\n")
	}
	return b.String()
}

// name returns a path as it is told, from the session's directory where it lies
// below that.
func (t *taking) name(path string) string { return strings.Map(oneLine, t.below(path)) }

// below returns a path from the session's directory on where it lies below that.
func (t *taking) below(path string) string {
	if below, err := filepath.Rel(t.found.Dir, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}

// mostAsTheyWere is how many files are named that are as they were.
const mostAsTheyWere = 3

// asTheyWere says that files are as they were.
func (t *taking) asTheyWere(steps []undo.Step) string {
	switch {
	case len(steps) == 1:
		return t.name(steps[0].Path) + " is as it was"
	case len(steps) > mostAsTheyWere:
		return render.Count(len(steps), "file") + " are as they were"
	}
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = t.name(s.Path)
	}
	return strings.Join(names, ", ") + " are as they were"
}

// before says what can be done where the changes of a plan need nothing.
func (t *taking) before(p *past, plan undo.Plan) string {
	if n := p.LastBefore(plan.Statement); n > 0 {
		return "What came before is taken back with " + t.command(fmt.Sprintf("undo --to %d", n))
	}
	return "See what was done with " + t.command("log")
}

// furtherText says what can be done where nothing could be taken back.
func (t *taking) furtherText(p *past, plan undo.Plan) string {
	if plan.Redo {
		return "Nothing was changed; once a file is as the undo left it, " + t.command("redo") + " does this.\n"
	}
	text := "Nothing was changed; once a file is as the statement left it, " + t.command("undo") + " takes it back"
	if n := p.LastBefore(plan.Statement); n > 0 {
		text += ", and " + t.command(fmt.Sprintf("undo --to %d", n)) + " what came before"
	}
	return text + ".\n"
}

// unknownText says of which calls it is not known what they have changed, and of
// which it is not recorded. What is the same of several is said once.
func unknownText(lost []undo.Call, missed []undo.Missed) (all []string) {
	for _, c := range lost {
		all = append(all, callText(c)+" has no result: it may have changed files, and what it changed is not known")
	}
	for _, m := range missed {
		if text := callText(m.Call) + " " + m.String(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// callText names a call.
func callText(c undo.Call) string {
	if c.Statement < 1 {
		return cmp.Or(c.Tool, "a call") + " before the first statement"
	}
	return fmt.Sprintf("%s in statement %d", cmp.Or(c.Tool, "a call"), c.Statement)
}

func oneLine(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return '�'
	}
	return r
}

// undoTitle says which statements an undo is about.
func undoTitle(p *past, plan undo.Plan, steps []undo.Step, dryRun bool) string {
	what := "changes of "
	if plan.Redo {
		what = "the undo of "
	}
	all := p.Statements()
	switch n := plan.Statement; {
	case n < 1 || n > len(all):
		what += "what you ran with !"
	case plan.Last <= n:
		what += fmt.Sprintf("statement %d, %q", n, firstLine(all[n-1].Text))
	default:
		what += fmt.Sprintf("statements %d to %d, from %q on", n, plan.Last, firstLine(all[n-1].Text))
	}
	if !undo.Done(steps) {
		return "Nothing could be taken back of " + what
	}
	if dryRun {
		return "Would take back " + what
	}
	return "Took back " + what
}

// undoLine is an undo in the output of --json.
type undoLine struct {
	Session   ikigai.ID  `json:"session"`
	Redo      bool       `json:"redo"`
	DryRun    bool       `json:"dry_run"`
	Statement int        `json:"statement"`
	Files     []undoFile `json:"files"`
	Lost      []lostCall `json:"lost,omitempty"`       // calls of which it is not known what they have changed
	Missed    []lostCall `json:"unrecorded,omitempty"` // calls of whose changes some, or all, are not recorded
}

// lostCall is a call in an undoLine.
type lostCall struct {
	Event     ikigai.Seq `json:"event"`
	Statement int        `json:"statement"`
	Tool      string     `json:"tool"`
	Files     int        `json:"files,omitempty"` // that it changed and that are not recorded, if that is known
	Reason    string     `json:"reason,omitempty"`
}

// undoFile is a file of an undoLine.
type undoFile struct {
	Path    string      `json:"path"`
	Action  undo.Action `json:"action"`
	Reason  string      `json:"reason,omitempty"`
	Added   *int        `json:"added,omitempty"`
	Removed *int        `json:"removed,omitempty"`
}

func undoJSON(id ikigai.ID, dryRun bool, done took) string {
	plan := done.plan
	line := undoLine{Session: id, Redo: plan.Redo, DryRun: dryRun, Statement: plan.Statement, Files: []undoFile{}}
	for _, s := range done.steps {
		f := undoFile{Path: s.Path, Action: s.Action, Reason: s.Reason}
		if s.Lines {
			f.Added, f.Removed = &s.Added, &s.Removed
		}
		line.Files = append(line.Files, f)
	}
	for _, c := range done.lost {
		line.Lost = append(line.Lost, lostCall{Event: c.Seq, Statement: c.Statement, Tool: c.Tool})
	}
	for _, m := range done.missed {
		line.Missed = append(line.Missed, lostCall{m.Seq, m.Statement, m.Tool, m.Files, m.Why})
	}
	raw, err := json.Marshal(line)
	if err != nil {
		panic("cli: an undo as JSON: " + err.Error()) // strings and numbers always encode
	}
	return string(transcript.Visible(raw)) + "\n"
}
