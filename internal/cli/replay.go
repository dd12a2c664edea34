package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/delegate"
	"ikigai/internal/history"
	"ikigai/internal/render"
	"ikigai/internal/replay"
	"ikigai/internal/safetext"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	tools     string
	dir       string
	schema    string
	json      bool
	models    []string
	statement int
}

// Values of --tools.
const (
	toolsRecorded = "recorded"
	toolsReal     = "real"
)

func (a *app) replayCommand() *cobra.Command {
	var o replayOptions
	cmd := a.withSession(&cobra.Command{
		Use:   "replay [ID | FILE]",
		Short: "Run a recorded session again and compare",
		Long: `Run a session again, the last of this directory or the one whose ID begins with
ID: with what was said, and the recorded replies in the model's place. Every
request is written as it would be sent now and compared with the recorded one, to
the byte; nothing is sent, no key is needed, and nothing is kept. The settings are
those of now: where a session was run with others, give them again.

Calls get their recorded results. With --tools real the tools are run again, here
or in --dir, and their results and the files that they leave are compared, too.

A log in which events are missing differs. What only the log itself tells is taken
as it stands: a last answer that was changed, which no later request holds, is not
found, nor is that the log's end is missing; ` + "`ikigai db check`" + ` looks for damage.

With --model, which may be given several times, nothing is run. That model is
asked what the recorded one was asked last, and both answers are shown. This does
send a request, and costs what it costs.

FILE is a script, as ` + "`ikigai export --format script`" + ` writes it: it plays the
model, the tools are real, and what it expects and does not find is told.

Exit codes: 0 no difference, 8 there is one.`,
		Example: `  ikigai replay
  ikigai replay 01a1f9ef --tools real --dir /tmp/copy
  ikigai replay --model anthropic/claude-sonnet-5 --statement 2
  ikigai replay mytool.script`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := a.stoppable(cmd.Context())
			defer stop()
			if err := o.check(); err != nil {
				return err
			}
			a.trusting.ask = o.tools == toolsReal
			switch {
			case len(args) > 0 && isScript(args[0]):
				return stopped(ctx, a.replayScript(ctx, args[0], o.json))
			case len(o.models) > 0:
				return stopped(ctx, a.replayModels(ctx, named(args), o))
			}
			return stopped(ctx, a.replay(ctx, named(args), o))
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.tools, "tools", toolsRecorded, "`WHICH` results calls get: recorded, or those of the real tools")
	f.StringVar(&o.dir, "dir", "", "the `DIRECTORY` that real tools run in, if not the session's")
	f.StringVar(&o.schema, "output-schema", "", "the JSON Schema in `FILE`, with which the session was run")
	f.BoolVar(&o.json, "json", false, "one JSON object with everything that differs")
	f.StringArrayVar(&o.models, "model", nil, "ask `VENDOR/MODEL[:LEVEL]` instead, and compare its answer")
	f.IntVar(&o.statement, "statement", 0, "with --model: ask for the answer to statement `N`, if not the last")
	a.trustFlags(cmd)
	a.settingFlag(cmd, "thinking", "`LEVEL` of thinking, with which the session was run")
	complete(cmd, "tools", fixed(toolsRecorded, toolsReal))
	completeFrom(cmd, "model", a.completeModels)
	completeDirs(cmd, "dir")
	return cmd
}

// check refuses flags that do not go together.
func (o replayOptions) check() error {
	switch {
	case o.tools != toolsRecorded && o.tools != toolsReal:
		return usage(fmt.Sprintf("--tools %s says nothing", o.tools), "Use recorded or real")
	case o.dir != "" && o.tools != toolsReal:
		return usage("--dir is for real tools", "Add --tools real")
	case o.statement != 0 && len(o.models) == 0:
		return usage("--statement is for another model", "Name one with --model")
	case o.statement < 0:
		return usage(fmt.Sprintf("There is no statement %d", o.statement), "Count the statements from 1")
	}
	return nil
}

// isScript reports whether an argument names a file rather than a session.
func isScript(arg string) bool {
	info, err := os.Stat(arg)
	return strings.HasSuffix(arg, ".script") || err == nil && info.Mode().IsRegular()
}

// replay runs a session again and tells what came out otherwise.
func (a *app) replay(ctx context.Context, w which, o replayOptions) error {
	store, found, err := a.openToReplay(ctx, w, o)
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := a.replayConfig(ctx, store, found.ID)
	if err != nil {
		return err
	}
	if o.tools == toolsReal {
		end, err := a.realTools(ctx, &c, found, o.dir)
		if err != nil {
			return err
		}
		defer end()
	}
	report, err := replay.Run(ctx, c)
	if err != nil {
		return err
	}
	return a.tellReplay(found.ID, report, o.json)
}

// openToReplay opens the database to read a session of it, with the settings that
// the flags ask for.
func (a *app) openToReplay(ctx context.Context, w which, o replayOptions) (ikigai.Store, ikigai.SessionInfo, error) {
	if o.schema != "" {
		var err error
		if a.format, err = readFormat(o.schema); err != nil {
			return nil, ikigai.SessionInfo{}, err
		}
	}
	return a.openToRead(ctx, w)
}

// replayConfig returns how a session is replayed with its recorded results.
func (a *app) replayConfig(ctx context.Context, store ikigai.Store, id ikigai.ID) (replay.Config, error) {
	events, err := collect(a.allEvents(ctx, store, id))
	return replay.Config{
		Events: events, Blobs: store,
		Prepare: func(g *agent.Agent, i replay.Interaction) { a.prepareReplay(g, i, events) },
		Encoder: func(model string) (ikigai.Model, error) { return a.encoder(ctx, model) },
	}, err
}

// prepareReplay sets what the settings say of an agent, and what its interaction
// is known to ask for.
func (a *app) prepareReplay(g *agent.Agent, i replay.Interaction, events []ikigai.Event) {
	g.MaxOutputSize, g.ResultFormat, g.NoFormat = a.settings.MaxOutputSize, a.settings.ResultFormat, a.noFormat(g.ModelName)
	for n, c := range g.Fallbacks {
		g.Fallbacks[n].NoFormat = a.noFormat(c.Name)
	}
	form := a.format
	switch i.Data.Purpose {
	case "":
		g.MaxOutput = a.settings.MaxOutputTokens
	case ikigai.PurposeTask:
		g.MaxOutput = a.settings.MaxOutputTokens
		form = taskFormat(i, events)
	case ikigai.PurposeObjective:
		known, _ := a.settings.Known(g.ModelName)
		g.Level = leastLevel(known)
		askFor(g, askedFields(i.System))
		return
	default:
		return
	}
	if form != nil {
		g.Format, g.CheckAnswer = form.Format, form.check
	}
}

// askedFields returns what the system prompt of a side interaction asks for.
func askedFields(system string) (fields []string) {
	for _, f := range []string{"objective", "goal", "title"} {
		if strings.Contains(system, " "+f+": ") {
			fields = append(fields, f)
		}
	}
	return fields
}

func (a *app) noFormat(model string) bool {
	known, _ := a.settings.Known(model)
	return known.NoFormat
}

// taskFormat returns the form that the answer to a task must have; nil if it is
// free.
func taskFormat(i replay.Interaction, events []ikigai.Event) *format {
	for _, e := range events {
		m, err := e.Message()
		if err != nil || m.Call == nil || m.Call.ID != i.Data.CallID || e.Interaction != i.Data.Parent {
			continue
		}
		var in struct{ Tasks []delegate.Task }
		_ = json.Unmarshal([]byte(m.Call.Arguments), &in) // it was read then
		for _, t := range in.Tasks {
			if t.Title == i.What && t.Schema != nil {
				if f, err := parseFormat("answer", t.Schema); err == nil {
					return f
				}
			}
		}
	}
	return nil
}

// realTools has c run the real tools, in dir or in the session's directory.
func (a *app) realTools(ctx context.Context, c *replay.Config, s ikigai.SessionInfo, dir string) (end func(), err error) {
	if dir == "" {
		dir = s.Dir
	}
	if info, err := os.Stat(a.directory(dir)); err != nil || !info.IsDir() {
		return nil, usage("There is no directory "+dir, "Name the one that the tools shall run in with --dir")
	}
	if a.dir != a.directory(dir) { // it may bring tools and settings of its own
		a.dir = a.directory(dir)
		if err := a.load(); err != nil {
			return nil, err
		}
	}
	a.notice("The tools of the session are run again in " + a.dir + ".")
	if _, err := a.sealedTools(); err != nil {
		return nil, err
	}
	files := history.NewFiles(ikigai.Main)
	k := a.newKit(ctx, kitConfig{known: files.Known, notice: a.notice})
	k.start(ctx)
	c.Tools, c.Dir, c.Views = k.list, a.dir, []replay.Projection{files}
	c.Recorded = []string{delegate.Name} // tasks are replayed by themselves
	return func() { tellStopped(a.notice, k.close()) }, nil
}

// encoder returns the model of a name, which writes requests and sends none. No
// key is asked for.
func (a *app) encoder(ctx context.Context, name string) (ikigai.Model, error) {
	var e config.Endpoint
	if strings.HasPrefix(name, scriptVendor) {
		e = a.scriptedEndpoint(name, "http://127.0.0.1")
	} else {
		var err error
		if e, err = a.settings.ResolveFallback(ctx, name, unasked); err != nil {
			return nil, err
		}
	}
	e.Key, e.Auth = "", ""
	cfg := a.client(e)
	cfg.Unsent = true
	return a.modelOf(e, cfg), nil
}

// tellReplay tells what a replay has found.
func (a *app) tellReplay(id ikigai.ID, r replay.Report, asJSON bool) error {
	text := replayText(r)
	if asJSON {
		raw, err := json.Marshal(struct {
			Session ikigai.ID `json:"session"`
			replay.Report
		}{id, r})
		if err != nil {
			return err
		}
		text = string(raw) + "\n"
	}
	if err := a.results(func(w io.Writer) error { _, err := io.WriteString(w, a.redact(text)); return err }); err != nil {
		return err
	}
	if len(r.Differences) > 0 {
		return &quietError{exitDiffers}
	}
	return nil
}

// replayText says for people what a replay has found.
func replayText(r replay.Report) string {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "%s: %s differs%s\n", replayPlace(d), what(d), again(d))
		fmt.Fprintf(&b, "  was  %s\n  is   %s\n", indentLines(d.Was), indentLines(d.Is))
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(&b, "%s not compared. %s\n", render.Count(u.Requests, "request"), u.Reason)
	}
	count := "no difference"
	if n := len(r.Differences); n > 0 {
		count = render.Count(n, "difference")
	}
	fmt.Fprintf(&b, "%s, %s, %s", render.Count(r.Statements, "statement"), render.Count(r.Requests, "request"), render.Count(r.Results, "result"))
	if r.Files > 0 {
		b.WriteString(", " + render.Count(r.Files, "file"))
	}
	b.WriteString(": " + count + "\n")
	return b.String()
}

// replayPlace says where in the session a difference is.
func replayPlace(d replay.Difference) string {
	where := fmt.Sprintf("Statement %d, ", d.Statement)
	if d.Turn > 0 {
		where += fmt.Sprintf("turn %d, ", d.Turn)
	}
	where += fmt.Sprintf("event %d", d.Event)
	if d.Interaction != "" {
		where += " of " + d.Interaction
	}
	return where
}

func what(d replay.Difference) string {
	return strings.TrimSpace(strings.ReplaceAll(d.What, "_", " ") + " " + d.Place)
}

func again(d replay.Difference) string {
	if d.Again == 0 {
		return ""
	}
	return fmt.Sprintf(", and so in %s later", render.Count(d.Again, "request"))
}

// indentLines returns a text whose further lines stand below the first.
func indentLines(text string) string {
	return strings.ReplaceAll(strings.TrimRight(safetext.Terminal(text), "\n"), "\n", "\n       ")
}
