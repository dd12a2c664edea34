package export

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/race"
)

var update = flag.Bool("update", false, "write the golden files anew")

// forms are the ways to write a session, with the golden file of each.
var forms = []struct {
	name  string
	write func(io.Writer, Events, Options) error
}{
	{"session.md", Markdown}, {"session.html", HTML}, {"session.atif.json", ATIF},
}

// log builds the events of a session.
type log struct {
	events []ikigai.Event
	id     ikigai.ID
}

func (l *log) add(interaction string, kind ikigai.Kind, content string, data any) {
	e := ikigai.NewEvent(kind, content, data)
	n := len(l.events) + 1
	e.Interaction, e.Session, e.Seq = interaction, l.id, ikigai.Seq(n)
	e.ID = ikigai.ID(fmt.Sprintf("0192f0c1-0000-7000-8000-%012d", n))
	e.Time = 1767348000_000000 + ikigai.Micros(n)*1_500_000
	l.events = append(l.events, e)
}

func (l *log) main(kind ikigai.Kind, content string, data any) {
	l.add(ikigai.Main, kind, content, data)
}

func (l *log) call(id, name, arguments string) {
	l.main(ikigai.KindToolCall, name, ikigai.ToolCallData{ID: id, Type: "function", Function: ikigai.ToolCallFunction{Name: name, Arguments: arguments}})
}

func (l *log) result(id, name, output string, success bool) {
	l.main(ikigai.KindToolResult, "result", ikigai.ToolResultData{ToolCallID: id, Name: name, Output: output, Success: success, Millis: 12})
}

func (l *log) usage(model string, cost int64, stop ikigai.StopReason) {
	l.main(ikigai.KindUsage, "", ikigai.UsageData{
		Model: model, Cost: &cost, Stop: stop, FirstMillis: 300, TotalMillis: 1200,
		Usage: ikigai.Usage{Input: 1200, Output: 34, CacheRead: 1000, Reasoning: 5},
	})
}

func (l *log) all() Events { return yieldAll(l.events) }

