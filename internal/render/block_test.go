package render_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

var kinds = []ikigai.Kind{
	ikigai.KindSystem, ikigai.KindUser, ikigai.KindAssistant, ikigai.KindToolCall, ikigai.KindToolResult,
	ikigai.KindSession, ikigai.KindTools, ikigai.KindRequest, ikigai.KindUsage, ikigai.KindThinking,
	ikigai.KindChange, ikigai.KindApproval, ikigai.KindInterrupted, ikigai.KindError,
}

var ownSequence = regexp.MustCompile(`\x1b\[[0-9;]+m`)

// FuzzBlockIsSafe renders events with any content and any data. Nothing
// panics, nothing in the result acts on a terminal but the colours of this
// package, and without them the text is the same.
//
// P26, P42
func FuzzBlockIsSafe(f *testing.F) {
	for i := range kinds {
		f.Add(i, "\x1b[2Jtext\r\n\u202e", "", `{"path":"\u001b[A\n","function":{"name":"\u0007","arguments":"{\"a\":\"\\u001b\"}"},"output":"{\"output\":\"\\u009b\"}"}`)
	}
	f.Add(99, "", "side\x1b[A", `7`)
	f.Add(3, "", "", `{"function":{"arguments":"{\"a\":1}{"}}`)
	f.Fuzz(func(t *testing.T, i int, content, interaction, data string) {
		e := ikigai.Event{Kind: ikigai.Kind(content), Interaction: interaction, Content: content, Data: json.RawMessage(data)}
		if i >= 0 && i < len(kinds) {
			e.Kind = kinds[i]
		}
		for _, b := range new(transcript.Transcript).Add(e) {
			for _, style := range []render.Style{{}, {Verbose: true}, {Compact: true, Verbose: true}, {Width: 30}} {
				style.Zone = time.UTC
				uncoloured := style.Block(b)
				checkSafe(t, uncoloured)
				style.Color = true
				if got := ownSequence.ReplaceAllString(style.Block(b), ""); got != uncoloured {
					t.Errorf("with colour %q, without %q", got, uncoloured)
				}
				style.Markdown = true
				checkSafe(t, ownSequence.ReplaceAllString(style.Block(b), ""))
			}
		}
	})
}

func checkSafe(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || safetext.Terminal(text) != text {
		t.Errorf("%q can act on a terminal", text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Errorf("%q does not end its line", text)
	}
}

// FuzzNothingIsHidden holds that every value of a call and all output of a
// result are shown.
//
// S2.45, S2.46, S3.22
func FuzzNothingIsHidden(f *testing.F) {
	f.Add("ls -la", "a\nb", "total 48\n")
	f.Add(`"'`+"`", "", "\x1b[31mred\x1b[0m")
	f.Add("日本 e\u0301", "\r\n \t x ", "\n\n")
	f.Add(strings.Repeat("x", 1000), strings.Repeat("line\n", 1000), "0")
	f.Fuzz(func(t *testing.T, a, b, output string) {
		args := object(t, map[string]any{"a": a, "b": b, "n": 12.50})
		call := ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{
			ID: "1", Function: ikigai.ToolCallFunction{Name: "tool", Arguments: args}})
		shown := page(render.Style{}, []ikigai.Event{call})
		checkShown(t, shown, "tool", "12.5")
		if !strings.Contains(a, "`") { // text with all three quotes is shown as JSON
			checkShown(t, shown, strings.Split(a, "\n")...)
		}
		if !strings.Contains(b, "`") {
			checkShown(t, shown, strings.Split(b, "\n")...)
		}
		for _, out := range []string{output, object(t, map[string]any{"stdout": output, "n": 12.50})} {
			result := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{
				ToolCallID: "1", Output: out, Success: true, Report: a, Note: b})
			shown := page(render.Style{}, []ikigai.Event{result})
			if !json.Valid([]byte(output)) {
				checkShown(t, shown, strings.Split(ikigai.CleanText(output), "\n")...)
			}
			checkShown(t, shown, strings.Split(b, "\n")...)
		}
	})
}

