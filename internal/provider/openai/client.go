// Package openai speaks OpenAI's Chat Completions, the dialect that most
// vendors and local servers of language models understand.
package openai

import (
	"context"
	"fmt"
	"iter"

	"ikigai"
	"ikigai/internal/provider"
)

// New returns the model that cfg describes. It does no I/O.
func New(cfg provider.Config) ikigai.Model {
	return &model{cfg: cfg, client: provider.NewClient(cfg)}
}

type model struct {
	cfg    provider.Config
	client *provider.Client
}

// Stream implements ikigai.Model.
func (m *model) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		if err := checkChoice(req); err != nil {
			yield(ikigai.Delta{}, err)
			return
		}
		body, sent := encode(m.cfg, req)
		if req.Sending != nil {
			req.Sending(sent)
		}
		m.client.Stream(ctx, "chat/completions", body, m.decode)(yield)
	}
}

// checkChoice refuses the choice of a tool that is not there.
func checkChoice(req ikigai.Request) error {
	if req.ToolChoice.Mode != ikigai.ToolChoiceNamed {
		return nil
	}
	for _, t := range req.Tools {
		if t.Name == req.ToolChoice.Name {
			return nil
		}
	}
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("There is no tool named %q to choose", req.ToolChoice.Name),
		Do:   "Choose auto, none, required or the name of a tool that is offered",
	}
}
