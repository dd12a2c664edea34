package markdown_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ikigai/internal/markdown"
	"ikigai/internal/safetext"
)

var update = flag.Bool("update", false, "write what is rendered into testdata")

// names are those of the roles, as the golden files have them.
var names = [markdown.Roles]string{
	markdown.Title: "title", markdown.Heading: "heading", markdown.Subheading: "subheading", markdown.Strong: "strong", markdown.Emphasis: "emphasis",
	markdown.Strike: "strike", markdown.Code: "code", markdown.Link: "link", markdown.URL: "url", markdown.Marker: "marker", markdown.Quote: "quote",
	markdown.Faint: "faint", markdown.Comment: "comment", markdown.String: "string", markdown.Number: "number", markdown.Keyword: "keyword",
	markdown.Type: "type", markdown.Name: "name", markdown.Meta: "meta", markdown.Added: "added", markdown.Removed: "removed",
}

// sections are the ways to render that golden files show.
var sections = map[string]markdown.Style{
	"rendered": {Looks: looks, Width: 60, Safe: safetext.Terminal},
	"ascii":    {Looks: looks, Width: 60, ASCII: true},
	"middle":   {Looks: looks, Width: 40},
	"narrow":   {Looks: looks, Width: 20},
	"plain":    {Width: 60},
}

// S2.45, S2.47, P36
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
			for i, section := range archive.Files[1:] {
				got := strings.Join(render(sections[section.Name], string(archive.Files[0].Data)), "\n") + "\n"
				got = readable(got)
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

// readable returns text with the names of roles in the place of SGR sequences.
func readable(text string) string {
	return sgr.ReplaceAllStringFunc(text, func(sequence string) string {
		var in []string
		for look := range strings.SplitSeq(strings.Trim(sequence, "\x1b[m"), ";") {
			if n, err := strconv.Atoi(look); err == nil && n > 0 {
				in = append(in, names[n])
			}
		}
		if in == nil {
			return "⟩"
		}
		return "⟨" + strings.Join(in, "+") + " "
	})
}
