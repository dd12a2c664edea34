package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// Limits of what a system prompt takes in, in bytes where nothing else is said.
const (
	maxInstructions = 32 << 10 // of one file
	maxAll          = 64 << 10 // of all files with instructions
	maxList         = 4 << 10  // of the list of skills
	maxDescription  = 200      // characters, of one skill
	maxName         = 64       // of one skill
)

// File is a file as it was read.
type File struct {
	Path    string // absolute
	Content []byte
}

// Files are those that count in a session, the nearest to the working directory
// last.
type Files struct {
	Own          int // how many of Instructions are the person's
	Instructions []File
	Skills       []File // SKILL.md files
}

// Knowledge is what the model of a session is told beside the program's own words.
type Knowledge struct {
	Instructions []Instructions // in the order in which they are told
	Skills       []Skill        // by name
	Problems     []string       // what was passed over: two sentences each, for a person
}

// Instructions are the text of one file.
type Instructions struct {
	Path   string
	Text   string // as it is told
	Left   int    // bytes at the end of the file that are not
	Size   int64  // of the file
	SHA256 string // of the file, hexadecimal
}

// Skill is what is told of a skill until the model reads its file.
type Skill struct {
	Name        string
	Description string // in one line
	Path        string // of its SKILL.md
	Size        int64
	SHA256      string
}

// Gather makes of files what is told of them. Of skills with one name the nearest
// counts.
func Gather(files Files) Knowledge {
	var k Knowledge
	own := 0
	for i, f := range slices.Backward(files.Instructions) {
		if k.instructions(f) && i < files.Own {
			own++
		}
	}
	slices.Reverse(k.Instructions)
	k.cut(own)
	for _, f := range files.Skills {
		k.skill(f)
	}
	slices.SortFunc(k.Skills, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return k
}

// instructions takes in a file of them, and reports whether it says anything that no
// nearer one has said: a file can be reached in two ways, such as by a link.
func (k *Knowledge) instructions(f File) bool {
	text, ok := k.text(f)
	hash := sum(f)
	if !ok || strings.TrimSpace(text) == "" || slices.ContainsFunc(k.Instructions, func(i Instructions) bool { return i.SHA256 == hash }) {
		return false
	}
	k.Instructions = append(k.Instructions, Instructions{Path: f.Path, Text: strings.TrimRight(text, " \t\r\n"), Size: int64(len(f.Content)), SHA256: hash})
	return true
}

// text returns a file as it can be sent, and false if it is no text.
func (k *Knowledge) text(f File) (string, bool) {
	if !utf8.Valid(f.Content) {
		k.passed(f, "is not UTF-8 text", "Save it as UTF-8")
		return "", false
	}
	return ikigai.CleanText(strings.TrimPrefix(string(f.Content), "\ufeff")), true
}

// passed notes that a file does not count.
func (k *Knowledge) passed(f File, what, do string) {
	k.Problems = append(k.Problems, f.Path+" "+what+", and is passed over. "+do+".")
}

// cut shortens instructions to the limits. The person's own come first, then the
// nearest: what is farther away gives way.
func (k *Knowledge) cut(own int) {
	left := maxAll
	shorten := func(i *Instructions) {
		text := i.Text
		i.Text = wholeLines(text, min(left, maxInstructions))
		left -= len(i.Text)
		if i.Left = len(text) - len(i.Text); i.Left > 0 {
			k.Problems = append(k.Problems, fmt.Sprintf("%s is longer than what is told of it: %d bytes at its end are left out. Make it shorter; a file has %d KiB, and all of them %d.",
				i.Path, i.Left, maxInstructions>>10, maxAll>>10))
		}
	}
	for i := range own {
		shorten(&k.Instructions[i])
	}
	for i := len(k.Instructions) - 1; i >= own; i-- {
		shorten(&k.Instructions[i])
	}
}

// wholeLines returns the beginning of a text that has no more than most bytes, cut
// at the end of a line; inside of one where the first is too long.
func wholeLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if end := strings.LastIndexByte(text[:most+1], '\n'); end > 0 {
		return text[:end]
	}
	return strings.ToValidUTF8(text[:most], "")
}

// skill takes in a skill, in place of one of its name that was farther away.
func (k *Knowledge) skill(f File) {
	text, ok := k.text(f)
	if !ok {
		return
	}
	head, err := frontmatter(text, "name", "description", "disable-model-invocation")
	if err != nil {
		k.passed(f, "cannot be read as a skill: "+err.Error(), "Repair its first lines")
		return
	}
	s := Skill{Name: oneLine(head["name"]), Description: shortened(oneLine(head["description"])), Path: f.Path, Size: int64(len(f.Content)), SHA256: sum(f)}
	if s.Name == "" {
		s.Name = oneLine(ikigai.CleanText(filepath.Base(filepath.Dir(f.Path))))
	}
	switch {
	case len(s.Name) > maxName:
		k.passed(f, fmt.Sprintf("has a name of more than %d bytes", maxName), "Give it a shorter one")
		return
	case s.Description == "":
		k.passed(f, "has no description", "Say in `description:` when it is to be used")
		return
	}
	k.Skills = slices.DeleteFunc(k.Skills, func(have Skill) bool { return have.Name == s.Name })
	if head["disable-model-invocation"] != "true" {
		k.Skills = append(k.Skills, s)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shortened returns a description that is not too long.
func shortened(text string) string {
	if all := []rune(text); len(all) > maxDescription {
		return string(all[:maxDescription-1]) + "…"
	}
	return text
}

func sum(f File) string {
	h := sha256.Sum256(f.Content)
	return hex.EncodeToString(h[:])
}
