package render_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

var update = flag.Bool("update", false, "write what is rendered into testdata")

// styles are the ways to render that golden files show, by the name of the
// section.
var styles = map[string]render.Style{
	"plain":   {Zone: time.UTC},
	"color":   {Zone: time.UTC, Color: true},
	"ascii":   {Zone: time.UTC, ASCII: true},
	"compact": {Zone: time.UTC, Compact: true, More: "ikigai log --full"},
	"verbose": {Zone: time.UTC, Verbose: true},
	"narrow":  {Zone: time.UTC, Width: 40},
	"answers": {Zone: time.UTC, Width: 60, Color: true, Markdown: true},
	"source":  {Zone: time.UTC, Width: 60, Markdown: true},
	"dark":    {Zone: time.UTC, Width: 60, Color: true, Markdown: true, Theme: render.ThemeDark, Depth: render.TrueColor},
	"mono":    {Zone: time.UTC, Width: 60, Color: true, Markdown: true, Theme: render.ThemeMono, ASCII: true},
	"slim":    {Zone: time.UTC, Width: 20},
}

// folds returns the transcript that a section asks for, and its style.
func folds(section string) (fold transcript.Transcript, style string) {
	how, style, ok := strings.Cut(section, " ")
	switch how {
	case "folded":
		fold.Folded = true
	case "live":
		fold.Folded, fold.Brief = true, true
	default:
		return fold, section
	}
	if !ok {
		style = "plain"
	}
	return fold, style
}

// TestGolden renders the events of each file in testdata, one JSON object a
// line, in the styles for which the file has a section. In the files \e stands
// for ESC.
//
// S2.45, S2.46, S3.20, S3.22, S3.29, P26, P36, P42
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			events := readEvents(t, archive.Files[0].Data)
			for i, section := range archive.Files[1:] {
				fold, name := folds(section.Name)
				style, ok := styles[name]
				if !ok {
					t.Fatalf("no style %q", section.Name)
				}
				got := strings.ReplaceAll(pageOf(fold, style, events), "\x1b", `\e`)
				if *update {
					archive.Files[i+1].Data = []byte(got)
				} else if diff := cmp.Diff(string(section.Data), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", section.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFormsSeeWhatTheModelSees holds that calls are shown from the arguments as
// they were received, and results from the very output that the model is sent.
//
// S3.3, S3.9
func TestFormsSeeWhatTheModelSees(t *testing.T) {
	for file, events := range goldenEvents(t) {
		var fold transcript.Transcript
		for _, e := range events {
			m, err := e.Message()
			if err != nil {
				continue
			}
			blocks := fold.Add(e)
			switch body := blocks[len(blocks)-1].Body.(type) {
			case transcript.Call:
				if body.Arguments != m.Call.Arguments || body.Name != m.Call.Name {
					t.Errorf("%s: call %+v is shown as %+v", file, m.Call, body)
				}
			case transcript.Result:
				if body.Output != m.Result.Output || body.Note != m.Result.Note {
					t.Errorf("%s: result %+v is shown as %+v", file, m.Result, body)
				}
			}
		}
	}
	events := goldenEvents(t)["testdata/forms.txtar"]
	shown := page(styles["plain"], events)
	for _, value := range []string{"cd src\n    make 2>&1 | tail", "http://example.org/a?b", "-\treturn", "make: *** [all] Error 2", "# Title"} {
		if !strings.Contains(shown, value) {
			t.Errorf("%q is not shown", value)
		}
	}
}

// goldenEvents returns the events of all golden files by name.
func goldenEvents(t *testing.T) map[string][]ikigai.Event {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	all := map[string][]ikigai.Event{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = readEvents(t, archive.Files[0].Data)
	}
	return all
}

// readEvents returns the events of a golden file, with what it leaves out
// filled in.
func readEvents(t *testing.T, text []byte) []ikigai.Event {
	t.Helper()
	var events []ikigai.Event
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		e := ikigai.Event{Session: "0197f3a2-1b2c-7000-8000-000000000001", Interaction: ikigai.Main}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		e.Seq = ikigai.Seq(len(events) + 1)
		e.Time = ikigai.Micros(1_750_000_000_000_000 + int64(e.Seq)*1_000_000)
		events = append(events, e)
	}
	return events
}

// page returns the whole log as `ikigai log` shows it.
func page(style render.Style, events []ikigai.Event) string {
	return pageOf(transcript.Transcript{}, style, events)
}

// briefPage returns what a live view has come to.
func briefPage(style render.Style, events []ikigai.Event) string {
	return pageOf(transcript.Transcript{Brief: true, Folded: true}, style, events)
}

func pageOf(fold transcript.Transcript, style render.Style, events []ikigai.Event) string {
	var b strings.Builder
	p := render.Page{Style: style}
	for _, e := range events {
		for _, block := range fold.Add(e) {
			b.WriteString(p.Block(block))
		}
	}
	for _, block := range fold.Open() {
		b.WriteString(p.Block(block))
	}
	return b.String() + p.End()
}
