package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/crash"
)

// Service is our tools as other agents see them.
type Service struct {
	Version string
	// Tools returns the tools that are offered. They are looked at once more after
	// each call, and the other agent is told of changes.
	Tools func() []ikigai.Tool
	// Call has a tool run, with all that is done for a model's call. It is called
	// from several goroutines. The error says why there is no result.
	Call func(ctx context.Context, tool string, args json.RawMessage, progress func([]byte)) (ikigai.ToolResult, error)
}

// Serve offers the tools to the agent that writes to in and reads from out,
// until in ends or ctx does. What was asked before the end of in is answered, for
// half a minute; calls that run then, or when ctx ends, end with their context. A
// line that is no message is answered with an error. A read of in that waits when
// ctx ends goes on waiting, and takes what comes next.
func (s Service) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "ikigai", Version: s.Version}, &sdk.ServerOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
	})
	o := &served{Service: s, server: server, life: ctx}
	o.update()
	reader, writer := io.Pipe() // unlike in, the library can close it while it waits for more
	r := newReceived(out)
	go r.pass(ctx, writer, in)
	err := server.Run(ctx, &sdk.IOTransport{Reader: reader, Writer: r, MaxLineLength: 2 * maxMessage})
	if ctx.Err() != nil {
		return nil // as it was wanted
	}
	return err
}

// served is a service at work.
type served struct {
	Service
	server *sdk.Server
	life   context.Context // of the whole; the library's contexts know nothing of it

	mu   sync.Mutex
	have map[string]ikigai.Tool // as the other agent is told of them
}

// update brings what the other agent is offered up to date.
func (s *served) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]ikigai.Tool{}
	for _, t := range s.Tools() {
		now[t.Name] = t
		if before, ok := s.have[t.Name]; ok && before.ReadOnly == t.ReadOnly && reflect.DeepEqual(before.ToolSpec, t.ToolSpec) {
			continue
		}
		s.server.AddTool(&sdk.Tool{
			Name: t.Name, Description: t.Description, InputSchema: objectSchema(t.Schema),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.ReadOnly},
		}, s.run)
	}
	for name := range s.have {
		if _, ok := now[name]; !ok {
			s.server.RemoveTools(name)
		}
	}
	s.have = now
}

// run answers one call, on a goroutine of the library.
func (s *served) run(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	defer crash.Guard() // at last: what follows a call can break as well
	defer s.update()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	args := r.Params.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	result, err := s.Call(ctx, r.Params.Name, args, passOn(ctx, r))
	if err != nil {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}, nil
	}
	content := []sdk.Content{&sdk.TextContent{Text: result.Output}}
	for _, p := range result.Parts {
		content = append(content, partContent(p))
	}
	if result.Note != "" {
		content = append(content, &sdk.TextContent{Text: result.Note})
	}
	return &sdk.CallToolResult{IsError: !result.Success, Content: content}, nil
}

// passOn returns what tells the other agent of progress, nil if it does not want
// to know.
func passOn(ctx context.Context, r *sdk.CallToolRequest) func([]byte) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	steps := 0.0
	return func(output []byte) {
		steps++
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // it misses one
			ProgressToken: token, Progress: steps, Message: strings.TrimSpace(clip(ikigai.CleanText(string(output)), 1000)),
		})
	}
}

// partContent returns a part of a result as the protocol has it.
func partContent(p ikigai.Part) sdk.Content {
	switch {
	case p.Type == ikigai.PartImage && p.Bytes != nil:
		return &sdk.ImageContent{Data: p.Bytes, MIMEType: p.Media}
	case p.Bytes != nil:
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "ikigai:" + p.Name, MIMEType: p.Media, Blob: p.Bytes}}
	}
	return &sdk.TextContent{Text: p.Text}
}
