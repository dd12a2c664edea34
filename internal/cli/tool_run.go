package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/exttool"
	"ikigai/internal/safetext"
)

func (a *app) toolRunCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run TOOL [JSON | NAME=VALUE...]",
		Short: "Run a tool as a model would",
		Long: `Run a tool as a model would: its input is checked, defaults are filled in, its
time is limited. TOOL is its name, or the path of an executable that describes
itself, with a / in it. The input is a JSON object, - for one on standard input, or
NAME=VALUE for each parameter.

What the model gets goes to standard output; what the tool says about the run to
the model (note) and to the person (report), and the files and addresses that it
read or changed, go to standard error. The exit code is 1 if the tool failed, 2
if the input does not fit.`,
		Example: `  ikigai tool run grep pattern=TODO
  ikigai tool run bash '{"command": "make test", "timeout": 120}'`,
		Args: between(1, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			return a.toolRun(cmd.Context(), args[0], args[1:], asJSON)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "all of the result as one JSON object")
	return cmd
}

func (a *app) toolRun(ctx context.Context, name string, args []string, asJSON bool) error {
	ctx, stop := a.stoppable(ctx)
	defer stop()
	k := a.personKit(ctx)
	defer func() { tellStopped(a.notice, k.close()) }()
	t, err := a.runnable(ctx, k, name)
	if err != nil {
		return err
	}
	if isDelegate(t.Tool) {
		return usage(t.Name+" runs in a session alone, whose model works on the tasks", "Ask for it with `ikigai run`")
	}
	input, err := a.toolInput(t.Schema, args)
	if err != nil {
		return err
	}
	if input, err = t.Check(input); err != nil {
		return err
	}
	call := ikigai.Call{ID: "run", Dir: a.dir, Args: input}
	if !asJSON {
		call.Progress = func(b []byte) { fmt.Fprint(a.Err, safetext.Terminal(string(b))) }
	}
	if t.Source == "" {
		call.Progress = nil // it is in the result
	}
	result := t.Run(ctx, call)
	if ctx.Err() != nil && !asJSON {
		a.notice("The tool was stopped before its end.") // what it says of that is said to a model
		return &quietError{exitInterrupted}
	}
	if err = a.printToolResult(result, asJSON); ctx.Err() != nil {
		return &quietError{exitInterrupted}
	}
	return err
}

// runnable returns the tool that a person names.
func (a *app) runnable(ctx context.Context, k *kit, name string) (shownTool, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.dir, name)
		}
		t, err := exttool.Open(ctx, a.externalTools(""), name)
		return shownTool{Tool: t.Tool, origin: t.Origin}, err
	}
	if strings.HasPrefix(name, "mcp_") {
		k.start(ctx)
	}
	return k.find(name)
}

// toolInput returns the input that a person has typed.
func (a *app) toolInput(schema json.RawMessage, args []string) (json.RawMessage, error) {
	switch {
	case len(args) == 1 && args[0] == "-":
		raw, err := io.ReadAll(io.LimitReader(a.In, int64(maxInput)+1))
		if err == nil && len(raw) > maxInput {
			err = errors.New("it is longer than 16 MiB")
		}
		if err != nil {
			return nil, usage("Standard input cannot be read: "+err.Error(), "Give the input as an argument")
		}
		return wholeJSON(raw)
	case len(args) == 1 && strings.HasPrefix(strings.TrimSpace(args[0]), "{"):
		return wholeJSON([]byte(args[0]))
	}
	var kinds struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &kinds) // then all values are as they look
	input := map[string]json.RawMessage{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, usage("The argument "+arg+" is neither a JSON object nor NAME=VALUE", "See `ikigai tool run --help`")
		}
		raw := json.RawMessage(value)
		if kinds.Properties[name].Type == "string" || !json.Valid(raw) {
			raw, _ = json.Marshal(value) // a string
		}
		input[name] = raw
	}
	return json.Marshal(input)
}

// wholeJSON refuses what is no JSON in words for a person: what a tool says to it
// is advice for a model.
func wholeJSON(raw []byte) (json.RawMessage, error) {
	var input json.RawMessage
	if err := json.Unmarshal(raw, &input); err != nil {
		return nil, usage("The input is not JSON: "+err.Error(), "Give one JSON object, in quotes that keep the shell away from it, or NAME=VALUE")
	}
	return input, nil
}

// maxInput bounds the input of a tool on standard input.
const maxInput = 16 << 20

// printToolResult prints what each reader of a result gets.
func (a *app) printToolResult(r ikigai.Result, asJSON bool) error {
	err := error(nil)
	if asJSON {
		err = a.printResultLine(r)
	} else {
		for _, p := range r.Output {
			if _, e := fmt.Fprintln(a.Out, safetext.Terminal(partText(p))); e != nil {
				err = e
			}
		}
		for _, said := range [][2]string{{"note", r.Note}, {"report", r.Report}} {
			if said[1] != "" {
				fmt.Fprintf(a.Err, "%s: %s\n", said[0], safetext.Terminal(said[1]))
			}
		}
		for _, resource := range r.Resources {
			how := "read"
			if resource.Changed {
				how = "changed"
			}
			fmt.Fprintf(a.Err, "%s: %s\n", how, safetext.Terminal(resource.URI))
		}
	}
	if err == nil && r.Failed {
		return &quietError{exitInternal}
	}
	return err
}

func partText(p ikigai.Part) string {
	if p.Type == ikigai.PartText {
		return p.Text
	}
	return fmt.Sprintf("[%s %s, %d bytes]", p.Type, p.Name, len(p.Bytes))
}

// printResultLine prints a result as one JSON object.
func (a *app) printResultLine(r ikigai.Result) error {
	line := struct {
		Output    string            `json:"output"`
		Parts     []ikigai.Part     `json:"parts,omitempty"`
		Note      string            `json:"note,omitempty"`
		Report    string            `json:"report,omitempty"`
		Failed    bool              `json:"failed"`
		Resources []ikigai.Resource `json:"resources,omitempty"`
	}{Note: r.Note, Report: r.Report, Failed: r.Failed, Resources: r.Resources}
	for i, p := range r.Output {
		if i == 0 {
			line.Output = p.Text
		} else {
			line.Parts = append(line.Parts, p)
		}
	}
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}
