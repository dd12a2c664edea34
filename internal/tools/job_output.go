package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"ikigai"
)

//go:embed job_output.md
var jobOutputDescription string

const jobOutputSchema = `{"type":"object","properties":{` +
	`"job":{"type":"integer"},` +
	`"wait":{"type":"integer","minimum":0,"maximum":3600}},` +
	`"required":["job"],"additionalProperties":false}`

type jobInput struct {
	Job  whole `json:"job"`
	Wait whole `json:"wait"`
}

func jobOutput(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "job_output", Description: jobOutputDescription, Schema: json.RawMessage(jobOutputSchema), Returns: jobReturns(cfg.BashResult),
		OutputLimits: bashLimits(),
		Usage:        "When a command that bash runs in the background is to be waited for or looked at.",
	}
	return newTool(spec, true, func(ctx context.Context, _ ikigai.Call, in jobInput) ikigai.Result {
		j, failure := cfg.Jobs.find(int(in.Job))
		if failure != nil {
			return *failure
		}
		j.await(ctx, time.Duration(in.Wait)*time.Second)
		if ctx.Err() != nil {
			return cancelled()
		}
		return cfg.bashResult(cfg.Jobs.look(j))
	})
}
