package cli

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"ikigai": func() {
			os.Exit(Run(context.Background(), Process{
				Args: os.Args[1:], Env: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
			}))
		},
		"ikigai-broken":  func() { runBroken(os.Stdout, os.Stderr) },
		"ikigai-mute":    func() { runBroken(fragile{os.Stdout, "First."}, os.Stderr) },
		"ikigai-fragile": func() { runBroken(os.Stdout, fragile{os.Stderr, "itself broke"}) },
		"unprivileged":   runUnprivileged,
	})
}

// tests runs the tests and ends the server that they shared.
type tests struct{ *testing.M }

func (t tests) Run() int {
	// Where the tests run under nohup, or in the background of a script, programs
	// that they start would ignore the signal too; one that is caught is not handed
	// down.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	if signal.Ignored(syscall.SIGINT) { // else it ends the tests
		signal.Notify(caught, syscall.SIGINT)
	}
	defer signal.Stop(caught)
	defer watchdog()()
	atOnce()
	return pgtest.Main(t.M)
}

// atOnce has twice as many tests run at once as there are processors, unless the
// command line says how many: they wait for programs half of their time.
func atOnce() {
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))) // it is a number
	}
}

// TestScripts runs the command line as people do: the real program, a scripted
// model behind real HTTP, real tools, a real database.
func TestScripts(t *testing.T) {
	p := scriptParams()
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// TestScriptsOnPostgres runs those scripts that are about sessions with a
// database on a server: the same behaviour, whatever the store.
func TestScriptsOnPostgres(t *testing.T) {
	server := pgtest.Shared(t)
	p := scriptParams()
	for _, name := range []string{"answer", "tools", "resume", "travel", "list", "follow", "request", "search", "sql", "archive", "foreign", "db", "undo", "undo_commands", "goal", "side"} {
		p.Files = append(p.Files, filepath.Join("testdata/script", name+".txtar"))
	}
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		database := server.URL(server.Database(env.T().(testing.TB), postgres.Migrate))
		replayServer(env, database)
		env.Setenv("IKIGAI_DATABASE", strings.Replace(database, "postgres@", "postgres:s3cr3t-word@", 1))
		return setup(env)
	}
	p.Condition = func(name string) (bool, error) { return name == "postgres", nil }
	testscript.Run(t, p)
}

// scriptsTime bounds the programs of all scripts together.
const scriptsTime = 10 * time.Minute

func scriptParams() testscript.Params {
	return testscript.Params{
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "keepsrules": keepsRules, "let": let},
		Condition:           func(name string) (bool, error) { return false, nil },
		Deadline:            time.Now().Add(scriptsTime),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("LANG", "C.UTF-8")
			env.Vars = append(env.Vars, raceExit)
			replayScripts(env)
			return nil
		},
	}
}

// let sets a variable to what the last command printed, or to the part of it
// that the group of an expression stands for: let NAME [EXPRESSION]
func let(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: let NAME [EXPRESSION]")
	}
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if len(args) == 2 {
		found := regexp.MustCompile(args[1]).FindStringSubmatch(text)
		if len(found) < 2 {
			ts.Fatalf("no match for %s in %s", args[1], text)
		}
		text = found[1]
	}
	ts.Setenv(args[0], text)
}

// exits runs a command and checks its exit code: exits CODE COMMAND ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// keepsRules checks a tool, which must keep the rules, however long this machine
// takes to start it: keepsrules [FLAG]... FILE
func keepsRules(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: keepsrules [FLAG]... FILE")
	}
	_ = ts.Exec("ikigai", append([]string{"tool", "check"}, args...)...) // the report says it
	report := ts.ReadFile("stdout")
	if broken := brokenRules(report); len(broken) > 0 || !strings.Contains(report, "\n  ok    ") {
		ts.Fatalf("it breaks %q", broken)
	}
}

// A flag of all commands means the same in each: no command has one of its own by
// that name.
func TestNoFlagIsHidden(t *testing.T) {
	root := (&app{flags: map[string]string{}, flagNames: map[string]string{}}).rootCommand()
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, name := range []string{"set", "database"} {
			if cmd.LocalNonPersistentFlags().Lookup(name) != nil {
				t.Errorf("%s has its own --%s", cmd.CommandPath(), name)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(root)
}
