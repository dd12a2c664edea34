package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/race"
	"ikigai/internal/scriptserver"
)

var statements = flag.Int("statements", 150, "how many statements the long session has")

// longScript plays a session of any length: statements that change files, ones
// with long outputs, ones that are never answered, and a summariser that is of no
// use.
const longScript = `
context: 32000

user: /^Change \d+/
call: file_write {"path": "{{user /Change (\d+).*/ file-$1.txt}}", "content": "{{fill 1500}}"}

reply:
call: bash {"command": "seq 1 2500"}
call: bash {"command": "seq 1 400"}

reply:
say: Changed. {{fill 400}}

user: /^Look \d+/
call: bash {"command": "seq 1 3000"}

reply:
say: Looked. {{fill 300}} Shall I go on behind bridge {{user /Look (\d+).*/ $1}}?

user: /^Ask \d+/
say:
finish: content_filter

side: summary
say: {{fill 40000}}
`

// longStatement returns statement i of a long session.
func longStatement(i int) string {
	switch {
	case i%50 == 7:
		return fmt.Sprintf("Ask %d: which colour has bridge %d?", i, i)
	case i%3 == 0:
		return fmt.Sprintf("Change %d for the bridges.", i)
	}
	return fmt.Sprintf("Look %d at the bridges.", i)
}

// requests watches what a session sends.
type requests struct {
	mu        sync.Mutex
	replied   string // what each request holds: the question that the statement replies to
	lost      int    // requests without it
	last      []byte // body of the last request of the main interaction
	count     int
	anew      int // requests that do not begin with the one before
	longest   int
	summaries int
}

func (r *requests) received(q scriptserver.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes.Contains(q.Body, []byte(ikigai.SidePrompt)) {
		r.summaries++
		return
	}
	r.count++
	if !bytes.Contains(q.Body, []byte(r.replied)) {
		r.lost++
	}
	r.longest = max(r.longest, len(q.Body))
	if n := len(r.last); n > 2 && !bytes.HasPrefix(conversationOf(q.Body), conversationOf(r.last[:n-2])) { // without ]}
		r.anew++
	}
	r.last = bytes.Clone(q.Body)
}

// replies sets the question that a statement replies to.
func (r *requests) replies(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replied = to
}

// conversationOf returns what of a request to Chat Completions follows its
// options, which a statement's last request may have others of.
func conversationOf(body []byte) []byte {
	at := bytes.Index(body, []byte(`"messages":`))
	return body[max(at, 0):]
}

// longWork opens a new session in the test's own process, with a model that
// takes 32,000 tokens.
func longWork(t *testing.T, watch *requests) (*work, *output) {
	t.Helper()
	p := newPlace(t, "user: *\nsay: never asked\n")
	script, err := scriptserver.Parse("long.script", []byte(longScript))
	must(t, err)
	server, err := scriptserver.Options{Received: watch.received}.Start(script)
	must(t, err)
	t.Cleanup(func() { must(t, server.Close()) })
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"),
		fmt.Appendf(nil, `{"model": "test/scripted", "objectives": "text", "context_limit": 32000, "vendors": {"test": {"base_url": %q}}}`, server.URL), 0o600))
	told := newOutput()
	a := &app{Process: Process{Env: p.env(), In: strings.NewReader(""), Out: io.Discard, Err: told},
		flags: map[string]string{}, flagNames: map[string]string{}, leave: make(chan struct{}), dir: p.work}
	must(t, a.load())
	opening := a.openStore(t.Context(), awayTime)
	endpoint, _, err := a.endpoint(t.Context(), "")
	must(t, err)
	w, err := a.open(t.Context(), which{}, endpoint, <-opening, a.newView(false))
	must(t, err)
	t.Cleanup(w.close)
	return w, told
}

