package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func at(seq ikigai.Seq, e ikigai.Event) ikigai.Event {
	e.Seq = seq
	return e
}

func rewoundTo(to ikigai.Seq) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: to})
}

func cleared() ikigai.Event { return ikigai.NewEvent(ikigai.KindClear, "", nil) }

func goal(text, by string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindGoal, text, ikigai.ObjectiveData{By: by})
}

func objective(of ikigai.Seq, text, by string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindObjective, text, ikigai.ObjectiveData{Statement: of, By: by})
}

func aside(interaction string, e ikigai.Event) ikigai.Event {
	e.Interaction = interaction
	return e
}

// told returns a purpose on one line.
func (p *Purpose) told() string {
	s := fmt.Sprintf("%s/%s:", p.Goal(), p.GoalBy())
	for _, o := range p.Objectives() {
		s += fmt.Sprintf(" %d=%s/%s", o.Statement, o.Text, o.By)
	}
	return s
}

// S4.2: the goal is there from the first statement on. S4.3, S4.28: later
// statements have objectives of their own and leave it alone. S4.5, S4.6, S4.7,
// S4.8: one for each, in order, the last is the current one. S4.9: where no
// answer comes, or late, the statement's own words stand. S4.29: side
// interactions have none of it. S4.25, D20: a projection of the interaction.
func TestPurpose(t *testing.T) {
	byLoop := ikigai.NewEvent(ikigai.KindUser, "As JSON.", ikigai.MessageData{By: ikigai.ByLoop})
	p := NewPurpose()
	for seq, step := range []struct {
		event ikigai.Event
		want  string
	}{
		{ikigai.NewEvent(ikigai.KindSession, "/", nil), "/:"},
		{user("Fix it. Soon."), "Fix it./statement: 2=Fix it./statement"},
		{aside("task-3", user("Look. Around.")), "Fix it./statement: 2=Fix it./statement"},
		{aside("objective-3", goal("Aside", ikigai.ByModel)), "Fix it./statement: 2=Fix it./statement"},
		{byLoop, "Fix it./statement: 2=Fix it./statement"},
		{objective(2, "Fix the lexer", ikigai.ByModel), "Fix it./statement: 2=Fix the lexer/model"},
		{goal("Ship", ikigai.ByModel), "Ship/model: 2=Fix the lexer/model"},
		{user("And the tests?"), "Ship/model: 2=Fix the lexer/model 8=And the tests?/statement"},
		{user("Then go on"), "Ship/model: 2=Fix the lexer/model 8=And the tests?/statement 9=Then go on/statement"},
		{objective(8, "Test it", ikigai.ByModel), "Ship/model: 2=Fix the lexer/model 8=Test it/model 9=Then go on/statement"},
		{objective(3, "Of no statement", ikigai.ByModel), "Ship/model: 2=Fix the lexer/model 8=Test it/model 9=Then go on/statement"},
		{goal("Sell", ikigai.ByPerson), "Sell/person: 2=Fix the lexer/model 8=Test it/model 9=Then go on/statement"},
		{goal("Ship late", ikigai.ByModel), "Sell/person: 2=Fix the lexer/model 8=Test it/model 9=Then go on/statement"},
		{objective(9, "Mine", ikigai.ByPerson), "Sell/person: 2=Fix the lexer/model 8=Test it/model 9=Mine/person"},
		{objective(9, "Late", ikigai.ByModel), "Sell/person: 2=Fix the lexer/model 8=Test it/model 9=Mine/person"},
		{goal("Give away", ikigai.ByPerson), "Give away/person: 2=Fix the lexer/model 8=Test it/model 9=Mine/person"},
		{rewoundTo(7), "Ship/model: 2=Fix the lexer/model"},
		{objective(9, "Of another branch", ikigai.ByModel), "Ship/model: 2=Fix the lexer/model"},
		{rewoundTo(5), "Fix it./statement: 2=Fix it./statement"},
		{user("Other"), "Fix it./statement: 2=Fix it./statement 20=Other/statement"},
		{rewoundTo(16), "Give away/person: 2=Fix the lexer/model 8=Test it/model 9=Mine/person"},
		{cleared(), "/:"},
		{objective(9, "Late", ikigai.ByModel), "/:"},
		{user("Anew!\nAll of it"), "Anew!/statement: 24=Anew!/statement"},
		{goal("", ikigai.ByModel), "Anew!/statement: 24=Anew!/statement"},
		{ikigai.Event{Interaction: ikigai.Main, Kind: ikigai.KindGoal, Content: "x", Data: []byte("{")}, "Anew!/statement: 24=Anew!/statement"},
		{rewoundTo(20), "Fix it./statement: 2=Fix it./statement 20=Other/statement"},
	} {
		p.Add(at(ikigai.Seq(seq+1), step.event))
		if diff := cmp.Diff(step.want, p.told()); diff != "" {
			t.Errorf("after event %d (-want +got):\n%s", seq+1, diff)
		}
	}
	if got := p.Objective(); got != "Other" {
		t.Errorf("the current objective is %q", got)
	}
}

