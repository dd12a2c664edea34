package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/export"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/openai"
	"ikigai/internal/scriptserver"
)

// A session that is exported as a script, played and exported again gives the same
// script, and the conversations are the same, whatever was said, answered, called,
// cut off, refused, taken back and done beside it.
func TestScriptPlaysTheSession(t *testing.T) {
	const sessions = 60
	for seed := range uint64(sessions) {
		playsTheSession(t, seed)
	}
}

func FuzzScriptPlaysTheSession(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(playsTheSession)
}

func playsTheSession(t *testing.T, seed uint64) {
	told := &telling{log: newLog(), rand: rand.New(rand.NewPCG(seed, 0))}
	if seed%20 == 0 {
		told.retries = 1
	}
	told.session()
	if len(told.said) == 0 {
		return // all was taken back
	}
	first := told.log.script(t)
	s, err := scriptserver.Parse("it.script", []byte(first))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, first)
	}
	var said []string
	for _, st := range told.said {
		said = append(said, ikigai.CleanText(st.text))
	}
	if diff := cmp.Diff(said, s.Statements()); diff != "" {
		t.Errorf("seed %d: what is said (-told +script):\n%s\n%s", seed, diff, first)
	}
	played := newLog()
	played.play(t, s, told.said)
	second := played.script(t)
	if diff := cmp.Diff(uncommented(first), uncommented(second)); diff != "" {
		t.Errorf("seed %d: the script again (-first +second):\n%s", seed, diff)
	}
	if diff := cmp.Diff(told.log.conversation(), played.conversation()); diff != "" {
		t.Errorf("seed %d: the conversation (-told +played):\n%s\nscript:\n%s", seed, diff, first)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// Whatever is said can be said again by the script of the session, and is answered
// as it was.
func FuzzScriptSaysTheSame(f *testing.F) {
	for _, s := range [][2]string{
		{"look", "go on"}, {"look", "look\n"}, {"Review this\n\na\tb\n", "Review this"}, {"a  \r\n b\r\n", " a"}, {"*", "anything"}, {"/o/", "good"},
		{"/a\nb/", "/"}, {"{{user}}", `{{"a"}}`}, {"{{\"", "{{{"}, {"\x00\x1b[1m", "\xff"}, {"\u00a0 \u2028", ""}, {"# a\n\n  b\n# c", "say: a"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		said := []string{one, two, one}
		told := newLog()
		var want []string
		var all []statement
		for i, text := range said {
			text = ikigai.CleanText(text) // no log holds another
			told.add(ikigai.Main, ikigai.KindUser, text, nil)
			told.add(ikigai.Main, ikigai.KindAssistant, fmt.Sprintf("Answer %d.", i), nil)
			told.add(ikigai.Main, ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: 9, Output: 1}})
			if strings.TrimSpace(text) != "" {
				want = append(want, text)
			}
			all = append(all, statement{text: text})
		}
		script := told.script(t)
		s, err := scriptserver.Parse("it.script", []byte(script))
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		if diff := cmp.Diff(want, s.Statements()); diff != "" {
			t.Fatalf("what is said (-told +script):\n%s\n%s", diff, script)
		}
		if len(want) < len(said) {
			return // nobody can be asked nothing
		}
		played := newLog()
		played.play(t, s, all)
		if diff := cmp.Diff(told.conversation(), played.conversation()); diff != "" {
			t.Errorf("the conversation (-told +played):\n%s\n%s", diff, script)
		}
	})
}

