package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/schema"
)

const (
	callTime    = 5 * time.Minute // without any sign of progress
	maxCallTime = 6 * time.Hour   // of a call, whatever progress it makes
)

// Source is what the Source of every tool of a server begins with; its name follows.
const Source = "MCP server "

// codeServer is the code of what a server itself reports as failed.
const codeServer ikigai.ToolCode = "MCP_ERROR"

// current returns the tools of all servers as far as they are known, sorted.
func (c *Client) current() []ikigai.Tool {
	var all []ikigai.Tool
	var readable []string
	for _, l := range c.links {
		o := l.known()
		if o == nil {
			continue
		}
		if o.Resources {
			readable = append(readable, l.name)
		}
		for _, t := range o.Tools {
			if l.server.Offers == nil || l.server.Offers(t.Name) {
				all = append(all, l.tool(t))
			}
		}
	}
	if len(readable) > 0 {
		all = append(all, c.readTool(readable))
	}
	slices.SortStableFunc(all, func(a, b ikigai.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b ikigai.Tool) bool { return a.Name == b.Name }) // a server may list one twice
}

// tool returns a tool of the server. Input is checked here, before the server
// sees it; a schema that cannot be read is left to the server.
//
// No tool of a server counts as one that only reads, whatever it says of itself:
// such a tool runs without approval, before its call is on any disk, and what it
// changes is not looked for. The hint comes from the very party that is judged.
func (l *link) tool(t offered) ikigai.Tool {
	return ikigai.Tool{
		ToolSpec: ikigai.ToolSpec{Name: toolName(l.name, t.Name), Description: cmp.Or(t.Description, t.Title, t.Name), Schema: objectSchema(t.Schema)},
		Source:   Source + l.name,
		Check:    schema.Checker(t.Schema),
		Run: func(ctx context.Context, call ikigai.Call) ikigai.Result {
			return l.call(ctx, t.Name, call)
		},
	}
}

// objectSchema returns a schema as models are shown it: that of an object, less
// what says only by which rules it is written. Vendors refuse a request with a
// schema that is none, and with it all other tools.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var s map[string]json.RawMessage
	if json.Unmarshal(raw, &s) != nil || s == nil {
		s = map[string]json.RawMessage{}
	}
	delete(s, "$schema")
	s["type"] = json.RawMessage(`"object"`)
	var properties map[string]json.RawMessage
	if json.Unmarshal(s["properties"], &properties) != nil || properties == nil {
		s["properties"] = json.RawMessage("{}")
	}
	for name, property := range properties {
		if property[0] != '{' {
			properties[name] = json.RawMessage("{}")
			s["properties"] = nil // encoded below
		}
	}
	if s["properties"] == nil {
		s["properties"] = encoded(properties)
	}
	var required []string
	if json.Unmarshal(s["required"], &required) != nil || required == nil {
		delete(s, "required")
	}
	return encoded(s)
}

func encoded(decoded map[string]json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(decoded)
	if err != nil {
		panic("mcp: a schema that was decoded cannot be encoded: " + err.Error())
	}
	return raw
}

// call has the server run a tool.
func (l *link) call(ctx context.Context, tool string, call ikigai.Call) ikigai.Result {
	limit := cmp.Or(l.server.Timeout, callTime)
	ctx, watch := watched(ctx, limit)
	defer watch.stop()
	var result *sdk.CallToolResult
	err := l.use(ctx, func(c *connection) error {
		token, end := c.track(watch.progress(call.Progress))
		defer end()
		var err error
		result, err = c.session.CallTool(ctx, &sdk.CallToolParams{
			Name: tool, Arguments: arguments(call.Args), Meta: sdk.Meta{"progressToken": token}})
		return err
	})
	if err != nil {
		return l.refusal(ctx, err, limit)
	}
	return l.output(result)
}

// arguments returns args as the library takes them; nothing is an empty object.
func arguments(args json.RawMessage) any {
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}
	}
	return args
}

