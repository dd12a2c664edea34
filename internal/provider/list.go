package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Listed is a model as its vendor lists it. Zeros say that the vendor does not
// tell.
type Listed struct {
	Name    string // as requests name it
	Context int    // tokens
	Output  int    // tokens of a reply
}

const (
	listTime    = time.Minute // for a page of a list to begin, and to go on
	maxListPage = 16 << 20    // bytes of one page of a list
	maxPages    = 50          // of a list
)

// List asks the vendor of cfg for its models: a request that costs nothing. Most
// vendors answer it only where the key is good, some answer anybody. They come
// sorted by name. The error is an *ikigai.Error.
func List(ctx context.Context, cfg Config) ([]Listed, error) {
	c := NewClient(cfg)
	defer c.http.CloseIdleConnections()
	var all []Listed
	path := "models"
	for range maxPages {
		raw, err := c.get(ctx, path)
		if err != nil {
			return nil, c.cfg.explain(ctx, err)
		}
		var p listPage
		if json.Unmarshal(raw, &p) != nil || p.Data == nil && p.Models == nil {
			return nil, c.cfg.Broken("is no list of models")
		}
		all = append(all, p.models()...)
		next := p.next()
		if next == "" {
			break
		}
		path = "models?" + next
	}
	slices.SortFunc(all, func(a, b Listed) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Compact(all), nil
}

// CheckKey asks the vendor of cfg for what lies at path below its base URL: a
// request that costs nothing, and that only a good key gets answered. The error
// is an *ikigai.Error.
func CheckKey(ctx context.Context, cfg Config, path string) error {
	c := NewClient(cfg)
	defer c.http.CloseIdleConnections()
	if _, err := c.get(ctx, path); err != nil {
		return c.cfg.explain(ctx, err)
	}
	return nil
}

// get returns the body of the answer to a request without a body of its own.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatchdog(listTime, cancel) // over Authorize as well, which may ask somebody
	defer watch.stop()
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, timeoutOr(ctx, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, timeoutOr(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxListPage))
	if resp.StatusCode != http.StatusOK {
		return nil, conceal(c.cfg.refusal(req.URL, resp.StatusCode, resp.Header, raw[:min(len(raw), maxErrorBody)]), req)
	}
	if err != nil {
		return nil, c.cfg.cut(timeoutOr(ctx, err))
	}
	if isPage(resp.Header, string(bytes.TrimSpace(raw))) {
		return nil, c.cfg.Broken("is a web page, not what was asked for")
	}
	return raw, nil
}

// listPage is a page of a list of models, in the forms that there are: OpenAI's,
// which most servers have, each with members of its own; Anthropic's; Gemini's.
type listPage struct {
	Data []struct {
		ID            string `json:"id"`
		ContextLength int    `json:"context_length"`     // OpenRouter
		ContextWindow int    `json:"context_window"`     // Groq
		MaxContext    int    `json:"max_context_length"` // Mistral
		MaxModelLen   int    `json:"max_model_len"`      // vLLM
		MaxInput      int    `json:"max_input_tokens"`   // Anthropic
		MaxTokens     int    `json:"max_tokens"`         // likewise
		MaxCompletion int    `json:"max_completion_tokens"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`

	Models []struct {
		Name    string   `json:"name"` // "models/…"
		Input   int      `json:"inputTokenLimit"`
		Output  int      `json:"outputTokenLimit"`
		Methods []string `json:"supportedGenerationMethods"`
	} `json:"models"`
	NextPageToken string `json:"nextPageToken"`
}

func (p *listPage) models() []Listed {
	var all []Listed
	for _, m := range p.Data {
		all = append(all, Listed{
			Name:    m.ID,
			Context: cmp.Or(m.ContextLength, m.ContextWindow, m.MaxContext, m.MaxModelLen, m.MaxInput),
			Output:  cmp.Or(m.MaxTokens, m.MaxCompletion),
		})
	}
	for _, m := range p.Models {
		if len(m.Methods) == 0 || slices.Contains(m.Methods, "generateContent") {
			all = append(all, Listed{Name: strings.TrimPrefix(m.Name, "models/"), Context: m.Input, Output: m.Output})
		}
	}
	return all
}

// next returns the query that asks for the next page, "" if there is none.
func (p *listPage) next() string {
	switch {
	case p.NextPageToken != "":
		return url.Values{"pageToken": {p.NextPageToken}}.Encode()
	case p.HasMore && p.LastID != "":
		return url.Values{"after_id": {p.LastID}}.Encode()
	}
	return ""
}
