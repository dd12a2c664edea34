package knowledge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandExpand(t *testing.T) {
	for _, test := range []struct{ text, args, want string }{
		{"Look", "", "Look"},
		{"Look", "here and there", "Look\n\nhere and there"},
		{"Look at $ARGUMENTS!", "a  b", "Look at a  b!"},
		{"$2 before $1", `"one two" three`, "three before one two"},
		{"$1|$2|$9", "x", "x||"},
		{"$ARGUMENTS $1", "a b", "a b a"},
		{"costs $10, $$, $0, $x, 5$", "", "costs $10, $$, $0, $x, 5$"},
		{"$1", `it''s '$2' ""`, "its"},
		{"$2.$3", `it''s '$2' ""`, "$2."},
	} {
		if got := (Command{Text: test.text}).Expand(test.args); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.text, test.args, got, test.want)
		}
	}
}

func TestCommands(t *testing.T) {
	file := func(path, text string) File { return File{Path: path, Content: []byte(text)} }
	all, problems := Commands([]File{
		file("/home/commands/review.md", "Mine"),
		file("/home/commands/git/what.md", "---\ndescription: what\n  changed\nargument-hint: \"[SINCE]\"\nmodel: test/x\nother: [1]\n---\n\nWhat?\n---\nmore\n"),
		file("/p/.ikigai/commands/review.md", "\ufeffTheirs\r\nhere\r\n"),
		file("/home/commands/bad.md", "---\ndescription: [a]\n---\nx"),
		file("/home/commands/a b.md", "x"),
		file("/home/commands/open.md", "---\ndescription: no end\nSay it"),
	})
	if len(all) != 2 || len(problems) != 3 || !strings.Contains(problems[2], "has no end") {
		t.Fatalf("%+v, %q", all, problems)
	}
	if got, want := all[0], (Command{Name: "git:what", Path: "/home/commands/git/what.md", Description: "what changed", Hint: "[SINCE]", Model: "test/x", Text: "What?\n---\nmore"}); got != want {
		t.Errorf("%+v", got)
	}
	if got := all[1]; got.Name != "review" || got.Text != "Theirs\nhere" {
		t.Errorf("%+v", got)
	}
}

// Only files that end in .md count, not too deep and not hidden, and of what cannot
// be read the person is told.
func TestOwnCommands(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"commands/a.md", "commands/b/c.md", "commands/b/c/d.md", "commands/1/2/3/4.md", "commands/.git/e.md", "commands/f.txt", "commands/.md"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "commands/large.md"), make([]byte, maxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	files, problems := OwnCommands(dir)
	all, _ := Commands(files)
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "a b:c b:c:d" || len(problems) != 1 || !strings.Contains(problems[0], "large.md cannot be read") {
		t.Errorf("%s, %q", got, problems)
	}
	if files, problems := OwnCommands(filepath.Join(dir, "nowhere")); len(files)+len(problems) > 0 {
		t.Errorf("%v, %q", files, problems)
	}
}
