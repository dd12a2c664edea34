package exttool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/process"
	"ikigai/internal/safetext"
)

const (
	maxArgument = 100 << 10 // bytes of an input that is given as an argument, too
	maxStdout   = 16 << 20  // bytes of an answer
	maxStderr   = 64 << 10  // bytes kept of what a tool says beside it
	shownStdout = 10 << 10  // bytes of an answer that is not whole
	shownStderr = 4 << 10
	callID      = "IKIGAI_TOOL_CALL_ID="
	extraTime   = 5 * time.Second // for a tool that keeps the limit of its call itself
)

// program is the executable of a tool, ready to be called.
type program struct {
	spec
	path    string
	toolbox bool
	cfg     *Config
}

// run runs the tool on an input.
func (p program) run(ctx context.Context, call ikigai.Call) ikigai.Result {
	c, bad := p.command(call)
	if bad != nil {
		return ikigai.Failure(ikigai.CodeInvalidParams, bad.What, bad.Do)
	}
	if ctx.Err() != nil {
		return ikigai.Failure(ikigai.CodeCancelled, "The call was stopped before it was done", "Wait for what the person says")
	}
	ran, err := start(ctx, c)
	if err != nil {
		return p.notStarted(err)
	}
	r := p.result(ran, c, call)
	if ran.Output.File != "" && !strings.Contains(r.Report, ran.Output.File) {
		_ = os.Remove(ran.Output.File) // no one is told of it
	}
	return r
}

// command returns what to run for a call.
func (p program) command(call ikigai.Call) (process.Command, *ikigai.Error) {
	c := process.Command{
		Path: p.path, Dir: call.Dir, Stdin: call.Args, Timeout: p.timeout(call.Args),
		Limits: [2]int{maxStdout, maxStderr}, Spill: p.cfg.spill(p.Name), Leave: p.cfg.Leave,
	}
	c.Env = append(c.Env, p.cfg.Env...)
	if p.cfg.Session != "" {
		c.Env = append(c.Env, "IKIGAI_SESSION="+string(p.cfg.Session))
	}
	c.Env = append(c.Env, callID+strings.ReplaceAll(call.ID, "\x00", ""))
	if p.toolbox {
		c.Env = append(c.Env, toolboxExecute)
	}
	if !p.Stdin && len(call.Args) <= maxArgument {
		c.Args = []string{string(call.Args)}
	}
	if p.Lines {
		lines, bad := inputLines(call.Args)
		if bad != nil {
			return c, bad
		}
		c.Stdin = lines
	}
	return c, nil
}

// timeout returns the time that a call has: its own, and some for a tool that
// keeps it itself, or that of the tool.
func (p program) timeout(args json.RawMessage) time.Duration {
	var own struct {
		Timeout float64 `json:"timeout"`
	}
	if json.Unmarshal(args, &own) != nil || !(own.Timeout > 0) {
		return p.limit()
	}
	return seconds(own.Timeout, 0) + extraTime
}

// start runs a command. Where the input is too long for an argument of this
// system, it goes on standard input alone; a file that is just being written is
// waited for.
func start(ctx context.Context, c process.Command) (process.Result, error) {
	for attempt := 1; ; attempt++ {
		ran, err := process.Run(ctx, c)
		switch {
		case errors.Is(err, syscall.E2BIG) && len(c.Args) > 0:
			c.Args = nil
		case errors.Is(err, syscall.ETXTBSY) && attempt < 10:
			time.Sleep(time.Duration(attempt) * 5 * time.Millisecond)
		default:
			return ran, err
		}
	}
}

// notStarted tells why the executable could not be started.
func (p program) notStarted(err error) ikigai.Result {
	what := fmt.Sprintf("The tool %s could not be started: %v", p.Name, cause(err))
	do := "Try another way, and tell the person"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		do = "Tell the person: the file, the program its first line names, or the working directory is gone"
	case errors.Is(err, fs.ErrPermission):
		do = "Tell the person to make it executable with chmod +x"
	case errors.Is(err, syscall.ENOEXEC):
		do = "Tell the person that its first line must name a program, as in #!/bin/sh"
	}
	return ikigai.Failure(ikigai.CodeToolCrashed, what, do)
}

// result returns what became of a call.
func (p program) result(ran process.Result, c process.Command, call ikigai.Call) ikigai.Result {
	stdout, stderr := stream(ran.Output, process.Stdout), stream(ran.Output, process.Stderr)
	switch {
	case ran.TimedOut:
		return partial(ikigai.CodeToolTimeout, fmt.Sprintf("The tool %s was stopped after %s", p.Name, c.Timeout), "Ask for less at a time", stdout, stderr)
	case ran.Cancelled:
		return partial(ikigai.CodeCancelled, "The call was stopped before its end", "Wait for what the person says", stdout, stderr)
	case ran.Exit != 0:
		return p.crashed(ran.Exit, stdout, stderr)
	case ran.Output.Total[process.Stdout] > maxStdout:
		return p.invalid(fmt.Sprintf("its answer is longer than %d MiB%s", maxStdout>>20, whole(ran.Output.File)))
	}
	if len(stderr) > 0 && call.Progress != nil {
		call.Progress(stderr)
	}
	if p.toolbox {
		return p.answer(toolboxAnswer(stdout), call.Dir)
	}
	return p.answer(stdout, call.Dir)
}

