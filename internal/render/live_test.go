package render_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// screen is a terminal that shows both outputs, and the answers alone.
type screen struct {
	noise        func(*screen) // happens before everything that is shown
	all, answers strings.Builder
	live         render.Live
	fold         transcript.Transcript
}

func (s *screen) write(pieces []render.Piece) {
	for _, p := range pieces {
		s.all.WriteString(p.Text)
		if p.Answer {
			s.answers.WriteString(p.Text)
		}
	}
}

func (s *screen) delta(d ikigai.Delta) {
	s.noisy()
	s.write(s.live.Delta(d))
}

func (s *screen) noisy() {
	if s.noise != nil {
		s.noise(s)
	}
}

func (s *screen) event(e ikigai.Event) {
	for _, b := range s.fold.Add(e) {
		s.noisy()
		s.write(s.live.Block(b))
	}
}

// play shows events live: what models say comes first in pieces of random
// sizes, then as events. It ends as the log does, with the calls left open.
func play(style render.Style, events []ikigai.Event, random *rand.Rand) *screen {
	return (&screen{live: render.Live{Style: style}, fold: transcript.Transcript{Brief: true, Folded: true}}).play(events, random)
}

func (s *screen) play(events []ikigai.Event, random *rand.Rand) *screen {
	for i, e := range events {
		if startsReply(events, i) {
			for _, d := range deltas(events[i:], random) {
				s.delta(d)
			}
		}
		s.event(e)
	}
	for _, b := range s.fold.Open() {
		s.write(s.live.Block(b))
	}
	s.noisy()
	s.write(s.live.End())
	return s
}

func isReply(e ikigai.Event) bool {
	switch e.Kind {
	case ikigai.KindThinking, ikigai.KindAssistant, ikigai.KindInterrupted:
		return e.Interaction == ikigai.Main
	}
	return false
}

// startsReply reports whether the model begins to speak before events[i].
func startsReply(events []ikigai.Event, i int) bool {
	if !isReply(events[i]) {
		return false
	}
	return i == 0 || events[i-1].Kind != ikigai.KindThinking || events[i].Kind == ikigai.KindThinking
}

// deltas returns the reply that begins with events[0] as it came. Some of it
// may not have come in pieces.
func deltas(events []ikigai.Event, random *rand.Rand) (all []ikigai.Delta) {
	thinking, text := "", ""
	switch e := events[0]; e.Kind {
	case ikigai.KindThinking:
		thinking = e.Content
		if len(events) > 1 && events[1].Kind == ikigai.KindAssistant && isReply(events[1]) {
			text = events[1].Content
		}
	case ikigai.KindInterrupted:
		var d ikigai.InterruptedData
		_ = e.DecodeData(&d)
		thinking, text = d.Thinking, e.Content
	default:
		text = e.Content
	}
	came := cuts(thinking, random)
	for _, p := range came {
		all = append(all, ikigai.Delta{Thinking: p})
	}
	if len(strings.Join(came, "")) < len(thinking) {
		return all // the answer cannot have begun
	}
	for _, p := range cuts(text, random) {
		all = append(all, ikigai.Delta{Text: p})
	}
	return all
}

// cuts returns s in pieces of whole characters, as the JSON of vendors holds
// them; one time in four the last ones are missing.
func cuts(s string, random *rand.Rand) (pieces []string) {
	rest := []rune(s)
	if random.IntN(4) == 0 && len(rest) > 0 {
		rest = rest[:random.IntN(len(rest))]
	}
	for len(rest) > 0 {
		n := min(len(rest), 1+random.IntN(8))
		pieces = append(pieces, string(rest[:n]))
		rest = rest[n:]
	}
	return pieces
}

// decoded returns events as they come back from a store.
func decoded(t *testing.T, events []ikigai.Event) []ikigai.Event {
	t.Helper()
	var back []ikigai.Event
	for _, e := range events {
		var d ikigai.Event
		if err := json.Unmarshal(transcript.JSONLine(e), &d); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		back = append(back, d)
	}
	return back
}

