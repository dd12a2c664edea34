package wirecheck_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/wirecheck"
)

// FuzzChecks states that white space between the tokens of a body changes
// nothing, and that what is taken is JSON in clean UTF-8.
func FuzzChecks(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if strings.HasPrefix(line, "{") {
				f.Add(strings.TrimSpace(line))
			}
		}
	}
	checks := []func([]byte) error{wirecheck.Chat, wirecheck.Messages, wirecheck.Responses, wirecheck.GeminiSigned}
	f.Fuzz(func(t *testing.T, body string) {
		for _, check := range checks {
			err := check([]byte(body))
			var indented bytes.Buffer
			if json.Indent(&indented, []byte(body), " ", "\t") != nil {
				if err == nil {
					t.Fatal("took what is not JSON")
				}
				return
			}
			if again := check(indented.Bytes()); (err == nil) != (again == nil) {
				t.Fatalf("%v, but with white space %v", err, again)
			}
		}
	})
}
