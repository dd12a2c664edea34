package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/transcript"
	"ikigai/internal/trust"
)

// trustOptions are the flags of trust.
type trustOptions struct{ yes, list, forget, json bool }

func (a *app) trustCommand() *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Look at what a project brings, and decide whether it may act",
		Long: `Look at what a project brings, and decide whether it may act: tools in
.ikigai/tools with all that lies beside them, settings in .ikigai/config.json,
MCP servers in .mcp.json, instructions in AGENTS.md, CLAUDE.md or GEMINI.md from
the repository's root down to the directory, and skills. Until it is trusted none
of it is used.

What is trusted are exactly the bytes that are there now. Once one of them
changes, all of it is ignored until you have decided again. Tools run from a
copy of these bytes. What a server's command starts is not part of them, nor what
lies beside a skill's SKILL.md. Settings with a fault are passed over as a whole,
as if they were not trusted.

Instructions that were trusted with their repository are trusted in its
directories, too, as long as they are the same.

Exit codes: 0 trusted, or there is nothing to trust, 2 usage, 4 not trusted.`,
		Example: `  ikigai trust
  ikigai trust ~/src/project --yes
  ikigai trust --list`,
		Args: between(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.enter(); err != nil {
				return err
			}
			if o.list {
				return a.listTrust(o.json)
			}
			dir := a.dir
			if len(args) > 0 {
				dir = a.directory(args[0])
			}
			if o.forget {
				return a.forgetTrust(dir)
			}
			return a.trust(dir, o)
		},
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "trust it without a question")
	f.BoolVar(&o.list, "list", false, "list what was decided so far")
	f.BoolVar(&o.forget, "forget", false, "forget what was decided of the project")
	f.BoolVar(&o.json, "json", false, "print it as JSON, and ask nothing")
	cmd.MarkFlagsMutuallyExclusive("yes", "list", "forget")
	cmd.MarkFlagsMutuallyExclusive("forget", "json")
	return cmd
}

// trust shows what the project in dir brings, and decides.
func (a *app) trust(dir string, o trustOptions) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage("There is no directory "+dir, "Check the path")
	}
	t := a.judge(dir, a.input())
	p := t.project
	switch {
	case p.Empty():
		if !o.json {
			fmt.Fprintf(a.Out, "The project in %s brings nothing that could act.\n", inOneLine(p.Dir))
			return nil
		}
	case p.Problem != "" && !o.json:
		return &ikigai.Error{Kind: ikigai.ErrorDenied, What: "It cannot be trusted: " + strings.TrimSuffix(p.Problem, "."), Do: "Then look again with `ikigai trust`"}
	case o.yes && p.Problem == "":
		t.allowed = true
		if err := a.decide(&t); err != nil {
			return err
		}
	}
	for _, n := range t.settings().Faults(a.input()) {
		a.notice(n.Text)
	}
	for _, n := range p.Passed {
		a.notice(n)
	}
	if o.json {
		if err := a.trustJSON(t); err != nil || t.allowed || p.Empty() {
			return err
		}
		return &quietError{exitDenied}
	}
	return a.conclusion(t, o)
}

// conclusion shows what there is and was decided, and asks where nothing was.
func (a *app) conclusion(t projectTrust, o trustOptions) error {
	if !o.yes && !t.allowed && a.canAsk() {
		if err := a.askTrust(&t); err != nil {
			return err
		}
	} else {
		a.showProject(a.Out, t)
	}
	if t.allowed {
		fmt.Fprintf(a.Out, "It is trusted since %s.\n", t.since.Time().Format(time.DateTime))
		return nil
	}
	a.notice("It is not trusted, so all of it is ignored. Trust it with `ikigai trust --yes`.")
	return &quietError{exitDenied}
}

// trustLine is a project in the output of --json.
type trustLine struct {
	Dir     string        `json:"dir"`
	SHA256  string        `json:"sha256,omitempty"`
	State   string        `json:"state"` // nothing, trusted, refused, changed, undecided, unfit
	Problem string        `json:"problem,omitempty"`
	Time    ikigai.Micros `json:"time,omitempty"` // of the last decision
	Items   []trustItem   `json:"items,omitempty"`
	Changes []trustChange `json:"changes,omitempty"`
}

type trustChange struct {
	Path string `json:"path"`
	How  string `json:"how"` // new, changed, gone
}

type trustItem struct {
	Kind   trust.Kind `json:"kind"`
	Path   string     `json:"path"`
	Size   int64      `json:"size"`
	SHA256 string     `json:"sha256"`
	Link   string     `json:"link,omitempty"`
	Does   []string   `json:"does,omitempty"`
}

func (a *app) trustJSON(t projectTrust) error {
	p := t.project
	line := trustLine{Dir: p.Dir, State: t.state(), Problem: p.Problem, Time: t.last.Time}
	if !p.Empty() {
		line.SHA256 = p.SHA256()
	}
	if t.last.Dir != "" {
		for _, c := range t.last.Changes(p) {
			line.Changes = append(line.Changes, trustChange(c))
		}
	}
	for _, i := range p.Items {
		item := trustItem{Kind: i.Kind, Path: i.Path, Size: i.Size, SHA256: i.SHA256, Link: i.Link}
		for _, d := range i.Does {
			item.Does = append(item.Does, a.safe(d))
		}
		line.Items = append(line.Items, item)
	}
	return a.jsonLine(line)
}

func (a *app) jsonLine(v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = a.Out.Write(transcript.Visible(append(raw, '\n')))
	}
	return err
}

// state says in a word what is decided of a project.
func (t projectTrust) state() string {
	switch {
	case t.project.Empty():
		return "nothing"
	case t.allowed:
		return "trusted"
	case t.project.Problem != "":
		return "unfit"
	case t.decided():
		return "refused"
	case t.last.Dir != "":
		return "changed"
	}
	return "undecided"
}

// listTrust lists all decisions.
func (a *app) listTrust(asJSON bool) error {
	b := book(a.input())
	if b == nil {
		return usage("There is no home directory that could hold decisions", "Set HOME")
	}
	all, err := b.List()
	if err != nil {
		return usage("The decisions cannot be read: "+err.Error(), "Repair the file or remove it")
	}
	if len(all) == 0 && !asJSON {
		a.notice("Nothing is decided yet. Look at a project with `ikigai trust DIR`.")
		return nil
	}
	rows := [][]string{}
	for _, d := range all {
		said := map[bool]string{true: "trusted", false: "refused"}[d.Trusted]
		if asJSON {
			if err := a.jsonLine(trustLine{Dir: d.Dir, SHA256: d.SHA256, State: said, Time: d.Time}); err != nil {
				return err
			}
		}
		rows = append(rows, []string{d.Time.Time().Format(time.DateTime), said, inOneLine(d.Dir)})
	}
	if !asJSON {
		_, err = fmt.Fprint(a.Out, a.style(a.Out).Table([]string{"DECIDED", "AS", "DIRECTORY"}, rows))
	}
	return err
}

// forgetTrust removes a decision.
func (a *app) forgetTrust(dir string) error {
	b := book(a.input())
	if b == nil {
		return usage("There is no home directory that could hold decisions", "Set HOME")
	}
	err := b.Forget(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("Nothing is decided of "+dir, "See `ikigai trust --list`")
	case err != nil:
		return usage("The decision cannot be forgotten: "+err.Error(), "Check "+b.Path())
	}
	fmt.Fprintf(a.Out, "What was decided of %s is forgotten.\n", inOneLine(dir))
	return nil
}
