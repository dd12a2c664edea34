package history

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

// session is a log that grows, with the projections that a compaction asks.
type session struct {
	t      *testing.T
	line   *Line
	goal   *Purpose
	used   *Resources
	events []ikigai.Event
	kept   map[ikigai.Seq]string
	asked  []string // texts that a model was to sum up
	says   string   // its answer
}

func newSession(t *testing.T) *session {
	s := &session{t: t, line: New(ikigai.Main), goal: NewPurpose(), used: NewResources(ikigai.Main), kept: map[ikigai.Seq]string{}}
	s.add(system("You help."))
	return s
}

func (s *session) add(events ...ikigai.Event) {
	for _, e := range events {
		e.Seq = ikigai.Seq(len(s.events) + 1)
		s.events = append(s.events, e)
		s.line.Add(e)
		s.goal.Add(e)
		s.used.Add(e)
	}
}

// round adds a call with its result, of so many bytes.
func (s *session) round(size int) {
	id := fmt.Sprintf("c%d", len(s.events))
	s.add(call(id, `{"command":"make"}`), result(id, fmt.Sprintf(`{"output":%q,"exit_code":0}`, strings.Repeat("0123456789\n", size/11))))
}

func (s *session) compact(budget int64) (ikigai.ProjectionData, bool) {
	s.t.Helper()
	e, ok := s.line.Compact(s.t.Context(), Compaction{
		Model: "m/a", Reason: ikigai.FitBudget, Budget: budget,
		Known: Known{Goal: s.goal.Goal(), Objectives: s.goal.Objectives(), Resources: s.used.List()},
		Keep:  func(seq ikigai.Seq, text string) string { s.kept[seq] = text; return fmt.Sprintf("/out/%d.txt", seq) },
		Summarise: func(_ context.Context, text string, size int) (string, string) {
			s.asked = append(s.asked, text)
			return s.says, "summary-1"
		},
	})
	if !ok {
		return ikigai.ProjectionData{}, false
	}
	before := dump(s.line.Request().Messages)
	s.add(e)
	if err := valid(s.line.Request().Messages); err != nil {
		s.t.Fatal(err)
	}
	if dump(s.line.Request().Messages) == before {
		s.t.Fatal("a projection changed nothing")
	}
	if got := dump(scratch(s.events).Request().Messages); got != dump(s.line.Request().Messages) {
		s.t.Fatal("from scratch it is another conversation")
	}
	var d ikigai.ProjectionData
	if err := e.DecodeData(&d); err != nil {
		s.t.Fatal(err)
	}
	return d, true
}

func (s *session) sent() string { return script(s.line.Request().Messages) }

// Old results go first, the oldest first, and none of the last rounds; each says
// where it is, in a form that it had before.
func TestTrimming(t *testing.T) {
	s := newSession(t)
	s.add(user("build"))
	for range 10 {
		s.round(4000)
	}
	d, ok := s.compact(10_000)
	if !ok || d.Summary != nil || len(d.Trimmed) == 0 || len(d.Trimmed) > 8 || len(s.asked) > 0 {
		t.Fatalf("%t, %+v", ok, d)
	}
	if d.After >= d.Before || d.After > 4_600 || d.After < 3_000 {
		t.Errorf("from %d to %d tokens", d.Before, d.After)
	}
	for i, r := range d.Trimmed {
		if want := ikigai.Seq(4 + 2*i); r.Seq != want {
			t.Errorf("trimmed is %d, not %d", r.Seq, want)
		}
		if len(s.kept[r.Seq]) != 3993 || strings.Contains(s.kept[r.Seq], "exit_code") {
			t.Errorf("kept %q", s.kept[r.Seq])
		}
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(s.line.Request().Messages[3].Result.Output), &first); err != nil {
		t.Fatal(err)
	}
	if out, _ := first["output"].(string); !strings.Contains(out, "file_read in /out/4.txt") || first["exit_code"] != 0.0 {
		t.Errorf("sent is %v", first)
	}
	if _, ok := s.compact(10_000); ok {
		t.Error("compacted again, though nothing has come")
	}
	// A rewind to before brings all back; the projection is that of its branch.
	s.add(ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: 22}))
	if strings.Contains(s.sent(), "Trimmed") {
		t.Error("a rewind did not bring the results back")
	}
	s.add(ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: 23}))
	if !strings.Contains(s.sent(), "Trimmed") {
		t.Error("a rewind to after the projection does not go by it")
	}
}