func TestFirstSentence(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for text, want := range map[string]string{
		"":                                    "",
		" \n\t ":                              "",
		"Fix it":                              "Fix it",
		"  Fix\n it.  Then rest.":             "Fix it.",
		"Why? Because.":                       "Why?",
		"Fix main.go e.g. the loop. Now":      "Fix main.go e.g. the loop.",
		"1. Read. 2. Write.":                  "1. Read.",
		"Review this\n\n[file: a.go]\n\nx. y": "Review this",
		"Review this\r\n\r\nAnd that":         "Review this",
		"修复它。然后测试。":                           "修复它。",
		"…":                                   "…",
		long:                                  strings.TrimSpace(long[:199]) + "…",
		strings.Repeat("é", 300):              strings.Repeat("é", 199) + "…",
	} {
		if got := firstSentence(text); got != want || utf8.RuneCountInString(got) > maxSentence {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// S4.15, S4.16, S4.24, S4.26, S4.29: results of the interaction count, whatever other
// interactions do meanwhile. S5.4: as they say themselves.
func TestTally(t *testing.T) {
	ran := func(name string, success bool) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: "c", Name: name, Success: success,
			Output: `{"name":"no","success":` + fmt.Sprint(!success) + `}`})
	}
	main, task := NewTally(ikigai.Main), NewTally("task-4")
	for seq, e := range []ikigai.Event{
		ran("bash", true), ran("grep", true), ran("bash", false), aside("task-4", ran("bash", true)),
		ran(`quo"ted`, true), aside("task-9", ran("bash", false)), aside("task-4", ran("glob", false)), rewoundTo(3),
		ran("grep", false),
		{Interaction: ikigai.Main, Kind: ikigai.KindToolResult, Data: []byte(`{"success":true, "name":"glob"}`)},
		{Interaction: ikigai.Main, Kind: ikigai.KindToolResult, Data: []byte(`[]`)},
	} {
		main.Add(at(ikigai.Seq(seq+1), e))
		task.Add(at(ikigai.Seq(seq+1), e))
		if seq == 4 {
			if diff := cmp.Diff([]ikigai.ToolTally{{Name: "bash", Succeeded: 1, Failed: 1}, {Name: "grep", Succeeded: 1}, {Name: `quo"ted`, Succeeded: 1}}, main.Tools()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	for tally, want := range map[*Tally][]ikigai.ToolTally{
		main: {{Name: "bash", Succeeded: 1, Failed: 1}, {Name: "grep", Succeeded: 1, Failed: 1}, {Name: "glob", Succeeded: 1}},
		task: {{Name: "bash", Succeeded: 1}, {Name: "glob", Failed: 1}},
	} {
		if diff := cmp.Diff(want, tally.Tools()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tally.interaction, diff)
		}
	}
	main.Add(at(20, cleared()))
	if got := main.Tools(); len(got) > 0 {
		t.Errorf("after a clear: %v", got)
	}
}

// S4.22: files and URLs that results name, and files that were noticed to be
// others after a command, each change once. S4.25
func TestResources(t *testing.T) {
	ran := func(call string, resources ...ikigai.Resource) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: call, Name: "t", Output: `"resources":[]`, Success: true,
			Executed: []byte(`{"a":1,"resources":[{"uri":"/no"}]}`), Resources: resources, Millis: 7})
	}
	change := func(call, path string, noticed bool) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{CallID: call, Path: path, Noticed: noticed})
	}
	r := NewResources(ikigai.Main)
	for seq, step := range []struct {
		event ikigai.Event
		want  []Use
	}{
		{ran("1", ikigai.Resource{URI: "/a"}, ikigai.Resource{URI: "https://b", SHA256: "x"}), []Use{{"/a", 1, 0, 1}, {"https://b", 1, 0, 1}}},
		{ran("2"), []Use{{"/a", 1, 0, 1}, {"https://b", 1, 0, 1}}},
		{change("3", "/a", false), []Use{{"/a", 1, 0, 1}, {"https://b", 1, 0, 1}}},
		{ran("3", ikigai.Resource{URI: "/a", Changed: true}), []Use{{"/a", 1, 1, 4}, {"https://b", 1, 0, 1}}},
		{change("3", "/a", true), []Use{{"/a", 1, 1, 5}, {"https://b", 1, 0, 1}}},
		{change("4", "/a", true), []Use{{"/a", 1, 2, 6}, {"https://b", 1, 0, 1}}},
		{change("4", "/c", true), []Use{{"/a", 1, 2, 6}, {"https://b", 1, 0, 1}, {"/c", 0, 1, 7}}},
		{aside("task-1", ran("5", ikigai.Resource{URI: "/d"})), []Use{{"/a", 1, 2, 6}, {"https://b", 1, 0, 1}, {"/c", 0, 1, 7}}},
		{rewoundTo(4), []Use{{"/a", 1, 1, 4}, {"https://b", 1, 0, 1}}},
		{cleared(), []Use{}},
		{ikigai.Event{Interaction: ikigai.Main, Kind: ikigai.KindToolResult, Data: []byte(`{"resources":[{"uri":"/e"}]}`)}, []Use{{"/e", 1, 0, 11}}},
		{ikigai.Event{Interaction: ikigai.Main, Kind: ikigai.KindToolResult, Data: []byte(`{"resources":[{"uri":1}]`)}, []Use{{"/e", 1, 0, 11}}},
		{rewoundTo(7), []Use{{"/a", 1, 2, 6}, {"https://b", 1, 0, 1}, {"/c", 0, 1, 7}}},
		{ikigai.NewEvent(ikigai.KindChange, "changed 2 files", ikigai.ChangeData{CallID: "4", Noticed: true, Unrecorded: "too many", Files: 2}),
			[]Use{{"/a", 1, 2, 6}, {"https://b", 1, 0, 1}, {"/c", 0, 1, 7}}},
	} {
		r.Add(at(ikigai.Seq(seq+1), step.event))
		if diff := cmp.Diff(step.want, r.List()); diff != "" {
			t.Errorf("after event %d (-want +got):\n%s", seq+1, diff)
		}
	}
}

