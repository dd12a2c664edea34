package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ikigai/internal/exttool"
	"ikigai/internal/safetext"
)

func (a *app) toolCheckCommand() *cobra.Command {
	var input string
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "check TOOL...",
		Short: "Hold a tool that you write against the protocol",
		Long: `Hold a tool that you write against the protocol, rule by rule. TOOL is the path
of an executable, or the name of a tool that is one. It is run several times in
an empty directory: to say what it is, with input that is wrong and, if one is
known that does no harm, with input that is right. That is the one given with
--input, the first of "examples" in the schema, or one made up for a tool that
says that it only reads.

A rule that FAILs means that the tool will not work, or not always: the exit code
is then 1, and with --strict also for a tool that was never run with input that is
right. One that warns means that it could be better.`,
		Example: `  ikigai tool check ./weather
  ikigai tool check --input '{"city":"Oslo"}' ./weather`,
		Args: between(1, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			return a.toolCheck(cmd.Context(), args, input, asJSON, strict)
		},
	}
	cmd.Flags().StringVar(&input, "input", "", "`JSON` object that the tool can be run with, without harm")
	cmd.Flags().BoolVar(&strict, "strict", false, "fail for a tool that could not be run, as no input is known that does no harm")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each tool")
	return cmd
}

func (a *app) toolCheck(ctx context.Context, paths []string, input string, asJSON, strict bool) error {
	ctx, stop := a.stoppable(ctx)
	defer stop()
	bad := false
	for _, path := range paths {
		report, err := exttool.Check(ctx, a.toolPath(ctx, path), exttool.Trial{Env: a.childEnv(""), Input: input})
		if ctx.Err() != nil {
			return &quietError{exitInterrupted}
		}
		if err != nil {
			return err
		}
		bad = bad || report.Count(exttool.Fail) > 0 || strict && report.NotRun
		if asJSON {
			err = json.NewEncoder(a.Out).Encode(report)
		} else {
			_, err = io.WriteString(a.Out, safetext.Terminal(checkText(report)))
		}
		if err != nil {
			return err
		}
	}
	if bad {
		return &quietError{exitInternal}
	}
	return nil
}

// toolPath returns the executable that a person means: a file, or the name of a
// tool.
func (a *app) toolPath(ctx context.Context, path string) string {
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.dir, file)
	}
	if _, err := os.Stat(file); err == nil || strings.ContainsRune(path, filepath.Separator) {
		return file
	}
	k := a.personKit(ctx)
	defer k.close()
	if t, err := k.find(path); err == nil && t.path != "" {
		return t.path
	}
	if p, ok := k.problem(path); ok {
		return p.Path
	}
	return file
}

// checkText returns a report for people.
func checkText(r exttool.Report) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Path)
	for rest := r.Rules; len(rest) > 0; {
		rule, same := rest[0], sameSkips(rest)
		rest = rest[same:]
		if same > 1 {
			rule.Name += fmt.Sprintf(", and %d more", same-1)
		}
		fmt.Fprintf(&b, "  %-4s  %s\n", rule.Status, rule.Name)
		for _, line := range []string{rule.Why, rule.Do} {
			if line != "" {
				fmt.Fprintf(&b, "        %s.\n", strings.TrimSuffix(line, "."))
			}
		}
	}
	fmt.Fprintf(&b, "  %d ok", r.Count(exttool.OK))
	for _, s := range []exttool.Status{exttool.Fail, exttool.Warn, exttool.Skip} {
		if n := r.Count(s); n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, s)
		}
	}
	b.WriteByte('\n')
	if r.NotRun {
		b.WriteString("  not run: name a harmless input with --input\n")
	}
	return b.String()
}

// sameSkips returns how many rules at the beginning were skipped for one reason,
// 1 for any other.
func sameSkips(rules []exttool.Rule) int {
	n := 1
	for first := rules[0]; n < len(rules) && first.Status == exttool.Skip && rules[n].Status == exttool.Skip && rules[n].Why == first.Why; n++ {
	}
	return n
}
