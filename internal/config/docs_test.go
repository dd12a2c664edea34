package config

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated parts of the documentation")

func TestDocumentationIsGenerated(t *testing.T) {
	checkGenerated(t, "../../docs/config.schema.json", string(Schema()))

	page := readText(t, "../../docs/settings.md")
	const begin, end = "<!-- tables: begin -->\n", "<!-- tables: end -->"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("settings.md has lost the marks around its tables")
	}
	checkGenerated(t, "../../docs/settings.md", head+begin+"\n"+Reference()+"\n"+end+tail)
}

// The examples of the page are files of settings that load.
func TestDocumentationExamplesLoad(t *testing.T) {
	page := readText(t, "../../docs/settings.md")
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(examples) < 2 {
		t.Fatalf("found %d examples", len(examples))
	}
	for _, e := range examples {
		mustParse(t, e[1])
	}
	s := mustParse(t, examples[0][1])
	got, err := s.Resolve(t.Context(), Keys{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "local/any" || got.BaseURL != "http://127.0.0.1:8080/v1" || got.Key != "" {
		t.Errorf("the local server resolves to %s at %s", got.Name, got.BaseURL)
	}
	if lines := strings.Count(strings.TrimSpace(examples[0][1]), "\n") + 1; lines > 4 {
		t.Errorf("a local server takes %d lines", lines)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	return string(content)
}

func checkGenerated(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, readText(t, path)); diff != "" {
		t.Errorf("%s is out of date; run this test with -update (-want +got):\n%s", path, diff)
	}
}
