package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/scriptserver"
)

// P27, law 4: a session goes on with the prompt that it began with, whatever has
// changed when it is taken up on another day: the date, the branch, the
// instructions. So does its fork; a new session takes all of it in anew.
func TestPromptStays(t *testing.T) {
	script, err := scriptserver.Parse("test.script", []byte("user: /./\nsay: Done.\n"))
	must(t, err)
	server, err := scriptserver.Options{Keep: scriptserver.KeepAll}.Start(script)
	must(t, err)
	defer server.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, content string) {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(content), 0o600))
	}
	write("config.json", `{"model": "local/m", "objectives": "text", "vendors": {"local": {"base_url": "`+server.URL+`"}}}`)
	run := func(day int, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var out, errOut bytes.Buffer
		code := Run(ctx, Process{
			Args: append([]string{"run", "--database", "ikigai.db"}, args...), Env: []string{"HOME=" + dir, "IKIGAI_CONFIG=config.json", "PATH=" + os.Getenv("PATH")},
			In: strings.NewReader(""), Out: &out, Err: &errOut,
			Now: func() time.Time { return time.Date(2031, 5, day, 12, 0, 0, 0, time.Local) },
		})
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errOut.String())
		}
	}
	write(".git/HEAD", "ref: refs/heads/first\n")
	write(".config/ikigai/AGENTS.md", "Be brief.")
	run(1, "go")
	write(".git/HEAD", "ref: refs/heads/second\n")
	write(".config/ikigai/AGENTS.md", "Be kind.")
	run(2, "--continue", "go")
	run(3, "--continue", "--fork", "go")
	run(4, "go")

	var prompts []string
	for _, r := range server.Requests() {
		var body struct{ Messages []struct{ Content string } }
		must(t, json.Unmarshal(r.Body, &body))
		prompts = append(prompts, body.Messages[0].Content)
	}
	if len(prompts) != 4 {
		t.Fatalf("%d requests", len(prompts))
	}
	for _, words := range []string{"\nDate: 2031-05-01", "\nGit: branch first\n", "Be brief."} {
		if !strings.Contains(prompts[0], words) {
			t.Errorf("the prompt does not say %q: %s", words, prompts[0])
		}
	}
	if prompts[1] != prompts[0] || prompts[2] != prompts[0] {
		t.Errorf("the prompt has changed:\n%s\n\n%s\n\n%s", prompts[0], prompts[1], prompts[2])
	}
	for _, words := range []string{"\nDate: 2031-05-04", "\nGit: branch second\n", "Be kind."} {
		if !strings.Contains(prompts[3], words) {
			t.Errorf("the prompt of a new session does not say %q: %s", words, prompts[3])
		}
	}
}

// P40: the instructions that are used are the bytes that were judged, whatever is in
// their place when they are.
func TestJudgedInstructionsAreUsed(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, os.Mkdir("home", 0o700))
	must(t, os.WriteFile("AGENTS.md", []byte("judged"), 0o600))
	a := &app{Process: Process{Env: []string{"HOME=" + dir + "/home"}, Err: io.Discard}, flags: map[string]string{}}
	a.trusting.accept, a.trusting.ask = true, true
	must(t, a.load())
	must(t, os.WriteFile("AGENTS.md", []byte("swapped"), 0o600))
	if k := a.knowledge(); len(k.Instructions) != 1 || k.Instructions[0].Text != "judged" {
		t.Errorf("the model is told %+v", k)
	}
}

// What is sent in fewer words is told as that: a summary, what is left of a statement,
// results that were trimmed with the files that hold them whole.
func TestContextParts(t *testing.T) {
	s := newSending("")
	s.dir = "/p"
	for i, e := range []ikigai.Event{
		ikigai.NewEvent(ikigai.KindSystem, "Words.\n\nDate: x\n\nMore.", map[string]any{"program": 8, "environment": 7}),
		ikigai.NewEvent(ikigai.KindUser, "Fix it\nnow", nil),
	} {
		e.Seq = ikigai.Seq(i + 1)
		s.Add(e)
	}
	var got []string
	for _, p := range s.parts(history.Shape{
		PerToken: 4, Tools: 40,
		Summary: history.SummaryShape{Seq: 9, Bytes: 100, Statements: 3},
		Statements: []history.StatementShape{
			{Messages: 2, Bytes: 80},
			{Seq: 2, Messages: 1, Bytes: 60, Trimmed: []ikigai.TrimmedResult{{Seq: 5, Keep: 20, File: "/p/out/5"}, {Seq: 6}}},
		},
	}) {
		got = append(got, fmt.Sprint(p.Part, " ", p.words(s.dir), ": ", p.Bytes, " ", p.Tokens, " ", p.Within))
	}
	want := []string{
		"prompt : 15 3 false", "environment : 7 1 false", "tools 0 tools: 40 10 false", "summary of 3 statements: 100 25 false",
		"statement the end of an earlier one (2 messages): 80 20 false", "statement 2 Fix it (1 message): 60 15 false",
		"trimmed out/5: 20 5 true", "trimmed event 6: 0 0 true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
