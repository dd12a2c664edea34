package render_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// A line about what happens beside the conversation is one line within the
// width of any terminal, and nothing that a model wrote acts on it.
//
// P26, P36, P42
func TestAsidesAreLines(t *testing.T) {
	hostile := "\x1b[2J\x1b]0;t\x07日本語\u202e\t" + strings.Repeat("wide 表 ", 60) + "\nnext\r\n"
	cost := int64(1_234_567)
	begin := ikigai.NewEvent(ikigai.KindInteraction, hostile, ikigai.InteractionData{Purpose: ikigai.PurposeTask, Parent: ikigai.Main, Model: hostile})
	aside := []ikigai.Event{
		begin,
		ikigai.NewEvent(ikigai.KindToolCall, hostile, ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: hostile, Arguments: `{"a\u001b[1m":"b\nc"}`}}),
		ikigai.NewEvent(ikigai.KindChange, hostile, ikigai.ChangeData{CallID: "1", Path: hostile, Noticed: true, NotKept: hostile}),
		ikigai.NewEvent(ikigai.KindToolResult, hostile, ikigai.ToolResultData{ToolCallID: "1", Name: hostile, Output: hostile, Millis: 9}),
		ikigai.NewEvent(ikigai.KindAssistant, hostile, nil),
		ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{Cost: &cost, Usage: ikigai.Usage{Input: 9}}),
		ikigai.NewEvent(ikigai.KindError, hostile, ikigai.ErrorData{}),
	}
	main := []ikigai.Event{
		ikigai.NewEvent(ikigai.KindGoal, hostile, ikigai.ObjectiveData{By: ikigai.ByPerson}),
		ikigai.NewEvent(ikigai.KindObjective, hostile, ikigai.ObjectiveData{By: ikigai.ByModel}),
		ikigai.NewEvent(ikigai.KindFeedback, hostile, ikigai.FeedbackData{Turn: 1, Turns: 50, Tools: []ikigai.ToolTally{{Name: hostile, Succeeded: 1, Failed: 2}, {Name: hostile}}}),
		ikigai.NewEvent(ikigai.KindProjection, hostile, ikigai.ProjectionData{Model: hostile, Before: 9, After: 3, Summary: &ikigai.SummaryData{Text: hostile}}),
	}
	for i := range aside {
		aside[i].Interaction = "task-1\x1b[1m"
	}
	for width := 20; width < 140; width += 7 {
		for _, style := range []render.Style{{Width: width, Color: true}, {Width: width, ASCII: true}} {
			fold, shown := transcript.Transcript{Folded: true}, 0
			for _, e := range append(aside, main...) {
				for _, b := range fold.Add(e) {
					text := ownSequence.ReplaceAllString(style.Block(b), "")
					if shown++; strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
						t.Errorf("width %d: %s is no line: %q", width, b.Kind, text)
					}
					if w := ansi.StringWidth(text); w > width {
						t.Errorf("width %d: %s takes %d: %q", width, b.Kind, w, text)
					}
					if strings.ContainsAny(text, "\x1b\x07\u202e\t\r") {
						t.Errorf("width %d: %s acts on a terminal: %q", width, b.Kind, text)
					}
				}
			}
			if shown != 8 { // begin, change, result, end, and the four of the conversation
				t.Errorf("%d blocks are shown", shown)
			}
		}
	}
}

