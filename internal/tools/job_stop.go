package tools

import (
	"context"
	_ "embed"
	"encoding/json"

	"ikigai"
)

//go:embed job_stop.md
var jobStopDescription string

const jobStopSchema = `{"type":"object","properties":{"job":{"type":"integer"}},"required":["job"],"additionalProperties":false}`

func jobStop(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "job_stop", Description: jobStopDescription, Schema: json.RawMessage(jobStopSchema), Returns: jobReturns(cfg.BashResult),
		OutputLimits: bashLimits(),
		Usage:        "When a command that bash runs in the background is not needed any more.",
	}
	return newTool(spec, false, func(_ context.Context, _ ikigai.Call, in jobInput) ikigai.Result {
		j, failure := cfg.Jobs.find(int(in.Job))
		if failure != nil {
			return *failure
		}
		j.stop()
		<-j.ended // soon: what is stopped has a second, and is then killed
		return cfg.bashResult(cfg.Jobs.look(j))
	})
}