// uncommented returns the lines of a script that are played.
func uncommented(script string) []string {
	return slices.DeleteFunc(strings.Split(script, "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
}

// log is a session in memory.
type log struct {
	events []ikigai.Event
	line   *history.Line
}

func newLog() *log {
	l := &log{line: history.New(ikigai.Main)}
	l.add(ikigai.Main, ikigai.KindSystem, "You help.", nil)
	l.add(ikigai.Main, ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{echo.ToolSpec}})
	return l
}

func (l *log) add(interaction string, kind ikigai.Kind, content string, data any) ikigai.Seq {
	e := ikigai.NewEvent(kind, content, data)
	e.Interaction = interaction
	return l.take(e, nil)
}

func (l *log) take(e ikigai.Event, view *history.Line) ikigai.Seq {
	e.Seq = ikigai.Seq(len(l.events) + 1)
	l.events = append(l.events, e)
	l.line.Add(e)
	if view != nil {
		view.Add(e)
	}
	return e.Seq
}

func (l *log) script(t *testing.T) string {
	var b bytes.Buffer
	all := func(yield func(ikigai.Event, error) bool) {
		for _, e := range l.events {
			if !yield(e, nil) {
				return
			}
		}
	}
	if err := export.Script(&b, all, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// conversation returns what is sent, without what each recording names in its own
// way.
func (l *log) conversation() (all []string) {
	for _, m := range l.line.Request().Messages {
		switch {
		case m.Call != nil:
			all = append(all, "calls "+m.Call.Name+m.Call.Arguments)
		case m.Result != nil:
			all = append(all, "gives "+m.Result.Output)
		default:
			all = append(all, fmt.Sprintf("%s %q", m.Kind, m.Content))
		}
	}
	return all
}

// recorder records an interaction of a log.
type recorder struct {
	log  *log
	name string
	view *history.Line
}

func (r recorder) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	r.Queue(events...)
	return ikigai.Stored, nil
}

func (r recorder) Queue(events ...ikigai.Event) {
	for _, e := range events {
		e.Interaction = r.name
		r.log.take(e, r.view)
	}
}

func (recorder) Show(ikigai.Delta) {}

// echo gives what it is given.
var echo = ikigai.Tool{
	ToolSpec: ikigai.ToolSpec{Name: "echo", Description: "echoes", Schema: json.RawMessage(`{"type":"object"}`)},
	ReadOnly: true,
	Check:    func(args json.RawMessage) (json.RawMessage, error) { return args, nil },
	Run: func(_ context.Context, call ikigai.Call) ikigai.Result {
		return ikigai.Result{Output: []ikigai.Part{{Type: ikigai.PartText, Text: echoed(string(call.Args))}}}
	},
}

func echoed(args string) string { return "gave " + args }

// side is what is said in a side interaction.
type side struct {
	purpose ikigai.Purpose
	text    string
}

// statement is what is said, and beside it.
type statement struct {
	text  string
	sides []side
}

// play has a script answer what was said.
func (l *log) play(t *testing.T, s *scriptserver.Script, said []statement) {
	server, err := scriptserver.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	run := func(name string, line *history.Line, text string) {
		a := &agent.Agent{
			Model:    openai.New(provider.Config{Name: "x/y", Model: "y", BaseURL: server.URL, MaxAttempts: 1}),
			Recorder: recorder{l, name, line}, History: line, Tools: []ikigai.Tool{echo}, MaxToolTurns: 100, MaxRetries: 2,
		}
		if name == ikigai.Main {
			a.Recorder, a.History = recorder{l, name, nil}, l.line
		}
		_, _ = a.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, text, nil)) // the log tells how it ended
	}
	for _, st := range said {
		run(ikigai.Main, nil, st.text)
		for _, side := range st.sides {
			name := fmt.Sprintf("%s-%d", side.purpose, len(l.events)+1)
			l.add(name, ikigai.KindInteraction, "beside it", ikigai.InteractionData{Purpose: side.purpose})
			line := history.New(name)
			recorder{l, name, line}.Queue(ikigai.NewEvent(ikigai.KindSystem, ikigai.SidePrompt+string(side.purpose)+". Do it.", nil),
				ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{echo.ToolSpec}}))
			run(name, line, side.text)
		}
	}
}

// telling makes up a session.
type telling struct {
	log   *log
	rand  *rand.Rand
	said  []statement // that a rewind has not taken back
	from  []ikigai.Seq
	calls int

	retries int // that may still be told of: the agent waits a second before each
}

func (g *telling) chance(percent int) bool { return g.rand.IntN(100) < percent }

func (g *telling) pick(texts ...string) string { return texts[g.rand.IntN(len(texts))] }

// text returns a text that a script could lose something of.
func (g *telling) text() string {
	return g.pick("Fine.", "go on", "two\nlines", "  blanks before", "blanks behind  ", "{{user}} {{{", "# no comment", "a\r\nb", "\n\nlines\n\n", "say: x\n  call: y", "}}", "tab\t", `{"a": "{{"}`)
}

func (g *telling) session() {
	for range 1 + g.rand.IntN(6) {
		g.statement()
		if g.chance(15) {
			n := g.rand.IntN(len(g.said))
			g.log.add(ikigai.Main, ikigai.KindRewind, "", ikigai.RewindData{To: g.from[n]})
			g.said, g.from = g.said[:n], g.from[:n]
		}
	}
}

