package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai/internal/crash"
)

// commonProtocol is the form of the protocol that all programs know.
const commonProtocol = "2025-11-25"

const (
	unstickTime = time.Second      // after the end of its context, for a call that cannot be written
	loginTime   = 30 * time.Second // for each request about a login, which no call's context bounds
	goodbyeTime = time.Second      // for the end of a connection over HTTP
)

// connection is one connection to a server, and its process if it has one.
type connection struct {
	link    *link
	session *sdk.ClientSession
	child   *child // nil over HTTP
	home    *home  // nil for a program
	ended   chan struct{}
	given   atomic.Bool // up
	closing sync.Once
	finish  func() // what else ends with the connection

	mu       sync.Mutex
	progress map[string]func(*sdk.ProgressNotificationParams) // by token
	tokens   int
	listing  bool // the offer is being fetched
	stale    bool // and has changed since that began
	lists    int  // that were fetched
}

// connect starts the server, connects to it and asks what it offers. ctx bounds
// that, not the connection.
//
// Over HTTP the library asks first for the newest form of the protocol. Among
// programs there are some that end when they are asked for what they do not know,
// and many that take long to start, which looks like one that gives no answer: so
// they are asked in the form that all know, and for the newest one where they
// refuse that.
func (l *link) connect(ctx context.Context) (*connection, error) {
	if l.server.Command == "" {
		return l.connectIn(ctx, "")
	}
	c, err := l.connectIn(ctx, commonProtocol)
	if refused := (*jsonrpc.Error)(nil); errors.As(err, &refused) {
		return l.connectIn(ctx, "")
	}
	return c, err
}

// connectIn is connect in one form of the protocol, "" for the newest.
func (l *link) connectIn(ctx context.Context, protocol string) (*connection, error) {
	c := &connection{link: l, ended: make(chan struct{}), finish: func() {}, listing: true, progress: map[string]func(*sdk.ProgressNotificationParams){}}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	// An event stream lives as long as the context that it was opened with.
	long, end := context.WithCancel(context.WithoutCancel(ctx))
	finish := c.finish
	c.finish = func() { end(); finish() }
	bound := context.AfterFunc(ctx, end)
	// The library waits for an answer to what it has sent, or could not send.
	err = unstuck(ctx, func() error {
		var err error
		c.session, err = c.client().Connect(long, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
		return err
	})
	bound()
	if err != nil {
		err = c.why(ctx, err)
		c.stop()
		c.finish()
		return nil, err
	}
	l.open.Add(1)
	go func() {
		defer crash.Guard()
		_ = c.session.Wait() // why it ended is told by the call that notices
		close(c.ended)
		c.close()
	}()
	if err := c.list(ctx); err != nil {
		err = c.why(ctx, err)
		c.close()
		return nil, err
	}
	return c, nil
}

// transport starts the server, if it is a program, and returns the way to it.
func (c *connection) transport() (sdk.Transport, error) {
	l := c.link
	if l.server.Command == "" {
		return c.overHTTP()
	}
	l.beside.forget()
	child, err := startChild(l.server, l.dir(), environment(l.cfg.Env, l.server.Env), l.beside)
	if err != nil {
		return nil, err
	}
	c.child = child
	return &sdk.IOTransport{Reader: stdout{newMessages(child.stdout, l.beside, &child.overflowed), child}, Writer: child.stdin, MaxLineLength: 2 * maxMessage}, nil
}

// stdout is the standard output of a server, less what is no message.
type stdout struct {
	*messages
	child *child
}

// Close implements io.Closer.
func (s stdout) Close() error { return s.child.stdout.Close() }

// environment returns env with further variables, in a stable order.
func environment(env []string, further map[string]string) []string {
	all := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		_, over := further[name]
		return over
	})
	for name, value := range further {
		all = append(all, name+"="+value)
	}
	slices.Sort(all[len(all)-len(further):])
	if all == nil {
		return []string{} // nil would be our own
	}
	return all
}

// client returns the library's client for this connection.
func (c *connection) client() *sdk.Client {
	l := c.link
	options := &sdk.ClientOptions{
		Logger: slog.New(slog.DiscardHandler),
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			go c.relist()
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			defer crash.Guard()
			c.mu.Lock()
			tell := c.progress[fmt.Sprint(r.Params.ProgressToken)]
			c.mu.Unlock()
			if tell != nil {
				tell(r.Params)
			}
		},
	}
	l.takeLogs(options)
	if l.cfg.Elicit != nil {
		options.ElicitationHandler = l.elicit
	}
	offerRoots(options)
	client := sdk.NewClient(&sdk.Implementation{Name: "ikigai", Version: l.cfg.Version}, options)
	tellRoot(client, l.cfg.Dir)
	return client
}

