package mcp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// newWire returns what carries requests to servers.
func newWire(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}
}

// home carries requests to a server's own place, with its headers, and none to
// another. A redirect, or the address that a server of the older form gives, could
// lead to what this machine alone can reach, and take along a token or the input
// of a call. A stream of events that would be elsewhere is none: servers lead to a
// page about them whoever asks as a browser does.
type home struct {
	next    http.RoundTripper
	place   *url.URL
	headers map[string]string
	led     atomic.Pointer[error] // the last refusal to be led elsewhere, until it is told
}

// RoundTrip implements http.RoundTripper.
func (h *home) RoundTrip(r *http.Request) (*http.Response, error) {
	if !h.has(r.URL) {
		if r.Body != nil {
			_ = r.Body.Close() // nothing of it was read
		}
		if r.Method == http.MethodGet {
			return &http.Response{StatusCode: http.StatusMethodNotAllowed, Body: http.NoBody, Request: r}, nil
		}
		err := fmt.Errorf("it leads to %s, and only its own address is asked", r.URL.Host)
		h.led.Store(&err)
		return nil, err
	}
	if len(h.headers) > 0 {
		r = r.Clone(r.Context())
		for name, value := range h.headers {
			r.Header.Set(name, value)
		}
	}
	return h.next.RoundTrip(r)
}

// has reports whether u is at the server's place, or there with encryption that
// the settings do not ask for.
func (h *home) has(u *url.URL) bool {
	if u.Scheme == h.place.Scheme {
		return u.Host == h.place.Host
	}
	return u.Scheme == "https" && u.Hostname() == h.place.Hostname()
}

const mostRedirects = 5

// redirect lets what is only read about a login lie elsewhere. What is sent for
// one, secrets among it, goes nowhere but to the address that was agreed on.
func redirect(_ *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > mostRedirects {
		return errors.New("it was to be sent elsewhere")
	}
	return nil
}

// limited bounds what is read of a response that comes as a whole. Streams of
// events are bounded event by event.
type limited struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		resp.Body = &limitedBody{resp.Body, maxMessage}
	}
	return resp, nil
}

type limitedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
