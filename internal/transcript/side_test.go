package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ikigai"
	"ikigai/internal/transcript"
)

// in makes events those of an interaction.
func in(interaction string, events ...ikigai.Event) []ikigai.Event {
	for i := range events {
		events[i].Interaction = interaction
	}
	return events
}

func begins(p ikigai.Purpose, what, parent, callID string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindInteraction, what, ikigai.InteractionData{Purpose: p, Parent: parent, CallID: callID, Model: "local/small"})
}

func used(input, cost int64) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: input, Output: 2}, Cost: &cost})
}

// named is an event that a model's words are in.
func named(kind ikigai.Kind, text string) ikigai.Event {
	return ikigai.NewEvent(kind, text, ikigai.ObjectiveData{By: ikigai.ByModel})
}

// task returns the events of a task that calls a tool so many times.
func task(name, parent, callID string, rounds int) []ikigai.Event {
	events := []ikigai.Event{begins(ikigai.PurposeTask, "Title of "+name, parent, callID), says(ikigai.KindUser, "do it")}
	for range rounds {
		events = append(events, call("a", "{}"), call("b", "{}"), used(100, 10), result("b", "{}"), result("a", "{}"))
	}
	return in(name, append(events, says(ikigai.KindAssistant, "Done\nwith it"), used(50, 5))...)
}

// S3.29: blocks of side interactions say what these are for, which call they
// serve and what they used.
func TestSidesSayWhatTheyAreFor(t *testing.T) {
	var events []ikigai.Event
	events = append(events, says(ikigai.KindUser, "go"), call("d", "{}"))
	events = append(events, task("task-3", ikigai.Main, "d", 2)...)
	blocks := add(new(transcript.Transcript), append(events, result("d", "{}"))...)
	for _, b := range blocks {
		if (b.Interaction == "task-3") != (b.Side != nil) {
			t.Errorf("%+v", b)
		} else if b.Side != nil && (b.Side.Purpose != ikigai.PurposeTask || b.Side.CallID != "d" || b.Side.Title != "Title of task-3" || b.Folded) {
			t.Errorf("side %+v", b.Side)
		}
	}
	end := blocks[len(blocks)-2]
	cost := int64(25)
	want := transcript.Ended{Spent: transcript.Spent{Requests: 3, Input: 250, Output: 6, Cost: &cost}, Turns: 2, Answer: "Done"}
	if diff := cmp.Diff(want, end.Body); end.Kind != transcript.End || diff != "" {
		t.Errorf("%s (-want +got):\n%s", end.Kind, diff)
	}
	if last := blocks[len(blocks)-1]; last.Round != 1 || last.Body.(transcript.Result).Call == nil {
		t.Errorf("the call that handed it over: %+v", last)
	}
}

// What a side interaction has used is told with what it was for, once.
func TestWhatWasNamedSaysWhatItCost(t *testing.T) {
	spent := func(b transcript.Block) *transcript.Spent {
		switch d := b.Body.(type) {
		case transcript.Objective:
			return d.Spent
		case transcript.Projection:
			return d.Spent
		}
		return nil
	}
	events := in("objective-1", begins(ikigai.PurposeObjective, "name it", ikigai.Main, ""), says(ikigai.KindAssistant, "{}"), used(300, 200))
	events = append(events, named(ikigai.KindTitle, "a title"), named(ikigai.KindGoal, "a goal"),
		ikigai.NewEvent(ikigai.KindObjective, "mine", ikigai.ObjectiveData{By: ikigai.ByPerson}),
		named(ikigai.KindObjective, "an objective"), named(ikigai.KindObjective, "another"))
	events = append(events, in("summary-9", begins(ikigai.PurposeSummary, "sum up", ikigai.Main, ""), used(900, 700))...)
	events = append(events,
		ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{Summary: &ikigai.SummaryData{To: 1}}),
		ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{Summary: &ikigai.SummaryData{To: 1, Interaction: "summary-9"}}))
	told := map[int]int64{7: 200, 12: 700}
	for _, b := range add(new(transcript.Transcript), events...) {
		s := spent(b)
		if cost := told[int(b.Seq)]; (s != nil) != (cost > 0) || s != nil && *s.Cost != cost {
			t.Errorf("event %d, a %s: %+v", b.Seq, b.Kind, s)
		}
	}
}

