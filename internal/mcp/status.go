package mcp

import (
	"context"
	"errors"

	"ikigai"
)

// Status is what is known of a server.
type Status struct {
	Known              bool   // the rest is: it was connected once
	Server             string // what it calls itself, with its version
	Tools              []Offered
	Resources, Prompts bool
}

// Offered is a tool of a server.
type Offered struct {
	ikigai.Tool
	Own   string   // its name in the server's words
	Hints []string // what the server says of it
	Left  bool     // it is not wanted of the server
}

// Status returns what is known of a server without asking it.
func (c *Client) Status(server string) Status {
	l := c.link(server)
	if l == nil {
		return Status{}
	}
	o := l.known()
	if o == nil {
		return Status{}
	}
	s := Status{Known: true, Server: o.Server, Resources: o.Resources, Prompts: o.Prompts}
	for _, t := range o.Tools {
		s.Tools = append(s.Tools, Offered{Tool: l.tool(t), Own: t.Name, Hints: t.hints(), Left: l.server.Offers != nil && !l.server.Offers(t.Name)})
	}
	return s
}

// Found returns an error that is part of a sentence if the program of a server is
// not there. It starts nothing.
func (c *Client) Found(server string) error {
	l := c.link(server)
	if l.server.Command == "" {
		return nil
	}
	_, err := findProgram(l.server.Command, l.dir(), environment(l.cfg.Env, l.server.Env))
	return err
}

// Check waits until a server that was started is connected and has said what it
// offers. The error is an *ikigai.Error.
func (c *Client) Check(ctx context.Context, server string) error {
	l := c.link(server)
	err := l.ask(ctx, func(context.Context, *connection) error { return nil })
	var failed *ikigai.Error
	if errors.As(err, &failed) && failed.Kind == ikigai.ErrorNetwork {
		failed.Do = "Look at its settings" // this is how it is tried
	}
	return err
}