// S4.22: what tasks touch, and the tasks of tasks, is touched by the conversation
// that they serve; what they did within a stretch that is rewound goes with it.
// S4.24: their tools are their own.
func TestResourcesOfTasks(t *testing.T) {
	begins := func(name string, purpose ikigai.Purpose, parent string) ikigai.Event {
		return aside(name, ikigai.NewEvent(ikigai.KindInteraction, "t", ikigai.InteractionData{Purpose: purpose, Parent: parent}))
	}
	changed := func(interaction, uri string) ikigai.Event {
		return aside(interaction, ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: "1", Name: "t", Output: "{}", Success: true,
			Resources: []ikigai.Resource{{URI: uri, Changed: true}}}))
	}
	noticed := func(interaction, path string) ikigai.Event {
		return aside(interaction, ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{CallID: "1", Path: path, Noticed: true}))
	}
	first, both := []Use{{"/a", 0, 1, 2}}, []Use{{"/a", 0, 1, 2}, {"/b", 0, 1, 4}}
	main, tally := newFolds(), NewTally(ikigai.Main)
	for i, step := range []struct {
		event ikigai.Event
		want  []Use
	}{
		{begins("task-1", ikigai.PurposeTask, ikigai.Main), []Use{}},
		{changed("task-1", "/a"), first},
		{begins("task-3", ikigai.PurposeTask, "task-1"), first},
		{changed("task-3", "/b"), both},
		{noticed("task-1", "/b"), []Use{{"/a", 0, 1, 2}, {"/b", 0, 2, 5}}}, // of another call with the same ID
		{begins("summary-6", ikigai.PurposeSummary, ikigai.Main), []Use{{"/a", 0, 1, 2}, {"/b", 0, 2, 5}}},
		{begins("task-7", ikigai.PurposeTask, "summary-6"), []Use{{"/a", 0, 1, 2}, {"/b", 0, 2, 5}}},
		{changed("task-7", "/c"), []Use{{"/a", 0, 1, 2}, {"/b", 0, 2, 5}}},
		{aside("task-3", cleared()), []Use{{"/a", 0, 1, 2}, {"/b", 0, 2, 5}}},
		{rewoundTo(4), both},
		{rewoundTo(2), first},
		{changed("task-1", "/b"), []Use{{"/a", 0, 1, 2}, {"/b", 0, 1, 12}}},
		{cleared(), []Use{}},
	} {
		e := at(ikigai.Seq(i+1), step.event)
		if e.Interaction == "" {
			e.Interaction = ikigai.Main
		}
		main.resources.Add(e)
		tally.Add(e)
		if diff := cmp.Diff(step.want, main.resources.List()); diff != "" {
			t.Errorf("after event %d (-want +got):\n%s", i+1, diff)
		}
	}
	if got := tally.Tools(); len(got) > 0 {
		t.Errorf("the main conversation has called %v", got)
	}
}

