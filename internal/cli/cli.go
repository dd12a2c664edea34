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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/crash"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/scriptserver"
	"ikigai/internal/stack"
)

// Process is what the program is given when it is started.
type Process struct {
	Program string   // as it was called
	Args    []string // without it
	Env     []string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Now     func() time.Time // the clock; nil is the system's
}

// app is one run of the program.
type app struct {
	Process
	flags     map[string]string // settings given as flags, by name
	flagNames map[string]string // how those were typed
	sets      []string          // of --set
	dir       string            // working directory, absolute; set by load
	settings  *config.Settings  // set by load
	trusting  trusting          // how the command treats what the project brings
	project   projectTrust      // of the working directory; set by load

	readOnlyTools bool       // only tools that change nothing are used
	approving     chosenMode // when calls are asked about, if the person has changed it since the start
	looking       sync.Mutex // while the settings of how things look are read, or changed in the front

	began     bool                 // a command has begun: errors are no longer of usage
	key       string               // of the model in use, wherever it came from
	fallbacks []agent.Candidate    // models to go on with
	script    *scriptserver.Script // that plays the model; nil if none does
	format    *format              // that the answer must have; nil leaves it free
	hidden    hidden               // what else must not be shown
	leave     chan struct{}        // closed when the person wants to be out at once
	hurry     sync.Once            // closes leave
	tell      func(string)         // takes notices; nil where they go to Err
	ahead     string               // what the person has typed before the front stood, to be said there
	keyed     atomic.Bool          // an interrupt is a key of the front, or of the program that has the terminal
	endAll    context.CancelFunc   // ends all that goes on
	broke     atomic.Bool          // the program itself, on a goroutine that nobody looks after
	restore   func()               // gives the terminal back before the program ends at once; nil where it was not taken
	mark      string               // in the environment of the processes of this run; set by recordRun
}

// gcPercent lets the heap of a short-lived program grow before it is swept: the
// start of a long session allocates a lot and frees little.
const gcPercent = 400

// longGCPercent is for a program that has started and stays.
const longGCPercent = 50

// Run runs the program and returns its exit code. Nothing but its results goes
// to p.Out; notices and errors go to p.Err.
func Run(ctx context.Context, p Process) int {
	stack.Grow()
	a := &app{Process: p, flags: map[string]string{}, flagNames: map[string]string{}, leave: make(chan struct{})}
	a.collectAt(gcPercent)
	ctx, a.endAll = context.WithCancel(ctx)
	defer a.endAll()
	defer crash.Handle(a.breaks)()
	defer a.awaitBroken()
	defer crash.Guard()
	root := a.rootCommand()
	root.SetArgs(p.Args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		var e *ikigai.Error
		if !a.began && !errors.As(err, &e) {
			err = asUsage(cmd, err)
		}
		a.printError(err)
	}
	return exitCode(err)
}