// FuzzLiveIsTheLog holds that what is seen live is what the log shows later, but
// for changes that results tell of, however the replies came in, and that the standard output holds the answers
// and nothing else.
//
// S2.47, S3.30
func FuzzLiveIsTheLog(f *testing.F) {
	f.Add(uint64(1), "one\ntwo", "I see\n", "half\x1b[1")
	f.Add(uint64(2), "", "\r\n\x1b]0;t\a", "\x1b[m")
	f.Add(uint64(3), "日本\n\n", "\x00\u202e", "\n\n")
	f.Add(uint64(40), "00", "I \n", "half\x1b[1")
	f.Add(uint64(103), "日本\n\n", "\u202e", "0")
	f.Add(uint64(7), "0", "\n\n", "\x1b")
	f.Add(uint64(8), "| a | b |\n|--|-:|\n| "+strings.Repeat("word ", 20)+"| 日本 |\n\nx", "a|b|c|d|e|f|g\n-|-|-|-|-|-|-\n"+strings.Repeat("longer|", 7)+"\n", "one\\\ntwo &amp; &#27;[2J &#x202e; three\\")
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c string) {
		random := rand.New(rand.NewPCG(seed, 0))
		events := session(random, []string{ikigai.CleanText(a), ikigai.CleanText(b), ikigai.CleanText(c), ""})
		for _, style := range []render.Style{
			{Zone: time.UTC}, {Zone: time.UTC, ASCII: true, Verbose: true}, {Zone: time.UTC, Compact: true, Width: 24},
			{Zone: time.UTC, Markdown: true, Color: true, Width: 40}, {Zone: time.UTC, Markdown: true, Compact: true},
		} {
			live := play(style, events, random)
			if diff := cmp.Diff(briefPage(neverVerbose(style), decoded(t, events)), live.all.String()); diff != "" {
				t.Errorf("%+v: live is not the log (-log +live):\n%s", style, diff)
			}
			if diff := cmp.Diff(answers(style, events), live.answers.String()); diff != "" {
				t.Errorf("standard output (-want +got):\n%s", diff)
			}
		}
	})
}

// neverVerbose returns style as a Live takes it.
func neverVerbose(style render.Style) render.Style {
	style.Verbose = false
	return style
}

// session returns random events that use the given texts.
func session(random *rand.Rand, texts []string) (events []ikigai.Event) {
	text := func() string { return texts[random.IntN(len(texts))] }
	id := func() string { return string(rune('1' + random.IntN(2))) }
	event := func(kind ikigai.Kind, content string, data any) {
		e := ikigai.NewEvent(kind, content, data)
		e.Seq = ikigai.Seq(len(events) + 1)
		if random.IntN(10) == 0 {
			e.Interaction = "title"
		}
		if random.IntN(4) == 0 {
			e.Interaction = "task-1"
		}
		events = append(events, e)
	}
	for range random.IntN(16) {
		switch random.IntN(15) {
		case 0:
			event(ikigai.KindUser, text(), ikigai.MessageData{By: []string{"", ikigai.ByShell}[random.IntN(2)]})
		case 1:
			event(ikigai.KindThinking, text(), nil)
		case 2, 3:
			event(ikigai.KindAssistant, text(), nil)
		case 4:
			event(ikigai.KindToolCall, text(), ikigai.ToolCallData{ID: id(), Function: ikigai.ToolCallFunction{Name: text(), Arguments: `{"a":1}`}})
		case 5:
			event(ikigai.KindToolResult, text(), ikigai.ToolResultData{ToolCallID: id(), Output: []string{
				text(), `{"error":"The call was denied. Go on.","error_code":"DENIED"}`}[random.IntN(2)]})
		case 6:
			event(ikigai.KindInterrupted, text(), ikigai.InterruptedData{
				Reason: []string{"cancelled", "crash", "The reply broke off."}[random.IntN(3)], Thinking: text()})
		case 7:
			event(ikigai.KindUsage, "", ikigai.UsageData{Stop: []ikigai.StopReason{ikigai.StopEnd, ikigai.StopLength}[random.IntN(2)]})
		case 8:
			event(ikigai.KindApproval, "", ikigai.ApprovalData{CallID: id(), Allowed: random.IntN(2) == 0, Reason: text()})
		case 9:
			event(ikigai.KindChange, "", ikigai.ChangeData{CallID: id(), Path: "/a", Noticed: random.IntN(2) == 0})
		case 10:
			event(ikigai.KindError, "The vendor is overloaded. "+text(), ikigai.ErrorData{Status: 503})
		case 11:
			event(ikigai.KindInteraction, text(), ikigai.InteractionData{Purpose: []ikigai.Purpose{
				ikigai.PurposeTask, ikigai.PurposeObjective, ikigai.PurposeCommit}[random.IntN(3)], Parent: ikigai.Main, CallID: id()})
		case 12:
			event(ikigai.KindFeedback, text(), ikigai.FeedbackData{Turn: random.IntN(3), Turns: 9, Tools: []ikigai.ToolTally{{Name: text(), Failed: 1}}})
		case 13:
			event([]ikigai.Kind{ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective}[random.IntN(3)], text(),
				ikigai.ObjectiveData{By: []string{ikigai.ByModel, ikigai.ByPerson}[random.IntN(2)]})
		case 14:
			event(ikigai.KindProjection, text(), ikigai.ProjectionData{Before: 9, After: 3, Trimmed: make([]ikigai.TrimmedResult, random.IntN(3)),
				Reason: []string{ikigai.FitBudget, ikigai.FitPerson}[random.IntN(2)]})
		}
	}
	return events
}

