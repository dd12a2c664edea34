package cli

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Sessions do not go by themselves, however old they are and whatever is done with
// the database: only `sessions delete` takes one. P11
func TestOldSessionsStay(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: /.*/\nsay: Yes.\n")
	p.run(exitAnswered, "run", "one")
	old := aged(p.run(exitAnswered, "export", "--all").out.String())
	p.database = filepath.Join(p.root, "data", "old.db")
	p.put(p.file("old.jsonl"), old)
	p.run(exitAnswered, "import", "old.jsonl")
	before := p.run(exitAnswered, "export", "--all").out.String()
	if !strings.Contains(before, `"content":"one"`) {
		t.Fatalf("the old session is not there:\n%s", before)
	}
	for range 3 {
		p.run(exitAnswered, "run", "two")
	}
	for _, command := range []string{"db vacuum", "db check", "db migrate", "db status", "sessions", "search one", "doctor"} {
		p.run(exitAnswered, strings.Fields(command)...)
	}
	after := p.run(exitAnswered, "export", "--all").out.String()
	for line := range strings.Lines(before) {
		if !strings.HasPrefix(line, `{"line":"archive"`) && !strings.HasPrefix(line, `{"line":"end"`) && !strings.Contains(after, line) {
			t.Errorf("this is gone: %s", line)
		}
	}
}

// aged returns an archive with all that happened twenty years earlier.
func aged(archive string) string {
	const twentyYears = 20 * 365 * 24 * 3600 * 1_000_000
	archive = regexp.MustCompile(`"(time|created)":(\d+)`).ReplaceAllStringFunc(archive, func(member string) string {
		name, at, _ := strings.Cut(member, ":")
		micros, _ := strconv.ParseInt(at, 10, 64) // it is a number
		return fmt.Sprintf("%s:%d", name, micros-twentyYears)
	})
	end := strings.LastIndex(strings.TrimSuffix(archive, "\n"), "\n") + 1 // its last line vouches for the others
	sum := fmt.Sprintf(`"sha256":"%x"`, sha256.Sum256([]byte(archive[:end])))
	return archive[:end] + regexp.MustCompile(`"sha256":"[0-9a-f]+"`).ReplaceAllString(archive[end:], sum)
}
