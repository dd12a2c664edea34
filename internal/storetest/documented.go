package storetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// documented runs the examples of docs/schema.md, word for word.
func documented(t *testing.T, b *bench) {
	g, _ := b.begin()
	seq := ikigai.Seq(1)
	add := func(interaction string, kind ikigai.Kind, content string, data any) {
		seq++
		e := Event(g.Session, seq, kind, content, data)
		e.Interaction = interaction
		b.append(g, seq-1, e)
	}
	used := func(interaction string, input, output, cost int64) {
		add(interaction, ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: input, Output: output}, Cost: &cost})
	}
	call := func(interaction, id, name string, success bool) {
		add(interaction, ikigai.KindToolCall, name, ikigai.ToolCallData{ID: id, Function: ikigai.ToolCallFunction{Name: name, Arguments: "{}"}})
		add(interaction, ikigai.KindToolResult, name, ikigai.ToolResultData{ToolCallID: id, Name: name, Output: "{}", Success: success})
	}
	add(ikigai.Main, ikigai.KindUser, "go", nil)
	used(ikigai.Main, 1000, 10, 500_000)
	call(ikigai.Main, "a", "bash", true)
	for _, task := range []string{"task-9", "task-12"} {
		add(task, ikigai.KindInteraction, "look", ikigai.InteractionData{Purpose: ikigai.PurposeTask})
		used(task, 300, 3, 250_000)
		call(task, "a", "bash", false)
		call(task, "b", "grep", true)
	}
	want := []string{
		"main|1|1000|10|0.5\ntask|2|600|6|0.5\n",
		fmt.Sprintf("%[1]s|main|bash|1|1\n%[1]s|task-12|bash|1|0\n%[1]s|task-12|grep|1|1\n%[1]s|task-9|bash|1|0\n%[1]s|task-9|grep|1|1\n", g.Session),
	}
	examples := sqlOf(t, "../../docs/schema.md")
	if len(examples) != len(want) {
		t.Fatalf("%d examples, want %d", len(examples), len(want))
	}
	for i, statement := range examples {
		got := ""
		for row, err := range b.Query(b.Context(), statement) {
			if err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			for n, v := range row.Values {
				if n > 0 {
					got += "|"
				}
				got += fmt.Sprint(v)
			}
			got += "\n"
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", statement, diff)
		}
	}
}

// sqlOf returns the blocks of SQL in a page.
func sqlOf(t *testing.T, path string) (blocks []string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range strings.Split(string(page), "```sql\n")[1:] {
		block, _, _ := strings.Cut(after, "```")
		blocks = append(blocks, block)
	}
	return blocks
}
