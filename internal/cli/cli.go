// Package cli is the command line of ikigai. It wires all other packages, and
// it alone, with package config, reads the environment, flags and files of
// settings.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/safetext"
)

// Process is what the program is given when it is started.
type Process struct {
	Args []string // without the program's name
	Env  []string
	In   io.Reader
	Out  io.Writer
	Err  io.Writer
}

// app is one run of the program.
type app struct {
	Process
	flags    map[string]string // settings given as flags, by name
	sets     []string          // of --set
	dir      string            // working directory, absolute; set by load
	settings *config.Settings  // set by load
	began    bool              // a command has begun: errors are no longer of usage
}

// gcPercent lets the heap of a short-lived program grow before it is swept: the
// start of a long session allocates a lot and frees little.
const gcPercent = 400

// Run runs the program and returns its exit code. Nothing but its results goes
// to p.Out; notices and errors go to p.Err.
func Run(ctx context.Context, p Process) (code int) {
	a := &app{Process: p, flags: map[string]string{}}
	if a.env("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	defer func() {
		if v := recover(); v != nil {
			code = a.crashed(v)
		}
	}()
	root := a.rootCommand()
	root.SetArgs(p.Args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		err = a.asUsage(cmd, err)
		a.printError(err)
	}
	return exitCode(err)
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ikigai",
		Short: "An agent for the terminal",
		Long: `ikigai answers what you ask with the help of tools that run on this machine.
Everything it does is kept in a database that is yours.`,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { a.began = true },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.PersistentFlags().StringArrayVar(&a.sets, "set", nil, "override a setting, as in --set max_tool_turns=10")
	a.settingFlag(root, "database", "file of the database")
	root.AddCommand(a.runCommand(), a.demoCommand(), a.sessionsCommand(), a.logCommand(),
		a.configCommand(), a.doctorCommand(), a.versionCommand())
	return root
}

// asUsage returns an error from before any command began as one of usage.
func (a *app) asUsage(cmd *cobra.Command, err error) error {
	var e *ikigai.Error
	if a.began || errors.As(err, &e) {
		return err
	}
	what, _, _ := strings.Cut(err.Error(), "\n")
	return usage(sentence(what), "See `"+cmd.CommandPath()+" --help`")
}

// settingFlag adds a flag that overrides the setting of the same name.
func (a *app) settingFlag(cmd *cobra.Command, name, use string) {
	flag := strings.ReplaceAll(name, "_", "-")
	cmd.PersistentFlags().Func(flag, use, func(value string) error {
		a.flags[name] = value
		return nil
	})
}

// load reads the settings and tells the person of what was passed over.
func (a *app) load() error {
	for _, set := range a.sets {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return usage("--set "+set+" has no value", "Write it as --set name=value")
		}
		a.flags[name] = value
	}
	if a.dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return usage("The working directory cannot be read: "+err.Error(), "Change to a directory that exists")
		}
		a.dir = dir
	}
	settings, notices, err := config.Load(config.Input{Dir: a.dir, Home: a.env("HOME"), Environ: a.Env, Flags: a.flags})
	if err != nil {
		return err
	}
	for _, n := range notices {
		a.notice(n.Text)
	}
	a.settings = settings
	return nil
}

// env returns a variable of the environment, the last of its name.
func (a *app) env(name string) string {
	for i := len(a.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(a.Env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// notice tells the person something that stopped nothing.
func (a *app) notice(text string) {
	fmt.Fprintln(a.Err, "ikigai: "+safetext.Terminal(text))
}

func (a *app) printError(err error) {
	var quiet *quietError
	if errors.As(err, &quiet) {
		return
	}
	a.notice(safetext.Redact(sentence(err.Error()), a.secrets()))
}

// secrets returns the values that must not be shown: those of all variables
// that hold keys of vendors.
func (a *app) secrets() []string {
	if a.settings == nil {
		return nil
	}
	var all []string
	for _, name := range a.settings.VendorKeyVariables() {
		if value := a.env(name); value != "" {
			all = append(all, value)
		}
	}
	return all
}

// crashed tells of a fault of the program itself and keeps the details in a file.
func (a *app) crashed(v any) int {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("ikigai-crash-%d.txt", os.Getpid()))
	details := fmt.Sprintf("%v\n\n%s", v, debug.Stack())
	if err := os.WriteFile(path, []byte(details), 0o600); err != nil {
		path = "nowhere: " + err.Error()
	}
	a.notice(fmt.Sprintf("ikigai itself broke: %v. What was recorded is safe; the details are in %s.", v, path))
	return exitInternal
}

// stoppable returns a context that the first interrupt ends, and a function
// that ends the watch. The second interrupt leaves at once: everything that
// happened is in the log.
func stoppable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for count := 0; ; count++ {
			select {
			case s := <-signals:
				if count > 0 {
					os.Exit(exitInterrupted)
				}
				cancel(fmt.Errorf("received %s", s))
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// terminal returns the width of w, and whether it is a terminal.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80, true
	}
	return width, true
}

// inputIsTerminal reports whether a person types the input.
func (a *app) inputIsTerminal() bool {
	f, ok := a.In.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// sentence returns s with a capital letter and a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func usage(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: strings.TrimSuffix(what, "."), Do: do}
}
