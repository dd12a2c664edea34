package cli

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/provider/aws"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/provider/google"
	"ikigai/internal/provider/openai"
	"ikigai/internal/provider/responses"
	"ikigai/internal/provider/textmode"
	"ikigai/internal/secret"
)

// usualOutput is how many tokens a reply may have where nobody says, and the vendor
// must be told. Vendors count it against the model's context from the start, so
// it is not all that the model can.
const usualOutput = 32_000

// model returns the model of an endpoint.
func (a *app) model(e config.Endpoint) ikigai.Model { return a.modelOf(e, a.client(e)) }

// modelOf returns the model of an endpoint that is reached as cfg says.
func (a *app) modelOf(e config.Endpoint, cfg provider.Config) ikigai.Model {
	m := wire(e.API, cfg)
	if e.ToolProtocol != config.ToolsNative {
		m = textmode.New(m, textmode.Options{Compact: e.ToolProtocol == config.ToolsPromptCompact})
	}
	return &suggesting{Model: m, near: func() []string { return a.settings.Near(e.Name) }}
}

// wire returns the model that cfg describes, spoken to in the protocol api.
func wire(api string, cfg provider.Config) ikigai.Model {
	switch api {
	case config.APIResponses:
		return responses.New(cfg)
	case config.APIAnthropic:
		return anthropic.New(cfg)
	case config.APIGemini:
		return gemini.New(cfg)
	}
	return openai.New(cfg)
}

// client returns how an endpoint is reached.
func (a *app) client(e config.Endpoint) provider.Config {
	cfg := provider.Config{
		Name: e.Name, Model: e.Model, BaseURL: e.BaseURL, Key: e.Key, KeySource: e.KeySource,
		Organization: e.Organization, Header: e.Headers,
		MaxOutput: min(e.Known.Output, usualOutput), Levels: e.Known.Levels, NoImages: e.Known.NoImages, NoFiles: e.Known.NoFiles,
		Connect: e.Timeouts.Connect, FirstByte: e.Timeouts.FirstByte, Idle: e.Timeouts.Idle,
		MaxAttempts: e.MaxRetries + 1, Proxy: http.ProxyFromEnvironment,
		Quirks: e.Quirks,
	}
	if e.Key == "" {
		cfg.Authorize = a.authorizer(e.Auth)
	}
	return cfg
}

// suggesting tells which models a vendor is known to have, when it has not the one
// that was asked for.
type suggesting struct {
	ikigai.Model
	near func() []string // names like the one asked for
}

// Stream implements ikigai.Model.
func (s *suggesting) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		for d, err := range s.Model.Stream(ctx, req) {
			if e, ok := err.(*ikigai.Error); ok && e.Kind == ikigai.ErrorModel {
				if near := s.near(); len(near) > 0 {
					told := *e
					told.Do = "Perhaps " + strings.Join(near, " or ") + " is meant. " + e.Do
					err = &told
				}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// authorizer returns what gives requests credentials where there is no key; nil
// if nothing does.
func (a *app) authorizer(auth string) func(context.Context, *http.Request, provider.Body) error {
	switch auth {
	case config.AuthAWS:
		return aws.New(aws.Options{Getenv: a.env, Home: a.env("HOME"), Run: config.ShellKeyCommand(a.withoutPassword())}).Authorize
	case config.AuthGoogle:
		return google.New(&http.Client{Transport: http.DefaultTransport}).Authorize
	}
	return nil
}

// keys returns the ways to a key that is not in the environment.
func (a *app) keys() config.Keys {
	return config.Keys{Command: config.ShellKeyCommand(a.withoutPassword()), Stored: a.stored().Get}
}

// stored returns where keys of vendors are kept.
func (a *app) stored() secret.Store { return secret.Store{File: a.settings.KeysFile, Getenv: a.env} }