// Where trimming is not enough the oldest statements are summed up; what the log
// knows stays whatever the model says.
func TestSummary(t *testing.T) {
	for _, says := range []string{"We built it.", "", strings.Repeat("rubbish ", 10_000), "\x00\xff"} {
		s := newSession(t)
		s.says = says
		s.add(user("Build a bridge. Then a road."), ikigai.NewEvent(ikigai.KindGoal, "A bridge for all", ikigai.ObjectiveData{By: "model"}),
			assistant("It stands."),
			user("Why is it red? Tell me."), ikigai.NewEvent(ikigai.KindObjective, "Explain the colour", ikigai.ObjectiveData{Statement: 5, By: "model"}),
			ikigai.NewEvent(ikigai.KindError, "failed", ikigai.ErrorData{}))
		for i := range 50 {
			s.add(user(fmt.Sprintf("Paint part %d. %s", i, strings.Repeat("word ", 100))), assistant(strings.Repeat("Done it. ", 50)))
		}
		s.add(ikigai.NewEvent(ikigai.KindChange, "/src/a.go", ikigai.ChangeData{Path: "/src/a.go", Noticed: true}))
		s.add(user("And the last one, please."))
		d, ok := s.compact(10_000)
		if !ok || d.Summary == nil || len(s.asked) != 1 {
			t.Fatalf("%t, %+v", ok, d)
		}
		if d.After > 5_000 || s.line.Tokens() != d.After {
			t.Errorf("%q: from %d to %d tokens, then %d", cutTo(says, 20), d.Before, d.After, s.line.Tokens())
		}
		for _, want := range []string{"A bridge for all", "Explain the colour", "Why is it red? Tell me.", "/src/a.go", "And the last one, please.", "Paint part 49."} {
			if !strings.Contains(s.sent(), want) {
				t.Errorf("%q: %q is missing in\n%s", cutTo(says, 20), want, s.sent())
			}
		}
		if said := strings.Contains(s.sent(), " → Done it."); said != (says == "") {
			t.Errorf("%q: the log's own words of what was done: %t", cutTo(says, 20), said)
		}
		shape := s.line.Shape()
		if shape.Summary.Statements == 0 || shape.Summary.Statements+len(shape.Statements) != 53 {
			t.Errorf("%d statements are summed up, %d sent", shape.Summary.Statements, len(shape.Statements))
		}
	}
}

// What the person replies to stays, however it ends and whatever came between:
// "yes" alone says nothing.
func TestSummaryKeepsWhatIsRepliedTo(t *testing.T) {
	for _, question := range []string{"Shall I delete the old parser?", "削除しますか？", "هل أحذفه؟", "**Delete it?**", "(Or shall I keep it?)", "Say which: a) the old parser, b) the new one."} {
		for name, reply := range map[string]func(*session){
			"at the statement": func(s *session) { s.add(user("Yes, do that.")) },
			"in its rounds": func(s *session) {
				s.add(user("Yes, do that."))
				for range 3 {
					s.round(9_000)
				}
			},
			"after one that failed": func(s *session) {
				s.add(user("Yes."), ikigai.NewEvent(ikigai.KindError, "no", ikigai.ErrorData{}), user("Yes, I said."))
			},
			"a second time": func(s *session) {
				s.add(user("Yes, do that."))
				s.compact(10_000)
				for range 20 {
					id := fmt.Sprintf("c%d", len(s.events))
					s.add(call(id, `{"content":"`+strings.Repeat("x", 2000)+`"}`), result(id, `{}`))
				}
			},
		} {
			s := newSession(t)
			s.says = "rubbish"
			s.add(user("Look at it."))
			s.round(2_000)
			s.add(assistant(strings.Repeat("It is long. ", 4_000) + question))
			reply(s)
			if d, ok := s.compact(10_000); !ok || d.Summary == nil {
				t.Fatalf("%s: %t, %+v", name, ok, d)
			}
			if sent := s.sent(); !strings.Contains(sent, question) || strings.Count(sent, "It is long.") > 100 {
				t.Errorf("%s: %q is missing in\n%s", name, question, sent)
			}
		}
	}
	s := newSession(t) // what is still sent is not said twice
	s.add(user("Look at it."), assistant(strings.Repeat("It is long. ", 4_000)), user("And?"), assistant("Shall I go on?"), user("Yes."))
	if d, ok := s.compact(10_000); !ok || d.Summary == nil || strings.Count(s.sent(), "Shall I go on?") != 1 {
		t.Errorf("%t, %+v\n%s", ok, d, s.sent())
	}
}