func yieldAll(list []ikigai.Event) Events {
	return func(yield func(ikigai.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

const secret = "sk-0123456789abcdef"

// hostile is text that tries to be more than text.
const hostile = "</pre></details></article><script>alert(1)</script>\n```\n````\n\"'><img src=x onerror=alert(1)>\n" +
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eback\n<!-- &lt; ]]> javascript:alert(1)\n"

// sample is a session with everything in it.
func sample() *log {
	l := &log{id: "0192f0c1-0000-7000-8000-000000000000"}
	l.main(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src", Model: "acme/model-x", Version: "1"})
	l.main(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{{Name: "bash", Description: "Runs a command <now>", Schema: []byte(`{"type":"object"}`)}}})
	l.main(ikigai.KindSystem, "You are an agent.\nBe brief.", nil)
	l.main(ikigai.KindUser, "Run the tests, *please*\nThe key is "+secret, ikigai.MessageData{Parts: []ikigai.Part{{Type: ikigai.PartImage, Media: "image/png", Name: "shot.png", Blob: strings.Repeat("ab", 32)}}})
	l.add("title", ikigai.KindAssistant, "Running tests", nil)
	l.main(ikigai.KindRequest, "", ikigai.RequestData{Model: "acme/model-x"})
	l.main(ikigai.KindThinking, "The person wants `go test`.", nil)
	l.main(ikigai.KindAssistant, "I run them:\n\n```sh\ngo test ./...\n```\n", nil)
	l.call("call_1", "bash", `{"command":"go test ./...","timeout":30,"note":"`+secret+`"}`)
	l.call("call_2", "file_write", `{"path":"a.go","content":"package a\n\nfunc A() {}\n"}`)
	l.usage("acme/model-x", 1250, ikigai.StopToolCalls)
	l.main(ikigai.KindApproval, "", ikigai.ApprovalData{CallID: "call_2", Name: "file_write", Allowed: true, Reason: "asked"})
	l.result("call_1", "bash", `{"output":`+encoded(hostile+"ok\n")+`,"exit_code":1,"truncated":false}`, true)
	l.main(ikigai.KindChange, "/src/a.go", ikigai.ChangeData{CallID: "call_2", Path: "/src/a.go", Existed: false})
	l.result("call_2", "file_write", `{"error":"Disk full. Free some space."}`, false)
	l.main(ikigai.KindRequest, "", ikigai.RequestData{Model: "acme/model-y"})
	l.main(ikigai.KindAssistant, "They fail. <b>Here</b> is why: `a < b`\n\n"+hostile+"\n~~~go\nopen", nil)
	l.usage("acme/model-y", 2500, ikigai.StopLength)
	l.main(ikigai.KindMark, "before", nil)
	l.main(ikigai.KindQuarantine, "acme/x refuses the message of event 1: No. A stand-in is sent in its place from now on; the log keeps it.",
		ikigai.QuarantineData{Seq: 1, Model: "acme/x", Reason: "No", Whole: true})
	l.main(ikigai.KindFallback, "There is no capacity. bolt/y is asked instead for the rest of this statement.",
		ikigai.FallbackData{From: "acme/x", To: "bolt/y", Kind: ikigai.ErrorOverloaded, Status: 503})
	l.main(ikigai.KindUser, hostile, nil)
	l.call("call_3", "grep", "not JSON "+hostile)
	l.result("call_3", "grep", strings.Repeat("a line of output\n", 40), true)
	l.call("call_4", "bash", "{}")
	l.main(ikigai.KindInterrupted, "I was ab", ikigai.InterruptedData{Reason: "cancelled", Thinking: "hm"})
	l.main(ikigai.KindError, "The vendor broke. Try again.", ikigai.ErrorData{Kind: ikigai.ErrorServer})
	l.main(ikigai.KindRewind, "", ikigai.RewindData{To: 19, Mark: "before"})
	l.main(ikigai.KindClear, "", nil)
	l.main(ikigai.KindFork, "", ikigai.ForkData{Session: "0192f0c1-0000-7000-8000-00000000ffff", Seq: 27, Reason: "taken over"})
	l.result("call_9", "bash", "of a call that is not here", true)
	l.main("future", "of a later version <i>", map[string]int{"a": 1})
	l.beside()
	return l
}

// beside adds what happens beside a conversation: a goal is named while two tasks
// are worked on, one of which fails; how the statement stands; a summary.
func (l *log) beside() {
	cost := int64(900)
	begin := func(name, what string, d ikigai.InteractionData) {
		d.Parent, d.Model = ikigai.Main, "acme/small"
		l.add(name, ikigai.KindInteraction, what, d)
	}
	usage := func(name string) {
		l.add(name, ikigai.KindUsage, "", ikigai.UsageData{Model: "acme/small", Cost: &cost, Usage: ikigai.Usage{Input: 300, Output: 12}, Stop: ikigai.StopEnd})
	}
	l.main(ikigai.KindUser, "In JSON, please.", ikigai.MessageData{By: ikigai.ByLoop})
	l.call("call_5", "delegate_tasks", `{"tasks":[{"title":"Read"},{"title":"Look"}]}`)
	begin("objective-40", "Name the goal", ikigai.InteractionData{Purpose: ikigai.PurposeObjective})
	begin("task-41", "Read "+hostile, ikigai.InteractionData{Purpose: ikigai.PurposeTask, CallID: "call_5"})
	begin("task-42", "Look", ikigai.InteractionData{Purpose: ikigai.PurposeTask, CallID: "call_5"})
	l.add("objective-40", ikigai.KindAssistant, `{"goal":"Tests that pass"}`, nil)
	l.add("task-41", ikigai.KindUser, "Read it. "+secret, nil)
	l.add("task-41", ikigai.KindAssistant, "It reads </details> well.\n```", nil)
	usage("objective-40")
	l.main(ikigai.KindGoal, "Tests that *pass*", ikigai.ObjectiveData{By: ikigai.ByModel})
	usage("task-41")
	l.add("task-42", ikigai.KindError, "The vendor broke. Try again.", ikigai.ErrorData{Kind: ikigai.ErrorServer})
	l.result("call_5", "delegate_tasks", `{"tasks":[]}`, true)
	l.main(ikigai.KindFeedback, "Tool results feedback:\nTurn 1/50\nConversation Goal: Tests that *pass*", ikigai.FeedbackData{Turn: 1, Turns: 50})
	l.main(ikigai.KindProjection, "fits again", ikigai.ProjectionData{Model: "acme/x", Before: 182_000, After: 64_000,
		Trimmed: []ikigai.TrimmedResult{{Seq: 10}}, Summary: &ikigai.SummaryData{To: 20, Text: "It went on."}})
}

func options() Options {
	return Options{
		Session: ikigai.SessionInfo{ID: "0192f0c1-0000-7000-8000-000000000000", Dir: "/src", Title: "Run the tests, *please* <i>", Created: 1767348000_000000, Parent: "0192f0c1-0000-7000-8000-00000000ffff", Base: 7},
		By:      "ikigai 0.3.0",
		Redact:  func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") },
		Blob: func(hash string) ([]byte, error) {
			if hash != strings.Repeat("ab", 32) {
				return nil, ikigai.ErrNotFound
			}
			return []byte("\x89PNG\r\n\x1a\n"), nil
		},
	}
}

func TestGoldens(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := form.write(&b, sample().all(), options()); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", form.name)
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(b.String(), secret) { // P41
				t.Error("the secret is in it")
			}
			acts := "\x1b\x07\u202e"
			if form.name == "session.atif.json" {
				acts = "\x1b\x07" // for programs alone
			}
			if strings.ContainsAny(b.String(), acts) { // P42
				t.Error("something that acts on a terminal is in it")
			}
		})
	}
}

