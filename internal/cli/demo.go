package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/demo"
	"ikigai/internal/render"
	"ikigai/internal/scriptserver"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [SCRIPT]",
		Short: "See ikigai at work without a key",
		Long: `See ikigai at work without a key and without a network: a script plays the
model behind a real HTTP server on this machine. Everything else is real: the
tools run, and every event goes into a database.

Without SCRIPT, four statements are played about a small project that the
program brings along. With SCRIPT, its statements are played in the directory
you are in; docs/scripts.md says how to write one.`,
		Example: `  ikigai demo
  ikigai demo my.script`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.demo(cmd.Context(), args) },
	}
}

func (a *app) demo(ctx context.Context, args []string) error {
	script, err := demoScript(args)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ikigai-demo-")
	if err != nil {
		return usage("The demo has no place for its files: "+err.Error(), "Set TMPDIR to a directory that can be written")
	}
	if _, ok := a.flags["database"]; !ok {
		a.flags["database"] = filepath.Join(home, "ikigai.db")
	}
	if len(args) > 0 {
		err = a.load()
	} else {
		err = a.loadDemo(filepath.Join(home, "project"))
	}
	if err != nil {
		return err
	}
	opening := a.openStore(ctx, openTime)
	endpoint, stopServer, err := a.serve(script)
	if err != nil {
		return err
	}
	defer stopServer()
	ctx, stop := a.stoppable(ctx)
	defer stop()
	id, err := a.play(ctx, script.Statements(), endpoint, <-opening)
	if err != nil {
		return err
	}
	if err := a.demoEnd(ctx, id); err != nil || len(args) > 0 {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "\nNothing outside %s was touched.\n", home)
	return err
}

// demoScript returns the script to play: the one named, or the demo's own.
func demoScript(args []string) (*scriptserver.Script, error) {
	if len(args) > 0 {
		return readScript(args[0])
	}
	return demo.Script()
}

// loadDemo lays out the demo's project, makes it the working directory, and
// sets everything to its default: the script counts on it.
func (a *app) loadDemo(dir string) error {
	if err := demo.WriteTree(dir); err != nil {
		return err
	}
	a.dir = dir
	settings, _, err := config.Load(config.Input{Dir: dir, Flags: a.flags})
	a.settings = settings
	return err
}

// play takes each statement to its answer.
func (a *app) play(ctx context.Context, statements []string, endpoint config.Endpoint, opened storeResult) (ikigai.ID, error) {
	v := a.newView(false)
	v.statements, v.err = true, v.out
	v.live.Style, v.live.Terminal = a.style(a.Out), a.overwrites(a.Out)
	v.live.Style.Compact, v.live.Style.More = true, "in the log"
	w, err := a.open(ctx, which{}, endpoint, opened, v)
	if err != nil {
		return "", err
	}
	defer w.close()
	defer v.watch()()
	for _, s := range statements {
		outcome, err := w.agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, s, nil))
		v.finish()
		if err := a.conclude(w, v, outcome, err); err != nil {
			return "", err
		}
	}
	return w.session.ID(), nil
}

// demoEnd shows what is now in the log.
func (a *app) demoEnd(ctx context.Context, id ikigai.ID) error {
	store, err := a.storeNow(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	counts := map[ikigai.Kind]int{}
	total := 0
	for e, err := range store.Events(ctx, id, 0) {
		if err != nil {
			return err
		}
		counts[e.Kind]++
		total++
	}
	count := func(kind ikigai.Kind, noun string) string { return render.Count(counts[kind], noun) }
	_, err = fmt.Fprintf(a.Out, `
All of it is in the log: %s, among them %s, %s,
%s with as many results, and %s. Look at it with

  cd %s
  %s --database %s log
`, render.Count(total, "event"), count(ikigai.KindUser, "statement"), count(ikigai.KindRequest, "request"),
		count(ikigai.KindToolCall, "tool call"), count(ikigai.KindAssistant, "answer"),
		a.dir, a.program(), a.settings.Database)
	return err
}

// program returns how the person can start the program again.
func (a *app) program() string {
	if !strings.Contains(a.Program, string(filepath.Separator)) {
		return "ikigai"
	}
	if path, err := filepath.Abs(a.Program); err == nil {
		return path
	}
	return a.Program
}