// A live view is spared what others tell; a folded one shows what tasks did.
func TestFolded(t *testing.T) {
	var events []ikigai.Event
	events = append(events, says(ikigai.KindUser, "go"))
	events = append(events, in("objective-2", begins(ikigai.PurposeObjective, "name", ikigai.Main, ""), says(ikigai.KindUser, "go"),
		says(ikigai.KindAssistant, "{}"), used(1, 1))...)
	events = append(events, named(ikigai.KindTitle, "t"), named(ikigai.KindGoal, "g"), named(ikigai.KindObjective, "o"), call("d", "{}"))
	events = append(events, in("task-10", begins(ikigai.PurposeTask, "T", ikigai.Main, "d"), says(ikigai.KindUser, "do"), call("a", "{}"), used(1, 1),
		result("a", "{}"), call("b", "{}"), used(1, 1), says(ikigai.KindError, "It broke."))...)
	events = append(events, result("d", "{}"))
	events = append(events, in("objective-19", begins(ikigai.PurposeObjective, "name", ikigai.Main, ""), says(ikigai.KindError, "No. Go on."))...)
	events = append(events, in("commit-21", begins(ikigai.PurposeCommit, "write", ikigai.Main, ""), says(ikigai.KindAssistant, "a: b"), used(1, 1))...)
	events = append(events, in("old", says(ikigai.KindAssistant, "of a log without beginnings"))...)
	want := func(brief bool) string {
		title, failed := "6 title 1.0\n7 goal 1.0\n", "20 end 1.0 [objective-19]\n"
		if brief {
			title, failed = "", ""
		}
		return "1 user 1.0\n" + title + `8 objective 1.0
9 tool_call 1.1 d may have run: false
10 interaction 1.0 [task-10]
14 tool_result 1.1 [task-10] of a, known: true, follows: false
17 end 1.0 [task-10]
15 tool_call 1.2 [task-10] b may have run: true
18 tool_result 1.1 of d, known: true, follows: false
` + failed + "23 end 1.0 [commit-21]\n24 assistant 1.0 [old]\n"
	}
	for _, brief := range []bool{false, true} {
		blocks := add(&transcript.Transcript{Folded: true, Brief: brief}, events...)
		if diff := cmp.Diff(want(brief), outline(blocks)); diff != "" {
			t.Errorf("brief %t (-want +got):\n%s", brief, diff)
		}
		for _, b := range blocks {
			if b.Folded != (b.Side != nil || b.Later()) {
				t.Errorf("%+v", b)
			}
		}
	}
}

// What the program asks for goes on with the statement: no other one, no new count.
func TestTheProgramsWordsAreNoStatement(t *testing.T) {
	var fold transcript.Transcript
	blocks := add(&fold, says(ikigai.KindUser, "go"), call("a", "{}"), result("a", "{}"), says(ikigai.KindAssistant, "x"),
		ikigai.NewEvent(ikigai.KindUser, "as JSON", ikigai.MessageData{By: ikigai.ByLoop}), call("b", "{}"))
	if last := blocks[len(blocks)-1]; last.Statement != 1 || last.Round != 2 || fold.Statements() != 1 {
		t.Errorf("%+v", last)
	}
}

// The blocks of an interaction are the same, but for their numbers, among those
// of others in any order as they are alone. What does not depend on the
// interaction alone is the number of the person's statement, and whether a
// result stands right below its call.
//
// S3.29, S3.30
func TestInteractionsInterleave(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		all := interleaved(random)
		live := add(new(transcript.Transcript), all...)
		names := map[string][]ikigai.Event{}
		for _, e := range all {
			names[e.Interaction] = append(names[e.Interaction], e)
		}
		for name, own := range names {
			var among []transcript.Block
			for _, b := range live {
				if b.Interaction == name {
					among = append(among, b)
				}
			}
			alone := add(new(transcript.Transcript), own...)
			if diff := cmp.Diff(alone, among, placeless()); diff != "" {
				t.Fatalf("seed %d, %s (-alone +among others):\n%s", seed, name, diff)
			}
		}
		if len(live) < len(all) {
			t.Fatalf("seed %d: %d blocks of %d events", seed, len(live), len(all))
		}
	}
}

