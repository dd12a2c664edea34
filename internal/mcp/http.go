package mcp

import (
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
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

// headed adds headers to the requests to one place, and to no other: a server
// may send a request elsewhere.
type headed struct {
	next    http.RoundTripper
	to      *url.URL
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (h *headed) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(h.headers) > 0 && r.URL.Scheme == h.to.Scheme && r.URL.Host == h.to.Host {
		r = r.Clone(r.Context())
		for name, value := range h.headers {
			r.Header.Set(name, value)
		}
	}
	return h.next.RoundTrip(r)
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
