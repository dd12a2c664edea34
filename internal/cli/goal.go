package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

func (a *app) goalCommand() *cobra.Command {
	var goal string
	var asJSON bool
	cmd := a.withSession(&cobra.Command{
		Use:   "goal [ID]",
		Short: "Show what a session is for, how far it has come and what it has touched",
		Long: `Show what a session is for: the last session of this directory, or the one whose
ID begins with ID. Its goal comes with the objective of each statement, how its
tools have fared, and the files and URLs that it has read and changed.

BY says whose words they are: a person's, a model's, or the first sentence of the
statement. A goal that you set no model replaces, until the conversation begins
anew with ` + "`ikigai sessions clear`" + `, which leaves it behind.`,
		Example: `  ikigai goal
  ikigai goal 01a1f9ef --json
  ikigai goal --goal "Ship version 2 of the parser"`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("goal") {
				return a.setGoal(cmd.Context(), named(args), goal)
			}
			return a.showGoal(cmd.Context(), named(args), asJSON)
		},
	})
	cmd.Flags().StringVar(&goal, "goal", "", "make `TEXT` the goal of the session")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.MarkFlagsMutuallyExclusive("goal", "json")
	return cmd
}

// goalEvent returns the event by which a person sets the goal of a session.
func goalEvent(text string) (ikigai.Event, error) {
	goal := inFewWords(text, maxAimText)
	if goal == "" {
		return ikigai.Event{}, usage("The goal is empty", `Say what the session is for, as in: ikigai goal --goal "Ship version 2"`)
	}
	return ikigai.NewEvent(ikigai.KindGoal, goal, ikigai.ObjectiveData{By: ikigai.ByPerson}), nil
}

func (a *app) setGoal(ctx context.Context, w which, text string) error {
	event, err := goalEvent(text)
	if err != nil {
		return err
	}
	return a.change(ctx, w, func(id ikigai.ID, _ *timeline) (ikigai.Event, string, error) {
		return event, fmt.Sprintf("The goal of %s: %s", id, event.Content), nil
	})
}

// course is what a session is for, how far it has come and what it has touched,
// as a projection of its log.
type course struct {
	purpose   *history.Purpose
	tally     *history.Tally
	resources *history.Resources
}

func newCourse() course {
	return course{history.NewPurpose(), history.NewTally(ikigai.Main), history.NewResources(ikigai.Main)}
}

// Add takes in the session's next event.
func (c course) Add(e ikigai.Event) {
	c.purpose.Add(e)
	c.tally.Add(e)
	c.resources.Add(e)
}

func (a *app) showGoal(ctx context.Context, w which, asJSON bool) error {
	store, found, err := a.openToRead(ctx, w)
	if err != nil {
		return err
	}
	defer store.Close()
	c := newCourse()
	for e, err := range store.Events(ctx, found.ID, 0) {
		if err != nil {
			return err
		}
		c.Add(e)
	}
	if asJSON {
		return a.jsonLine(c.line(found.ID))
	}
	_, err = fmt.Fprint(a.Out, c.text(a.style(a.Out)))
	return err
}

// courseLine is a course in the output of --json.
type courseLine struct {
	Session    ikigai.ID           `json:"session"`
	Goal       courseGoal          `json:"goal"`
	Objectives []history.Objective `json:"objectives"`
	Tools      []ikigai.ToolTally  `json:"tools"`
	Resources  []history.Use       `json:"resources"`
}

type courseGoal struct {
	Text string `json:"text"`
	By   string `json:"by"`
}

func (c course) line(id ikigai.ID) courseLine {
	return courseLine{
		Session: id, Goal: courseGoal{c.purpose.Goal(), c.purpose.GoalBy()},
		Objectives: append([]history.Objective{}, c.purpose.Objectives()...), // lists are never null
		Tools:      append([]ikigai.ToolTally{}, c.tally.Tools()...),
		Resources:  c.resources.List(),
	}
}

// text returns the course for a person; what there is nothing of is left out.
func (c course) text(s render.Style) string {
	if c.purpose.Goal() == "" {
		return "Nothing has been said yet.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Goal: %s (%s)\n", safetext.Terminal(c.purpose.Goal()), c.purpose.GoalBy())
	table := func(head []string, rows [][]string) {
		if len(rows) > 0 {
			b.WriteString("\n" + s.Table(head, rows))
		}
	}
	var rows [][]string
	for _, o := range c.purpose.Objectives() {
		rows = append(rows, []string{strconv.FormatInt(int64(o.Statement), 10), o.Text, o.By})
	}
	table([]string{"EVENT", "OBJECTIVE", "BY"}, rows)
	rows = nil
	for _, t := range c.tally.Tools() {
		rows = append(rows, []string{t.Name, strconv.Itoa(t.Succeeded + t.Failed), strconv.Itoa(t.Succeeded), strconv.Itoa(t.Failed)})
	}
	table([]string{"TOOL", "CALLS", "SUCCEEDED", "FAILED"}, rows)
	rows = nil
	for _, u := range c.resources.List() {
		rows = append(rows, []string{u.URI, strconv.Itoa(u.Read), strconv.Itoa(u.Changed)})
	}
	table([]string{"FILE OR URL", "READ", "CHANGED"}, rows)
	return b.String()
}