// answers returns what the standard output holds of a session: the answers,
// with an empty line between two of them.
func answers(style render.Style, events []ikigai.Event) string {
	var all []string
	for _, e := range events {
		if !isReply(e) || e.Kind == ikigai.KindThinking {
			continue
		}
		if text := neverVerbose(style).Block(transcript.Block{Kind: ikigai.KindAssistant, Text: e.Content}); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// S2.47, S3.30: the same for the sessions of the golden files, in every style.
// Each piece is coloured for itself, so colours are taken out.
func TestLiveIsTheLog(t *testing.T) {
	for name, events := range goldenEvents(t) {
		for styleName, style := range styles {
			log := ownSequence.ReplaceAllString(briefPage(neverVerbose(style), decoded(t, events)), "")
			live := ownSequence.ReplaceAllString(play(style, events, rand.New(rand.NewPCG(1, 2))).all.String(), "")
			if diff := cmp.Diff(log, live); diff != "" {
				t.Errorf("%s, %s: live is not the log (-log +live):\n%s", name, styleName, diff)
			}
		}
	}
}

// resultOf returns the result of a call.
func resultOf(id, output string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindToolResult, output, ikigai.ToolResultData{ToolCallID: id, Output: output, Success: true})
}

func TestLiveAnswer(t *testing.T) {
	answer := func(text string) ikigai.Event { return ikigai.NewEvent(ikigai.KindAssistant, text, nil) }
	call := ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: "1", Function: ikigai.ToolCallFunction{Name: "ls"}})
	foundFile := ikigai.NewEvent(ikigai.KindChange, "x", ikigai.ChangeData{Path: "x", Noticed: true})
	standing := ikigai.NewEvent(ikigai.KindFeedback, "", ikigai.FeedbackData{Turn: 1})
	overloaded := &ikigai.Error{What: "The vendor is overloaded", Do: "Try later"}
	objective := ikigai.NewEvent(ikigai.KindObjective, "Say a", ikigai.ObjectiveData{By: ikigai.ByModel})
	steered := ikigai.NewEvent(ikigai.KindUser, "more", ikigai.MessageData{By: ikigai.BySteer})
	for _, c := range []struct {
		name         string
		steps        []any
		all, answers string
		exact        bool
		folded       bool
	}{
		{name: "newline is added", steps: []any{ikigai.Delta{Text: "a"}, ikigai.Delta{Text: "b"}, answer("ab")},
			all: "ab\n", answers: "ab\n"},
		{name: "newline is there", steps: []any{ikigai.Delta{Text: "ab\n"}, answer("ab\n")},
			all: "ab\n", answers: "ab\n"},
		{name: "not streamed", steps: []any{answer("ab")}, all: "ab\n", answers: "ab\n"},
		{name: "refusal", steps: []any{ikigai.Delta{Refusal: "I can't."}, answer("I can't.")},
			all: "I can't.\n", answers: "I can't.\n"},
		{name: "before a call", steps: []any{ikigai.Delta{Text: "I look"}, answer("I look"), call, ikigai.Delta{Text: "done"}, answer("done")},
			all: "I look\n\n● ls\n\ndone\n", answers: "I look\n\ndone\n"},
		{name: "before a call, to a pipe", exact: true,
			steps: []any{ikigai.Delta{Text: "I look"}, answer("I look"), call, ikigai.Delta{Text: "done"}, answer("done"), answer("yes")},
			all:   "I look\n\n● ls\n\ndone\n\nyes\n", answers: "I look\n\ndone\n\nyes\n"},
		{name: "replies without text between two answers", steps: []any{answer("a"), call, answer(""), call, answer("b")},
			all: "a\n\n● ls\n● ls\n\nb\n", answers: "a\n\nb\n"},
		{name: "a file alone is no answer", steps: []any{call, ikigai.NewEvent(ikigai.KindAssistant, "",
			ikigai.MessageData{Parts: []ikigai.Part{{Type: ikigai.PartFile, Name: "a"}}}), answer("b")},
			all: "● ls\n\n  [file a]\n\nb\n", answers: "b\n"},
		{name: "other than what was streamed", steps: []any{ikigai.Delta{Text: "ab"}, answer("xy")},
			all: "ab\n\nxy\n", answers: "ab\n\nxy\n"},
		{name: "no event", steps: []any{ikigai.Delta{Text: "ab"}}, all: "ab\n", answers: "ab\n"},
		{name: "notice in the middle of a line", steps: []any{ikigai.Delta{Text: "a"}, render.Notice("Store away. Wait."), ikigai.Delta{Text: "b"}, answer("ab")},
			all: "ab\n\n! Store away. Wait.\n", answers: "ab\n"},
		{name: "notice between lines", steps: []any{ikigai.Delta{Text: "a\n"}, render.Notice("Store away. Wait."), ikigai.Delta{Text: "b"}, answer("a\nb")},
			all: "a\n\n! Store away. Wait.\n\nb\n", answers: "a\nb\n"},
		{name: "a change that is found late", steps: []any{ikigai.Delta{Text: "a\n"}, foundFile,
			ikigai.Delta{Text: "b"}, answer("a\nb")},
			all: "a\nb\n\n  created x\n", answers: "a\nb\n"},
		{name: "a change that is found while the model thinks", steps: []any{ikigai.Delta{Thinking: "a\n"}, foundFile, ikigai.Delta{Thinking: "b"}, ikigai.Delta{Text: "c"},
			ikigai.NewEvent(ikigai.KindThinking, "a\nb", nil), answer("c")},
			all: "~ a\n  b\n\nc\n\n  created x\n", answers: "c\n"},
		{name: "a change that is found before a reply", steps: []any{call, resultOf("1", "ok"), standing, ikigai.Delta{Call: &ikigai.CallDelta{}}, foundFile, ikigai.Delta{Text: "b"}, answer("b")},
			all: "● ls\n  ok\n  created x\n  turn 1\n\nb\n", answers: "b\n"},
		{name: "a change that is found when it is told how the statement stands", steps: []any{call, resultOf("1", "ok"), standing, ikigai.Delta{Thinking: "a"}, foundFile, answer("b")},
			all: "● ls\n  ok\n  turn 1\n\n~ a\n\nb\n\n  created x\n", answers: "b\n"},
		{name: "how the statement stands at the end", steps: []any{call, resultOf("1", "ok"), standing},
			all: "● ls\n  ok\n  turn 1\n"},
		{folded: true, name: "an objective in the midst of an answer", steps: []any{ikigai.Delta{Text: "a\n"}, objective, ikigai.Delta{Text: "b"}, answer("a\nb")},
			all: "a\nb\n\n· objective: Say a\n", answers: "a\nb\n"},
		{folded: true, name: "an objective while the model thinks", steps: []any{ikigai.Delta{Thinking: "a"}, objective, ikigai.Delta{Thinking: "b"}, ikigai.NewEvent(ikigai.KindThinking, "ab", nil), answer("c")},
			all: "~ ab\n\nc\n\n· objective: Say a\n", answers: "c\n"},
		{folded: true, name: "an objective between a call and its result", steps: []any{call, objective, resultOf("1", "ok"), standing, steered, answer("b"), ikigai.NewEvent(ikigai.KindUser, "next", nil)},
			all: "● ls\n  ok\n  turn 1\n\n» more\n\nb\n\n· objective: Say a\n\n› next\n", answers: "b\n"},
		{name: "retry", steps: []any{ikigai.Delta{Retry: &ikigai.Retry{Attempt: 1, Of: 5, After: 2 * time.Second, Err: overloaded}}, ikigai.Delta{Text: "b"}, answer("b")},
			all:     "! The vendor is overloaded. The request is sent again in 2 s (attempt 1 of 5 failed).\n\nb\n",
			answers: "b\n"},
		{name: "retry for another reason", steps: []any{ikigai.Delta{Retry: &ikigai.Retry{Attempt: 2, Of: 5, After: 400 * time.Millisecond, Err: errors.New("EOF.")}}},
			all: "! EOF. The request is sent again in 400 ms (attempt 2 of 5 failed).\n"},
		{name: "retries stand together", steps: []any{
			ikigai.Delta{Retry: &ikigai.Retry{Attempt: 1, Of: 5, After: 2 * time.Second, Err: overloaded}},
			ikigai.Delta{Retry: &ikigai.Retry{Attempt: 2, Of: 5, After: 4 * time.Second, Err: overloaded}}, ikigai.Delta{Text: "b"}, answer("b")},
			all: "! The vendor is overloaded. The request is sent again in 2 s (attempt 1 of 5 failed).\n" +
				"! The vendor is overloaded. The request is sent again in 4 s (attempt 2 of 5 failed).\n\nb\n",
			answers: "b\n"},
		{name: "thinking after the answer began", steps: []any{ikigai.Delta{Thinking: "a"}, ikigai.Delta{Text: "b"}, ikigai.Delta{Thinking: "c"}, ikigai.Delta{Text: "d"},
			ikigai.NewEvent(ikigai.KindThinking, "ac", nil), answer("bd")},
			all: "~ a\n\nbd\n\n~ c\n", answers: "bd\n"},
		{name: "safe", steps: []any{ikigai.Delta{Text: "a\x1b"}, ikigai.Delta{Text: "[2Jb\x1b]0;"}, answer("a\x1b[2Jb\x1b]0;")},
			all: "ab␛]0;\n", answers: "ab␛]0;\n"}, // P42
		{name: "exact", exact: true, steps: []any{ikigai.Delta{Text: "a\x1b[2J\u200b\r\n"}, answer("a\x1b[2J\u200b\r\n")},
			all: "a\x1b[2J\u200b\r\n", answers: "a\x1b[2J\u200b\r\n"},
		{name: "a side interaction's answer", steps: []any{func() ikigai.Event { e := answer("A title"); e.Interaction = "title"; return e }()},
			all: "[title] A title\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &screen{live: render.Live{Exact: c.exact}, fold: transcript.Transcript{Folded: c.folded}}
			for _, step := range c.steps {
				switch step := step.(type) {
				case ikigai.Delta:
					s.delta(step)
				case ikigai.Event:
					s.event(step)
				case transcript.Block:
					s.write(s.live.Block(step))
				}
			}
			s.write(s.live.End())
			if got := s.all.String(); got != c.all {
				t.Errorf("both outputs\n got %q\nwant %q", got, c.all)
			}
			if got := s.answers.String(); got != c.answers {
				t.Errorf("standard output\n got %q\nwant %q", got, c.answers)
			}
		})
	}
}

