// Package mcp offers the tools of servers of the Model Context Protocol, and
// serves our own to other agents.
//
// A Client holds the servers of one session. They are started and connected in
// the background; what they offered last time is known from files, so that
// nobody waits for them before their first call. Nothing runs where no server
// is set up.
package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

// Server says how a server is reached and what is wanted of it. Either Command
// or URL is set.
type Server struct {
	Command string // a program that speaks over its standard input and output
	Args    []string
	Env     map[string]string // beside Config.Env
	Dir     string            // where the program starts; "" is Config.Dir

	URL     string            // of a server over HTTP
	SSE     bool              // in the protocol's older form: an event stream, and requests beside it
	Headers map[string]string // of every request to the server
	OAuth   OAuth             // how this program is known where a person logs in

	Timeout time.Duration          // of a call without any sign of progress; 0 for 5 minutes
	Offers  func(tool string) bool // tells the tools that are wanted; nil for all
}

// OAuth is what a person's login at a server over HTTP needs where that does not
// register clients by itself. The zero value is for those that do.
type OAuth struct {
	ClientID, ClientSecret string
	Metadata               string // https address of a document that describes this program
}

// Config is what a Client needs. Only Servers must be set.
type Config struct {
	Servers  map[string]Server
	Version  string   // of this program, told to servers
	Dir      string   // of the session, absolute: servers start in it and are told of it
	Env      []string // environment of servers
	Cache    string   // directory for what servers offer; "" for none
	SpillDir string   // where content goes that no model takes; made when first needed; "" for nowhere

	// Keys keeps what logins gave. It may be nil.
	Keys Keys
	// Browse brings a person to an address to log in at. It is nil where nobody
	// waits for that; a server that demands a login is then reported.
	Browse func(ctx context.Context, address string) error
	// Elicit asks the person what a server wants to know, as a JSON Schema
	// describes it. Servers are told that nobody can be asked where it is nil.
	Elicit func(ctx context.Context, server, message string, schema any) (answer map[string]any, given bool)
	// Proxy returns the proxy for a request, as in http.Transport. Nil is none.
	Proxy func(*http.Request) (*url.URL, error)
	// Notice tells the person of a server that cannot be used. It may be nil, and
	// is called from any goroutine.
	Notice func(text string)
	// Leave, when it is closed, takes away the grace that servers have to end.
	Leave <-chan struct{}
}

const (
	startTime  = time.Minute     // for a server to start and to say what it offers: it may have to be downloaded
	awaitTime  = 5 * time.Second // for servers whose offer is not known
	tellTime   = time.Second     // until the person is told of waiting
	settleTime = 2 * time.Second // for a new list, between statements
)

// Client holds the servers of one session. Its methods may be called from any
// goroutine.
type Client struct {
	links []*link // sorted by name

	mu    sync.Mutex
	tools []ikigai.Tool // as last returned
}

// New returns a client that knows what its servers offered last time. It starts
// nothing.
func New(cfg Config) *Client {
	if cfg.Notice == nil {
		cfg.Notice = func(string) {}
	}
	c := &Client{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Servers)) {
		c.links = append(c.links, newLink(&cfg, name, cfg.Servers[name]))
	}
	c.tools = c.current()
	return c
}

// Start starts and connects all servers in the background. They live until
// Close, also when ctx ends before.
func (c *Client) Start(ctx context.Context) {
	for _, l := range c.links {
		l.start(ctx)
	}
}

// Tools returns the tools of all servers, sorted by name: those of the last
// Refresh or Await, and before these what servers offered last time. A call of
// a tool whose server is still starting waits for it; one whose server has
// ended starts it again.
func (c *Client) Tools() []ikigai.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tools)
}

// Refresh takes in what has changed in the servers' offers, and reports whether
// Tools returns others than before. It is called between statements: the tools
// of a statement stay the same. It waits two seconds at most, and only for
// servers that have just said that their offer has changed.
func (c *Client) Refresh(ctx context.Context) (changed bool) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for _, l := range c.links {
		l.settle(ctx)
	}
	return c.take()
}

// Await waits, five seconds at most, for the servers whose offer is not known,
// then does what Refresh does. One that has not answered in time is not waited for
// again, in this session or the next, until it has: its tools join between
// statements. The person is told of waiting, and of what is missing.
func (c *Client) Await(ctx context.Context) (changed bool) { return c.await(ctx, awaitTime) }

func (c *Client) await(ctx context.Context, limit time.Duration) (changed bool) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, l := range c.links {
		if l.connecting() && l.wasLate() {
			l.cfg.Notice("The MCP server " + l.name + " did not answer in time before, and is not waited for. " + l.without())
			continue
		}
		tell := time.AfterFunc(tellTime, func() {
			defer crash.Guard()
			l.cfg.Notice(fmt.Sprintf("The MCP server %s is waited for, %v at most: what it offers is not known yet.", l.name, limit))
		})
		l.awaitKnown(bounded)
		tell.Stop()
		if ctx.Err() == nil && bounded.Err() != nil && l.connecting() {
			l.isLate()
			l.cfg.Notice("The MCP server " + l.name + " has not answered in time. " + l.without())
		}
	}
	return c.take()
}

// take makes the current tools those that Tools returns.
func (c *Client) take() (changed bool) {
	now := c.current()
	c.mu.Lock()
	defer c.mu.Unlock()
	changed = !reflect.DeepEqual(specs(c.tools), specs(now))
	c.tools = now
	return changed
}

func specs(tools []ikigai.Tool) []ikigai.ToolSpec {
	all := make([]ikigai.ToolSpec, len(tools))
	for i, t := range tools {
		all[i] = t.ToolSpec
	}
	return all
}

// Close ends all servers: standard input is closed, then they are asked and at
// last forced to end, each with all that it has started. It returns after three
// seconds at most.
func (c *Client) Close() {
	var wg sync.WaitGroup
	for _, l := range c.links {
		wg.Go(func() {
			defer crash.Guard()
			l.close()
		})
	}
	wg.Wait()
}

// link returns the server of that name, or nil.
func (c *Client) link(name string) *link {
	for _, l := range c.links {
		if l.name == name {
			return l
		}
	}
	return nil
}
