package render

import (
	"encoding/json"
	"strings"

	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// tasksCall shows the titles of tasks that are handed over: what each is told
// is the first that its interaction holds.
func tasksCall(s Style, params []transcript.Field) (head, below string, ok bool) {
	if s.Verbose || len(params) == 0 {
		return "", "", false
	}
	var rest []transcript.Field
	for _, p := range params {
		var tasks []struct {
			Title string `json:"title"`
		}
		if p.Name != "tasks" || ok || json.Unmarshal(p.Value, &tasks) != nil {
			rest = append(rest, p)
			continue
		}
		ok = true
		titles := make([]string, len(tasks))
		for i, t := range tasks {
			titles[i] = line(t.Title)
		}
		if head = s.paint(faint, "no tasks"); len(tasks) > 0 {
			head = s.paint(faint, count(len(tasks), "task")+":") + " " + strings.Join(titles, ", ")
		}
	}
	return beside(head, s.inlined(rest)), s.below(rest), ok
}

// tasksField shows what came of each task.
func tasksField(v *resultView, _ transcript.Result, f transcript.Field) bool {
	var tasks []struct {
		Title  string          `json:"title"`
		Answer json.RawMessage `json:"answer"`
		Cut    string          `json:"cut"`
		Error  string          `json:"error"`
	}
	if v.Verbose || f.Name != "tasks" || json.Unmarshal(f.Value, &tasks) != nil || len(tasks) == 0 {
		return false
	}
	for _, t := range tasks {
		v.WriteString(v.label(t.Title))
		answer := transcript.Field{Value: t.Answer}
		text, isText := answer.Text()
		if !isText && len(t.Answer) > 0 {
			text = pretty(t.Answer)
		}
		v.WriteString(v.folded("    ", "    ", plain, safetext.Terminal(text)))
		if t.Cut != "" {
			v.WriteString(v.behind("    ", "    ", faint, safetext.Terminal(t.Cut)))
		}
		if t.Error != "" {
			v.WriteString(v.behind("    "+v.paint(bad, v.glyph(failMark))+" ", "      ", plain, safetext.Terminal(t.Error)))
		}
	}
	return true
}