// folds is all projections of a trail.
type folds struct {
	purpose   *Purpose
	tally     *Tally
	resources *Resources
}

func newFolds() folds { return folds{NewPurpose(), NewTally(ikigai.Main), NewResources(ikigai.Main)} }

func (f folds) add(e ikigai.Event) {
	f.purpose.Add(e)
	f.tally.Add(e)
	f.resources.Add(e)
}

func (f folds) told() string {
	return f.purpose.told() + fmt.Sprint(f.tally.Tools(), f.resources.List())
}

// FuzzTrail: after a rewind all is as it was right after that event, step by
// step and from scratch; after a clear there is nothing; and there are always as
// many objectives as statements. S4.8, S4.23, S5.6
func FuzzTrail(f *testing.F) {
	f.Add(uint64(1), 40)
	f.Add(uint64(2), 300)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		r := rand.New(rand.NewPCG(seed, 0))
		now, empty := newFolds(), newFolds().told()
		events, after, statements := []ikigai.Event{}, []string{empty}, []int{0}
		for seq := 1; seq <= min(n, 300); seq++ {
			want, count := "", statements[seq-1]
			var e ikigai.Event
			switch k := r.IntN(12); {
			case k == 0 && seq > 1:
				to := 1 + r.IntN(seq-1)
				e, want, count = rewoundTo(ikigai.Seq(to)), after[to], statements[to]
			case k == 1:
				e, want, count = cleared(), empty, 0
			default:
				if e = randomStep(r, seq); e.IsStatement() {
					count++
				}
			}
			e.Seq = ikigai.Seq(seq)
			now.add(e)
			events = append(events, e)
			got := now.told()
			if want != "" && got != want {
				t.Fatalf("after event %d, a %s:\n%s\nwant\n%s", seq, e.Kind, got, want)
			}
			if len(now.purpose.Objectives()) != count {
				t.Fatalf("after event %d there are %d objectives, of %d statements", seq, len(now.purpose.Objectives()), count)
			}
			after, statements = append(after, got), append(statements, count)
		}
		scratch := newFolds()
		for _, e := range events {
			scratch.add(e)
		}
		if diff := cmp.Diff(now.told(), scratch.told()); diff != "" {
			t.Fatalf("from scratch:\n%s", diff)
		}
	})
}

