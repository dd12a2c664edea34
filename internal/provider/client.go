package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"ikigai"
)

const (
	maxErrorBody = 64 << 10         // bytes of an error that are read
	maxErrorWait = 10 * time.Second // for more of an error: its status is known
)

// Client sends requests to one vendor. It is safe for use by several
// goroutines.
type Client struct {
	cfg  Config
	http *http.Client
}

// NewClient returns a client for cfg. It does no I/O.
func NewClient(cfg Config) *Client {
	cfg = cfg.withDefaults()
	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: cfg.Connect, KeepAlive: 30 * time.Second}).DialContext
	}
	return &Client{cfg: cfg, http: &http.Client{
		Transport: &http.Transport{
			Proxy:               cfg.Proxy,
			DialContext:         dial,
			TLSHandshakeTimeout: cfg.Connect,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // a compressed stream comes in lumps
			WriteBufferSize:     64 << 10,
			ReadBufferSize:      32 << 10,
		},
		// A redirect would take the conversation to another place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Decode reads one reply and hands its deltas to yield. It returns nil once
// the reply is whole, and ErrStopped as soon as yield returns false. Another
// error is an *ikigai.Error where the vendor told of it or the reply is
// faulty, and otherwise what reading the reply returned.
type Decode func(reply *Reply, yield func(ikigai.Delta) bool) error

// ErrStopped is what a Decode returns when its yield has returned false.
var ErrStopped = errors.New("the consumer of the reply has stopped")

// Stream posts body to path below the base URL and yields what decode makes of
// the reply. As long as it has yielded nothing of a reply, a request that
// failed is sent again where that can help, after a delta that says so. The
// last pair holds a delta that decode marked as the last, or an *ikigai.Error.
func (c *Client) Stream(ctx context.Context, path string, body Body, decode Decode) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		begun := false
		pass := func(d ikigai.Delta) bool {
			begun = true
			return yield(d, nil)
		}
		waited, silences := time.Duration(0), 0
		for attempt := 1; ; attempt++ {
			err := c.attempt(ctx, path, body, decode, pass)
			if err == nil || errors.Is(err, ErrStopped) {
				return
			}
			failure := c.cfg.explain(ctx, err)
			wait := c.backoff(attempt, failure, waited)
			if fellSilent(failure) {
				silences++
			}
			of := c.attempts(failure, attempt, silences)
			if begun || attempt >= of || waited+wait > c.cfg.MaxWait || !canPass(failure) {
				yield(ikigai.Delta{}, failure)
				return
			}
			retry := &ikigai.Retry{Attempt: attempt, Of: of, After: wait, Err: failure}
			if !yield(ikigai.Delta{Retry: retry}, nil) {
				return
			}
			if !sleep(ctx, wait) {
				yield(ikigai.Delta{}, c.cfg.explain(ctx, ctx.Err()))
				return
			}
			waited += wait
		}
	}
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, path string, body Body, decode Decode, yield func(ikigai.Delta) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatchdog(c.cfg.FirstByte, cancel) // over Authorize as well, which may ask somebody
	defer watch.stop()
	req, err := c.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return timeoutOr(ctx, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return timeoutOr(ctx, err)
	}
	defer resp.Body.Close()
	reply := newReply(ctx, resp, watch, c.cfg.Idle)
	return conceal(c.read(req.URL, resp.StatusCode, reply, decode, yield), req)
}

// read reads what came for a request that went to at.
func (c *Client) read(at *url.URL, status int, reply *Reply, decode Decode, yield func(ikigai.Delta) bool) error {
	if status != http.StatusOK {
		reply.SetIdle(min(c.cfg.Idle, maxErrorWait))
		raw, _ := io.ReadAll(io.LimitReader(reply, maxErrorBody)) // the start of it says enough
		if reply.encoding() != "" {
			raw = nil
		}
		return c.cfg.refusal(at, status, reply.Header, raw)
	}
	if err := c.cfg.begin(at, reply); err != nil {
		return c.cfg.cut(err)
	}
	return c.cfg.cut(decode(reply, yield))
}

// request returns a request with its credentials, which may depend on all of it:
// nothing of it may be changed any more.
func (c *Client) request(ctx context.Context, method, path string, body Body) (*http.Request, error) {
	target, err := url.Parse(c.cfg.BaseURL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, &ikigai.Error{
			Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("The base URL of %s is no http or https address", c.cfg.Name),
			Do:   "Correct base_url in the settings",
		}
	}
	if strings.ContainsFunc(c.cfg.Key, unicode.IsControl) {
		return nil, c.cfg.failure(ikigai.ErrorAuth, "The key of "+c.cfg.vendor()+" holds control characters", nil)
	}
	path, query, _ := strings.Cut(path, "?")
	target = target.JoinPath(path)
	if query != "" && target.RawQuery != "" {
		query += "&" + target.RawQuery
	}
	if query != "" {
		target.RawQuery = query
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		req.Body, req.ContentLength = body.Reader(), body.Size()
		req.GetBody = func() (io.ReadCloser, error) { return body.Reader(), nil }
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
	}
	c.setHeader(req.Header)
	if c.cfg.Authorize != nil {
		if err := c.cfg.Authorize(ctx, req, body); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func (c *Client) setHeader(h http.Header) {
	h.Set("User-Agent", "ikigai")
	switch {
	case c.cfg.Key == "":
	case c.cfg.Quirks.KeyHeader == "", strings.EqualFold(c.cfg.Quirks.KeyHeader, "Authorization"):
		h.Set("Authorization", "Bearer "+c.cfg.Key)
	default:
		h.Set(c.cfg.Quirks.KeyHeader, c.cfg.Key)
	}
	if c.cfg.Organization != "" {
		h.Set("OpenAI-Organization", c.cfg.Organization)
	}
	for name, value := range c.cfg.Header {
		h.Set(name, value)
	}
}

// canPass reports whether a request that failed as err tells is worth sending
// again.
func canPass(err *ikigai.Error) bool {
	wanted := passes(err.Kind) || err.Kind == ikigai.ErrorBadRequest && errors.Is(err, errAgain)
	return wanted && !errors.As(err, new(permanent))
}

// attempts returns how many there are of a request, of which one failed as err
// tells and so many fell silent. Where no server runs on this machine, one more
// finds one that is just starting; several only keep the person waiting. One that
// fell silent is paid for, so that there is one more in all.
func (c *Client) attempts(err *ikigai.Error, attempt, silences int) int {
	switch {
	case c.cfg.isAbsent(err):
		return min(2, c.cfg.MaxAttempts)
	case fellSilent(err):
		return min(attempt+2-silences, c.cfg.MaxAttempts)
	}
	return c.cfg.MaxAttempts
}

// fellSilent reports whether err tells that a reply had begun and then did not
// go on.
func fellSilent(err *ikigai.Error) bool {
	var timeout errTimeout
	return errors.As(err, &timeout) && timeout.begun
}

// backoff returns how long to wait after the given attempt, when so much has
// been waited already: a little longer than the vendor asks, and otherwise twice
// as long each time, at random, so that many do not come back at once.
func (c *Client) backoff(attempt int, err *ikigai.Error, waited time.Duration) time.Duration {
	if hint := err.RetryAfter; hint > 0 {
		spread := hint + rand.N(min(hint/4, 2*time.Second)+1)
		return max(hint, min(spread, c.cfg.MaxWait-waited))
	}
	if c.cfg.isAbsent(err) {
		return 200 * time.Millisecond
	}
	base := min(500*time.Millisecond<<(attempt-1), 16*time.Second)
	return base + rand.N(base/2)
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
