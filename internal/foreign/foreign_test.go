package foreign

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each sample becomes the events in the file beside it.
func TestSamples(t *testing.T) {
	for _, test := range []struct {
		sample string
		format Format
	}{
		{"claude", ClaudeCode}, {"codex", Codex}, {"codex-old", Codex}, {"pi", Pi},
	} {
		t.Run(test.sample, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", test.sample+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			f, err := Read(bytes.NewReader(text), 0)
			if err != nil || f.Format != test.format {
				t.Fatalf("%v, format %q", err, f.Format)
			}
			for _, head := range []int{130, 300, 1000} { // also within the first line
				if detected, err := Detect(text[:min(len(text), head)]); detected != test.format {
					t.Errorf("of %d bytes detected %q, %v", head, detected, err)
				}
			}
			check(t, f)
			golden := filepath.Join("testdata", test.sample+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(printed(f)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), printed(f)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// printed shows a file: a line for each event, blobs by their length.
func printed(f File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, session %q\n", f.Format, f.Source)
	names := map[ikigai.ID]string{}
	for i, s := range f.Sessions {
		names[s.ID] = fmt.Sprintf("session %d", i)
		fmt.Fprintf(&b, "\nsession %d (%s)", i, s.ID)
		if s.Parent != "" {
			fmt.Fprintf(&b, ", fork of %s at %d", names[s.Parent], s.Base)
		}
		b.WriteByte('\n')
		for _, e := range s.Events {
			data := string(e.Data)
			for id, name := range names {
				data = strings.ReplaceAll(data, string(id), "<"+name+">")
			}
			fmt.Fprintf(&b, "%3d %s %s %s %s %q %s", e.Seq, e.ID[:8], e.Time.Time().UTC().Format("15:04:05"), e.Interaction, e.Kind, e.Content, data)
			for _, blob := range e.Blobs {
				fmt.Fprintf(&b, " +%d bytes", len(blob.Bytes))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteByte('\n')
	for _, w := range f.Warnings {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}

func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "text": "hello\n", "numbers": "1\n2\n", "other objects": `{"a":1}` + "\n" + `{"type":"message"}`,
		"no conversation": `{"type":"session","id":"p","cwd":"/"}`, "open list": `{"loglines":[`, "no lines": `{"loglines":[]}`,
	} {
		_, err := Read(strings.NewReader(text), 0)
		if ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What has no time at all has that of the file.
func TestFallbackTime(t *testing.T) {
	text := `{"type":"user","uuid":"1","message":{"role":"user","content":"a"}}` + "\n" +
		`{"type":"user","uuid":"2","timestamp":"2026-01-02T10:00:00Z","message":{"role":"user","content":"b"}}` + "\n" +
		`{"type":"user","uuid":"3","message":{"role":"user","content":"c"}}`
	read := func(fallback ikigai.Micros) []ikigai.Event {
		f, err := Read(strings.NewReader(text), fallback)
		if err != nil {
			t.Fatal(err)
		}
		return f.Sessions[0].Events
	}
	at := ikigai.Micros(1767348000000000)
	for i, want := range []ikigai.Micros{at, 77, at, at} {
		if i == 1 {
			continue // behind the header, which has the first time of the file
		}
		if got := read(77)[i].Time; got != want {
			t.Errorf("event %d has the time %d, want %d", i+1, got, want)
		}
	}
	early, late := read(77), read(99)
	for i := range early {
		if early[i].ID != late[i].ID {
			t.Errorf("the ID of event %d depends on the time of the file", i+1)
		}
	}
}

// A session of pi becomes events that a store takes.
func ExampleRead() {
	f, err := Read(strings.NewReader(`{"type":"session","id":"p-1","timestamp":"2026-01-02T10:00:00Z","cwd":"/src"}
{"type":"message","timestamp":"2026-01-02T10:00:01Z","message":{"role":"user","content":"Hello"}}
{"type":"message","timestamp":"2026-01-02T10:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Good day"}]}}
{"type":"thinking_level_change","timestamp":"2026-01-02T10:00:03Z","thinkingLevel":"high"}
`), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Sessions {
		for _, e := range s.Events {
			fmt.Println(e.Seq, e.Kind, e.Content)
		}
	}
	for _, w := range f.Warnings {
		fmt.Println(w)
	}
	// Output:
	// 1 session /src
	// 2 user Hello
	// 3 assistant Good day
	// A line of type "thinking_level_change" has no counterpart and was left out (line 4).
}

// Whatever the bytes, reading them ends with an error that a person can be
// told, or with sessions that a store takes and a model can be sent; and the
// same bytes give the same.
func FuzzRead(f *testing.F) {
	for _, sample := range []string{"claude", "codex", "codex-old", "pi"} {
		text, err := os.ReadFile(filepath.Join("testdata", sample+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"loglines":[{"type":"user","message":{"content":"a"}}]}`))
	f.Add([]byte(`{"type":"user","uuid":"a","parentUuid":"a","message":{"content":[{"type":"tool_result","content":{}}, "x", 1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(text), 0)
		if err != nil {
			if ikigai.KindOf(err) != ikigai.ErrorUsage {
				t.Fatal(err)
			}
			return
		}
		check(t, file)
		again, err := Read(bytes.NewReader(text), 0)
		if diff := cmp.Diff(file, again); diff != "" || err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}
