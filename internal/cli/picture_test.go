package cli

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/picture"
	"ikigai/internal/tmuxtest"
)

// pictureScript is what the pictures of the README show.
const pictureScript = `
model: anthropic/claude-sonnet-5-5
user: The last line is lost when a file has no newline at its end. Fix it.
think: Lines are cut at newlines, so what follows the last one is dropped.
say: I look at how lines are split.
call: file_read {"path": "lines.go"}

reply:
say: What follows the last newline is dropped. I keep it.
call: file_edit {"path": "lines.go", "edits": [{"old": "\treturn lines\n", "new": "\tif text != \"\" { // the last line may lack its newline\n\t\tlines = append(lines, text)\n\t}\n\treturn lines\n"}]}
call: bash {"command": "gofmt -l . ; grep -c append lines.go"}

reply:
say:
  **Fixed.** The loop in ` + "`Lines`" + ` ended with the last newline; now what is left is a line, too:

  ` + "```go" + `
  if text != "" { // the last line may lack its newline
  	lines = append(lines, text)
  }
  ` + "```" + `

  1. Files that end with a newline give the same lines as before.
  2. An empty file still has *none*.

user: Delete the old copies
say: There is one.
call: bash {"command": "rm -v old/lines.go.bak"}

reply:
say: It is gone.
`

const linesFile = `package lines

import "strings"

// Lines returns the lines of a text.
func Lines(text string) (lines []string) {
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok {
			break
		}
		lines, text = append(lines, line), rest
	}
	return lines
}
`

// The pictures of the README are what the program shows.
func TestPictures(t *testing.T) {
	t.Parallel()
	p := newPlace(t, pictureScript)
	p.put(p.file("lines.go"), linesFile)
	must(t, os.Mkdir(p.file("old"), 0o755))
	p.put(p.file("old/lines.go.bak"), linesFile)
	s := p.picturesque(80, "--goal", "Ship version 2 of the parser")
	s.says("The last line is lost when a file has no newline at its end. Fix it.", "still has none")
	s.pictured("edit", "A statement, the tools it took and the answer")

	s.leaves()
	s = p.picturesque(26, "--continue", "--approval", "ask")
	s.enters("Delete the old copies")
	s.WaitFor("in this session")
	s.pictured("ask", "A question before a command runs")
	s.Type("y")
	s.answered("It is gone.")
	s.leaves()
}

// picturesque starts the front in a terminal of the size of a picture, in rows.
func (p *place) picturesque(height int, args ...string) *typist {
	p.t.Helper()
	return p.sits(tmuxtest.Config{Env: []string{"COLORTERM=truecolor"}, Width: 92, Height: height}, sessionOpen, args...)
}

// pictured holds the screen against a picture, or draws that anew.
func (s *typist) pictured(name, title string) {
	s.t.Helper()
	path := filepath.Join("..", "..", "docs", "pictures", name+".svg")
	now := picture.SVG(s.Styled(), title, 92)
	if *update {
		must(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(s.t, os.WriteFile(path, now, 0o644))
	}
	was, err := os.ReadFile(path)
	must(s.t, err)
	if diff := cmp.Diff(textOf(was), textOf(now)); diff != "" {
		s.t.Errorf("%s shows something else (-picture +now); draw it anew with -update:\n%s", path, diff)
	}
}

// textOf returns the text of a picture, without how long things took.
func textOf(svg []byte) string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(svg), " ")
	text = regexp.MustCompile(`( · )?\b\d+(\.\d+)? ?m?s\b`).ReplaceAllString(html.UnescapeString(text), "") // below a millisecond none is told
	return strings.Join(strings.Fields(text), " ")
}
