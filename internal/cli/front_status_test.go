package cli

import (
	"testing"

	"ikigai"
)

// Which round of tools it is counts from the last statement, and from nothing where that
// is not part of the conversation any more.
func TestTurnsAreOfTheStatement(t *testing.T) {
	var n turns
	for i, step := range []struct {
		e    ikigai.Event
		want int
	}{
		{ikigai.NewEvent(ikigai.KindUser, "one", nil), 0},
		{ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1"}), 1},
		{ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "2"}), 1},
		{ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: "1"}), 1},
		{ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "3"}), 2},
		{ikigai.NewEvent(ikigai.KindClear, "", nil), 0},
		{ikigai.NewEvent(ikigai.KindUser, "two", nil), 0},
		{ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "4"}), 1},
		{ikigai.NewEvent(ikigai.KindRewind, "to event 0", ikigai.RewindData{}), 0},
	} {
		if n.add(step.e); n.n != step.want {
			t.Errorf("after step %d it is round %d, want %d", i, n.n, step.want)
		}
	}
}