// FuzzTail holds that what was written and the tail below it are at any time what
// the log would show if nothing more came, and that what is written is never taken
// back.
//
// S2.47
func FuzzTail(f *testing.F) {
	f.Add("I think\n\nso", "# Title\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n```go\nx := `\n`\n```\n", uint64(1))
	f.Add("", "a\n===\n\x1b[1mb", uint64(2))
	f.Add("\n\n", "日本 *x*\n\n\n", uint64(3))
	f.Add("", "| a | b |\n|--|-:|\n| "+strings.Repeat("word ", 20)+"| 日本 |\n| 1 | 2 |\n\n"+"a|b|c|d|e|f|g\n-|-|-|-|-|-|-\n"+strings.Repeat("longer|", 7)+"\nx\\\ny &amp; z\\\n", uint64(4))
	f.Fuzz(func(t *testing.T, thinking, answer string, seed uint64) {
		thinking, answer = ikigai.CleanText(thinking), ikigai.CleanText(answer)
		if strings.ContainsAny(thinking+answer, "\x1b\u009b") || strings.ContainsRune(thinking+answer, '\r') {
			return // the end of a sequence, and of a line, is waited for
		}
		style := render.Style{Zone: time.UTC, Markdown: true, Color: true, Width: 40}
		random := rand.New(rand.NewPCG(seed, 0))
		s := &screen{live: render.Live{Style: style}}
		var came [2]string
		kinds := [2]ikigai.Kind{ikigai.KindThinking, ikigai.KindAssistant}
		for part, text := range [2]string{thinking, answer} {
			for rest := []rune(text); len(rest) > 0; {
				n := min(len(rest), 1+random.IntN(8))
				piece := string(rest[:n])
				came[part], rest = came[part]+piece, rest[n:]
				s.delta([2]ikigai.Delta{{Thinking: piece}, {Text: piece}}[part])
				page, want := render.Page{Style: style}, ""
				for i, text := range came {
					want += page.Block(transcript.Block{Kind: kinds[i], Interaction: ikigai.Main, Text: text})
				}
				if got := s.all.String() + s.live.Tail(); strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
					t.Fatalf("%q, %q (-log +live and its tail):\n%s", came[0], came[1], cmp.Diff(want, got))
				}
			}
		}
	})
}

