package knowledge

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const (
	commandsName = "commands"
	commandEnd   = ".md"
)

// Bounds of what is read of a directory of commands.
const (
	maxCommands     = 256 // files and directories
	maxCommandDepth = 3   // directories in each other
)

// Command is something that a person says often, kept as a file: a statement with
// places for what is typed behind its name. Nothing of it is ever run.
type Command struct {
	Name        string // as it is typed; a file in a directory is "directory:file"
	Path        string
	Description string // in one line; "" if there is none
	Hint        string // what is to be typed behind the name; "" if nothing says it
	Model       string // that is to be asked, as a setting names it; "" leaves it
	Text        string
}

// OwnCommands reads the commands that the person keeps in dir for all projects.
// What cannot be read is told in two sentences each.
func OwnCommands(dir string) (files []File, problems []string) {
	dir = filepath.Join(dir, commandsName)
	for _, path := range commandFiles(dir) {
		content, err := readFile(filepath.Join(dir, path))
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v. Repair it or remove it.", filepath.Join(dir, path), cause(err)))
			continue
		}
		files = append(files, File{Path: filepath.Join(dir, path), Content: content})
	}
	return files, problems
}

// commandFiles returns the files below dir that are commands, by path.
func commandFiles(dir string) (paths []string) {
	left := maxCommands
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(dir, path)
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil || relErr != nil: // what cannot be read holds no command
			return nil
		case d.IsDir() && (strings.Count(below, string(filepath.Separator)) >= maxCommandDepth-1 || below != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == commandEnd && d.Name() != commandEnd:
			paths = append(paths, below)
		}
		return nil
	})
	return paths
}

// commandsIn returns the commands of a project's directory, below p.Top.
func (p Place) commandsIn(dir string) (paths []string) {
	for _, path := range commandFiles(dir) {
		paths = append(paths, p.below(filepath.Join(dir, path)))
	}
	return paths
}

// Commands makes of files what they say, by name. Of those with one name the last
// counts. What is passed over is told in two sentences each.
func Commands(files []File) (all []Command, problems []string) {
	for _, f := range files {
		c, err := parseCommand(f)
		if err != nil {
			problems = append(problems, fmt.Sprintf("The command %s is passed over: %v. Repair the file.", f.Path, err))
			continue
		}
		all = slices.DeleteFunc(all, func(before Command) bool { return before.Name == c.Name })
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return all, problems
}

// parseCommand reads a command. Its head may be missing.
func parseCommand(f File) (Command, error) {
	c := Command{Path: f.Path, Name: commandName(f.Path)}
	if strings.ContainsFunc(c.Name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return c, errors.New("its name holds a blank")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(f.Content), "\ufeff"), "\r\n", "\n")
	head, err := frontmatter(text, "description", "argument-hint", "model")
	switch {
	case errors.Is(err, errNoHead) && strings.HasPrefix(text, "---\n"):
		return c, errors.New("the head that begins with the line --- has no end, which is another such line")
	case errors.Is(err, errNoHead):
		head = nil
	case err != nil:
		return c, err
	default:
		text = behindHead(text)
	}
	c.Description, c.Hint, c.Model = oneLine(head["description"]), oneLine(head["argument-hint"]), head["model"]
	c.Text = strings.TrimSpace(text)
	return c, nil
}

// commandName returns the name of the command in a file: the path behind the last
// directory called commands.
func commandName(path string) string {
	parts := strings.Split(filepath.ToSlash(strings.TrimSuffix(path, commandEnd)), "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == commandsName {
			return strings.Join(parts[i+1:], ":")
		}
	}
	return parts[len(parts)-1]
}

// behindHead returns what follows the frontmatter of a text that has one.
func behindHead(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if rule := strings.TrimRight(line, " \t"); rule == "---" || rule == "..." {
			break
		}
	}
	return rest
}

const allArguments = "ARGUMENTS" // behind a $

// Expand returns the text with arguments in their places: all of them as they were
// typed for $ARGUMENTS, the nth, which may be in quotes, for $1 to $9. Where the
// text has no place for them they stand at its end.
func (c Command) Expand(args string) string {
	text, placed := c.place(args)
	if !placed && args != "" {
		text += "\n\n" + args
	}
	return text
}

// place puts arguments into their places, and reports whether there are any.
func (c Command) place(args string) (text string, placed bool) {
	each := splitArguments(args)
	var b strings.Builder
	for rest := c.Text; rest != ""; {
		before, behind, found := strings.Cut(rest, "$")
		b.WriteString(before)
		if !found {
			break
		}
		value, length := "$", 0
		switch n := argumentNumber(behind); {
		case strings.HasPrefix(behind, allArguments):
			value, length = args, len(allArguments)
		case n > 0:
			value, length = "", 1
			if n <= len(each) {
				value = each[n-1]
			}
		}
		placed = placed || length > 0
		b.WriteString(value)
		rest = behind[length:]
	}
	return b.String(), placed
}

// argumentNumber returns the digit that text begins with, alone; 0 if there is none
// that counts from 1.
func argumentNumber(text string) int {
	digit := func(i int) bool { return i < len(text) && '0' <= text[i] && text[i] <= '9' }
	if !digit(0) || digit(1) {
		return 0
	}
	return int(text[0] - '0')
}

// splitArguments parts what was typed at blanks that stand in no quotes.
func splitArguments(text string) (all []string) {
	var b strings.Builder
	open, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '"' || r == '\'':
			open, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				all = append(all, b.String())
				b.Reset()
			}
			open = false
		default:
			open = true
			b.WriteRune(r)
		}
	}
	if open {
		all = append(all, b.String())
	}
	return all
}
