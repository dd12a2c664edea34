package cli

import (
	"context"
	"slices"
	"strings"

	"ikigai/internal/fuzzy"
	"ikigai/internal/safetext"
	"ikigai/internal/tui"
)

// mostCompletions is how many completions are offered at most.
const mostCompletions = 100

// completions returns what the text before the cursor could go on with: commands
// and their arguments behind a slash, and paths behind an @.
func (f *front) completions(ctx context.Context, before string) tui.Completions {
	if strings.HasPrefix(before, "/") && !strings.Contains(before, "\n") {
		if c, ok := f.completeSlash(ctx, before); ok {
			return c
		}
	}
	if from, typed, ok := typedPath(before); ok {
		return tui.Completions{From: from, Items: f.completePath(ctx, typed)}
	}
	return tui.Completions{}
}

// completeSlash completes a command, or its arguments. It is false where those are
// anything, so that paths can be named in them.
func (f *front) completeSlash(ctx context.Context, before string) (tui.Completions, bool) {
	name, typed, hasArgs := strings.Cut(before[1:], " ")
	if !hasArgs {
		return tui.Completions{From: 1, Items: ranked(name, f.slashCompletions())}, true
	}
	all, _ := f.allSlashes()
	c := slashNamed(all, name)
	if c == nil || c.complete == nil {
		return tui.Completions{}, false
	}
	from := len(before) - len(strings.TrimLeft(typed, " "))
	return tui.Completions{From: from, Items: ranked(before[from:], c.complete(ctx, f, before[from:]))}, true
}

// ranked returns those of the completions that go with what was typed, the best
// first. What cannot stand in a line as it is, is left out.
func ranked(typed string, all []tui.Completion) []tui.Completion {
	all = slices.DeleteFunc(slices.Clone(all), func(c tui.Completion) bool { return !isPlainLine(c.Text) })
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.Text
	}
	var items []tui.Completion
	for _, i := range fuzzy.Rank(typed, texts, mostCompletions) {
		all[i].About = inOneLine(all[i].About)
		items = append(items, all[i])
	}
	return items
}

// isPlainLine reports whether text can be shown and typed as it is, in a line.
func isPlainLine(text string) bool {
	return !strings.ContainsAny(text, "\n\t") && safetext.Terminal(text) == text
}
