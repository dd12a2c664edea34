package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/schema"
)

// mostResources bounds the resources that one listing names.
const mostResources = 200

// readTool returns the tool that reads what servers have beside their tools.
// That changes nothing: the protocol gives reading no other meaning.
func (c *Client) readTool(servers []string) ikigai.Tool {
	names, err := json.Marshal(servers)
	if err != nil {
		panic("mcp: names of servers: " + err.Error())
	}
	spec := ikigai.ToolSpec{
		Name:        "mcp_read",
		Description: "Reads a resource of an MCP server. Without uri, lists its resources.",
		Schema: json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","enum":` + string(names) +
			`},"uri":{"type":"string"}},"required":["server"],"additionalProperties":false}`),
	}
	return ikigai.Tool{ToolSpec: spec, Source: Source + strings.Join(servers, ", "), ReadOnly: true, Check: schema.Checker(spec.Schema), Run: c.read}
}

func (c *Client) read(ctx context.Context, call ikigai.Call) ikigai.Result {
	var in struct{ Server, URI string }
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return ikigai.Failure(ikigai.CodeInvalidParams, fmt.Sprintf("Invalid arguments: %v", err), "Send one JSON object that fits the parameters")
	}
	l := c.link(in.Server)
	if l == nil {
		return ikigai.Failure(ikigai.CodeInvalidParams, "No MCP server is named "+in.Server, "Use one that the parameters name")
	}
	ctx, watch := watched(ctx, callTime)
	defer watch.stop()
	if in.URI == "" {
		return l.resources(ctx)
	}
	var read *sdk.ReadResourceResult
	err := l.use(ctx, func(c *connection) error {
		var err error
		read, err = c.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: in.URI})
		return err
	})
	if err != nil {
		return l.refusal(ctx, err, callTime)
	}
	content := make([]sdk.Content, len(read.Contents))
	for i, r := range read.Contents {
		content[i] = &sdk.EmbeddedResource{Resource: r}
	}
	return l.output(&sdk.CallToolResult{Content: content})
}

// listedResource is one of a listing.
type listedResource struct {
	URI         string `json:"uri,omitempty"`
	Template    string `json:"uri_template,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

// resources lists what the server has to read.
func (l *link) resources(ctx context.Context) ikigai.Result {
	var all []listedResource
	err := l.use(ctx, func(c *connection) error {
		all = all[:0]
		for r, err := range c.session.Resources(ctx, nil) {
			if err != nil {
				return err
			}
			if all = append(all, listedResource{URI: r.URI, Name: r.Name, Description: r.Description}); len(all) == mostResources {
				return nil
			}
		}
		for r, err := range c.session.ResourceTemplates(ctx, nil) {
			if err != nil || len(all) == mostResources {
				return nil // a server need not have any
			}
			all = append(all, listedResource{Template: r.URITemplate, Name: r.Name, Description: r.Description})
		}
		return nil
	})
	if err != nil {
		return l.refusal(ctx, err, callTime)
	}
	for i := range all {
		r := &all[i]
		for _, s := range []*string{&r.URI, &r.Template, &r.Name, &r.Description} {
			*s = clip(ikigai.CleanText(*s), 1000)
		}
	}
	return ikigai.Result{
		Output: ikigai.JSONOutput(struct {
			Resources []listedResource `json:"resources"`
			Truncated bool             `json:"truncated,omitempty"`
		}{slices.Concat([]listedResource{}, all), len(all) == mostResources}),
		Report: fmt.Sprintf("%d resources", len(all)),
	}
}

// Prompt is a text that a server has for people to use.
type Prompt struct {
	Name, Description string
	Arguments         []Argument
}

// Argument is what a Prompt wants to be told.
type Argument struct {
	Name, Description string
	Required          bool
}

// Prompts returns the prompts of a server. The error is an *ikigai.Error.
func (c *Client) Prompts(ctx context.Context, server string) ([]Prompt, error) {
	l := c.link(server)
	if o := l.known(); o != nil && !o.Prompts {
		return nil, nil
	}
	var all []Prompt
	err := l.ask(ctx, func(ctx context.Context, c *connection) error {
		all = nil
		if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
			return nil
		}
		for p, err := range c.session.Prompts(ctx, nil) {
			if err != nil {
				return err
			}
			prompt := Prompt{Name: p.Name, Description: p.Description}
			for _, a := range p.Arguments {
				prompt.Arguments = append(prompt.Arguments, Argument{a.Name, a.Description, a.Required})
			}
			if all = append(all, prompt); len(all) == mostResources {
				return nil
			}
		}
		return nil
	})
	return all, err
}

// Prompt returns the text of a prompt. The error is an *ikigai.Error.
func (c *Client) Prompt(ctx context.Context, server, name string, args map[string]string) (string, error) {
	l := c.link(server)
	var got *sdk.GetPromptResult
	err := l.ask(ctx, func(ctx context.Context, c *connection) error {
		var err error
		got, err = c.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
		return err
	})
	if refused := (*jsonrpc.Error)(nil); errors.As(err, &refused) {
		return "", c.refusedPrompt(ctx, l, name, args, refused)
	}
	if err != nil {
		return "", err
	}
	g := gathered{link: l}
	for _, m := range got.Messages {
		g.add(m.Content)
	}
	for _, p := range g.parts {
		g.text(fmt.Sprintf("(%s, %d bytes, left out)", p.Media, len(p.Bytes)))
	}
	return strings.Join(g.texts, "\n\n"), nil
}

// refusedPrompt says what is wrong with a request for a prompt: it is the person's,
// and no fault of the server.
func (c *Client) refusedPrompt(ctx context.Context, l *link, name string, args map[string]string, refused error) error {
	do := "See `ikigai mcp prompts " + quoteName(l.name) + "`"
	wrong := func(what string) error { return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do} }
	prompts, err := c.Prompts(ctx, l.name)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(prompts, func(p Prompt) bool { return p.Name == name })
	if at < 0 && len(prompts) < mostResources {
		return wrong(fmt.Sprintf("The MCP server %s has no prompt %s", l.name, name))
	}
	for arg := range args {
		if at >= 0 && !slices.ContainsFunc(prompts[at].Arguments, func(a Argument) bool { return a.Name == arg }) {
			return wrong(fmt.Sprintf("The prompt %s of the MCP server %s has no argument %s", name, l.name, arg))
		}
	}
	return wrong(fmt.Sprintf("The MCP server %s refused the prompt %s: %s", l.name, name, l.plain(refused)))
}

// ask is use for a person's commands: in limited time, with an error for people.
func (l *link) ask(ctx context.Context, what func(context.Context, *connection) error) error {
	ctx, watch := watched(ctx, startTime)
	defer watch.stop()
	err := l.use(ctx, func(c *connection) error { return what(ctx, c) })
	if err != nil {
		return l.failure(err)
	}
	return nil
}