// A session of any length goes on in a context of 32,000 tokens: no request is
// refused for its length, each begins with the one before it byte for byte but
// where a projection stands between them, each holds the question that its statement
// replies to, and the last one still holds the goal, what was changed last and what
// was never answered. P12, P27
func TestLongSession(t *testing.T) {
	t.Parallel()
	watch := &requests{}
	w, told := longWork(t, watch)
	began := time.Now()
	var asked []string
	count := *statements
	if race.Enabled {
		count = min(count, 60) // what is concurrent is so in each statement
	}
	for i := range count {
		statement := longStatement(i)
		question := ""
		if i > 0 && strings.HasPrefix(longStatement(i-1), "Look") {
			question = fmt.Sprintf("Shall I go on behind bridge %d?", i-1)
		}
		watch.replies(question)
		_, err := w.agent.Run(context.Background(), ikigai.NewEvent(ikigai.KindUser, statement, nil))
		unanswered := strings.HasPrefix(statement, "Ask")
		if unanswered {
			asked = append(asked, statement)
		}
		if unanswered != (ikigai.KindOf(err) == ikigai.ErrorContentFilter) || !unanswered && err != nil {
			t.Fatalf("statement %d: %v\n%s", i, err, told)
		}
	}
	took := time.Since(began)
	projections, request := 0, ikigai.Seq(0)
	for e, err := range w.store.Events(t.Context(), w.session.ID(), 0) {
		must(t, err)
		var d ikigai.ProjectionData
		if e.Kind == ikigai.KindProjection && e.DecodeData(&d) == nil {
			projections++
			if d.After >= d.Before || d.After > d.Budget || d.Reason != ikigai.FitBudget {
				t.Errorf("a projection, %s, from %d to %d tokens, of %d", d.Reason, d.Before, d.After, d.Budget)
			}
		}
		if e.Kind == ikigai.KindRequest && e.Interaction == ikigai.Main {
			request = e.Seq
		}
		if e.Kind == ikigai.KindError && !strings.Contains(e.Content, "content filter") {
			t.Errorf("event %d: %s", e.Seq, e.Content)
		}
	}
	watch.mu.Lock()
	defer watch.mu.Unlock()
	if watch.anew != projections || projections == 0 || projections > watch.count/5 {
		t.Errorf("%d of %d requests do not begin with the one before, there were %d projections", watch.anew, watch.count, projections)
	}
	if watch.lost > 0 {
		t.Errorf("%d requests lack the question that their statement replies to", watch.lost)
	}
	last := string(watch.last)
	rebuilt, err := history.Rebuild(t.Context(), w.store.Events(t.Context(), w.session.ID(), 0), w.store, request)
	if err != nil || string(rebuilt) != last {
		t.Errorf("the last request cannot be rebuilt: %v", err)
	}
	wants := []string{"## Goal\\n" + longStatement(0), "## Files changed", "## Not answered yet"}
	for i := range asked[:len(asked)-1] {
		wants = append(wants, asked[max(i, len(asked)-5)%len(asked)])
	}
	for _, want := range wants {
		if !strings.Contains(last, want) {
			t.Errorf("the last request lacks %q:\n%.6000s", want, last)
		}
	}
	t.Logf("%d statements, %d requests and %d summaries in %s: %d projections, the longest request of %d bytes",
		count, watch.count, watch.summaries, took.Round(time.Millisecond), projections, watch.longest)
}

// A long statement is named by its beginning, and does not make every row as long.
func TestContextOfALongStatement(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: *\nsay: Fine.\n")
	p.run(exitAnswered, "run", strings.Repeat("word ", 1800))
	for line := range strings.Lines(p.run(exitAnswered, "context").out.String()) {
		if len(line) > 2*maxAimText {
			t.Errorf("a row of %d bytes", len(line))
		}
	}
}

// The files that hold trimmed results whole are made again from the log where they
// are gone, in a fork, too.
func TestTrimmedFilesAreMadeAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fmt.Sprintf(refusing, ""))
	p.run(exitAnswered, "run", "look")
	p.run(exitAnswered, "run", "--continue", "again")
	p.run(exitAnswered, "compact")
	var d ikigai.ProjectionData
	must(t, of(ikigai.KindProjection, p.log())[0].DecodeData(&d))
	if len(d.Trimmed) == 0 {
		t.Fatalf("the projection is %+v", d)
	}
	whole := map[string]string{}
	for _, r := range d.Trimmed {
		text, err := os.ReadFile(r.File)
		must(t, err)
		whole[r.File] = string(text)
	}
	outputs := filepath.Dir(d.Trimmed[0].File)
	for _, where := range []string{"the session", "a fork"} {
		if where == "a fork" {
			p.run(exitAnswered, "sessions", "fork")
		}
		must(t, os.RemoveAll(outputs))
		p.run(exitAnswered, "run", "--continue", "again")
		for file, want := range whole {
			if !strings.Contains(p.body(), file) {
				t.Errorf("%s: %s is not named", where, file)
			}
			info, err := os.Stat(file)
			must(t, err)
			got, err := os.ReadFile(file)
			must(t, err)
			if string(got) != want || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s has %d bytes, not %d, %v", where, file, len(got), len(want), info.Mode())
			}
		}
	}
}

// A log from elsewhere has nothing written but where trimmed results are kept.
func TestWhereTrimmedFilesAreMadeAgain(t *testing.T) {
	p := places{root: "/data/ikigai"}
	for file, want := range map[string]bool{
		"/data/ikigai/sessions/0192/output/trimmed-8.txt":            true,
		"/data/ikigai/sessions/0193/output/trimmed-8.txt":            true, // what it was forked from
		"/data/ikigai/sessions/0192/output/trimmed-9.txt":            false,
		"/data/ikigai/sessions/../output/trimmed-8.txt":              false,
		"/data/ikigai/sessions/a/../../../x/output/trimmed-8.txt":    false,
		"/data/ikigai/output/trimmed-8.txt":                          false,
		"/data/ikigai/sessions/output/trimmed-8.txt":                 false,
		"/home/me/.profile":                                          false,
		"sessions/0192/output/trimmed-8.txt":                         false,
		"/home/you/.local/ikigai/sessions/0192/output/trimmed-8.txt": false,
		"": false,
	} {
		if got := p.holdsTrimmed(ikigai.TrimmedResult{Seq: 8, File: file}); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