// A statement that alone is too much goes on: its words stay, what was done for
// it is told, the last results are shown in part.
func TestLongStatement(t *testing.T) {
	s := newSession(t)
	s.add(user("Find the needle, and nothing else."))
	for range 40 {
		id := fmt.Sprintf("c%d", len(s.events))
		s.add(call(id, `{"content":"`+strings.Repeat("x", 2000)+`"}`), result(id, `{}`))
	}
	s.round(60_000)
	d, ok := s.compact(10_000)
	if !ok || d.Summary == nil || d.After > 8_000 {
		t.Fatalf("%t, %+v", ok, d)
	}
	if sent := s.sent(); !strings.Contains(sent, "Find the needle, and nothing else.") || !strings.Contains(sent, "bytes of output are shown") {
		t.Errorf("sent is\n%s", sent)
	}
	for range 10 {
		s.round(6_000)
	}
	d, ok = s.compact(10_000)
	if !ok || d.After > 8_000 || !strings.Contains(s.sent(), "Find the needle, and nothing else.") {
		t.Fatalf("%t, %+v\n%s", ok, d, s.sent())
	}
}

// A conversation that cannot take less gives no event.
func TestNothingToGain(t *testing.T) {
	s := newSession(t)
	s.add(user(strings.Repeat("a long statement ", 10_000)))
	if d, ok := s.compact(1_000); ok {
		t.Errorf("%+v", d)
	}
	if _, ok := New(ikigai.Main).Compact(t.Context(), Compaction{Budget: 1}); ok {
		t.Error("nothing was compacted")
	}
}

// Who stops a model at its summary has not asked for a worse one.
func TestStoppedSummary(t *testing.T) {
	s := newSession(t)
	for range 50 {
		s.add(user(strings.Repeat("word ", 200)), assistant("Done."))
	}
	ctx, stop := context.WithCancel(t.Context())
	kept := false
	_, ok := s.line.Compact(ctx, Compaction{Reason: ikigai.FitBudget, Budget: 5_000,
		Keep:      func(ikigai.Seq, string) string { kept = true; return "" },
		Summarise: func(context.Context, string, int) (string, string) { stop(); return "", "" }})
	if ok || ctx.Err() == nil || kept {
		t.Errorf("an event: %t, the model was asked: %t, files were written: %t", ok, ctx.Err() != nil, kept)
	}
}

// Pictures of old statements and results go, too, and are not loaded any more;
// the words beside them stay.
func TestTrimmedMedia(t *testing.T) {
	s := newSession(t)
	s.line.SetBlobs(func(string) ([]byte, error) { return picture(1, 1), nil })
	image := []ikigai.Part{{Type: ikigai.PartImage, Name: "a.png", Blob: "h", Size: 100}}
	s.add(ikigai.Message{Kind: ikigai.KindUser, Content: "What is this?", Parts: image}.Event(), assistant("A bridge."),
		user("Look."), call("c", "{}"), ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "c", Output: "{}", Parts: image}}.Event(),
		assistant("Seen."), user("Go on."))
	loaded(s.line)
	d, ok := s.compact(2_000)
	if !ok || len(d.Trimmed) != 2 || len(s.line.now.media.media) != 0 || s.line.now.media.bytes != 0 || len(s.line.contents.held) != 0 {
		t.Fatalf("%t, %+v, %+v", ok, d, s.line.now.media)
	}
	for _, want := range []string{"What is this?", "image a.png is left out", "1 images or documents left out"} {
		if got := dump(loaded(s.line).Messages); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
