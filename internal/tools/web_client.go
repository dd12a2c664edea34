package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"ikigai"
)

const maxRedirects = 10

// webClient fetches addresses. It keeps no connections, cookies or credentials.
type webClient struct {
	agent    string
	private  bool // private addresses are fetched
	timeout  time.Duration
	resolver *net.Resolver
	proxy    func() func(*url.URL) (*url.URL, error) // nil for none
}

// newWebClient returns a client that makes nothing before it is needed.
func newWebClient(cfg Config) *webClient {
	c := &webClient{agent: "ikigai", private: cfg.WebPrivate, timeout: cmp.Or(cfg.webTimeout, webTimeout), resolver: cfg.webResolver}
	if cfg.Version != "" {
		c.agent += "/" + cfg.Version
	}
	c.proxy = sync.OnceValue(func() func(*url.URL) (*url.URL, error) {
		env := func(name string) string { return cmp.Or(cfg.getenv(strings.ToLower(name)), cfg.getenv(name)) }
		settings := httpproxy.Config{HTTPProxy: env("HTTP_PROXY"), HTTPSProxy: env("HTTPS_PROXY"), NoProxy: env("NO_PROXY")}
		return settings.ProxyFunc()
	})
	return c
}

// fetch gets what u holds.
func (c *webClient) fetch(ctx context.Context, u *url.URL) (*webDocument, *ikigai.Result) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	doc, err := c.get(limited, u)
	var failed *webStatus
	switch {
	case err == nil:
		return doc, nil
	case ctx.Err() != nil:
		failure := cancelled()
		return nil, &failure
	case errors.As(err, &failed):
		failure := failed.result()
		return nil, &failure
	}
	failure := c.failure(u, err)
	return nil, &failure
}

func (c *webClient) get(ctx context.Context, u *url.URL) (*webDocument, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5")
	var hosts []string
	client := http.Client{Transport: c, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return &ikigai.Error{What: fmt.Sprintf("%s redirects more than %d times", display(u.String()), maxRedirects), Do: "Use another URL"}
		}
		if err := checkAddress(req.URL); err != nil {
			return &ikigai.Error{What: display(u.String()) + " redirects elsewhere. " + err.What, Do: err.Do}
		}
		if req.URL.Host != via[len(via)-1].URL.Host {
			hosts = append(hosts, req.URL.Host)
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	doc, err := readWeb(ctx, resp)
	if doc != nil {
		doc.hosts = hosts
	}
	return doc, err
}

// RoundTrip sends one request over a connection of its own.
func (c *webClient) RoundTrip(req *http.Request) (*http.Response, error) {
	proxy, err := c.proxy()(req.URL)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: c.timeout, Resolver: c.resolver}
	transport := &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true,
		TLSHandshakeTimeout: c.timeout, MaxResponseHeaderBytes: 256 << 10,
	}
	switch {
	case proxy != nil && !c.private && namesPrivate(req.URL.Hostname()):
		return nil, privateError{req.URL.Hostname()}
	case proxy != nil: // which the person chose, wherever it is
		transport.Proxy = http.ProxyURL(proxy)
	case !c.private:
		dialer.Control = refusePrivate
	}
	return transport.RoundTrip(req)
}

// failure says why nothing was fetched.
func (c *webClient) failure(u *url.URL, err error) ikigai.Result {
	var refused *ikigai.Error
	var private privateError
	var lookup *net.DNSError
	var of *url.Error
	switch {
	case errors.As(err, &refused):
		return ikigai.Failure(codeBadURL, refused.What, refused.Do)
	case errors.As(err, &private):
		return ikigai.Failure(ikigai.CodeDenied, "Cannot fetch "+display(u.String())+": "+private.Error(),
			"The setting web_private_addresses does not allow it; ask the person")
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return ikigai.Failure(ikigai.CodeToolTimeout, fmt.Sprintf("%s did not come within %.0f seconds", display(u.String()), c.timeout.Seconds()),
			"Try again later, or use bash with curl")
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return ikigai.Failure(codeNetwork, "Host not found: "+display(lookup.Name), "Check the URL")
	}
	if errors.As(err, &of) {
		err = of.Err
	}
	return ikigai.Failure(codeNetwork, fmt.Sprintf("Cannot fetch %s: %s", display(u.String()), display(strings.TrimSuffix(err.Error(), "."))), "Check the URL")
}
