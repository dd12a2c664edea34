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
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/process"
)

//go:embed bash.md
var bashDescription string

const bashSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string"},` +
	`"timeout":{"type":"integer","minimum":1,"maximum":3600,"default":30,"description":"Seconds"},` +
	`"working_dir":{"type":"string","default":"."}},` +
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
}

// bashFailure is why a command did not come to its end.
type bashFailure struct {
	Error string          `json:"error,omitempty"`
	Code  ikigai.ToolCode `json:"error_code,omitempty"`
}

type combinedOutput struct {
	Output    string `json:"output"`
	ExitCode  int    `json:"exit_code"`
	Truncated bool   `json:"truncated,omitempty"`
	bashFailure
}

type splitOutput struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exit_code"`
	Truncated bool   `json:"truncated"`
	bashFailure
}

func bash(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "bash", Description: bashDescription, Schema: json.RawMessage(bashSchema), Returns: bashReturns(cfg.BashResult),
		OutputLimits: []string{
			fmt.Sprintf("stdout: %dKB max", stdoutLimit>>10),
			fmt.Sprintf("stderr: %dKB max", stderrLimit>>10),
			truncationWarning,
		},
		Usage: "When you need to execute shell commands, list files, search code, or perform\n" +
			"system operations. Check exit_code to determine success/failure.",
	}
	shell := sync.OnceValue(func() string { return findShell(cfg.getenv("PATH")) })
	return newTool(spec, false, func(ctx context.Context, call ikigai.Call, in bashInput) ikigai.Result {
		if in.Timeout <= 0 {
			in.Timeout = defaultTimeout
		}
		path := shell()
		if path == "" {
			return ikigai.Failure(codeShellNotFound, "Neither bash nor sh was found", "Tell the person to install bash")
		}
		if failure := cfg.checkDirectory(call, in.WorkingDir); failure != nil {
			return *failure
		}
		ran, err := process.Run(ctx, process.Command{
			Path: path, Args: []string{"-c", in.Command}, Dir: cfg.resolve(call, in.WorkingDir), Env: cfg.Env,
			Timeout: time.Duration(in.Timeout) * time.Second, Limits: [2]int{stdoutLimit, stderrLimit},
			Spill: cfg.spill(), Progress: call.Progress, Leave: cfg.Leave,
		})
		if err != nil {
			return startFailure(err)
		}
		return cfg.bashResult(ran, int(in.Timeout), filepath.Base(path))
	})
}

