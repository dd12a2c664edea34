package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ikigai/internal/config"
	"ikigai/internal/tui"
)

// slash is a command of the interactive front, which the person types behind a
// slash.
type slash struct {
	name  string
	args  string // what can follow it, as people read it; "" for nothing
	about string // what it does, in few words
	more  string // what else there is to know, in sentences; "" for nothing
	// complete returns what the arguments could be, of which typed is the
	// beginning. It may be nil.
	complete func(ctx context.Context, f *front, typed string) []tui.Completion
	// tells reports whether with these arguments it only tells something: it changes
	// nothing then, and does not wait for what does. Nil is never.
	tells func(args string) bool
	// run does it, on a goroutine of its own while no other command of its sort runs,
	// until ctx ends. What it has to say it prints; the error is shown.
	run func(f *front, ctx context.Context, args string) error
}

// slashes returns the built-in commands by name.
func slashes() []slash {
	all := slices.Concat(helpCommands(), placeCommands(), undoCommands(), modelCommands(), toolCommands(), sessionCommands(),
		readCommands(), exactCommands(), workCommands(), lookCommands(), approvalCommands())
	slices.SortFunc(all, func(a, b slash) int { return cmp.Compare(a.name, b.name) })
	return all
}

// allSlashes returns the built-in commands and the person's own behind them, and
// lines on those of the latter that are passed over.
func (f *front) allSlashes() (all []slash, problems []string) {
	all = slashes()
	own, problems := f.ownCommands()
	for _, c := range own {
		if slashNamed(all, c.Name) != nil {
			problems = append(problems, "The command "+c.Path+" is passed over because /"+c.Name+" is built in. Give its file another name.")
			continue
		}
		all = append(all, ownSlash(c))
	}
	return all, problems
}

// slashNamed returns the command of a name, nil if there is none.
func slashNamed(all []slash, name string) *slash {
	i := slices.IndexFunc(all, func(c slash) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// always is for commands that only tell something.
func always(string) bool { return true }

// ifBare is for commands that only tell something unless they have arguments.
func ifBare(args string) bool { return args == "" }

// onlyTells reports whether a line is a command that only tells something.
func onlyTells(line string) bool {
	if !isCommand(line) {
		return false
	}
	name, args := cutWord(strings.TrimPrefix(line, "/"))
	c := slashNamed(slashes(), name)
	return c != nil && c.tells != nil && c.tells(args)
}

// do does what a line says that begins with "/" or "!".
func (f *front) do(ctx context.Context, line string) error {
	if command, ok := strings.CutPrefix(line, "!"); ok {
		return f.shell(ctx, command)
	}
	name, args := cutWord(strings.TrimPrefix(line, "/"))
	if c := slashNamed(slashes(), name); c != nil {
		return c.do(ctx, f, args)
	}
	all, problems := f.allSlashes()
	if c := slashNamed(all, name); c != nil {
		return c.do(ctx, f, args)
	}
	for _, p := range problems {
		if !slices.Contains(f.passedOver, p) {
			f.notice(p)
		}
	}
	f.passedOver = problems
	f.ui.SetInput(line)
	return unknownSlash(name, all)
}

// do runs the command. One that takes no arguments refuses them.
func (c *slash) do(ctx context.Context, f *front, args string) error {
	if c.args == "" && args != "" {
		return usage("/"+c.name+" takes nothing behind it", "Leave out "+clipped(args))
	}
	return c.run(f, ctx, args)
}

// unknownSlash is the error that there is no command of a name.
func unknownSlash(name string, all []slash) error {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	do, near := byHabit(name), config.Nearest(name, names)
	switch {
	case do != "":
	case len(near) > 0:
		do = "Perhaps /" + strings.Join(near, " or /") + " is meant; see /help"
	default:
		do = "See /help; to say something that begins with a slash, put a blank before it"
	}
	return usage("There is no command /"+clipped(name), do)
}

// byHabit returns what to do in the place of a command that other agents have, "" if
// name is none of those.
func byHabit(name string) string {
	switch name {
	case "new", "reset":
		return "Begin anew with /clear"
	case "status":
		return "See what the model is sent with /context, and what it costs with /cost"
	case "permissions":
		return "Say with /approval what needs your consent"
	case "config", "settings":
		return "See the settings with `ikigai config show`"
	case "login":
		return "Store a key with `ikigai login VENDOR`"
	case "copy":
		return "Write the session to a file with /export, or see a request with /raw"
	case "init":
		return "Ask the model to write an AGENTS.md"
	case "exit":
		return "Leave with /quit"
	}
	return ""
}

// clipped returns the beginning of what a person has typed, in one line.
func clipped(text string) string { return inFewWords(text, maxAimText) }

// cutWord returns the first word of text, and what follows it without blanks
// around it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, " \t\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}