func (g *telling) statement() {
	st := statement{text: g.pick("go", "go on", "yes", "please go on", "several\n\n  lines\nof it", "side: task", "a: b", "user")}
	if g.chance(15) {
		st.text = g.pick("*", "/x/", "/a\nb/", " blank", "go on\n", "\tgo", "a  \r\nb", "{{user}}", "{{\"go\"}}", "go\x00\x1b", "\n\ngo\n\n")
	}
	g.from = append(g.from, ikigai.Seq(len(g.log.events)))
	g.turns(ikigai.Main, st.text)
	for range g.rand.IntN(3) {
		s := side{ikigai.Purpose(g.pick("objective", "summary", "commit", "task")), g.pick("", fmt.Sprintf("Objectives so far: %d\n\n", g.rand.IntN(3))) + "Statement:\n" + st.text}
		if s.purpose == ikigai.PurposeTask {
			s.text = g.pick("Look", "Look at it", "Find") + "\n\nIn " + g.pick("a", "b") + "."
		}
		if slices.ContainsFunc(g.said, func(before statement) bool { return slices.Contains(before.sides, s) }) || slices.Contains(st.sides, s) {
			continue // a model without a memory answers the same
		}
		st.sides = append(st.sides, s)
		name := fmt.Sprintf("%s-%d", s.purpose, len(g.log.events)+1)
		g.log.add(name, ikigai.KindInteraction, "beside it", ikigai.InteractionData{Purpose: s.purpose})
		g.log.add(name, ikigai.KindSystem, ikigai.SidePrompt+string(s.purpose)+". Do it.", nil)
		g.turns(name, s.text)
	}
	g.said = append(g.said, st)
}

// turns tells how what was said in an interaction was answered.
func (g *telling) turns(name, text string) {
	g.log.add(name, ikigai.KindUser, text, nil)
	for range g.rand.IntN(4) {
		g.retried(name)
		g.reply(name, 1+g.rand.IntN(3))
	}
	switch {
	case g.chance(5): // killed
	case g.chance(5):
		g.log.add(name, ikigai.KindInterrupted, "It is br", ikigai.InterruptedData{Reason: "cut", Thinking: "Hm."})
		g.log.add(name, ikigai.KindError, "It broke off.", ikigai.ErrorData{Kind: ikigai.ErrorIncomplete})
	case g.chance(5):
		g.log.add(name, ikigai.KindError, "No.", ikigai.ErrorData{Kind: ikigai.ErrorAuth, Status: 401})
	case g.chance(5):
		g.log.add(name, ikigai.KindError, "Stopped.", ikigai.ErrorData{Kind: ikigai.ErrorCancelled})
	default:
		g.retried(name)
		g.reply(name, 0)
	}
}

// retried tells of replies that broke off and were asked for again.
func (g *telling) retried(name string) {
	if g.retries > 0 && g.chance(10) {
		g.retries--
		g.log.add(name, ikigai.KindInterrupted, "", ikigai.InterruptedData{Reason: "cut", Thinking: "Hm."})
	}
}

// reply tells of a whole reply, and what its calls gave.
func (g *telling) reply(name string, calls int) {
	if g.chance(30) {
		g.log.add(name, ikigai.KindThinking, g.text(), nil)
	}
	if calls == 0 || g.chance(50) {
		g.log.add(name, ikigai.KindAssistant, g.text(), nil)
	}
	var made []ikigai.ToolCall
	for range calls {
		g.calls++
		c := ikigai.ToolCall{ID: fmt.Sprintf("c%d", g.calls), Name: "echo", Arguments: g.pick(`{}`, `{"a":"{{x}}"}`, `{"b": "c\nd"}`, `{"n":[1,2,{"m":{}}]}`)}
		made = append(made, c)
		g.log.add(name, ikigai.KindToolCall, "", ikigai.ToolCallData{ID: c.ID, Type: "function", Function: ikigai.ToolCallFunction{Name: c.Name, Arguments: c.Arguments}})
	}
	g.log.add(name, ikigai.KindUsage, "", ikigai.UsageData{Usage: ikigai.Usage{Input: int64(10 + g.calls), Output: 5}})
	for _, c := range made {
		g.log.add(name, ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: c.ID, Name: c.Name, Output: echoed(c.Arguments), Success: true})
	}
}
