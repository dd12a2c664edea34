package mcp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"ikigai/internal/crash"
)

const personTime = 5 * time.Minute // for a person to log in

// wayBack is a server on this machine alone, to which a browser comes back with
// the code that a login gave.
type wayBack struct {
	address string
	server  *http.Server

	mu    sync.Mutex
	state string          // of the login under way, "" if there is none
	came  chan url.Values // takes what it gave
}

func openWayBack() (*wayBack, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &wayBack{address: "http://" + listener.Addr().String() + "/callback"}
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer crash.Guard()
		_ = b.server.Serve(listener) // until close
	}()
	return b, nil
}

func (b *wayBack) close() { _ = b.server.Close() } // nobody waits for it any more

// ServeHTTP implements http.Handler. Only who knows the state of the login under
// way, which other pages do not, can end it.
func (b *wayBack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Path != "/callback" || b.state == "" || q.Get("state") != b.state {
		http.Error(w, "This is not the way back from a login that was begun.", http.StatusBadRequest)
		return
	}
	b.state = ""
	b.came <- q
	_, _ = io.WriteString(w, "You can close this window and go back to the terminal.\n") // whether it is read is of no interest
}

// fetch sends a person to an address, and waits until they come back with a code.
func (b *wayBack) fetch(ctx context.Context, address string, browse func(context.Context, string) error) (*auth.AuthorizationResult, error) {
	ctx, cancel := context.WithTimeout(ctx, personTime)
	defer cancel()
	asked, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	came := make(chan url.Values, 1)
	b.mu.Lock()
	b.state, b.came = asked.Query().Get("state"), came
	b.mu.Unlock()
	if err := browse(ctx, address); err != nil {
		return nil, err
	}
	select {
	case q := <-came:
		if reason := q.Get("error"); reason != "" {
			return nil, fmt.Errorf("the login was refused: %s %s", reason, q.Get("error_description"))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("nobody has logged in within %v", personTime)
	}
}
