package tools

import (
	"context"
	"encoding/json"

	"ikigai"
)

const shellSchema = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`

// maxTimeout is the longest that bash takes, in seconds.
const maxTimeout = 3600

// Shell returns the tool bash as it runs a command that a person has typed, who can
// stop it: it takes nothing but the command, and as long as bash takes at most.
func Shell(cfg Config) ikigai.Tool {
	cfg.BashResult, cfg.Jobs = "", &Jobs{} // the model is told of jobs, not the person
	run := bash(cfg).Run
	spec := ikigai.ToolSpec{Name: "bash", Description: bashDescription, Schema: json.RawMessage(shellSchema), Returns: bashReturns(cfg.BashResult)}
	return newTool(spec, false, func(ctx context.Context, call ikigai.Call, in struct {
		Command string `json:"command"`
	}) ikigai.Result {
		args := ikigai.JSONOutput(bashInput{Command: in.Command, Timeout: maxTimeout, WorkingDir: "."})
		call.Args = json.RawMessage(args[0].Text)
		return run(ctx, call)
	})
}