// An error of the log or of the writer ends the export with it.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	half := func(yield func(ikigai.Event, error) bool) {
		_ = yield(sample().events[0], nil) && yield(ikigai.Event{}, broken)
	}
	for _, form := range forms {
		if err := form.write(io.Discard, half, Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", form.name, err)
		}
		if err := form.write(failing{broken}, sample().all(), Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", form.name, err)
		}
		if err := form.write(io.Discard, yieldAll(nil), Options{}); err != nil {
			t.Errorf("%s of nothing: %v", form.name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// tags is everything that is markup in a page, exactly.
var tags = regexp.MustCompile(`<!DOCTYPE html>|</?(?:html lang="en"|html|head|body|header|main|nav|section class="sum"|section|h1|h2|dl|div|dt|dd|ol|title|style|p|pre|b|code|span|details|summary|article|time|a|li)>` +
	`|<meta (?:charset="utf-8"|http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"|name="viewport" content="width=device-width, initial-scale=1"|name="color-scheme" content="light dark"|name="referrer" content="no-referrer")>` +
	`|<(?:p|span) class="[a-z]+">|<article class="[a-z ]+" id="[a-z0-9-]+">|<time title="[^"<>]*">|<li value="\d+">|<a href="#s\d+">|<img alt="[^"<>]*" src="data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*">`)

// checkPage returns an error if there is markup in a page that the events have
// brought in.
func checkPage(page string) error {
	rest := tags.ReplaceAllString(strings.Replace(page, pageCSS, "", 1), "")
	if i := strings.IndexAny(rest, "<>"); i >= 0 {
		return fmt.Errorf("the page holds other markup: %.80q", rest[max(0, i-20):])
	}
	return nil
}

func TestPageHoldsNoOtherMarkup(t *testing.T) {
	var b strings.Builder
	if err := HTML(&b, sample().all(), options()); err != nil {
		t.Fatal(err)
	}
	if err := checkPage(b.String()); err != nil {
		t.Error(err)
	}
	for _, outside := range []string{"http://", "https://", "url(", "@import", "<script", "<link"} {
		if strings.Contains(b.String(), outside) && outside != "<script" {
			t.Errorf("the page holds %s", outside)
		}
	}
	bad := strings.Replace(b.String(), "<main>", "<main><script>", 1)
	if checkPage(bad) == nil {
		t.Error("the check does not see a script")
	}
}

// Whatever an event says, a page holds no markup of its own, a trajectory is
// one, and in Markdown it ends where it ends.
func FuzzContent(f *testing.F) {
	f.Add(hostile, `{"a":"<b>"}`, "output")
	f.Add("```\n<x>", "{", "x`y``")
	f.Add("- ```\n  a\n```\n<script>", `{"output":"\u001b[31m<"}`, "")
	f.Fuzz(func(t *testing.T, text, arguments, name string) {
		text, arguments, name = ikigai.CleanText(text), ikigai.CleanText(arguments), ikigai.CleanText(name)
		l := &log{id: "s"}
		l.main(ikigai.KindSession, text, nil)
		l.main(ikigai.KindUser, text, nil)
		l.main(ikigai.KindThinking, text, nil)
		l.main(ikigai.KindAssistant, text, nil)
		l.call(name, name, arguments)
		l.result(name, name, arguments, false)
		l.result("", text, text, true)
		l.add(name, ikigai.KindAssistant, text, nil)
		l.main("x"+ikigai.Kind(name), text, nil)
		o := Options{Session: ikigai.SessionInfo{ID: "s", Title: text, Dir: name}, By: name}
		var page, doc, trajectory strings.Builder
		for _, err := range []error{HTML(&page, l.all(), o), Markdown(&doc, l.all(), o), ATIF(&trajectory, l.all(), o)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := checkPage(page.String()); err != nil {
			t.Error(err)
		}
		if err := checkTrajectory([]byte(trajectory.String())); err != nil {
			t.Error(err)
		}
		checkMarkdown(t, text)
	})
}

// checkMarkdown holds what is made of a text against what must end it.
func checkMarkdown(t *testing.T, text string) {
	m := markdown{o: &Options{}}
	fence := m.fence(text)
	mark := fence[:strings.Index(fence, "\n")]
	for line := range strings.Lines(strings.TrimSuffix(strings.TrimPrefix(fence, mark+"\n"), "\n"+mark)) {
		if strings.Contains(line, mark) {
			t.Errorf("a line of %q ends the block %s", text, mark)
		}
	}
	var f fences
	prose := m.prose(text)
	_, contained := m.safe(text)
	inQuote := !contained
	for line := range strings.Lines(prose) {
		line = strings.TrimSuffix(line, "\n")
		if inQuote && !strings.HasPrefix(line, "> ") {
			t.Errorf("a line of %q leaves the quotation", text)
		}
		if !inQuote && !f.line(line) && strings.Contains(withoutSpans(line), "<") {
			t.Errorf("HTML of %q is left: %q", text, line)
		}
	}
	if !inQuote && f.open() {
		t.Errorf("a block of %q is open at the end", text)
	}
}

func withoutSpans(line string) string {
	var b strings.Builder
	for ok := true; ok; {
		var before string
		before, _, line, ok = cutSpan(line)
		b.WriteString(before)
	}
	return b.String()
}

func TestProse(t *testing.T) {
	m := markdown{o: &Options{}}
	for _, test := range []struct{ name, text, want string }{
		{"plain", "a *b*\n\n- c", "a *b*\n\n- c"},
		{"open block", "a\n```go\nx<y", "a\n```go\nx<y\n```"},
		{"longer fence", "````\n```\n<x>", "````\n```\n<x>\n````"},
		{"tildes", "~~~\n```\n", "~~~\n```\n~~~"},
		{"HTML", "<b>x</b> `<i>`", "&lt;b>x&lt;/b> `<i>`"},
		{"span over lines", "`a\n<b>` `<i>`", "`a\n&lt;b>` `&lt;i>`"},
		{"fence in a list", "1. x\n   ```\n<script>", "> 1. x\n>    ```\n> &lt;script>"},
		{"fence in a quotation", "> ```\n<script>", "> > ```\n> &lt;script>"},
		{"no fence", "``` a`b\n<x>", "> ``` a`b\n> &lt;x>"},
		{"comment", "<!-- a", "&lt;!-- a"},
	} {
		if got := m.prose(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func ExampleMarkdown() {
	session := ikigai.SessionInfo{ID: "0192f0c1-0000-7000-8000-000000000000", Title: "Add the numbers"}
	l := &log{id: session.ID}
	l.main(ikigai.KindUser, "Add the numbers 1 and 2", nil)
	l.main(ikigai.KindAssistant, "The sum is **3**.", nil)
	if err := Markdown(os.Stdout, l.all(), Options{Session: session}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # Add the numbers
	//
	// - Session: 0192f0c1-0000-7000-8000-000000000000
	//
	// ## 1. Add the numbers 1 and 2
	//
	// *2026-01-02 10:00:01 UTC*
	//
	// > Add the numbers 1 and 2
	//
	// The sum is **3**.
	//
	// ---
	//
	// ## In sum
	//
	// - Statements: 1
	// - Tool calls: 0
	// - From first to last: 2s
}

const (
	many      = 200_000 / race.Tenth
	maxGrowth = 4 << 20
)

// repeated yields n events: one statement and then calls with their results.
func repeated(n int, progress func(i int)) Events {
	l := &log{id: "s"}
	l.main(ikigai.KindUser, "go", nil)
	l.call("call_1", "bash", `{"command":"go test ./..."}`)
	l.result("call_1", "bash", `{"output":"ok\n","exit_code":0}`, true)
	return func(yield func(ikigai.Event, error) bool) {
		for i := range n {
			e := l.events[0]
			if i > 0 {
				e = l.events[1+(i+1)%2]
			}
			e.Seq = ikigai.Seq(i + 1)
			if !yield(e, nil) {
				return
			}
			progress(i)
		}
	}
}

// What an export keeps does not grow with the events.
func TestConstantMemory(t *testing.T) {
	for _, form := range forms {
		var first, last uint64
		err := form.write(io.Discard, repeated(many, func(i int) {
			if i != many/10 && i != many-2 {
				return
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if first == 0 {
				first = m.HeapAlloc
			}
			last = m.HeapAlloc
		}), Options{})
		if err != nil || last > first+maxGrowth {
			t.Errorf("%s: the live heap grew from %d to %d bytes, %v", form.name, first, last, err)
		}
	}
}

func BenchmarkExport(b *testing.B) {
	for _, form := range forms {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			if err := form.write(io.Discard, repeated(b.N, func(int) {}), Options{}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
