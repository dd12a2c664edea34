package knowledge

import (
	"fmt"
	"path/filepath"
	"strings"

	"ikigai"
)

// Words around what is told.
const (
	instructionsHead = "Instructions of the person and the project follow, each under the path of its file. Where they differ, the one that stands later counts: it is the nearest. What the person says here counts most."
	skillsHead       = "Skills: when a task fits one, read its file with file_read first and do as it says."
)

// Prompt returns the knowledge as it stands in a system prompt of a session in dir,
// behind an empty line; "" if there is none.
func (k Knowledge) Prompt(dir string) string {
	var b strings.Builder
	if len(k.Instructions) > 0 {
		b.WriteString("\n\n" + instructionsHead)
		for _, i := range k.Instructions {
			b.WriteString("\n\n" + i.prompt(dir))
		}
	}
	if listed, _ := k.list(dir); len(listed) > 0 {
		b.WriteString("\n\n" + skillsHead + "\n" + strings.Join(listed, "\n"))
	}
	return b.String()
}

func (i Instructions) prompt(dir string) string {
	text := fmt.Sprintf("[file: %s]\n%s", short(dir, i.Path), i.Text)
	if i.Left > 0 {
		text += fmt.Sprintf("\n[%d bytes more are in the file.]", i.Left)
	}
	return text
}

// list returns a line for each skill that has a place in the list, which are those
// that stand first, and how many skills are told of by name.
func (k Knowledge) list(dir string) (lines []string, told int) {
	size := 0
	for n, s := range k.Skills {
		line := s.line(dir)
		if size += len(line) + 1; size > maxList {
			return append(lines, fmt.Sprintf("- and %d more", len(k.Skills)-n)), n
		}
		lines = append(lines, line)
	}
	return lines, len(k.Skills)
}

func (s Skill) line(dir string) string {
	return fmt.Sprintf("- %s: %s (%s)", s.Name, s.Description, short(dir, s.Path))
}

// short returns a path in one line, as it is from dir, if it is below.
func short(dir, path string) string {
	if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
		path = below
	}
	return strings.ReplaceAll(ikigai.CleanText(path), "\n", "␊")
}

// Data is what the data of a system event says of the prompt that it holds.
type Data struct {
	Program      int    `json:"program"`                // bytes of the program's own words, at the beginning
	Environment  int    `json:"environment"`            // bytes of the environment block, behind them
	Instructions []Told `json:"instructions,omitempty"` // in their order
	Skills       []Told `json:"skills,omitempty"`       // in theirs
}

// Told is a file of which a prompt tells.
type Told struct {
	Path   string `json:"path"`           // absolute
	Name   string `json:"name,omitempty"` // of a skill
	Told   int    `json:"told"`           // bytes of the prompt; 0 of a skill that only counts
	Size   int64  `json:"size"`           // of the file
	SHA256 string `json:"sha256"`         // of the file, hexadecimal
}

// Data returns what is recorded of the knowledge in the prompt of a session in dir.
func (k Knowledge) Data(dir string) Data {
	var d Data
	for _, i := range k.Instructions {
		d.Instructions = append(d.Instructions, Told{Path: i.Path, Told: len(i.prompt(dir)), Size: i.Size, SHA256: i.SHA256})
	}
	_, listed := k.list(dir)
	for n, s := range k.Skills {
		told := Told{Path: s.Path, Name: s.Name, Size: s.Size, SHA256: s.SHA256}
		if n < listed {
			told.Told = len(s.line(dir))
		}
		d.Skills = append(d.Skills, told)
	}
	return d
}
