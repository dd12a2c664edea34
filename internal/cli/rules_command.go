package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/render"
)

func (a *app) rulesCommand() *cobra.Command {
	var remove int
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List what runs without asking, where approval is ask",
		Long: `List the rules by which calls run that --approval ask would ask about: those of
the setting allow, and those that were saved for this directory where it asked.

A rule is a tool's name, for all of its calls, or bash, file_edit or file_write
with a pattern:

  bash(go test *)     one simple command in this directory, word by word, without
                      ; | & redirection, substitution, variables or assignments.
                      A * that is a word of its own is any word, at the end any
                      number of them. What is no letter, digit or one of
                      -_./,:=@%+^ stands in quotation marks
  file_edit(src/*.go) a file below this directory, where it really lies
  file_edit(src/**)   likewise, any number of directories deeper

In words and paths * fits any part of a name. Neither * nor ** fits a name that
begins with a dot, or makes a word an option.`,
		Args: noArgs,
		Example: `  ikigai rules
  ikigai rules --remove 2
  ikigai run --approval ask --set 'allow=bash(go test *),file_edit(src/**)' "Fix the test"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.loadToRead(); err != nil {
				return err
			}
			listed, err := a.listedRules(all)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("remove") {
				return a.removeRule(listed, remove)
			}
			return a.showRules(listed, all, asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&remove, "remove", 0, "forget the saved rule that the list has as number `N`")
	f.BoolVarP(&all, "all", "a", false, "those that are saved for other directories, too")
	f.BoolVar(&asJSON, "json", false, "a line of JSON for each")
	cmd.MarkFlagsMutuallyExclusive("remove", "json")
	return cmd
}

// listedRule is a rule in the list.
type listedRule struct {
	Number int           `json:"number"`
	Rule   string        `json:"rule"`
	From   string        `json:"from"` // "saved", or where the setting stands
	Dir    string        `json:"dir,omitempty"`
	Time   ikigai.Micros `json:"time,omitempty"`
	Fault  string        `json:"fault,omitempty"` // why it allows nothing

	saved *savedRule
}

// listedRules returns the rules that hold in this directory, or in all, as they are
// numbered.
func (a *app) listedRules(all bool) ([]listedRule, error) {
	var listed []listedRule
	add := func(l listedRule) {
		l.Number = len(listed) + 1
		if _, err := parseRule(l.Rule); err != nil {
			l.Fault = err.Error()
		}
		listed = append(listed, l)
	}
	for _, text := range a.settings.Allow {
		add(listedRule{Rule: text, From: a.settings.Origin("allow")})
	}
	saved, err := a.ruleBook().all()
	if err != nil {
		return nil, err
	}
	for _, s := range saved {
		if all || s.Dir == a.dir {
			add(listedRule{Rule: s.Rule, From: "saved", Dir: s.Dir, Time: s.Time, saved: &s})
		}
	}
	return listed, nil
}

func (a *app) showRules(listed []listedRule, all, asJSON bool) error {
	if asJSON {
		for _, l := range listed {
			if err := a.jsonLine(l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(listed) == 0 {
		a.notice("No rule allows anything here. Save one where --approval ask asks, or list some in the setting allow.")
		return nil
	}
	head := []string{"N", "RULE", "FROM"}
	if all {
		head = append(head, "DIRECTORY")
	}
	rows := make([][]string, len(listed))
	for i, l := range listed {
		from := inOneLine(l.From)
		if l.saved != nil {
			from = "saved " + l.Time.Time().Format(time.DateTime)
		}
		rows[i] = []string{strconv.Itoa(l.Number), inOneLine(l.Rule), from}
		if all {
			rows[i] = append(rows[i], inOneLine(l.Dir))
		}
		if l.Fault != "" {
			a.notice(l.Fault + " It allows nothing.")
		}
	}
	_, err := io.WriteString(a.Out, a.style(a.Out).Table(head, rows))
	return err
}

func (a *app) removeRule(listed []listedRule, number int) error {
	if number < 1 || number > len(listed) {
		return usage(fmt.Sprintf("There is no rule %d", number), "See `ikigai rules`, which has "+render.Count(len(listed), "rule"))
	}
	l := listed[number-1]
	if l.saved == nil {
		return usage(fmt.Sprintf("Rule %d is a setting", number), "Take it out of allow in "+l.From)
	}
	if err := a.ruleBook().remove(*l.saved); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "The rule %s is forgotten.\n", inOneLine(l.Rule))
	return err
}
