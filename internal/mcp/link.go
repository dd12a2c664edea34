package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

const (
	mostFailures = 3           // starts in a row that come to nothing
	pauseAfter   = time.Minute // then, before the next
)

// link is one server over the time of a session, through all its connections.
type link struct {
	cfg    *Config
	name   string
	server Server
	beside *tail          // what it prints beside the protocol, and logs
	open   sync.WaitGroup // connections that are not closed

	mu       sync.Mutex
	life     context.Context // of all connections; nil before start
	end      context.CancelFunc
	conn     *connection // the last one, nil if there was none
	trying   *attempt    // under way; nil if there is none
	failures int         // since a call came through
	last     time.Time   // when the last attempt began
	offer    *offer      // as last known, nil if it never was
	settled  chan struct{}
	told     bool // the person knows that it cannot be used
	closed   bool
}

// attempt is one try to connect.
type attempt struct {
	done chan struct{} // closed when conn or err is set
	conn *connection
	err  error
}

func newLink(cfg *Config, name string, s Server) *link {
	l := &link{cfg: cfg, name: name, server: s, beside: &tail{}, settled: make(chan struct{})}
	close(l.settled)
	l.offer = l.readCache()
	return l
}

// dir returns where the program of the server starts.
func (l *link) dir() string { return cmp.Or(l.server.Dir, l.cfg.Dir) }

// start begins to connect.
func (l *link) start(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life != nil || l.closed {
		return
	}
	l.life, l.end = context.WithCancel(context.WithoutCancel(ctx))
	l.try()
}

// try begins an attempt. The link is locked.
func (l *link) try() {
	a := &attempt{done: make(chan struct{})}
	l.trying, l.last = a, time.Now()
	go func() {
		ctx, cancel := context.WithTimeout(l.life, startTime)
		defer cancel()
		defer crash.Guard()
		conn, err := l.connect(ctx)
		if l.ended(a, conn, err) {
			l.cfg.Notice(l.failure(err).Error())
		}
		close(a.done)
	}()
}

// ended takes over what an attempt came to. It reports whether the person is to
// be told that the server cannot be used: once.
func (l *link) ended(a *attempt, conn *connection, err error) (tell bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.conn, a.err = conn, err
	l.trying = nil
	if err == nil {
		l.conn = conn
		return false
	}
	l.failures++
	tell = !l.told && !l.closed && l.life.Err() == nil
	l.told = l.told || tell
	return tell
}

// connected returns a connection that is alive. It makes one where there is
// none, a few times: a server that keeps failing is left alone for a while.
func (l *link) connected(ctx context.Context) (*connection, error) {
	l.mu.Lock()
	if l.conn != nil && l.conn.alive() {
		defer l.mu.Unlock()
		return l.conn, nil
	}
	switch {
	case l.closed || l.life == nil || l.life.Err() != nil:
		l.mu.Unlock()
		return nil, errors.New("the session is ending")
	case l.trying == nil && l.failures >= mostFailures && time.Since(l.last) < pauseAfter:
		l.mu.Unlock()
		return nil, fmt.Errorf("it has failed %d times in a row, and is tried again in a minute", l.failures)
	case l.trying == nil:
		if l.conn != nil {
			l.failures++ // it has ended by itself
		}
		l.try()
	}
	a := l.trying
	l.mu.Unlock()
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// works takes note that the server has answered a call.
func (l *link) works() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures, l.told = 0, false
}

// known returns what the server offers, as far as that is known.
func (l *link) known() *offer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offer
}

// awaitKnown waits for the first offer, or for the end of the attempt to get it.
func (l *link) awaitKnown(ctx context.Context) {
	l.mu.Lock()
	a, known := l.trying, l.offer != nil
	l.mu.Unlock()
	if a == nil || known {
		l.settle(ctx)
		return
	}
	select {
	case <-a.done:
	case <-ctx.Done():
	}
}

// connecting reports whether the server is being connected and its offer is not
// known.
func (l *link) connecting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trying != nil && l.offer == nil
}

// without says what it means that a server has not answered, and what to do.
func (l *link) without() string {
	return "Its tools join between statements, once it does. Try it with `ikigai mcp check " + quoteName(l.name) +
		"`, or set \"disabled\": true for it in the settings."
}

// settle waits while a new offer is being fetched.
func (l *link) settle(ctx context.Context) {
	l.mu.Lock()
	settled := l.settled
	l.mu.Unlock()
	select {
	case <-settled:
	case <-ctx.Done():
	}
}

// close ends the server.
func (l *link) close() {
	l.mu.Lock()
	l.closed = true
	a := l.trying
	if l.end != nil {
		l.end()
	}
	l.mu.Unlock()
	if a != nil {
		<-a.done // it ends with its context, and with it what it has started
	}
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn != nil {
		conn.close()
	}
	l.open.Wait() // for those before
}

// failure says in words why the server cannot be used, and what to do.
func (l *link) failure(err error) *ikigai.Error {
	var demand *loginError
	if errors.As(err, &demand) {
		return &ikigai.Error{Kind: ikigai.ErrorAuth, What: fmt.Sprintf("The MCP server %s demands a login%s", l.name, demand.why),
			Do: "Run `ikigai mcp login " + quoteName(l.name) + "`", Err: err}
	}
	return &ikigai.Error{Kind: ikigai.ErrorNetwork, What: fmt.Sprintf("The MCP server %s cannot be used: %s", l.name, l.words(err)),
		Do: "Look at its settings, and try it with `ikigai mcp check " + quoteName(l.name) + "`", Err: err}
}
