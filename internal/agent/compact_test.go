package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

// fitter is a conversation of some tokens, of which each projection leaves half,
// as often as it may.
type fitter struct {
	tokens  int64
	times   int
	refused int64
	asked   []string
}

func (f *fitter) Tokens() int64          { return f.tokens }
func (f *fitter) Full(budget int64) bool { return f.tokens > budget }
func (f *fitter) Refused(string) int64   { return f.refused }

func (f *fitter) Compact(_ context.Context, model, reason string, budget int64) (ikigai.Event, bool) {
	f.asked = append(f.asked, fmt.Sprintf("%s %s %d", model, reason, budget))
	if f.times == 0 {
		return ikigai.Event{}, false
	}
	f.times--
	f.tokens /= 2
	return ikigai.NewEvent(ikigai.KindProjection, "in fewer words", nil), true
}

// Before each request the conversation is made to fit; what still does not is
// not sent.
func TestMakeRoom(t *testing.T) {
	for _, test := range []struct {
		name    string
		fitter  fitter
		context int
		asked   string // of the fitter
		kinds   string
		kind    ikigai.ErrorKind
	}{
		{"there is room", fitter{tokens: 700}, 1000, "", "user assistant usage", ""},
		{"nobody knows how much", fitter{tokens: 1 << 40}, 0, "", "user assistant usage", ""},
		{"it is near the end", fitter{tokens: 800, times: 9}, 1000, "test/model budget 750", "user projection assistant usage", ""},
		{"a vendor has refused less", fitter{tokens: 700, times: 9, refused: 600}, 1000, "test/model budget 600", "user projection assistant usage", ""},
		{"one has refused, and nobody knows", fitter{tokens: 700, times: 9, refused: 600}, 0, "test/model budget 600", "user projection assistant usage", ""},
		{"nothing can be done, but it may fit", fitter{tokens: 800}, 1000, "test/model budget 750", "user assistant usage", ""},
		{"nothing can be done", fitter{tokens: 1001}, 1000, "test/model budget 750", "user error", ikigai.ErrorContext},
		{"once is not enough", fitter{tokens: 2100, times: 9}, 1000, "test/model budget 750", "user projection error", ikigai.ErrorContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, l, _ := newAgent(t, [][]any{says("done")})
			a.Fitter, a.Context = &test.fitter, test.context
			_, err := run(t, a)
			if got := ikigai.KindOf(err); err != nil && got != test.kind || err == nil && test.kind != "" {
				t.Errorf("the error is %v", err)
			}
			if got := strings.Join(test.fitter.asked, ", "); got != test.asked || l.kinds() != test.kinds {
				t.Errorf("asked %q, events %q", got, l.kinds())
			}
		})
	}
}

// offering is a Projection that has tools, too.
type offering struct {
	everything
	tools []ikigai.ToolSpec
}

func (o offering) Request() ikigai.Request {
	r := o.everything.Request()
	r.Tools = o.tools
	return r
}