func randomStep(r *rand.Rand, seq int) ikigai.Event {
	by := []string{ikigai.ByModel, ikigai.ByPerson}[r.IntN(2)]
	switch r.IntN(6) {
	case 0:
		return user(fmt.Sprint("say ", seq))
	case 1:
		return goal(fmt.Sprint("goal ", seq), by)
	case 2:
		return objective(ikigai.Seq(1+r.IntN(seq)), fmt.Sprint("objective ", seq), by)
	case 3:
		path := fmt.Sprint("/", r.IntN(4))
		return ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{CallID: fmt.Sprint(r.IntN(3)), Path: path, Noticed: true})
	}
	return ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{
		ToolCallID: fmt.Sprint(r.IntN(3)), Name: fmt.Sprint("tool", r.IntN(3)), Success: r.IntN(2) == 0, Output: "{}",
		Resources: []ikigai.Resource{{URI: fmt.Sprint("/", r.IntN(4)), Changed: r.IntN(2) == 0}},
	})
}

// FuzzResult: what is read of a result without decoding it is what decoding
// gives.
func FuzzResult(f *testing.F) {
	f.Add("c1", "bash", `","success":true,"resources":[`, `{"resources":[{"uri":"/x"}],"ms":1}`, "/a", true)
	f.Add(`c"\`, "to\\ol", "\x00\xff", "", "", false)
	f.Fuzz(func(t *testing.T, id, name, output, executed, uri string, success bool) {
		d := ikigai.ToolResultData{ToolCallID: id, Name: name, Output: output, Success: success, Note: output, Report: name, Millis: 3}
		if executed != "" {
			e := ikigai.NewEvent(ikigai.KindUser, "", map[string]string{"resources": executed})
			d.Executed = e.Data
		}
		if uri != "" {
			d.Resources = []ikigai.Resource{{URI: uri, Changed: success}}
		}
		e := ikigai.NewEvent(ikigai.KindToolResult, "", d)
		var want ikigai.ToolResultData
		if err := e.DecodeData(&want); err != nil {
			t.Fatal(err)
		}
		if got, ok := outcomeOf(e); !ok || got != (outcome{want.Name, want.Success}) {
			t.Errorf("%+v of %s", got, e.Data)
		}
		if got := callOf(e); got != want.ToolCallID {
			t.Errorf("call %q of %s", got, e.Data)
		}
		if diff := cmp.Diff(want.Resources, resourcesOf(e)); diff != "" {
			t.Errorf("resources of %s:\n%s", e.Data, diff)
		}
	})
}

// The loop asks while side interactions record.
func TestFoldsAtOnce(t *testing.T) {
	f := newFolds()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 50 {
				f.add(at(ikigai.Seq(i*50+j+1), randomStep(rand.New(rand.NewPCG(uint64(i), uint64(j))), 5)))
				f.told()
			}
		})
	}
	wg.Wait()
	if tools := f.tally.Tools(); !slices.ContainsFunc(tools, func(t ikigai.ToolTally) bool { return t.Succeeded > 0 }) {
		t.Errorf("%v", tools)
	}
}

// What a model has passed to a tool does not pass for what the tool came to.
func TestResourcesOfInput(t *testing.T) {
	e := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: "c", Name: "list",
		Executed: []byte(`{"resources":[{"uri":"/x"}],"ms":1}`), Millis: 3})
	if got := resourcesOf(e); got != nil {
		t.Errorf("the resources are %v", got)
	}
}