func object(t *testing.T, v map[string]any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkShown(t *testing.T, shown string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		// Invalid bytes have become U+FFFD on the way into the event, one for
		// each or one for a run of them.
		line = safetext.Terminal(line)
		if strings.Contains(line, "\uFFFD") || strings.Contains(line, "\x00") {
			continue
		}
		for _, part := range strings.Split(line, "\n") {
			if !strings.Contains(shown, part) {
				t.Errorf("%q is not in\n%s", part, shown)
			}
		}
	}
}

// A result of the largest size that settings allow by default is rendered
// whole.
func TestLargeResult(t *testing.T) {
	output := strings.Repeat("0123456789 some text of a source file\n", 1<<20/38)
	e := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{
		Output: object(t, map[string]any{"output": output}), Success: true})
	got := page(render.Style{}, []ikigai.Event{e})
	if n := strings.Count(got, "\n"); n != strings.Count(output, "\n")+1 {
		t.Errorf("%d lines", n)
	}
}

// Advice for a model about a call that the person has stopped is not shown to the
// person. What was not run at all is told in words for them.
func TestStoppedResult(t *testing.T) {
	for _, test := range []struct {
		fields       map[string]any
		report, want string
	}{
		{map[string]any{"error": "The call was stopped before its end. Wait for what the person says."}, "", "  ✗ The call was stopped before its end.\n"},
		{map[string]any{"error": "The person stopped this call. Go on without it, or ask them."}, "", "  ✗ The person stopped this call.\n"},
		{map[string]any{"error": "The person stopped the turn. Wait for what they say."}, "not run: the turn was stopped", "  ✗ not run: the turn was stopped\n"},
		{map[string]any{"error": "The command was stopped. Wait for what the person says.", "output": "half"}, "exit code 1", "  ✗ The command was stopped.\n  half\n  exit code 1\n"},
	} {
		test.fields["error_code"] = "CANCELLED"
		e := ikigai.NewEvent(ikigai.KindToolResult, test.report, ikigai.ToolResultData{Output: object(t, test.fields), Report: test.report})
		if got := page(render.Style{}, []ikigai.Event{e}); !strings.HasSuffix(got, "\n"+test.want) {
			t.Errorf("%v:\n%s", test.fields, got)
		}
	}
}

func BenchmarkResult(b *testing.B) {
	output := strings.Repeat("0123456789 some text of a source file\n", 1<<20/38)
	encoded, _ := json.Marshal(map[string]any{"output": output})
	e := ikigai.NewEvent(ikigai.KindToolResult, "1 line", ikigai.ToolResultData{Output: string(encoded), Success: true})
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		page(render.Style{Color: true}, []ikigai.Event{e})
	}
}

// An answer of a megabyte: as a block, and as it arrives, token by token.
func BenchmarkAnswer(b *testing.B) {
	text := strings.Repeat("A **line** of an answer with `code` in it, and more.\n\n```go\nx := f(\"a\") // why\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", 8000)
	style := render.Style{Color: true, Markdown: true, Width: 80}
	b.Run("block", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			style.Block(transcript.Block{Kind: ikigai.KindAssistant, Interaction: ikigai.Main, Text: text})
		}
	})
	b.Run("live", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			l := render.Live{Style: style}
			for rest := text; rest != ""; {
				n := min(len(rest), 4)
				l.Delta(ikigai.Delta{Text: rest[:n]})
				rest = rest[n:]
			}
			l.Block(transcript.Block{Kind: ikigai.KindAssistant, Interaction: ikigai.Main, Text: text})
		}
	})
	b.Run("tail", func(b *testing.B) { // of a line without an end
		l := render.Live{Style: style}
		for range 1 << 18 {
			l.Delta(ikigai.Delta{Text: "word"})
		}
		for b.Loop() {
			l.Tail()
		}
	})
}
