package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// What a person is asked about is shown whole, whatever the style folds.
func TestAsked(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	edits, err := json.Marshal(map[string]any{"path": "a.go", "edits": []map[string]string{{"old": "a\x1b[2J", "new": long}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, arguments, want string
	}{
		{"bash", `{"command":"rm -r x","timeout":5}`, "! bash  timeout=5  $ rm -r x\n"},
		{"bash", `{"command":"cd x\nmake"}`, "! bash\n  $ cd x\n    make\n"},
		{"file_edit", string(edits), "! file_edit  path=\"a.go\"  1 edit\n    -a\n" + strings.Repeat("    +line\n", 100)},
		{"file_write", `{"path":"a","content":"b\nc"}`, "! file_write  path=\"a\"  2 lines - 3 B\n    b\n    c\n"},
		{"", `{"a":`, "! no name\n  arguments, which are no JSON object:\n    {\"a\":\n"},
	} {
		call := transcript.CallOf(ikigai.ToolCall{Name: c.name, Arguments: c.arguments})
		for _, style := range []render.Style{{ASCII: true}, {ASCII: true, Compact: true}, {ASCII: true, Verbose: true, Markdown: true}} {
			if got := style.Asked(call, "no name"); got != c.want {
				t.Errorf("%+v: %s %s\n got %q\nwant %q", style, c.name, c.arguments, got, c.want)
			}
		}
	}
}

// What the person was shown of a call when they were asked about it is not shown
// again with its result, unless something else was done. Where nobody was asked, as
// in the log, results show it.
//
// S2.81
func TestAsShown(t *testing.T) {
	const (
		edit   = `{"path":"a","edits":[{"old":"one","new":"two"}]}`
		write  = `{"path":"a","content":"one\ntwo\n"}`
		change = "@@ -1 +1 @@\n-one\n+two\n"
		other  = "@@ -9 +9 @@\n-one\n+two\n"
		done   = `{"output":"Wrote it"}`
		failed = `{"error":"It is read-only."}`
	)
	diff := "    @@ -1 +1 @@\n    -one\n    +two\n"
	otherDiff := "    @@ -9 +9 @@\n    -one\n    +two\n"
	edits, content := "    -one\n    +two\n", "    one\n    two\n"
	for _, c := range []struct {
		name         string
		tool, args   string
		shown        string
		output       string
		report       string
		asked, where string // below the call: after a question, and in the log
	}{
		{"an edit", "file_edit", edit, change, done, "Edited a\n" + change, "  Edited a - as shown\n", diff + "  Edited a\n"},
		{"of what has changed meanwhile", "file_edit", edit, change, done, "Edited a\n" + other, otherDiff + "  Edited a\n", otherDiff + "  Edited a\n"},
		{"that failed", "file_edit", edit, change, failed, "", "  x It is read-only.\n", edits + "  x It is read-only.\n"},
		{"without a difference by now", "file_edit", edit, change, done, "Wrote it", edits + "  Wrote it\n", edits + "  Wrote it\n"},
		{"a new file", "file_write", write, "", done, "Wrote it", "  Wrote it - as shown\n", content + "  Wrote it\n"},
		{"that is there by now", "file_write", write, "", done, "Wrote it\n" + change, diff + "  Wrote it\n", diff + "  Wrote it\n"},
		{"that failed", "file_write", write, "", failed, "", "  x It is read-only.\n", content + "  x It is read-only.\n"},
		{"no file", "bash", `{"command":"make"}`, "", `{"output":"made"}`, "", "  made\n", "  made\n"},
	} {
		for _, asked := range []bool{true, false} {
			page, fold := render.Page{Style: render.Style{ASCII: true}}, transcript.Transcript{Brief: true}
			show := func(e ikigai.Event) (text string) {
				for _, b := range fold.Add(e) {
					text += page.Block(b)
				}
				return text
			}
			show(ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: c.tool, Arguments: c.args}}))
			want := c.where
			if asked {
				fold.Asked("1", c.shown, false)
				want = c.asked
			}
			summary, _, _ := strings.Cut(c.report, "\n")
			got := show(ikigai.NewEvent(ikigai.KindToolResult, summary, ikigai.ToolResultData{
				ToolCallID: "1", Name: c.tool, Output: c.output, Report: c.report, Success: c.output != failed}))
			if got != want {
				t.Errorf("%s %s, asked: %v\n got %q\nwant %q", c.tool, c.name, asked, got, want)
			}
		}
	}
}

// A call that was asked about and refused is not shown again either; one that nobody
// was asked about is.
func TestRefusedAsShown(t *testing.T) {
	for _, asked := range []bool{true, false} {
		page, fold := render.Page{Style: render.Style{ASCII: true}}, transcript.Transcript{}
		var text strings.Builder
		show := func(e ikigai.Event) {
			for _, b := range fold.Add(e) {
				text.WriteString(page.Block(b))
			}
		}
		for _, id := range []string{"1", "2"} {
			show(ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: id, Function: ikigai.ToolCallFunction{
				Name: "file_write", Arguments: `{"path":"` + id + `","content":"one\ntwo\n"}`}}))
		}
		want := "-> file_write  path=\"1\"  2 lines - 8 B\n    one\n    two\n  x denied: the person said no\n"
		if asked {
			fold.Asked("1", "", true) // and named, above what comes of it
			want = "  x denied: the person said no\n"
		}
		text.Reset()
		show(ikigai.NewEvent(ikigai.KindApproval, "", ikigai.ApprovalData{CallID: "1", Name: "file_write", Reason: "the person said no"}))
		if got := strings.TrimPrefix(text.String(), "\n"); got != want {
			t.Errorf("asked: %v\n got %q\nwant %q", asked, got, want)
		}
	}
}