// collectAt sets how much the heap grows before it is swept, unless the person has.
func (a *app) collectAt(percent int) {
	if a.env("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ikigai",
		Short: "An agent for the terminal",
		Long: `ikigai answers what you ask with the help of tools that run on this machine.
Everything it does is kept in a database that is yours.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			// cobra looks at groups of flags only after this.
			err := cmd.ValidateFlagGroups()
			a.began = err == nil
			return err
		},
		Version: version(),
	}
	a.frontCommand(root)
	root.SetVersionTemplate("ikigai {{.Version}}\n")
	root.PersistentFlags().StringArrayVar(&a.sets, "set", nil, "override a setting: `NAME=VALUE`")
	complete(root, "set", a.completeSettings)
	a.settingFlag(root, "database", "`PLACE` of the database: a file, or postgres://…")
	root.AddCommand(a.runCommand(), a.demoCommand(), a.sessionsCommand(), a.logCommand(), a.goalCommand(),
		a.searchCommand(), a.compactCommand(), a.commitCommand(), a.diffCommand(), a.undoCommand(), a.redoCommand(), a.sqlCommand(), a.exportCommand(), a.importCommand(), a.replayCommand(), a.dbCommand(),
		a.modelsCommand(), a.configCommand(), a.loginCommand(), a.logoutCommand(), a.trustCommand(), a.rulesCommand(), a.toolCommand(), a.contextCommand(), a.doctorCommand(), a.mcpCommand(), a.versionCommand())
	return root
}

// settingFlag adds a flag that overrides the setting of the same name.
func (a *app) settingFlag(cmd *cobra.Command, name, use string) {
	a.settingOf(cmd.PersistentFlags(), name, use)
}

// settingOf is settingFlag for some of the flags of a command.
func (a *app) settingOf(flags interface {
	Func(name, use string, set func(string) error)
}, name, use string) {
	flag := strings.ReplaceAll(name, "_", "-")
	flags.Func(flag, use, func(value string) error {
		a.flags[name] = value
		return nil
	})
}

// loadToRead is load for commands that only read what is in the database: a
// fault in a file of settings does not keep anybody from their own log.
func (a *app) loadToRead() error {
	a.trusting.reads = true
	err := a.load()
	if ikigai.KindOf(err) != ikigai.ErrorUsage || err == nil {
		return err
	}
	settings, _, without := config.Load(config.Input{Dir: a.dir, Home: a.env("HOME"), Flags: a.flags,
		Environ: append(slices.Clone(a.Env), "IKIGAI_CONFIG="+os.DevNull)})
	if without != nil {
		return err
	}
	a.notice(err.Error() + " The defaults are used.")
	a.settings = settings
	return nil
}

// load reads the settings and tells the person of what was passed over.
func (a *app) load() error {
	for _, set := range a.sets {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return usage("--set "+set+" has no value", "Write it as --set name=value")
		}
		a.flags[name] = value
		a.flagNames[name] = "--set " + name
	}
	if err := a.enter(); err != nil {
		return err
	}
	var err error
	if a.project, err = a.projectTrust(); err != nil {
		return err
	}
	in := a.input()
	in.Project = a.project.trusted()
	settings, notices, err := config.Load(in)
	if err != nil {
		return err
	}
	for _, n := range notices {
		a.notice(n.Text)
	}
	a.settings = settings
	return nil
}

// enter finds out the working directory.
func (a *app) enter() error {
	if a.dir != "" {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return usage("The working directory cannot be read: "+err.Error(), "Change to a directory that exists")
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // sessions are found by it, whichever way led here
	}
	a.dir = dir
	return nil
}

// directory returns the directory that a person names, as sessions are found by
// it.
func (a *app) directory(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.dir, name)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return filepath.Clean(name)
}

// now returns the time.
func (a *app) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
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
	if a.tell != nil {
		a.tell(text)
		return
	}
	a.printNotice(text)
}

// printNotice writes a notice below what stands on the screen.
func (a *app) printNotice(text string) {
	width, _ := terminal(a.Err)
	fmt.Fprintln(a.Err, render.Style{Width: width}.Wrap("ikigai: "+safetext.Terminal(a.redact(text)), ""))
}

// printAside is printNotice as the front shows notices.
func (a *app) printAside(text string) {
	style := a.style(a.Err)
	style.Color = false // whether the person hears the screen may not be known yet
	fmt.Fprint(a.Err, style.Block(render.Notice(a.redact(text))))
}

// redact returns text without the values that must not be shown.
func (a *app) redact(text string) string { return safetext.Redact(text, a.secrets()) }

func (a *app) printError(err error) {
	var quiet *quietError
	if errors.As(err, &quiet) {
		return
	}
	text := err.Error()
	var e *ikigai.Error
	if !errors.As(err, &e) {
		text = sentence(text)
	}
	a.notice(text)
}

// secrets returns the values that must not be shown: those of all variables
// that hold keys of vendors, the key in use, and the database's password.
func (a *app) secrets() []string {
	if a.settings == nil {
		return nil
	}
	all := append(append(a.settings.Database.Secrets(), a.hidden.all()...), a.key)
	for _, name := range a.settings.VendorKeyVariables() {
		if value := a.env(name); value != "" {
			all = append(all, value)
		}
	}
	return all
}

// leaveTime is how long the program goes on after the second interrupt, to end
// what it has started.
const leaveTime = 300 * time.Millisecond

// stoppable returns a context that the first interrupt ends, and a function
// that ends the watch. The second interrupt leaves: commands are killed, and
// what happened so far is in the log.
func (a *app) stoppable(ctx context.Context) (context.Context, func()) {
	return a.endedBy(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// endedBy is stoppable for other signals than those.
func (a *app) endedBy(ctx context.Context, ends ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	for _, s := range ends {
		if !signal.Ignored(s) { // as it is with nohup, and in the background of a script
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go func() {
		defer crash.Guard()
		for count := 0; ; {
			select {
			case s := <-signals:
				if s == os.Interrupt && a.keyed.Load() {
					continue
				}
				cancel(fmt.Errorf("received %s", s))
				if count++; count == 2 {
					a.hurry.Do(func() { close(a.leave) })
					time.AfterFunc(leaveTime, func() {
						a.exitNow("Left at once. What happened until then is in the log.", exitInterrupted)
					})
				}
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

// sentence returns the text of an error from elsewhere as a sentence.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if 'a' <= s[0] && s[0] <= 'z' {
		s = string(s[0]-'a'+'A') + s[1:]
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func usage(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: strings.TrimSuffix(what, "."), Do: do}
}