// Where instructions and tools take the most of the room, a shorter statement is
// no help, so the error names what shows them.
func TestNoRoomBesideInstructions(t *testing.T) {
	image := []ikigai.Part{{Type: ikigai.PartImage, Name: "a.png"}}
	long := strings.Repeat("Do it so. ", 100)
	for _, test := range []struct {
		name       string
		system     string
		tool       string
		statement  ikigai.Event
		byStanding bool
	}{
		{"instructions", long, "", ikigai.NewEvent(ikigai.KindUser, "hi", nil), true},
		{"tools", "", long, ikigai.NewEvent(ikigai.KindUser, "hi", nil), true},
		{"the statement", "Help.", "", ikigai.NewEvent(ikigai.KindUser, long, nil), false},
		{"an image", long, "", ikigai.Message{Kind: ikigai.KindUser, Content: "hi", Parts: image}.Event(), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, l, _ := newAgent(t, nil)
			a.Fitter, a.Context = &fitter{tokens: 1001}, 1000
			l.Queue(ikigai.NewEvent(ikigai.KindSystem, test.system, nil))
			a.History = offering{everything{l}, []ikigai.ToolSpec{{Name: "x", Description: test.tool}}}
			_, err := a.Run(t.Context(), test.statement)
			var e *ikigai.Error
			if !errors.As(err, &e) || e.Kind != ikigai.ErrorContext {
				t.Fatalf("the error is %v", err)
			}
			if named := strings.Contains(e.Do, "`ikigai context`"); named != test.byStanding || strings.Contains(e.Do, "sessions rewind") == named {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// What a vendor finds too long is put in fewer words and sent once more, and no
// more than once in a statement. P12
func TestShrink(t *testing.T) {
	full := func(kind ikigai.ErrorKind, message int) []any {
		return []any{&ikigai.Error{Kind: kind, What: "Too long", Message: message}}
	}
	for _, test := range []struct {
		name    string
		replies [][]any
		times   int
		kinds   string
		failed  bool
	}{
		{"context", [][]any{full(ikigai.ErrorContext, 0), says("done")}, 9, "user projection assistant usage", false},
		{"size", [][]any{full(ikigai.ErrorTooLarge, 0), says("done")}, 9, "user projection assistant usage", false},
		{"one message", [][]any{full(ikigai.ErrorTooLarge, 1), says("done")}, 9, "user quarantine assistant usage", false},
		{"refused again", [][]any{full(ikigai.ErrorContext, 0), full(ikigai.ErrorContext, 0)}, 9, "user projection error", true},
		{"nothing to leave out", [][]any{full(ikigai.ErrorContext, 0)}, 0, "user error", true},
		{"in the middle of an answer", [][]any{append([]any{ikigai.Delta{Text: "It"}}, full(ikigai.ErrorContext, 0)...)}, 9, "user interrupted error", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, l, m := newAgent(t, test.replies)
			a.Fitter = &fitter{times: test.times}
			if _, err := run(t, a); (err != nil) != test.failed || l.kinds() != test.kinds || len(m.requests) != len(test.replies) {
				t.Errorf("%v after %d requests, events %q", err, len(m.requests), l.kinds())
			}
		})
	}
}

// What is cut off from a result is in a file, whoever's tool it is, and the
// result says from where to read on. D4, S2.84
func TestCutResultsAreKept(t *testing.T) {
	lines := strings.Repeat("a line of output\n", 1000)
	for name, output := range map[string][]ikigai.Part{
		"JSON":  ikigai.JSONOutput(map[string]any{"output": lines, "exit_code": 0}),
		"text":  {{Type: ikigai.PartText, Text: lines}},
		"parts": {{Type: ikigai.PartText, Text: "{}"}, {Type: ikigai.PartText, Text: lines}},
	} {
		t.Run(name, func(t *testing.T) {
			a, l, _ := newAgent(t, [][]any{calls(`1 long {}`), says("done")},
				tool("long", false, func(context.Context, ikigai.Call) ikigai.Result { return ikigai.Result{Output: output} }))
			a.OutputDir, a.MaxOutputSize, a.Context = filepath.Join(t.TempDir(), "made", "later"), 1<<20, 5_000
			if _, err := run(t, a); err != nil {
				t.Fatal(err)
			}
			d := l.results()[0]
			text := d.Output
			var members struct{ Output string }
			if json.Unmarshal([]byte(d.Output), &members) == nil {
				text = members.Output
			}
			for _, p := range d.Parts {
				text += p.Text
			}
			shown, note, _ := strings.Cut(strings.TrimPrefix(text, "{}"), "\n\n[OUTPUT TRUNCATED")
			_, where, ok := strings.Cut(note, "all of it is in ")
			file, offset, _ := strings.Cut(strings.TrimSuffix(where, "]"), ", read on with file_read from offset ")
			kept, err := os.ReadFile(file)
			if !ok || err != nil || !strings.Contains(string(kept), lines) || len(shown) > 5_000 {
				t.Fatalf("%d bytes and %q: %d bytes in the file, %v", len(shown), note, len(kept), err)
			}
			before := strings.Count(string(kept[:strings.Index(string(kept), lines)]), "\n")
			if want := fmt.Sprint(1 + before + strings.Count(shown, "\n")); offset != want {
				t.Errorf("read on from %s, not %s", offset, want)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}
