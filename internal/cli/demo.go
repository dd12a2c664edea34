package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/demo"
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
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.demo(cmd.Context(), args) },
	}
}

func (a *app) demo(ctx context.Context, args []string) error {
	home, err := os.MkdirTemp("", "ikigai-demo-")
	if err != nil {
		return usage("The demo has no place for its files: "+err.Error(), "Set TMPDIR to a directory that can be written")
	}
	if _, ok := a.flags["database"]; !ok {
		a.flags["database"] = filepath.Join(home, "ikigai.db")
	}
	script, err := a.demoScript(home, args)
	if err != nil {
		return err
	}
	if err := a.load(); err != nil {
		return err
	}
	opening := a.openStore(ctx)
	endpoint, stopServer, err := a.serve(script)
	if err != nil {
		return err
	}
	defer stopServer()
	ctx, stop := stoppable(ctx)
	defer stop()
	if err := a.play(ctx, script.Statements(), endpoint, opening); err != nil {
		return err
	}
	return a.demoEnd(ctx)
}

// demoScript returns the script to play: the one named, or the demo's own with
// its project, which becomes the working directory.
func (a *app) demoScript(home string, args []string) (*scriptserver.Script, error) {
	if len(args) > 0 {
		return readScript(args[0])
	}
	a.dir = filepath.Join(home, "project")
	if err := demo.WriteTree(a.dir); err != nil {
		return nil, err
	}
	return demo.Script()
}

// play takes each statement to its answer.
func (a *app) play(ctx context.Context, statements []string, endpoint config.Endpoint, opening <-chan storeResult) error {
	v := a.newView(false)
	v.statements, v.err = true, v.out
	v.live.Style = a.style(a.Out)
	w, err := a.open(ctx, which{}, endpoint, opening, v)
	if err != nil {
		return err
	}
	defer w.close()
	for _, s := range statements {
		outcome, err := w.agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, s, nil))
		v.finish()
		if err := a.conclude(w, outcome, err); err != nil {
			return err
		}
	}
	return nil
}

// demoEnd shows what is now in the log.
func (a *app) demoEnd(ctx context.Context) error {
	store, err := a.storeNow(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	id, err := a.find(ctx, store, which{last: true})
	if err != nil {
		return err
	}
	counts := map[ikigai.Kind]int{}
	total := 0
	for e, err := range store.Events(ctx, id, 0) {
		if err != nil {
			return err
		}
		counts[e.Kind]++
		total++
	}
	_, err = fmt.Fprintf(a.Out, `
All of it is in the log: %d events, among them %d statements, %d requests, %d tool
calls, %d results and %d answers. Look at it with

  cd %s
  ikigai --database %s log
`, total, counts[ikigai.KindUser], counts[ikigai.KindRequest], counts[ikigai.KindToolCall],
		counts[ikigai.KindToolResult], counts[ikigai.KindAssistant], a.dir, a.settings.Database)
	return err
}
