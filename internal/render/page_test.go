package render_test

import (
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// What a model has said meanwhile that a statement was for stands below the statement
// and above what the person does next, as the log has it; what comes with the statement
// itself stands above it.
func TestAimsStandAboveWhatComesNext(t *testing.T) {
	byModel := ikigai.ObjectiveData{By: ikigai.ByModel}
	beside := func(p ikigai.Purpose, events ...ikigai.Event) []ikigai.Event {
		all := append([]ikigai.Event{ikigai.NewEvent(ikigai.KindInteraction, "beside", ikigai.InteractionData{Purpose: p, Parent: ikigai.Main})}, events...)
		for i := range all {
			all[i].Interaction = "beside"
		}
		return all
	}
	call := ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: "bash", Arguments: `{"command":"make"}`}})
	result := ikigai.NewEvent(ikigai.KindToolResult, "made", ikigai.ToolResultData{ToolCallID: "1", Name: "bash", Output: `{"output":"made"}`, Success: true})
	for name, test := range map[string]struct {
		next  []ikigai.Event
		first string // of what is shown of them
		later bool   // the objective stands below them
	}{
		"a statement":               {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindUser, "Go on", nil)}, first: "› Go on"},
		"a goal of theirs":          {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindGoal, "Mine", ikigai.ObjectiveData{By: ikigai.ByPerson})}, first: "· goal: Mine"},
		"a title of theirs":         {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindTitle, "Mine", ikigai.ObjectiveData{By: ikigai.ByPerson})}, first: "· title: Mine"},
		"a mark":                    {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindMark, "here", nil)}, first: "mark  here"},
		"trust":                     {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindTrust, "allowed", ikigai.TrustData{Trusted: true})}, first: "trust"},
		"a projection they asked":   {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindProjection, "fits", ikigai.ProjectionData{Reason: ikigai.FitPerson, Before: 9, After: 3})}, first: "· context"},
		"a commit message":          {next: beside(ikigai.PurposeCommit, ikigai.NewEvent(ikigai.KindAssistant, "add a", nil), ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{})), first: "· commit: add a"},
		"a commit message not made": {next: beside(ikigai.PurposeCommit, ikigai.NewEvent(ikigai.KindError, "It broke. Go on.", ikigai.ErrorData{})), first: "· commit: failed"},
		"a command they typed":      {next: beside(ikigai.PurposeShell, call, result), first: "● bash"},

		"a projection of the budget": {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindProjection, "fits", ikigai.ProjectionData{Reason: ikigai.FitBudget, Before: 9, After: 3})}, first: "· context", later: true},
		"a call of the model's":      {next: []ikigai.Event{call, result}, first: "● bash", later: true},
		"a goal of the model's":      {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindGoal, "Other", byModel)}, first: "· goal: Other"},
		"another answer":             {next: []ikigai.Event{ikigai.NewEvent(ikigai.KindAssistant, "Done.", nil)}, first: "Done.", later: true},
	} {
		events := append([]ikigai.Event{
			ikigai.NewEvent(ikigai.KindUser, "Begin", nil),
			ikigai.NewEvent(ikigai.KindObjective, "Begin it", byModel),
			ikigai.NewEvent(ikigai.KindGoal, "The goal", byModel),
		}, test.next...)
		for i := range events {
			events[i].Seq = ikigai.Seq(i + 1)
		}
		text := pageOf(transcript.Transcript{Folded: true}, render.Style{}, events)
		goal, next := strings.Index(text, "· goal: The goal"), strings.Index(text, test.first)
		if goal < 0 || next < 0 || (next < goal) != test.later {
			t.Errorf("%s: later is %v\n%s", name, test.later, text)
		}
		if strings.Contains(text, "● bash") && !strings.Contains(text, "● bash  $ make\n  made\n") {
			t.Errorf("%s: the call is parted from its result\n%s", name, text)
		}
	}
}

// An objective that comes while a command of the person's runs parts it from nothing.
func TestAimsPartNoCommand(t *testing.T) {
	in := func(e ikigai.Event, interaction string) ikigai.Event { e.Interaction = interaction; return e }
	events := []ikigai.Event{
		ikigai.NewEvent(ikigai.KindUser, "Begin", nil),
		in(ikigai.NewEvent(ikigai.KindInteraction, "beside", ikigai.InteractionData{Purpose: ikigai.PurposeShell, Parent: ikigai.Main}), "shell-2"),
		in(ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: "bash", Arguments: `{"command":"make"}`}}), "shell-2"),
		ikigai.NewEvent(ikigai.KindObjective, "Begin it", ikigai.ObjectiveData{By: ikigai.ByModel}),
		in(ikigai.NewEvent(ikigai.KindToolResult, "made", ikigai.ToolResultData{ToolCallID: "1", Name: "bash", Output: `{"output":"made"}`, Success: true}), "shell-2"),
	}
	if text, want := pageOf(transcript.Transcript{Folded: true}, render.Style{}, events), "● bash  $ make\n  made\n· objective: Begin it\n"; !strings.HasSuffix(text, want) {
		t.Errorf("it ends with %q, want %q", text, want)
	}
}
