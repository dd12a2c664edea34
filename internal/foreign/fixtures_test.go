package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/history"
)

// fixtures returns the recorded session files. They are third-party data,
// outside the repository.
func fixtures(t testing.TB) (files []string) {
	root := os.Getenv("IKIGAI_FIXTURES")
	if root == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	err := filepath.WalkDir(filepath.Join(root, "transcripts"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	return files
}

// Every recording of a format that can be imported becomes a valid
// conversation with as many messages as the file has; every other one is
// refused.
func TestFixtures(t *testing.T) {
	imported := 0
	for _, path := range fixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			detected, detectErr := Detect(text[:min(len(text), 64<<10)])
			f, err := Read(bytes.NewReader(text), 0)
			if otherAgent(path) {
				if ikigai.KindOf(err) != ikigai.ErrorUsage || ikigai.KindOf(detectErr) != ikigai.ErrorUsage {
					t.Errorf("a session of another agent: %v, %v", err, detectErr)
				}
				return
			}
			if err != nil || detectErr != nil || f.Format != detected {
				t.Fatalf("%v, %v; detected %q, read as %q", err, detectErr, detected, f.Format)
			}
			imported++
			check(t, f)
			count := map[string]int{}
			for _, s := range f.Sessions {
				for _, e := range s.Events {
					count[string(e.Kind)]++
				}
			}
			for kind, n := range independent(t, text) {
				if count[kind] != n {
					t.Errorf("%d events of kind %s, and %d in the file", count[kind], kind, n)
				}
			}
			t.Logf("%s: %d sessions, %v", f.Format, len(f.Sessions), count)
			for _, w := range f.Warnings {
				t.Log(w)
			}
		})
	}
	if imported < 6 {
		t.Errorf("%d recordings were imported, want at least 6", imported)
	}
}

func otherAgent(path string) bool {
	for _, name := range []string{"kimi", "gemini", ".traj"} {
		if strings.Contains(path, name) {
			return true
		}
	}
	return false
}

// check holds sessions against what a store takes and a model is sent.
func check(t testing.TB, f File) {
	t.Helper()
	ids := map[ikigai.ID]bool{}
	heads := map[ikigai.ID]Session{}
	for i, s := range f.Sessions {
		if !isUUIDv7(s.ID) || ids[s.ID] || (s.Parent == "") != (i == 0) {
			t.Fatalf("session %d: %q, fork of %q", i, s.ID, s.Parent)
		}
		ids[s.ID] = true
		if p, ok := heads[s.Parent]; i > 0 && (!ok || s.Base <= p.Base || s.Base > p.Base+ikigai.Seq(len(p.Events))) {
			t.Fatalf("session %s shares events up to %d with %s, which has not got them", s.ID, s.Base, s.Parent)
		}
		heads[s.ID] = s
		line := history.New(ikigai.Main)
		for _, e := range shared(heads, s) {
			line.Add(e)
		}
		for j, e := range s.Events {
			if e.Session != s.ID || e.Seq != s.Base+1+ikigai.Seq(j) || !isUUIDv7(e.ID) || ids[e.ID] || e.Interaction == "" {
				t.Fatalf("event %d of session %d: %+v", j, i, e)
			}
			ids[e.ID] = true
			checkText(t, e)
			line.Add(e)
		}
		if err := invalid(line.Request().Messages); err != nil {
			t.Errorf("session %d: %v", i, err)
		}
	}
	if k := f.Sessions[0].Events[0].Kind; k != ikigai.KindSession {
		t.Errorf("the first event is a %s", k)
	}
}

func shared(all map[ikigai.ID]Session, s Session) []ikigai.Event {
	if s.Parent == "" {
		return nil
	}
	p := all[s.Parent]
	return append(shared(all, p), p.Events[:s.Base-p.Base]...)
}

func isUUIDv7(id ikigai.ID) bool {
	return len(id) == 36 && id[14] == '7' && strings.IndexByte("89ab", id[19]) >= 0 && strings.Count(string(id), "-") == 4
}

// checkText holds an event against what stores take.
func checkText(t testing.TB, e ikigai.Event) {
	t.Helper()
	if ikigai.CleanText(e.Content) != e.Content {
		t.Errorf("content %q", e.Content)
	}
	if e.Data != nil && (!json.Valid(e.Data) || e.Data[0] != '{' || ikigai.CleanText(string(e.Data)) != string(e.Data) || ikigai.CleanJSON(string(e.Data)) != string(e.Data)) {
		t.Errorf("data %q", e.Data)
	}
	for _, b := range e.Blobs {
		if !bytes.Contains(e.Data, []byte(`"`+b.Hash+`"`)) {
			t.Errorf("blob %s is not named by %s", b.Hash, e.Data)
		}
	}
	if _, err := e.Message(); e.Kind.Conversation() && err != nil {
		t.Error(err)
	}
}