// use calls what with a connection that is alive. A server over HTTP that has
// forgotten its session, and so has done nothing, is asked once more in a new
// one.
func (l *link) use(ctx context.Context, what func(*connection) error) error {
	for again := false; ; again = true {
		c, err := l.connected(ctx)
		if err != nil {
			return &unreachable{err}
		}
		err = c.do(ctx, func() error { return what(c) })
		if errors.Is(err, sdk.ErrSessionMissing) && !again {
			c.giveUp()
			continue
		}
		var refused *jsonrpc.Error
		if err == nil || errors.As(err, &refused) {
			l.works()
			return err
		}
		if ctx.Err() != nil {
			return err
		}
		err = c.ending(err)
		if c.child != nil { // over HTTP the library knows what has come to an end
			c.giveUp()
		}
		return err
	}
}

// unreachable is why there is no connection: the server has been asked nothing.
type unreachable struct{ err error }

func (u *unreachable) Error() string { return u.err.Error() }
func (u *unreachable) Unwrap() error { return u.err }

// refusal returns the result of a call that has none of the server's.
func (l *link) refusal(ctx context.Context, err error, limit time.Duration) ikigai.Result {
	var refused *jsonrpc.Error
	var away *unreachable
	var demand *loginError
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errSilent):
		return ikigai.Failure(ikigai.CodeToolTimeout, fmt.Sprintf("The MCP server %s has given no sign for %v", l.name, limit),
			"It may still be at work: look at what it has done before you call it again")
	case ctx.Err() != nil:
		return ikigai.Failure(ikigai.CodeCancelled, "The call was stopped before it was done", "Wait for what the person says")
	case errors.As(err, &away), errors.As(err, &demand):
		failure := l.failure(err)
		return ikigai.Failure(ikigai.CodeToolCrashed, failure.What, "Go on without it, and tell the person: "+failure.Do)
	case errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams:
		return ikigai.Failure(ikigai.CodeInvalidParams, l.name+" refused the input: "+l.plain(refused), "Correct the input and call the tool again")
	case errors.As(err, &refused):
		return ikigai.Failure(codeServer, l.name+" refused the call: "+l.plain(refused), "Try another way")
	case errors.Is(err, errTooLarge):
		return ikigai.Failure(ikigai.CodeInvalidOutput, fmt.Sprintf("The MCP server %s sent a message larger than %d MiB", l.name, maxMessage>>20),
			"It may have done its work: look before you call it again, and ask for less")
	}
	what := fmt.Sprintf("The MCP server %s broke during the call: %s", l.name, l.words(err))
	return ikigai.Failure(ikigai.CodeToolCrashed, what, "The call may have run: look at what it has done before you call it again")
}

var errSilent = errors.New("no sign of progress")

// watch ends a context when nothing is heard of a call for too long.
type watch struct {
	limit  time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
	whole  context.CancelFunc

	mu   sync.Mutex
	over bool // the call has returned: nothing is told any more
}

func watched(ctx context.Context, limit time.Duration) (context.Context, *watch) {
	w := &watch{limit: limit}
	ctx, w.whole = context.WithTimeoutCause(ctx, max(limit, maxCallTime), errSilent)
	ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(limit, func() { w.cancel(errSilent) })
	return ctx, w
}

func (w *watch) stop() {
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.timer.Stop()
	w.cancel(nil)
	w.whole()
}

// progress returns what takes note of a sign of progress and passes it on.
func (w *watch) progress(tell func([]byte)) func(*sdk.ProgressNotificationParams) {
	return func(p *sdk.ProgressNotificationParams) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.over {
			return
		}
		w.timer.Reset(w.limit)
		if tell != nil {
			tell([]byte(progressLine(p)))
		}
	}
}

func progressLine(p *sdk.ProgressNotificationParams) string {
	words := make([]string, 0, 2)
	if p.Total > 0 {
		words = append(words, fmt.Sprintf("%v of %v", p.Progress, p.Total))
	} else {
		words = append(words, fmt.Sprint(p.Progress))
	}
	if p.Message != "" {
		words = append(words, clip(ikigai.CleanText(p.Message), 1000))
	}
	return strings.Join(words, ": ") + "\n"
}
