package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

var update = flag.Bool("update", false, "record the corpus of this version anew; older ones stay")

// current is the corpus that this version records.
const current = "testdata/corpus/3.jsonl"

// corpusLine is an event as it was recorded, with its blobs, and the body of
// the request if it is one.
type corpusLine struct {
	ikigai.Event
	Blobs []ikigai.Blob `json:"blobs,omitempty"`
	Body  string        `json:"body,omitempty"`
}

// What any version has recorded, every later one rebuilds: the files are never
// changed.
func TestCorpus(t *testing.T) {
	if *update {
		writeCorpus(t)
	}
	files, err := filepath.Glob("testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := newRecorder(t)
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(bytes.NewReader(raw))
			for lines.Buffer(nil, 1<<20); lines.Scan(); {
				var l corpusLine
				if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
					t.Fatal(err)
				}
				l.Event.Blobs = l.Blobs
				r.add(l.Event)
				if l.Body != "" {
					r.sent[l.Seq] = []byte(l.Body)
				}
			}
			if len(r.sent) == 0 {
				t.Fatal("no requests")
			}
			r.check()
			r.add(user("And today?"))
			if d := r.ask(auto); d.Kept == 0 {
				t.Error("a request of today goes on with none of then")
			}
			r.check()
		})
	}
}

// writeCorpus records a session in which everything happens.
func writeCorpus(t *testing.T) {
	r := newRecorder(t)
	var lines bytes.Buffer
	add := func(e ikigai.Event) {
		r.add(e)
		l := corpusLine{Event: r.events[len(r.events)-1], Blobs: e.Blobs}
		l.Event.Session, l.Event.ID = "s", ikigai.ID(fmt.Sprint("e", l.Seq))
		if body, ok := r.sent[l.Seq]; ok {
			l.Body = string(body)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
		lines.Write(b.Bytes())
	}
	ask := func(choice ikigai.ToolChoice) {
		req := r.line.Request()
		req.ToolChoice = choice
		sent := encode(r.model, req)
		r.sent[ikigai.Seq(len(r.events)+1)] = bytes.Join(append(sent.Head, sent.Conversation...), nil)
		add(r.line.Sent(r.model, choice, sent))
	}
	for _, e := range []ikigai.Event{system("You help.\n日本 <b>"), tools("bash"), user("Begin.\n\"Now\".")} {
		add(e)
	}
	for _, e := range turns(3, 600) {
		if e.Kind == ikigai.KindToolCall {
			ask(auto)
		}
		add(e)
	}
	ask(none)
	add(assistant("Done."))
	add(tools("glob"))
	add(user("Otherwise.\x1b"))
	ask(auto)
	add(rewind(8))
	add(user("Back."))
	ask(auto)
	r.resume()
	add(call("x", `{"command":"echo"}`))
	ask(auto)
	add(old)
	add(ikigai.NewEvent(ikigai.KindInterrupted, strings.Repeat("Half an answer. ", 20), nil))
	add(ikigai.NewEvent(ikigai.KindClear, "", nil))
	add(user(string(turns(1, 16000)[1].Data)))
	add(old) // so that the next tail is long
	ask(auto)
	add(shows("And this?", noise(5, 20)))
	add(imported("And that?", animation()))
	add(assistant("A cat."))
	add(user("Sure?"))
	ask(auto)
	r.resume()
	add(ikigai.NewEvent(ikigai.KindQuarantine, "", ikigai.QuarantineData{Seq: ikigai.Seq(len(r.events)), Whole: true}))
	ask(auto)
	if err := os.MkdirAll(filepath.Dir(current), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(current, lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