// What a task has changed and is not recorded is told, as it is of no file.
func TestUnrecordedOfTask(t *testing.T) {
	fold, got := transcript.Transcript{Folded: true}, ""
	for _, e := range []ikigai.Event{
		ikigai.NewEvent(ikigai.KindInteraction, "Tidy", ikigai.InteractionData{Purpose: ikigai.PurposeTask, Parent: ikigai.Main}),
		ikigai.NewEvent(ikigai.KindChange, "changed 2 files that are not recorded: why", ikigai.ChangeData{Noticed: true, Unrecorded: "why", Files: 2}),
	} {
		e.Interaction = "task-1"
		for _, b := range fold.Add(e) {
			got = render.Style{}.Block(b)
		}
	}
	if want := "  Tidy: changed 2 files that are not recorded: why\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// S4.19: the person sees the same feedback as the model: how it stands in a line,
// and the very text with -v. S4.10: the goal and the objective are seen, too.
func TestFeedbackIsSeen(t *testing.T) {
	text := "Tool results feedback:\nTurn 3/50\nConversation Goal: A parser\nTools Used: bash(5: 4✓ 1✗)"
	events := []ikigai.Event{
		ikigai.NewEvent(ikigai.KindGoal, "A parser", ikigai.ObjectiveData{By: ikigai.ByModel}),
		ikigai.NewEvent(ikigai.KindObjective, "Mend line 3", ikigai.ObjectiveData{By: ikigai.ByModel, Statement: 1}),
		ikigai.NewEvent(ikigai.KindFeedback, text, ikigai.FeedbackData{Turn: 3, Turns: 50, Goal: "A parser", Tools: []ikigai.ToolTally{{Name: "bash", Succeeded: 4, Failed: 1}}}),
	}
	want := "· goal: A parser\n· objective: Mend line 3\n  turn 3/50 · bash 4✓ 1✗\n"
	if got := page(render.Style{}, events); got != want {
		t.Errorf("got:\n%s", got)
	}
	if got := page(render.Style{ASCII: true}, events); !strings.Contains(got, "  turn 3/50 - bash 4+ 1x\n") {
		t.Errorf("got:\n%s", got)
	}
	if got := page(render.Style{Verbose: true, Zone: time.UTC}, events); !strings.Contains(got, "  "+strings.ReplaceAll(text, "\n", "\n  ")+"\n") {
		t.Errorf("got:\n%s", got)
	}
}

// The transcript after a restart is the live one, with tasks in parallel,
// objectives, feedback and projections, whenever the program was ended: what was
// seen before and what is seen after are together what is seen without an end.
//
// S3.30, S5.6
func TestRestoredWithSideInteractions(t *testing.T) {
	events := goldenEvents(t)["testdata/side.txtar"]
	style := render.Style{Zone: time.UTC}
	live := play(style, events, rand.New(rand.NewPCG(1, 2))).all.String()
	if diff := live != briefPage(style, decoded(t, events)); diff {
		t.Errorf("restored:\n%s\nlive:\n%s", briefPage(style, decoded(t, events)), live)
	}
	// After a statement's end a program ends and another goes on.
	for cut, e := range events {
		if !e.IsStatement() || cut == 0 {
			continue
		}
		after := transcript.Transcript{Brief: true, Folded: true}
		for _, e := range events[:cut] {
			after.Pass(e)
		}
		var rest strings.Builder
		p := render.Page{Style: style}
		for _, e := range events[cut:] {
			for _, b := range after.Add(e) {
				fmt.Fprint(&rest, p.Block(b))
			}
		}
		if !strings.HasSuffix(live, rest.String()) {
			t.Errorf("after event %d:\n%s\nlive:\n%s", cut, rest.String(), live)
		}
	}
}

// What came of a side interaction is told in words that suit it: no advice for a
// statement, what was stopped as that, and an answer without the fence around it.
// Live, nobody is told of what failed but was a task: whoever wanted it tells.
func TestEndsOfSideInteractions(t *testing.T) {
	failed := func(kind ikigai.ErrorKind, what string) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindError, what+". Ask again with `ikigai run --continue`.", ikigai.ErrorData{Kind: kind})
	}
	said := ikigai.NewEvent(ikigai.KindAssistant, "```text\nadd a file\n\nwhy\n```", nil)
	for _, test := range []struct {
		purpose   ikigai.Purpose
		end       []ikigai.Event
		log, live string
	}{
		{ikigai.PurposeObjective, []ikigai.Event{failed(ikigai.ErrorServer, "It broke")}, "· objective: failed: It broke\n", ""},
		{ikigai.PurposeObjective, []ikigai.Event{failed(ikigai.ErrorCancelled, "The turn was stopped")}, "· objective: given up\n", ""},
		{ikigai.PurposeSummary, []ikigai.Event{failed(ikigai.ErrorCancelled, "The turn was stopped")}, "· summary: stopped\n", ""},
		{ikigai.PurposeCommit, []ikigai.Event{failed(ikigai.ErrorServer, "It broke")}, "· commit: failed: It broke\n", ""},
		{ikigai.PurposeCommit, []ikigai.Event{said, ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{})}, "· commit: add a file  (side request)\n", "· commit: add a file  (side request)\n"},
		{ikigai.PurposeTask, []ikigai.Event{failed(ikigai.ErrorServer, "It broke")}, "✗ t  failed: It broke\n", "✗ t  failed: It broke\n"},
	} {
		events := append([]ikigai.Event{ikigai.NewEvent(ikigai.KindInteraction, "t", ikigai.InteractionData{Purpose: test.purpose, Parent: ikigai.Main})}, test.end...)
		for brief, want := range map[bool]string{false: test.log, true: test.live} {
			fold, got := transcript.Transcript{Brief: brief, Folded: true}, ""
			for _, e := range events {
				e.Interaction = "side-1"
				for _, b := range fold.Add(e) {
					if b.Kind == transcript.End {
						got += render.Style{}.Block(b)
					}
				}
			}
			if got != want {
				t.Errorf("%s, live %t: %q, want %q", test.purpose, brief, got, want)
			}
		}
	}
}

// Every line of what an interaction says carries its name.
func TestEveryLineIsNamed(t *testing.T) {
	text := render.Style{}.Block(transcript.Block{Kind: ikigai.KindAssistant, Interaction: "task-11", Text: "one\n\ntwo"})
	if want := "[task-11] one\n[task-11] \n[task-11] two\n"; text != want {
		t.Errorf("%q", text)
	}
}

// Of a command that the person has typed it is said in a line that the model was told of
// it, right below; nothing is of one that it was not told of.
func TestToldOfACommand(t *testing.T) {
	var events []ikigai.Event
	for i, command := range []string{"make\nmake check", "ls"} {
		name := string(rune('a' + i))
		run := []ikigai.Event{
			ikigai.NewEvent(ikigai.KindInteraction, "", ikigai.InteractionData{Purpose: ikigai.PurposeShell, Parent: ikigai.Main}),
			ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: name, Function: ikigai.ToolCallFunction{Name: "x"}}),
			ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: name, Name: "x", Output: "out", Success: true}),
		}
		for j := range run {
			run[j].Interaction = name
		}
		if events = append(events, run...); i == 0 {
			events = append(events, ikigai.NewEvent(ikigai.KindUser, "I ran a command in /w:\n\n$ "+command+"\n\nIts output:\n\nmade\n\nIt ended.", ikigai.MessageData{By: ikigai.ByShell}))
		}
	}
	for _, brief := range []bool{false, true} {
		want := "● x\n  out\n· told the model: $ make␊make check\n\n● x\n  out\n"
		if got := pageOf(transcript.Transcript{Folded: true, Brief: brief}, render.Style{}, events); got != want {
			t.Errorf("brief %v: got %q, want %q", brief, got, want)
		}
	}
	if got := pageOf(transcript.Transcript{}, render.Style{}, events); !strings.Contains(got, "made\n") {
		t.Errorf("not folded: %q", got)
	}
}
