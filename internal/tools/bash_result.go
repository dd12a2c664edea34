package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/process"
)

// outcome is what there is to tell of a command that has ended, or runs.
type outcome struct {
	command
	process.Result
	job     int // 0 for a command that was waited for
	running bool
}

// ended is the outcome of a command that has ended.
func ended(c command, ran process.Result) outcome { return outcome{command: c, Result: ran} }

// bashFailure is why a command did not come to its end.
type bashFailure struct {
	Error string          `json:"error,omitempty"`
	Code  ikigai.ToolCode `json:"error_code,omitempty"`
}

// bashEnd is what an output ends with in both forms.
type bashEnd struct {
	Job      int  `json:"job,omitempty"`
	Running  bool `json:"running,omitempty"`
	ExitCode *int `json:"exit_code,omitempty"` // of a command that has ended
}

type combinedOutput struct {
	Output string `json:"output"`
	bashEnd
	Truncated bool `json:"truncated,omitempty"`
	bashFailure
}

type splitOutput struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	bashEnd
	Truncated bool `json:"truncated"`
	bashFailure
}

// bashReturns describes the output in one of the two forms that it has.
func bashReturns(form string, more ...member) json.RawMessage {
	output := []member{{"output", "string", "Standard output and standard error, as they came"}}
	if form == "split" {
		output = []member{{"stdout", "string", "Standard output from command"}, {"stderr", "string", "Standard error from command"}}
	}
	return returns(slices.Concat(output, []member{exitCode, truncated}, more)...)
}

// jobReturns describes the output of a command in the background.
func jobReturns(form string) json.RawMessage {
	return bashReturns(form,
		member{"job", "integer", "Number of the job"},
		member{"running", "boolean", "Whether it still runs; then there is no exit_code"})
}

// bashResult returns an outcome as every tool that runs commands does.
func (cfg Config) bashResult(o outcome) ikigai.Result {
	failure, end := o.failure(), bashEnd{Job: o.job, Running: o.running}
	if !o.running {
		end.ExitCode = &o.Exit
	}
	r := ikigai.Result{Failed: failure.Error != "", Report: o.report(), Note: cfg.Jobs.news()}
	var cut bool
	if cfg.BashResult == "split" {
		stdout, outCut := streamText(o.Output, cfg.MaxOutput/2, process.Stdout)
		stderr, errCut := streamText(o.Output, cfg.MaxOutput/2, process.Stderr)
		cut = outCut || errCut
		r.Output = ikigai.JSONOutput(splitOutput{stdout, stderr, end, cut, failure})
	} else {
		var text string
		text, cut = streamText(o.Output, cfg.MaxOutput, process.Stdout, process.Stderr)
		r.Output = ikigai.JSONOutput(combinedOutput{text, end, cut, failure})
	}
	r.Front = o.front(cut)
	return r
}

// front is what stands ahead of the output in a frontmatter. // S1.31
func (o outcome) front(cut bool) []ikigai.Fact {
	facts := []ikigai.Fact{{Name: "command", Value: o.text}}
	if o.job != 0 {
		facts = append(facts, ikigai.Fact{Name: "job", Value: o.job})
	}
	if o.running {
		facts = append(facts, ikigai.Fact{Name: "running", Value: true})
	} else {
		facts = append(facts, ikigai.Fact{Name: "exit_code", Value: o.Exit})
	}
	facts = append(facts, ikigai.Fact{Name: "cwd", Value: o.Dir})
	if cut {
		facts = append(facts, ikigai.Fact{Name: "truncated", Value: true})
	}
	return facts
}

func (o outcome) failure() bashFailure {
	switch {
	case o.TimedOut:
		return bashFailure{fmt.Sprintf("Command timed out after %d seconds. Use a longer timeout (at most 3600), background, or a command that needs less time.",
			o.seconds()), ikigai.CodeToolTimeout}
	case o.Cancelled && o.job == 0:
		return bashFailure{"The command was stopped before its end. Wait for what the person says.", ikigai.CodeCancelled}
	}
	return bashFailure{}
}

func (o outcome) seconds() int { return int(o.Timeout / time.Second) }

// report tells the person of an outcome.
func (o outcome) report() string {
	what := fmt.Sprintf("exit code %d", o.Exit)
	switch {
	case o.running:
		what = "running"
	case o.TimedOut:
		what = "timed out after " + plural(o.seconds(), "second")
	case o.Cancelled:
		what = "stopped"
	}
	if o.job != 0 {
		what = fmt.Sprintf("job %d %s", o.job, what)
	}
	lines := 0
	for _, p := range o.Output.Pieces {
		lines += lineCount(string(p.Bytes))
	}
	switch total := o.Output.Total[0] + o.Output.Total[1]; {
	case total > shown(o.Output):
		return what + ", " + size(total)
	case lines == 0 && o.running:
		return what
	case lines == 0:
		return what + ", no output"
	}
	return what + ", " + plural(lines, "line")
}

func startFailure(err error) ikigai.Result {
	if cause(err) == syscall.E2BIG {
		return ikigai.Failure(ikigai.CodeToolCrashed, "The command is too long for the system", "Write it to a file with file_write and run that")
	}
	return ikigai.Failure(ikigai.CodeToolCrashed, fmt.Sprintf("The command could not be started: %v", cause(err)), "Try again, or tell the person")
}

// joinNotes joins those notes that say something.
func joinNotes(notes ...string) string {
	var all []string
	for _, n := range notes {
		if n != "" {
			all = append(all, n)
		}
	}
	return strings.Join(all, " ")
}