// elicit passes a server's question on to the person, on a goroutine of the library.
func (l *link) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	defer crash.Guard()
	if r.Params.Mode == "url" {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	answer, given := l.cfg.Elicit(ctx, l.name, r.Params.Message, r.Params.RequestedSchema)
	if !given {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: answer}, nil
}

// alive reports whether the connection can be used.
func (c *connection) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return !c.given.Load()
	}
}

// giveUp ends a connection that is of no use any more, without waiting for that.
func (c *connection) giveUp() {
	if c.given.CompareAndSwap(false, true) {
		go func() {
			defer crash.Guard()
			c.close()
		}()
	}
}

// do has the library do something that ends with ctx, also where the library
// itself would hang: then the connection is given up.
func (c *connection) do(ctx context.Context, what func() error) error {
	err := unstuck(ctx, what)
	if errors.Is(err, errStuck) || errors.Is(err, sdk.ErrConnectionClosed) {
		c.giveUp()
	}
	return err
}

var errStuck = errors.New("it takes nothing more")

// unstuck calls what. It returns errStuck if what goes on although ctx has
// ended, which happens where a server does not read what is written to it.
func unstuck(ctx context.Context, what func() error) error {
	done := make(chan error, 1)
	go func() {
		defer crash.Guard()
		done <- what()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(unstickTime):
		return errStuck
	}
}

// track has tell called with the progress of a request, and returns its token
// and a function that ends that.
func (c *connection) track(tell func(*sdk.ProgressNotificationParams)) (token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token = strconv.Itoa(c.tokens)
	c.progress[token] = tell
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.progress, token)
	}
}

// close ends the connection and the server's process. It returns in limited
// time, whatever the server does.
func (c *connection) close() {
	c.closing.Do(func() {
		defer c.link.open.Done()
		c.stop()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer crash.Guard()
			_ = c.session.Close() // there is nothing else to do
		}()
		// Over HTTP the library says good-bye to the server, which may not listen.
		leave := c.link.cfg.Leave
		if c.child != nil {
			leave = nil
		}
		select {
		case <-done:
		case <-leave:
		case <-time.After(goodbyeTime):
		}
		c.finish()
	})
}

// stop ends the server's process.
func (c *connection) stop() {
	if c.child != nil {
		c.child.stop(c.link.cfg.Leave)
	}
}

// why returns what led to err, where that is known better than err says.
func (c *connection) why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return fmt.Errorf("it has not answered within %v", startTime)
		}
		return context.Cause(ctx)
	}
	return c.ending(err)
}

// ending returns why the server says nothing more, if its process tells or its
// place, else err.
func (c *connection) ending(err error) error {
	if c.child == nil {
		if led := c.home.led.Swap(nil); led != nil {
			return *led // the library may tell but that the connection has ended
		}
		return err
	}
	if c.child.overflowed.Load() {
		return errTooLarge
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return err
	}
	select {
	case <-c.child.exited:
		c.child.hearOut()
		return errors.New("its program has ended (" + c.child.state + ")")
	case <-time.After(lastWords): // the end of its output is seen first
		return err
	}
}

// overHTTP returns the way to a server over HTTP.
func (c *connection) overHTTP() (sdk.Transport, error) {
	l := c.link
	endpoint, err := url.Parse(l.server.URL)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, errors.New("its address is none of http or https")
	}
	wire := newWire(l.cfg.Proxy)
	c.finish = wire.CloseIdleConnections
	c.home = &home{next: wire, place: endpoint, headers: l.server.Headers}
	client := &http.Client{Transport: &limited{next: c.home}}
	plainClient := &http.Client{Transport: &limited{next: wire}, Timeout: loginTime, CheckRedirect: redirect}
	if l.server.SSE {
		return &sdk.SSEClientTransport{Endpoint: l.server.URL, HTTPClient: client}, nil
	}
	auth, end, err := l.authorizer(plainClient)
	if err != nil {
		return nil, err
	}
	c.finish = func() { end(); wire.CloseIdleConnections() }
	return &sdk.StreamableClientTransport{Endpoint: l.server.URL, HTTPClient: client, OAuthHandler: auth}, nil
}