// bashReturns describes the output in one of the two forms that it has.
func bashReturns(form string) json.RawMessage {
	if form == "split" {
		return returns(
			member{"stdout", "string", "Standard output from command"},
			member{"stderr", "string", "Standard error from command"},
			exitCode, truncated)
	}
	return returns(member{"output", "string", "Standard output and standard error, as they came"}, exitCode, truncated)
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

func startFailure(err error) ikigai.Result {
	if cause(err) == syscall.E2BIG {
		return ikigai.Failure(ikigai.CodeToolCrashed, "The command is too long for the system", "Write it to a file with file_write and run that")
	}
	return ikigai.Failure(ikigai.CodeToolCrashed, fmt.Sprintf("The command could not be started: %v", cause(err)), "Try again, or tell the person")
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

func (cfg Config) bashResult(ran process.Result, timeout int, shell string) ikigai.Result {
	failure := bashFailureOf(ran, timeout)
	r := ikigai.Result{Failed: failure.Error != "", Report: bashReport(ran, timeout)}
	if shell != "bash" {
		r.Note = "There is no bash on this machine: " + shell + " ran the command."
	}
	if cfg.BashResult == "split" {
		stdout, outCut := streamText(ran.Output, cfg.MaxOutput/2, process.Stdout)
		stderr, errCut := streamText(ran.Output, cfg.MaxOutput/2, process.Stderr)
		r.Output = ikigai.JSONOutput(splitOutput{stdout, stderr, ran.Exit, outCut || errCut, failure})
		return r
	}
	text, cut := streamText(ran.Output, cfg.MaxOutput, process.Stdout, process.Stderr)
	r.Output = ikigai.JSONOutput(combinedOutput{text, ran.Exit, cut, failure})
	return r
}

func bashFailureOf(ran process.Result, timeout int) bashFailure {
	switch {
	case ran.TimedOut:
		return bashFailure{fmt.Sprintf("Command timed out after %d seconds. Use a longer timeout (at most 3600), or a command that needs less time.",
			timeout), ikigai.CodeToolTimeout}
	case ran.Cancelled:
		return bashFailure{"The command was stopped before its end. Wait for what the person says.", ikigai.CodeCancelled}
	}
	return bashFailure{}
}

func bashReport(ran process.Result, timeout int) string {
	what := fmt.Sprintf("exit code %d", ran.Exit)
	switch {
	case ran.TimedOut:
		what = "timed out after " + plural(timeout, "second")
	case ran.Cancelled:
		what = "stopped"
	}
	lines := 0
	for _, p := range ran.Output.Pieces {
		lines += lineCount(string(p.Bytes))
	}
	if total := ran.Output.Total[0] + ran.Output.Total[1]; total > shown(ran.Output) {
		return what + ", " + size(total)
	}
	if lines == 0 {
		return what + ", no output"
	}
	return what + ", " + plural(lines, "line")
}

// shown returns how many bytes of an output are kept.
func shown(o process.Output) int64 {
	n := 0
	for _, p := range o.Pieces {
		n += len(p.Bytes)
	}
	return int64(n)
}

// streamText returns the output of some streams as the model gets it, for a
// result of at most max bytes, and whether anything was cut.
func streamText(o process.Output, max int, streams ...int) (text string, cut bool) {
	var b strings.Builder
	var marks []string
	for _, stream := range streams {
		if cutStream(o, stream) {
			limit := []int{stdoutLimit, stderrLimit}[stream]
			marks = append(marks, fmt.Sprintf("[OUTPUT TRUNCATED - exceeded %dKB limit]", limit>>10))
		}
	}
	for _, run := range runs(o, streams) {
		if run.Gap > 0 {
			endLine(&b)
			b.WriteString("... [" + group(run.Gap) + " more bytes" + whereAll(o) + "] ...\n")
		}
		b.WriteString(clean(run.Bytes))
	}
	if len(marks) > 0 {
		endLine(&b)
		b.WriteString("\n" + strings.Join(marks, "\n"))
	}
	text, cut = limitText(b.String(), max)
	return text, cut || len(marks) > 0
}

func cutStream(o process.Output, stream int) bool {
	for _, p := range o.Pieces {
		if p.Stream == stream && p.Gap > 0 {
			return true
		}
	}
	return false
}

// runs returns the pieces of some streams. Those with nothing left out between
// them are joined, so that what terminals act on is seen whole.
func runs(o process.Output, streams []int) []process.Piece {
	var all []process.Piece
	for _, p := range o.Pieces {
		switch n := len(all) - 1; {
		case !slices.Contains(streams, p.Stream):
		case n >= 0 && all[n].Stream == p.Stream && p.Gap == 0:
			all[n].Bytes = append(all[n].Bytes[:len(all[n].Bytes):len(all[n].Bytes)], p.Bytes...)
		default:
			all = append(all, p)
		}
	}
	return all
}

// whereAll says where the whole output is.
func whereAll(o process.Output) string {
	switch {
	case o.File == "" && o.FileErr == nil:
		return ""
	case o.File == "":
		return fmt.Sprintf(", not kept: %v", cause(o.FileErr))
	case o.FileErr == process.ErrFileFull:
		return ", the first " + size(o.FileBytes) + " of the output in " + o.File
	case o.FileErr != nil:
		return fmt.Sprintf(", the first %s of the output in %s (%v)", size(o.FileBytes), o.File, cause(o.FileErr))
	}
	return ", full output in " + o.File
}

// endLine ends a line that is not ended.
func endLine(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}
