package cli

import (
	"context"
	"strings"

	"ikigai/internal/safetext"
	"ikigai/internal/tui"
)

func helpCommands() []slash {
	return []slash{
		{name: "help", args: "[COMMAND]", about: "what commands and keys do",
			complete: func(_ context.Context, f *front, _ string) []tui.Completion { return f.slashCompletions() },
			tells:    always, run: (*front).help},
		{name: "quit", about: "leave; the session can be gone on with",
			run: func(f *front, _ context.Context, _ string) error {
				f.ui.Quit()
				return nil
			}},
	}
}

// slashCompletions returns all commands, as what a person types behind the slash.
func (f *front) slashCompletions() []tui.Completion {
	all, _ := f.allSlashes()
	items := make([]tui.Completion, len(all))
	for i, c := range all {
		items[i] = tui.Completion{Text: c.name, About: c.about}
	}
	return items
}

// help shows what commands and keys do, or what one command does.
func (f *front) help(ctx context.Context, args string) error {
	all, problems := f.allSlashes()
	if name := strings.TrimPrefix(args, "/"); name != "" {
		c := slashNamed(all, name)
		if c == nil {
			return unknownSlash(name, all)
		}
		f.tells(c.usage() + "\n" + sentence(c.about) + " " + c.more)
		return nil
	}
	rows := make([][2]string, len(all))
	for i, c := range all {
		rows[i] = [2]string{safetext.Terminal(c.usage()), safetext.Terminal(c.about)}
	}
	width := f.style(f.Out).Width
	text := tui.Terms(rows, width)
	for _, p := range problems {
		text += "\n" + safetext.Terminal(p) + "\n"
	}
	f.ui.Page(ctx, "help", "COMMANDS\n"+text+"\nKEYS\n"+f.ui.Keys(width), false)
	return nil
}

// usage returns the command as it is typed.
func (c *slash) usage() string { return strings.TrimSpace("/" + c.name + " " + c.args) }
