package exttool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
	"ikigai/internal/process"
)

// Status says what became of a rule.
type Status string

const (
	OK   Status = "ok"
	Fail Status = "FAIL" // the tool will not work, or not always
	Warn Status = "warn" // it works, and could be better
	Skip Status = "skip" // it could not be tried
)

// Rule is one thing that is asked of a tool, and how it did.
type Rule struct {
	Name   string `json:"rule"`
	Status Status `json:"status"`
	Why    string `json:"why,omitempty"` // a sentence without its full stop
	Do     string `json:"do,omitempty"`  // a sentence without its full stop
}

// Report is how a tool did in all rules, in the order in which they were tried.
type Report struct {
	Path  string `json:"path"`
	Tool  string `json:"tool,omitempty"`
	Rules []Rule `json:"rules"`
	// NotRun says that no input was known with which it could be run.
	NotRun bool `json:"not_run,omitempty"`
}

// Count returns how many rules have the status.
func (r Report) Count(s Status) int {
	n := 0
	for _, rule := range r.Rules {
		if rule.Status == s {
			n++
		}
	}
	return n
}

// Trial says how a tool is to be tried.
type Trial struct {
	Env []string // of the tool
	// Input is an input that does no harm, a JSON object. Where it is "", the
	// first example of the tool is taken, or one made up for a tool that only
	// reads.
	Input string
}

// Check holds an executable against the protocol. It is run several times, in
// an empty directory that is removed afterwards: without an environment, with
// input that is wrong and, where one is known that does no harm, with input
// that is right. The error is that there is no place for the directory, or that
// ctx has ended.
func Check(ctx context.Context, path string, t Trial) (Report, error) {
	dir, err := os.MkdirTemp("", "ikigai-check-*")
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a tool may have left what cannot be removed
	c := &trial{Trial: t, ctx: ctx, path: path, dir: dir, id: filepath.Base(dir), report: Report{Path: path}}
	defer c.endLeftovers()
	if c.file() && c.schema() {
		c.wrongInput()
		c.rightInput()
	}
	return c.report, ctx.Err()
}

// trial is a Check under way.
type trial struct {
	Trial
	ctx    context.Context
	path   string
	dir    string // where the tool is run
	id     string // of all calls
	report Report
	spec   spec
}

func (c *trial) add(name string, s Status, why, do string) {
	c.report.Rules = append(c.report.Rules, Rule{name, s, why, do})
}

// rule adds a rule that is kept unless why says otherwise.
func (c *trial) rule(name string, broken Status, why, do string) {
	if why == "" {
		c.add(name, OK, "", "")
		return
	}
	c.add(name, broken, why, do)
}

// file looks at the file itself.
func (c *trial) file() bool {
	f := file{path: c.path, shown: c.path}
	if problem := f.runnable(); problem != nil {
		c.add("the file is executable", Fail, problem.What, problem.Do)
		return false
	}
	c.add("the file is executable", OK, "", "")
	return true
}

// schema asks the tool what it is, as the harness does, again, and without an
// environment.
func (c *trial) schema() bool {
	ran, err := c.run([]string{"--schema"}, nil, c.Env)
	if err != nil {
		c.add("--schema is answered", Fail, fmt.Sprintf("It could not be started: %v", cause(err)), "Check its first line, as in #!/bin/sh")
		return false
	}
	if bad := refused(ran, "--schema"); bad != nil {
		c.add("--schema is answered", Fail, bad.What, bad.Do)
		return false
	}
	c.rule("--schema is answered within 1 s", Fail, slow(ran), "Answer before anything else is loaded or connected")
	said := stream(ran.Output, process.Stdout)
	var bad *ikigai.Error
	if c.spec, bad = parseSpec(said); bad != nil {
		c.add("the schema is valid", Fail, bad.What, bad.Do)
		return false
	}
	c.report.Tool = c.spec.Name
	c.add("the schema is valid", OK, "", "")
	c.rule("input can be checked against it", Warn, uncompilable(c.spec.Schema), "Write it without what JSON Schema in Go lacks; until then the tool must check its input itself")
	c.name()
	c.rule("--schema is silent on standard error", Warn, silent(ran), "Print nothing but the schema")
	c.same("--schema is the same each time", said, c.Env, "Leave out clocks, random numbers and unordered maps: a change makes every request dearer")
	c.same("--schema needs no environment", said, []string{"PATH=" + getenv(c.Env, "PATH"), "HOME=" + c.dir}, "Read keys and settings when the tool is called, not when it is asked what it is")
	c.words()
	return true
}

