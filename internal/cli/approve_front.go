package cli

import (
	"context"
	"strings"

	"ikigai/internal/tui"
)

// ask asks the person about a call, in the live region. All of the call stands
// above the question, once.
func (f *front) ask(ctx context.Context, about inquiry) consent {
	style := f.frontStyle()
	q := tui.Question{
		Text: about.asked(style), Call: about.Call.ID, Rest: about.rest(style),
		Prompt: about.prompt(), Named: about.bare(style), Choices: about.choices(),
	}
	for {
		answer := f.ui.Ask(ctx, q)
		if answer.Choice < 0 {
			return consent{}
		}
		switch q.Choices[answer.Choice].Key {
		case 'y':
			return consent{allowed: true}
		case 's':
			return consent{allowed: true, reach: reachSession}
		case 'w':
			return consent{words: strings.TrimSpace(answer.Words)}
		case 'n':
			return consent{}
		}
		text := strings.TrimSpace(answer.Words)
		_, err := parseRule(text)
		if err == nil {
			return consent{allowed: true, reach: reachRule, rule: text}
		}
		f.notice(err.Error())
		q.Text, q.Rest = "", "" // it stands above
	}
}

// choices returns the answers that there are.
func (about inquiry) choices() []tui.Choice {
	all := []tui.Choice{
		{Key: 'y', Label: "yes, once", Allows: true},
		{Key: 's', Label: "yes, " + about.likes() + " in this session", Allows: true},
	}
	if about.rule != "" {
		all = append(all, tui.Choice{Key: 'r', Label: "yes, and save a rule", Words: true, With: about.rule, Allows: true})
	}
	return append(all,
		tui.Choice{Key: 'n', Label: "no"},
		tui.Choice{Key: 'w', Label: "no, with words", Words: true})
}