// invalid says why a vendor would refuse a conversation. P1
func invalid(messages []ikigai.Message) error {
	open, used := []string{}, map[string]bool{}
	for i, m := range messages {
		switch m.Kind {
		case ikigai.KindToolCall:
			if used[m.Call.ID] {
				return fmt.Errorf("message %d: two calls have the ID %s", i, m.Call.ID)
			}
			used[m.Call.ID] = true
			open = append(open, m.Call.ID)
		case ikigai.KindToolResult:
			if len(open) == 0 || open[0] != m.Result.CallID {
				return fmt.Errorf("message %d: a result for %s, calls open: %v", i, m.Result.CallID, open)
			}
			open = open[1:]
		default:
			if len(open) > 0 {
				return fmt.Errorf("message %d: %s while calls are open: %v", i, m.Kind, open)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without result: %v", open)
	}
	return nil
}

// independent counts the messages of a file by kind in the simplest way there
// is, with nothing of the package: a walk over everything that has the shape of
// a message.
func independent(t *testing.T, text []byte) map[string]int {
	count := map[string]int{"user": 0, "assistant": 0, "tool_call": 0, "tool_result": 0, "interrupted": 0}
	seen := map[string]bool{}
	each := func(l map[string]any) {
		kind, _ := l["type"].(string)
		m, _ := l["message"].(map[string]any)
		if p, ok := l["payload"].(map[string]any); ok {
			if kind == "compacted" || kind == "response_item" {
				countCodex(count, kind, p)
			}
			if p["type"] == "thread_name_updated" {
				count["assistant"]++
			}
			return
		}
		if id, ok := l["uuid"].(string); ok {
			raw, _ := json.Marshal(l)
			if seen[id+string(raw)] {
				return
			}
			seen[id+string(raw)] = true
		}
		if kind == "summary" {
			count["assistant"]++ // a title
		}
		if m != nil {
			countMessage(count, m)
		}
	}
	var whole struct{ Loglines []map[string]any }
	if json.Unmarshal(text, &whole) == nil && whole.Loglines != nil {
		for _, l := range whole.Loglines {
			each(l)
		}
		return count
	}
	for line := range bytes.Lines(text) {
		var l map[string]any
		if json.Unmarshal(line, &l) == nil {
			each(l)
		}
	}
	return count
}

func countCodex(count map[string]int, kind string, p map[string]any) {
	what, _ := p["type"].(string)
	switch {
	case kind == "compacted":
		count["user"]++ // in its interaction
	case what == "message" && p["role"] == "user":
		count["user"]++
	case what == "message" && p["role"] == "assistant", what == "agent_message":
		count["assistant"]++
	case what == "web_search_call", what == "image_generation_call":
		count["tool_call"]++
		count["tool_result"]++
	case strings.HasSuffix(what, "_call"):
		count["tool_call"]++
	case strings.HasSuffix(what, "_output"):
		count["tool_result"]++
	}
}

// countMessage counts a message of Claude Code or pi.
func countMessage(count map[string]int, m map[string]any) {
	role, _ := m["role"].(string)
	list, isList := m["content"].([]any)
	if !isList {
		count[role]++
		return
	}
	if role == "toolResult" {
		count["tool_result"]++
		return
	}
	stop, _ := m["stopReason"].(string)
	if stop == "aborted" || stop == "error" {
		count["interrupted"]++
		return
	}
	said := false
	for _, part := range list {
		switch part.(map[string]any)["type"] {
		case "text", "image", "document":
			if said = true; role == "assistant" {
				count[role]++
			}
		case "tool_use", "toolCall":
			count["tool_call"]++
		case "tool_result":
			count["tool_result"]++
		}
	}
	if said && role == "user" {
		count[role]++
	}
}

// Reading a file twice gives the same, and a part of it the beginning of that:
// the last line of each recording is taken away.
func TestFixturesAreStable(t *testing.T) {
	for _, path := range fixtures(t) {
		if otherAgent(path) || !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Read(bytes.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(text), 0)
		if err != nil || !reflect.DeepEqual(whole, again) { // which is fast on long texts
			t.Errorf("%s: %v\n%s", path, err, cmp.Diff(whole, again))
		}
		cut := bytes.TrimSuffix(text, []byte("\n"))
		part, err := Read(bytes.NewReader(cut[:bytes.LastIndexByte(cut, '\n')+1]), 0)
		if err != nil {
			t.Fatal(err)
		}
		begun := part.Sessions[0].Events
		// A reply that goes on moves what it used behind its last line.
		for len(begun) > 0 && begun[len(begun)-1].Kind == ikigai.KindUsage {
			begun = begun[:len(begun)-1]
		}
		if same := whole.Sessions[0].Events[:len(begun)]; !reflect.DeepEqual(begun, same) {
			t.Errorf("%s: the same file with a line less:\n%s", path, cmp.Diff(begun, same))
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, path := range fixtures(b) {
		if !strings.Contains(path, "large-session") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		events := 0
		for b.Loop() {
			f, err := Read(bytes.NewReader(text), 0)
			if err != nil {
				b.Fatal(err)
			}
			events += len(f.Sessions[0].Events)
		}
		b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	}
}
