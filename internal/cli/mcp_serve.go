package cli

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/mcp"
)

func (a *app) mcpServeCommand() *cobra.Command {
	var readOnly bool
	cmd := a.mcpSub("serve", "Offer the tools to another agent",
		`Offer the tools to another agent over standard input and output.

What the agent calls runs as in a session of one's own: input is checked, results
are limited, every call is in the log before it runs, and what it changes can be
taken back with `+"`ikigai undo`"+`. Tools of other MCP servers are not passed on.`,
		0, 0, func(ctx context.Context, _ []string) error { return a.serveTools(ctx, readOnly) })
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "offer only tools that change nothing")
	return cmd
}

// serveTools serves a session's tools until the other agent has had enough.
func (a *app) serveTools(ctx context.Context, readOnly bool) error {
	a.readOnlyTools = readOnly
	v := a.newView(false)
	v.out, v.live.Terminal = io.Discard, false // standard output belongs to the protocol
	a.settings.MCPServers = nil                // one of them may be this very command
	a.settings.Tasks.Max = 0                   // there is no model to work on them
	opened := <-a.openStore(ctx, awayTime)
	// The model that stands for the other agent takes the place of this one.
	w, err := a.open(ctx, which{}, config.Endpoint{Name: "mcp/client", API: config.APIChat, ToolProtocol: config.ToolsNative}, opened, v)
	if err != nil {
		return err
	}
	defer w.close()
	w.agent.ToolChoice, w.agent.Format, w.agent.Fallbacks, w.agent.Standing = ikigai.ToolChoice{}, nil, nil, nil
	w.agent.MaxToolTurns = 2 // each call is a statement of its own
	caller := &remote{work: w}
	caller.offer()
	service := mcp.Service{Version: version(), Tools: caller.tools, Call: caller.run}
	return service.Serve(ctx, a.In, keepOpen{a.Out})
}

// keepOpen is a stream that is not ours to close.
type keepOpen struct{ io.Writer }

// Close implements io.Closer.
func (keepOpen) Close() error { return nil }

// remote is another agent that calls our tools. Each call becomes a statement,
// and the agent the model that answers it with just this call: so whatever holds
// for a model's call holds here.
type remote struct {
	work    *work
	offered atomic.Pointer[[]ikigai.Tool]
	mu      sync.Mutex // one statement at a time
}

// offer makes the tools of the session those that are offered.
func (r *remote) offer() {
	list := r.work.kit.list
	r.offered.Store(&list)
}

// tools returns the tools that are offered, whatever is running.
func (r *remote) tools() []ikigai.Tool { return *r.offered.Load() }

func (r *remote) run(ctx context.Context, tool string, args json.RawMessage, progress func([]byte)) (ikigai.ToolResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.work.refresh(ctx)
	r.offer()
	m := &oneCall{name: tool, args: string(args)}
	agent := r.work.agent
	agent.Model, agent.Progress = m, nil
	if progress != nil {
		agent.Progress = func(_ string, output []byte) {
			if len(output) > 0 {
				progress(output)
			}
		}
	}
	statement := ikigai.Message{Kind: ikigai.KindUser, Content: "Another agent calls " + tool + "."}
	if _, err := agent.Run(ctx, statement.Event()); err != nil {
		return ikigai.ToolResult{}, err
	}
	return m.result, nil
}

// oneCall is a model that answers with one call and takes its result.
type oneCall struct {
	name, args string
	called     bool
	result     ikigai.ToolResult
}

// Stream implements ikigai.Model.
func (m *oneCall) Stream(_ context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		if !m.called {
			m.called = true
			if yield(ikigai.Delta{Call: &ikigai.CallDelta{Name: m.name, Arguments: m.args}}, nil) {
				yield(ikigai.Delta{Stop: ikigai.StopToolCalls}, nil)
			}
			return
		}
		for _, message := range slices.Backward(req.Messages) {
			if message.Result != nil {
				m.result = *message.Result
				break
			}
		}
		if yield(ikigai.Delta{Text: "It has the result."}, nil) {
			yield(ikigai.Delta{Stop: ikigai.StopEnd}, nil)
		}
	}
}