// answer reads what the tool has printed.
func (p program) answer(stdout []byte, dir string) ikigai.Result {
	text := clean(bytes.TrimSpace(stdout))
	all, ok := members(text)
	if !ok {
		return p.invalid("it must print one JSON object, and printed " + excerpt(text, 300))
	}
	r := readAnswer(all, text, dir)
	if most := p.cfg.maxOutput(); len(r.Output[0].Text) > most {
		r.Note = strings.TrimSpace(r.Note + "\n" + p.cfg.keep(p.Name, r.Output[0].Text))
	}
	return r
}

// toolboxAnswer returns the answer of a toolbox, which may be text, as an
// object.
func toolboxAnswer(stdout []byte) []byte {
	if _, ok := members(bytes.TrimSpace(stdout)); ok {
		return stdout
	}
	return object([]member{field("output", encode(plain(stdout)))})
}

// invalid is the failure of a tool that answered with something that is no
// result.
func (p program) invalid(why string) ikigai.Result {
	return ikigai.Failure(ikigai.CodeInvalidOutput, fmt.Sprintf("The tool %s broke the rules: %s", p.Name, why),
		"Try another way, and report this as a fault of the tool")
}

// crashed is the failure of a tool that did not end well.
func (p program) crashed(exit int, stdout, stderr []byte) ikigai.Result {
	said := strings.TrimSpace(plain(stderr))
	if said == "" {
		said = strings.TrimSpace(plain(stdout))
	}
	what := fmt.Sprintf("The tool %s broke with exit code %d", p.Name, exit)
	if exit > 128 && exit < 128+65 {
		what = fmt.Sprintf("The tool %s was ended by signal %d (%v)", p.Name, exit-128, syscall.Signal(exit-128))
	}
	r := ikigai.Failure(ikigai.CodeToolCrashed, what+": "+strings.TrimRight(cutTail(said, shownStderr), "."), "Look at what it says, and try another way")
	if said == "" {
		r = ikigai.Failure(ikigai.CodeToolCrashed, what+" and said nothing", "Try another way, and report this as a fault of the tool")
	}
	r.Report = what
	return r
}

// partial is the failure of a call that was stopped, with what was printed
// until then.
func partial(code ikigai.ToolCode, what, do string, stdout, stderr []byte) ikigai.Result {
	r := ikigai.Failure(code, what, do)
	r.Output = ikigai.JSONOutput(struct {
		Error  string          `json:"error"`
		Code   ikigai.ToolCode `json:"error_code"`
		Stdout string          `json:"stdout,omitempty"`
		Stderr string          `json:"stderr,omitempty"`
	}{what + ". " + do + ".", code, cutTail(plain(stdout), shownStdout), cutTail(plain(stderr), shownStderr)})
	return r
}

// stream returns what is kept of one stream.
func stream(o process.Output, which int) []byte {
	var all [][]byte
	for _, p := range o.Pieces {
		if p.Stream == which {
			all = append(all, p.Bytes)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return bytes.Join(all, nil)
}

// plain returns what a tool has printed as text that does nothing to a
// terminal.
func plain(b []byte) string { return ikigai.CleanText(safetext.Terminal(string(b))) }

// cutHead returns the first bytes of s, cut between characters.
func cutHead(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// cutTail returns the last bytes of s, cut between characters, and says so.
func cutTail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := len(s) - most
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return fmt.Sprintf("… [%d bytes left out] …", cut) + s[cut:]
}

// cause returns the reason of an error of the system without the path.
func cause(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}

func whole(file string) string {
	if file == "" {
		return ""
	}
	return "; all of it is in " + file
}

func (cfg *Config) maxOutput() int {
	if cfg.MaxOutput > 0 {
		return cfg.MaxOutput
	}
	return 1 << 20
}

// spill returns what creates the file for a whole output, nil if there is no
// place for it.
func (cfg *Config) spill(tool string) func() (*os.File, error) {
	if cfg.SpillDir == "" {
		return nil
	}
	return func() (*os.File, error) {
		if err := os.MkdirAll(cfg.SpillDir, 0o700); err != nil {
			return nil, err
		}
		return os.CreateTemp(cfg.SpillDir, tool+"-*.txt")
	}
}

// keep writes an output that is too long to be shown whole to a file, and says
// where.
func (cfg *Config) keep(tool, text string) string {
	create := cfg.spill(tool)
	if create == nil {
		return ""
	}
	f, err := create()
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Sprintf("The whole output could not be kept: %v.", cause(err))
	}
	return "The whole output is in " + f.Name() + "."
}