// placeless compares blocks without what depends on other interactions.
func placeless() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreFields(transcript.Block{}, "Statement"),
		cmpopts.IgnoreFields(transcript.Of{}, "Follows"),
		// What an objective cost is known from the interaction that named it.
		cmpopts.IgnoreFields(transcript.Objective{}, "Spent"),
	}
}

// interleaved returns statements whose tasks, some with tasks of their own, and
// objectives happen at the same time, in a random order.
func interleaved(random *rand.Rand) []ikigai.Event {
	var all []ikigai.Event
	for statement := range 1 + random.IntN(3) {
		name := func(p string) string { return fmt.Sprintf("%s-%d-%d", p, statement, random.IntN(1<<30)) }
		lines := [][]ikigai.Event{
			in(name("objective"), begins(ikigai.PurposeObjective, "name", ikigai.Main, ""), says(ikigai.KindAssistant, "{}"), used(1, 1)),
			in(ikigai.Main, named(ikigai.KindGoal, "g"), named(ikigai.KindObjective, "o")),
		}
		for range random.IntN(4) {
			lines = append(lines, task(name("task"), ikigai.Main, "d", random.IntN(3)))
		}
		all = append(all, says(ikigai.KindUser, "go"), call("d", "{}"), call("e", "{}"))
		all = append(all, merged(random, lines)...)
		all = append(all, result("e", "{}"), result("d", "{}"),
			ikigai.NewEvent(ikigai.KindFeedback, "f", ikigai.FeedbackData{Turn: 1, Turns: 2}), says(ikigai.KindAssistant, "done"))
	}
	for i := range all {
		all[i].Seq = ikigai.Seq(i + 1)
	}
	return all
}

// merged returns the events of all lines in a random order that keeps that of
// each.
func merged(random *rand.Rand, lines [][]ikigai.Event) (all []ikigai.Event) {
	for len(lines) > 0 {
		i := random.IntN(len(lines))
		all, lines[i] = append(all, lines[i][0]), lines[i][1:]
		if len(lines[i]) == 0 {
			lines = append(lines[:i], lines[i+1:]...)
		}
	}
	return all
}

// What is kept does not grow with the session: after any number of statements,
// each with side interactions and some of these broken off, it is what it was
// after the first ones.
func TestMemoryOfSidesIsBounded(t *testing.T) {
	statement := func(n int) []ikigai.Event {
		name := func(p string) string { return fmt.Sprintf("%s-%d", p, n) }
		events := []ikigai.Event{says(ikigai.KindUser, "go"), call("d", "{}")}
		events = append(events, in(name("objective"), begins(ikigai.PurposeObjective, "name", ikigai.Main, ""))...)
		events = append(events, in(name("broken"), begins(ikigai.PurposeTask, "T", ikigai.Main, "d"), call("x", "{}"))...)
		events = append(events, task(name("task"), ikigai.Main, "d", 1)...)
		if n%3 > 0 {
			events = append(events, result("d", "{}"))
		}
		return append(events, in(name("commit"), begins(ikigai.PurposeCommit, "c", ikigai.Main, ""), used(1, 1))...)
	}
	var added, passed transcript.Transcript
	size := func(t *transcript.Transcript) (n int) {
		v := reflect.ValueOf(t).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Map || f.Kind() == reflect.Slice {
				n += f.Len()
			}
		}
		return n
	}
	for n := range 300 {
		for _, e := range statement(n) {
			added.Add(e)
			passed.Pass(e)
		}
		if size(&added) > 20 || size(&passed) > 20 {
			t.Fatalf("after %d statements: %d and %d things are kept", n+1, size(&added), size(&passed))
		}
	}
}
