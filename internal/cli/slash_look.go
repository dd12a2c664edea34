package cli

import (
	"context"
	"slices"
	"strings"

	"ikigai/internal/config"
	"ikigai/internal/tui"
)

func lookCommands() []slash {
	return []slash{
		{name: "theme", args: "[NAME]", about: "choose the colours, until you leave",
			more:     "NAME is " + strings.Join(config.Themes(), ", ") + ". The setting theme keeps it.",
			complete: completeWords(config.Themes()...), run: (*front).chooseTheme},
		{name: "display", args: "[full | compact]", about: "show results whole, or fold long ones, until you leave",
			more:     "Without an argument it changes over. What was printed stays as it is; Ctrl-O shows everything. The setting display keeps it.",
			complete: completeWords(config.DisplayFull, config.DisplayCompact), run: (*front).chooseDisplay},
	}
}

// completeWords offers words.
func completeWords(words ...string) func(context.Context, *front, string) []tui.Completion {
	return func(context.Context, *front, string) (items []tui.Completion) {
		for _, w := range words {
			items = append(items, tui.Completion{Text: w})
		}
		return items
	}
}

// chooseTheme changes the colours of what is shown from here on.
func (f *front) chooseTheme(ctx context.Context, name string) error {
	themes := config.Themes()
	now, display := f.look()
	if name == "" {
		pick := tui.Pick{Title: "Which colours?", At: max(0, slices.Index(themes, now))}
		for _, t := range themes {
			pick.Items = append(pick.Items, tui.Item{Label: t})
		}
		i := f.ui.Pick(ctx, pick)
		if i < 0 {
			return nil
		}
		name = themes[i]
	}
	if !slices.Contains(themes, name) {
		return usage("There is no theme "+clipped(name), "Use "+strings.Join(themes, ", "))
	}
	f.lookSo(name, display)
	f.tells("The theme is " + name + " from here on.")
	return nil
}

// chooseDisplay has long results shown whole, or folded, from here on.
func (f *front) chooseDisplay(_ context.Context, how string) error {
	theme, now := f.look()
	switch how {
	case "":
		how = config.DisplayCompact
		if now == config.DisplayCompact {
			how = config.DisplayFull
		}
	case config.DisplayFull, config.DisplayCompact:
	default:
		return usage("Nothing can be shown "+clipped(how), "Use "+config.DisplayFull+" or "+config.DisplayCompact)
	}
	f.lookSo(theme, how)
	f.tells("The display is " + how + " from here on.")
	return nil
}

// lookSo makes a theme and a display those in force.
func (f *front) lookSo(theme, display string) {
	f.looking.Lock()
	f.settings.Terminal.Theme, f.settings.Terminal.Display = theme, display
	f.looking.Unlock()
	f.ui.Restyle(theme, display == config.DisplayCompact)
}
