package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ikigai"
)

// The members of a trajectory of version 1.5, and no others. What must be
// there is a pointer, so that it is seen if it is not.
type (
	wantTrajectory struct {
		SchemaVersion       *string         `json:"schema_version"`
		SessionID           *string         `json:"session_id"`
		Agent               *wantAgent      `json:"agent"`
		Steps               *[]wantStep     `json:"steps"`
		Notes               string          `json:"notes"`
		FinalMetrics        *wantFinal      `json:"final_metrics"`
		ContinuedTrajectory string          `json:"continued_trajectory_ref"`
		Extra               json.RawMessage `json:"extra"`
	}
	wantAgent struct {
		Name            *string          `json:"name"`
		Version         *string          `json:"version"`
		ModelName       string           `json:"model_name"`
		ToolDefinitions []map[string]any `json:"tool_definitions"`
		Extra           map[string]any   `json:"extra"`
	}
	wantFinal struct {
		TotalPromptTokens     int64          `json:"total_prompt_tokens"`
		TotalCompletionTokens int64          `json:"total_completion_tokens"`
		TotalCachedTokens     int64          `json:"total_cached_tokens"`
		TotalCostUSD          float64        `json:"total_cost_usd"`
		TotalSteps            int            `json:"total_steps"`
		Extra                 map[string]any `json:"extra"`
	}
	wantStep struct {
		StepID           *int             `json:"step_id"`
		Timestamp        string           `json:"timestamp"`
		Source           string           `json:"source"`
		ModelName        string           `json:"model_name"`
		ReasoningEffort  any              `json:"reasoning_effort"`
		Message          *string          `json:"message"`
		ReasoningContent string           `json:"reasoning_content"`
		ToolCalls        []wantCall       `json:"tool_calls"`
		Observation      *wantObservation `json:"observation"`
		Metrics          *wantMetrics     `json:"metrics"`
		Extra            map[string]any   `json:"extra"`
	}
	wantCall struct {
		ToolCallID   *string        `json:"tool_call_id"`
		FunctionName *string        `json:"function_name"`
		Arguments    map[string]any `json:"arguments"`
	}
	wantObservation struct {
		Results *[]struct {
			SourceCallID *string `json:"source_call_id"`
			Content      string  `json:"content"`
			Subagents    []struct {
				SessionID      *string        `json:"session_id"`
				TrajectoryPath *string        `json:"trajectory_path"`
				Extra          map[string]any `json:"extra"`
			} `json:"subagent_trajectory_ref"`
		} `json:"results"`
	}
	wantMetrics struct {
		PromptTokens     int64          `json:"prompt_tokens"`
		CompletionTokens int64          `json:"completion_tokens"`
		CachedTokens     int64          `json:"cached_tokens"`
		CostUSD          *float64       `json:"cost_usd"`
		Extra            map[string]any `json:"extra"`
	}
)

// checkTrajectory holds a trajectory against the rules of the format, as the
// published specification of versions 1.4 and 1.5 has them.
func checkTrajectory(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var t wantTrajectory
	if err := dec.Decode(&t); err != nil {
		return err
	}
	switch {
	case t.SchemaVersion == nil || *t.SchemaVersion != "ATIF-v1.5":
		return fmt.Errorf("the version is missing")
	case t.SessionID == nil || t.Steps == nil || t.Agent == nil || t.Agent.Name == nil || t.Agent.Version == nil:
		return fmt.Errorf("something that is required is missing")
	case t.FinalMetrics != nil && t.FinalMetrics.TotalSteps != len(*t.Steps):
		return fmt.Errorf("%d steps are said to be %d", len(*t.Steps), t.FinalMetrics.TotalSteps)
	}
	for i, s := range *t.Steps {
		if err := checkStep(i, s); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func checkStep(i int, s wantStep) error {
	if s.StepID == nil || *s.StepID != i+1 {
		return fmt.Errorf("its number is not in order")
	}
	if !slices.Contains([]string{"system", "user", "agent"}, s.Source) || s.Message == nil {
		return fmt.Errorf("source or message are missing")
	}
	if _, err := time.Parse(time.RFC3339, s.Timestamp); err != nil {
		return err
	}
	if s.Source != "agent" && (s.ModelName != "" || s.ReasoningContent != "" || s.ToolCalls != nil || s.Metrics != nil || s.ReasoningEffort != nil) {
		return fmt.Errorf("a %s has what only an agent may have", s.Source)
	}
	var ids []string
	for _, c := range s.ToolCalls {
		if c.ToolCallID == nil || c.FunctionName == nil || c.Arguments == nil {
			return fmt.Errorf("a call lacks something")
		}
		ids = append(ids, *c.ToolCallID)
	}
	if s.Observation == nil {
		return nil
	}
	if s.Observation.Results == nil {
		return fmt.Errorf("an observation lacks its results")
	}
	for _, r := range *s.Observation.Results {
		if r.SourceCallID != nil && !slices.Contains(ids, *r.SourceCallID) {
			return fmt.Errorf("a result is of call %q, which is not in the step", *r.SourceCallID)
		}
	}
	return nil
}

func TestTrajectory(t *testing.T) {
	var b bytes.Buffer
	if err := ATIF(&b, sample().all(), options()); err != nil {
		t.Fatal(err)
	}
	if err := checkTrajectory(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	var got wantTrajectory
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, s := range *got.Steps {
		sources = append(sources, s.Source)
	}
	want := "system user agent agent system system system user agent agent system system system system agent user agent system"
	if strings.Join(sources, " ") != want {
		t.Errorf("steps of %s, want %s", sources, want)
	}
	first := (*got.Steps)[2]
	if len(first.ToolCalls) != 2 || len(*first.Observation.Results) != 2 || first.Metrics == nil || *first.Metrics.CostUSD != 0.00125 || first.ModelName != "" {
		t.Errorf("the first reply: %+v", first)
	}
	if second := (*got.Steps)[3]; second.ModelName != "acme/model-y" {
		t.Errorf("the second reply: %+v", second)
	}
	handedOver := (*got.Steps)[len(*got.Steps)-2]
	if refs := (*handedOver.Observation.Results)[0].Subagents; len(refs) != 2 || !strings.HasSuffix(*refs[1].SessionID, "/task-42") ||
		*refs[1].TrajectoryPath != "ikigai:"+*refs[1].SessionID || refs[1].Extra["title"] != "Look" {
		t.Errorf("tasks: %+v", refs)
	}
	if handedOver.Extra["feedback"] == nil || (*got.Steps)[len(*got.Steps)-3].Extra["by"] != ikigai.ByLoop {
		t.Errorf("extra: %+v", handedOver.Extra)
	}
	if sides, _ := got.FinalMetrics.Extra["side_interactions"].(map[string]any); sides["task"] == nil || sides["objective"] == nil {
		t.Errorf("beside: %+v", sides)
	}
	if f := got.FinalMetrics; f.TotalCostUSD != 0.00375 || f.TotalPromptTokens != 2400 || f.TotalCachedTokens != 2000 {
		t.Errorf("in sum %+v", f)
	}
	for _, damage := range []func(string) string{
		func(s string) string { return strings.Replace(s, `"step_id":2`, `"step_id":3`, 1) },
		func(s string) string {
			return strings.Replace(s, `"source_call_id":"call_1"`, `"source_call_id":"call_7"`, 1)
		},
		func(s string) string { return strings.Replace(s, `"agent":{`, `"agents":{`, 1) },
	} {
		if checkTrajectory([]byte(damage(b.String()))) == nil {
			t.Error("the check does not see damage")
		}
	}
}
