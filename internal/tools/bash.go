package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/process"
)

//go:embed bash.md
var bashDescription string

const bashSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string"},` +
	`"timeout":{"type":"integer","minimum":1,"maximum":3600,"default":30,"description":"Seconds"},` +
	`"working_dir":{"type":"string","default":"."},` +
	`"background":{"type":"boolean"},` +
	`"terminal":{"type":"boolean"}},` +
	`"required":["command"],"additionalProperties":false}`

const (
	stdoutLimit = 10 << 10
	stderrLimit = 4 << 10

	defaultTimeout = 30 // seconds
)

type bashInput struct {
	Command    string `json:"command"`
	Timeout    whole  `json:"timeout"`
	WorkingDir string `json:"working_dir"`
	Background bool   `json:"background"`
	Terminal   bool   `json:"terminal"`
}

func bash(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "bash", Description: bashDescription, Schema: json.RawMessage(bashSchema), Returns: bashReturns(cfg.BashResult),
		OutputLimits: bashLimits(),
		Usage: "When you need to execute shell commands, list files, search code, or perform\n" +
			"system operations. Check exit_code to determine success/failure.",
	}
	shell := sync.OnceValue(func() string { return findShell(cfg.getenv("PATH")) })
	return newTool(spec, false, func(ctx context.Context, call ikigai.Call, in bashInput) ikigai.Result {
		path := shell()
		if path == "" {
			return ikigai.Failure(codeShellNotFound, "Neither bash nor sh was found", "Tell the person to install bash")
		}
		if failure := cfg.checkDirectory(call, in.WorkingDir); failure != nil {
			return *failure
		}
		if strings.ContainsRune(in.Command, 0) {
			return ikigai.Failure(ikigai.CodeInvalidParams, "The command holds a NUL byte, which the system takes in no command", "Leave it out")
		}
		o, failure := cfg.runBash(ctx, cfg.bashCommand(call, in, path))
		if failure != nil {
			return *failure
		}
		r := cfg.bashResult(o)
		if name := filepath.Base(path); name != "bash" {
			r.Note = joinNotes("There is no bash on this machine: "+name+" ran the command.", r.Note)
		}
		return r
	})
}

// bashLimits says how much of an output is shown.
func bashLimits() []string {
	return []string{fmt.Sprintf("stdout: %dKB max", stdoutLimit>>10), fmt.Sprintf("stderr: %dKB max", stderrLimit>>10), truncationWarning}
}

// command is a command as a model asked for it.
type command struct {
	process.Command
	text       string
	background bool
}

func (cfg Config) bashCommand(call ikigai.Call, in bashInput, shell string) command {
	c := command{text: in.Command, background: in.Background, Command: process.Command{
		Path: shell, Args: []string{"-c", in.Command}, Dir: cfg.resolve(call, in.WorkingDir), Env: cfg.Env,
		Limits: [2]int{stdoutLimit, stderrLimit}, Spill: cfg.spill(), Leave: cfg.Leave, Terminal: in.Terminal,
	}}
	if in.Terminal {
		// What only waits for keys is not used.
		c.Env = slices.Concat(cfg.Env, []string{"TERM=xterm-256color", "PAGER=cat", "GIT_PAGER=cat"})
	}
	if !in.Background {
		c.Progress = call.Progress
		c.Timeout = time.Duration(in.Timeout) * time.Second
		if c.Timeout <= 0 {
			c.Timeout = defaultTimeout * time.Second
		}
	}
	return c
}

// runBash runs a command to its end, or begins it in the background.
func (cfg Config) runBash(ctx context.Context, c command) (outcome, *ikigai.Result) {
	if c.background {
		j, failure := cfg.Jobs.start(c)
		if failure != nil {
			return outcome{}, failure
		}
		j.await(ctx, firstLook)
		return cfg.Jobs.look(j), nil
	}
	ran, err := process.Run(ctx, c.Command)
	if err != nil {
		failure := startFailure(err)
		return outcome{}, &failure
	}
	return ended(c, ran), nil
}

// findShell returns the path of bash, of sh if there is no bash, "" if there is
// neither.
func findShell(searchPath string) string {
	for _, name := range []string{"bash", "sh"} {
		for _, dir := range append([]string{"/bin"}, filepath.SplitList(searchPath)...) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path
			}
		}
	}
	return ""
}

// spill returns what creates the file for a whole output, nil if there is no
// place for it.
func (cfg Config) spill() func() (*os.File, error) {
	if cfg.SpillDir == "" {
		return nil
	}
	return func() (*os.File, error) {
		if err := os.MkdirAll(cfg.SpillDir, 0o700); err != nil {
			return nil, err
		}
		return os.CreateTemp(cfg.SpillDir, "bash-*.txt")
	}
}
