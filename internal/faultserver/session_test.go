package faultserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/faultserver"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/provider/openai"
	"ikigai/internal/provider/responses"
)

// session is a session in memory: the events, the conversation that they make,
// and what the person sees of replies.
type session struct {
	mu      sync.Mutex
	line    *history.Line
	seq     ikigai.Seq
	shown   strings.Builder
	retries []ikigai.Retry
}

// Record implements ikigai.Recorder.
func (s *session) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	s.Queue(events...)
	return ikigai.Stored, nil
}

// Queue implements ikigai.Recorder.
func (s *session) Queue(events ...ikigai.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		s.seq++
		e.Seq = s.seq
		s.line.Add(e)
	}
}

// Show implements ikigai.Recorder.
func (s *session) Show(d ikigai.Delta) {
	s.shown.WriteString(d.Text)
	if d.Retry != nil {
		s.retries = append(s.retries, *d.Retry)
	}
}

// conversation is the Projection of a session.
type conversation struct{ *session }

func (c conversation) Load() error { return nil }

func (c conversation) Request() ikigai.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.Request()
}

func (c conversation) Sent(model string, choice ikigai.ToolChoice, sent ikigai.Sent) ikigai.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.Sent(model, choice, sent)
}

func (c conversation) Quarantine(refusal *ikigai.Error, model string) (ikigai.Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.Quarantine(refusal, model)
}

func (c conversation) QuarantineStatement(model, reason string) (ikigai.Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.QuarantineStatement(model, reason)
}

func (c conversation) PreImage(string) string { return "" }

// model returns the model behind s, which is asked so often at most.
func model(api faultserver.API, s *faultserver.Server, attempts int) ikigai.Model {
	cfg := provider.Config{Name: "acme/m", Model: "m", BaseURL: s.URL + "/v1", Key: "sk-very-secret", Dial: s.Dial, MaxAttempts: attempts}
	switch api {
	case faultserver.Anthropic:
		return anthropic.New(cfg)
	case faultserver.OpenAIResponses:
		return responses.New(cfg)
	case faultserver.Gemini:
		return gemini.New(cfg)
	}
	return openai.New(cfg)
}

// newAgent returns an agent on s with a tool that counts how often it runs.
func newAgent(t *testing.T, api faultserver.API, s *faultserver.Server, runs *int) (*agent.Agent, *session) {
	log := &session{line: history.New(ikigai.Main)}
	count := ikigai.Tool{
		ToolSpec: ikigai.ToolSpec{Name: "count", Description: "Counts.", Schema: json.RawMessage(`{"type":"object","properties":{"by":{"type":"integer"}}}`)},
		Check:    func(args json.RawMessage) (json.RawMessage, error) { return args, nil },
		Run: func(_ context.Context, c ikigai.Call) ikigai.Result {
			if string(c.Args) != `{"by":1}` {
				t.Errorf("the tool is run with %s", c.Args)
			}
			*runs++
			return ikigai.Result{Output: ikigai.JSONOutput(map[string]int{"ran_times": *runs})}
		},
	}
	log.Queue(ikigai.NewEvent(ikigai.KindSystem, "Be of help.", nil), ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{count.ToolSpec}}))
	return &agent.Agent{
		Model: model(api, s, 4), ModelName: "acme/m", Tools: []ikigai.Tool{count}, Recorder: log, History: conversation{log}, Dir: t.TempDir(),
		MaxToolTurns: 50, MaxOutputSize: 1 << 20, Concurrency: 1,
	}, log
}

// checkRequest returns an error unless body is JSON in which every call of the
// conversation has one result, and which holds the statement.
func checkRequest(body []byte, statement string) error {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return fmt.Errorf("%w: %s", err, body)
	}
	if !strings.Contains(string(body), statement) {
		return fmt.Errorf("%q is not in %s", statement, body)
	}
	var calls, results []string
	walk(v, func(o map[string]any) {
		kind, _ := o["type"].(string)
		function, _ := o["functionCall"].(map[string]any)
		response, _ := o["functionResponse"].(map[string]any)
		switch {
		case kind == "tool_use" || kind == "function" && o["id"] != nil:
			calls = append(calls, fmt.Sprint(o["id"]))
		case kind == "tool_result":
			results = append(results, fmt.Sprint(o["tool_use_id"]))
		case kind == "function_call":
			calls = append(calls, fmt.Sprint(o["call_id"]))
		case kind == "function_call_output":
			results = append(results, fmt.Sprint(o["call_id"]))
		case function != nil:
			calls = append(calls, fmt.Sprint(function["name"]))
		case response != nil:
			results = append(results, fmt.Sprint(response["name"]))
		case o["role"] == "tool":
			results = append(results, fmt.Sprint(o["tool_call_id"]))
		}
	})
	if strings.Join(calls, " ") != strings.Join(results, " ") {
		return fmt.Errorf("calls %v have results %v in %s", calls, results, body)
	}
	return nil
}

// walk visits all objects in v, those in lists in their order.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	case map[string]any:
		visit(v)
		for _, item := range v {
			walk(item, visit)
		}
	}
}