func slow(ran process.Result) string {
	if ran.Duration <= patience {
		return ""
	}
	return fmt.Sprintf("It took %s", ran.Duration.Round(time.Millisecond))
}

func silent(ran process.Result) string {
	if ran.Output.Total[process.Stderr] == 0 {
		return ""
	}
	return "It said " + excerpt(stream(ran.Output, process.Stderr), 200)
}

// uncompilable says why the input of a tool cannot be checked before it is run.
func uncompilable(raw json.RawMessage) string {
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return err.Error()
	}
	if _, err := s.Resolve(nil); err != nil {
		return err.Error()
	}
	return ""
}

func (c *trial) name() {
	base := filepath.Base(c.path)
	why := ""
	if FileTool(base) != Fold(c.spec.Name) {
		why = fmt.Sprintf("The schema says %s, the file is %s", c.spec.Name, base)
	}
	c.rule("the name is that of the file", Fail, why, "Give both the same name; - and _ are the same")
}

// same asks once more and compares the answers.
func (c *trial) same(name string, said []byte, env []string, do string) {
	ran, err := c.run([]string{"--schema"}, nil, env)
	why := ""
	switch {
	case err != nil:
		why = cause(err).Error()
	case ran.TimedOut || ran.Exit != 0:
		why = fmt.Sprintf("It ended with exit code %d: %s", ran.Exit, excerpt(stream(ran.Output, process.Stderr), 200))
	case !bytes.Equal(stream(ran.Output, process.Stdout), said):
		why = "The answer was another"
	}
	c.rule(name, Fail, why, do)
}

// words looks at what a model is told.
func (c *trial) words() {
	const most = 1000
	why := ""
	if n := len(c.spec.Description); n > most {
		why = fmt.Sprintf("The description has %d bytes, which are sent with every request", n)
	}
	c.rule("the description is short", Warn, why, "Say it in a sentence or two; put the rest under usage")
	why = ""
	if len(c.spec.Returns) == 0 {
		why = "There is no returns"
	}
	c.rule("returns are declared", Warn, why, `Add "returns": {"output": {"type": "string"}} or what there is`)
}

// run runs the tool with some arguments and input.
func (c *trial) run(args []string, stdin []byte, env []string) (process.Result, error) {
	limit := longest
	if len(args) != 1 || args[0] != "--schema" {
		limit = c.spec.limit()
	}
	return start(c.ctx, process.Command{Path: c.path, Args: args, Dir: c.dir, Env: env, Stdin: stdin, Timeout: limit,
		Limits: [2]int{maxStdout, maxStderr}})
}

// call runs the tool on an input as the harness does.
func (c *trial) call(input []byte) (process.Result, error) {
	var args []string
	if !c.spec.Stdin && len(input) <= maxArgument {
		args = []string{string(input)}
	}
	return c.run(args, input, c.environment())
}

func (c *trial) environment() []string { return append(slices.Clone(c.Env), callID+c.id) }

// broken tells how a run breaks the protocol, whatever the input was; "" if it
// does not. all are the members of the answer.
func broken(ran process.Result, err error) (why string, all []member) {
	if err != nil {
		return fmt.Sprintf("It could not be started: %v", cause(err)), nil
	}
	said := bytes.TrimSpace(stream(ran.Output, process.Stdout))
	all, ok := members(said)
	switch {
	case ran.TimedOut:
		return "It did not end in its time", nil
	case ran.Exit != 0:
		return fmt.Sprintf("It ended with exit code %d: %s", ran.Exit, excerpt(stream(ran.Output, process.Stderr), 200)), nil
	case !ok:
		return "It printed " + excerpt(said, 200), nil
	case !utf8.Valid(said):
		return "It printed bytes that are no UTF-8", nil
	}
	return "", all
}

func failed(all []member) bool {
	return slices.ContainsFunc(all, func(m member) bool { return m.name == "error" && isError(m.value) })
}

func getenv(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