// Thinking that may have to be folded is written once it is whole. Until then its
// last line is the tail; what comes of an answer that is not rendered has none.
func TestTailOfThinking(t *testing.T) {
	for style, want := range map[render.Style]string{
		{Markdown: true, Compact: true}: "~ three\n", {Markdown: true}: "  three\n", {}: "",
	} {
		l := render.Live{Style: style}
		l.Delta(ikigai.Delta{Thinking: "one\ntwo\nth\x1b[1mree"})
		if got := l.Tail(); got != want {
			t.Errorf("%+v: %q, want %q", style, got, want)
		}
		l.Delta(ikigai.Delta{Text: "*a*"})
		if got, want := l.Tail(), map[bool]string{true: "\n*a*\n"}[style.Markdown]; got != want {
			t.Errorf("%+v: %q, want %q", style, got, want)
		}
		if l.End(); l.Tail() != "" {
			t.Errorf("%+v: %q is left at the end", style, l.Tail())
		}
	}
}

// Where what the person has said is folded, its beginning and end are left.
func TestFoldSaid(t *testing.T) {
	said := transcript.Block{Kind: ikigai.KindUser, Text: strings.Repeat("x\n", 5) + "first\n" + strings.Repeat("hidden\n", 90) + "last"}
	style := render.Style{More: "Ctrl-O"}
	if got := style.Block(said); strings.Count(got, "hidden") != 90 {
		t.Errorf("it is folded:\n%s", got)
	}
	style.FoldSaid = true
	if got := style.Block(said); !strings.Contains(got, "first\n  … 87 more lines: Ctrl-O\n") || !strings.HasSuffix(got, "last\n") {
		t.Errorf("it is not folded:\n%s", got)
	}
}
