package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ikigai/internal/knowledge"
	"ikigai/internal/tui"
)

// ownCommands returns the commands that the person, and the project as far as it may
// act, keep as files, and lines on those that are passed over. Of two with one name
// the project's counts.
func (f *front) ownCommands() (all []knowledge.Command, problems []string) {
	var files []knowledge.File
	if dir := f.userPlace("XDG_CONFIG_HOME", ".config", ""); dir != "" {
		files, problems = knowledge.OwnCommands(dir)
	}
	if t := f.whereabouts().project; t.project != nil {
		files = append(files, t.texts(t.place.Commands)...)
	}
	all, more := knowledge.Commands(files)
	return all, append(problems, more...)
}

// ownSlash returns a command that is kept as a file as one that can be run.
func ownSlash(c knowledge.Command) slash {
	about := c.Description
	if about == "" {
		about = "your own, in " + filepath.Base(c.Path)
	}
	args := cmp.Or(c.Hint, "[ARGUMENTS]") // without a place for them they stand at the end
	return slash{name: c.Name, args: inOneLine(args), about: inOneLine(about), more: "It says what stands in " + inOneLine(c.Path) + ".",
		run: func(f *front, ctx context.Context, args string) error { return f.sayOwn(ctx, c, args) }}
}

// sayOwn says what a command of the person's own stands for. Nothing of it is run:
// it is a statement, whatever it begins with.
func (f *front) sayOwn(ctx context.Context, c knowledge.Command, args string) error {
	text := c.Expand(args)
	if strings.TrimSpace(text) == "" {
		return usage("The command "+c.Path+" says nothing", "Write into it what you want to say")
	}
	if c.Model != "" {
		if err := f.chooseModel(ctx, c.Model); err != nil {
			return fmt.Errorf("the model of /%s: %w", c.Name, err)
		}
	}
	if isCommand(text) {
		text = "\n" + text
	}
	f.say(tui.Input{Text: text})
	return nil
}
