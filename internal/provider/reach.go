package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"ikigai"
)

// network explains why a request brought no answer.
func (c Config) network(err error) *ikigai.Error {
	var wrapped *url.Error // it holds the address, which may hold a key
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	e := c.failure(ikigai.ErrorNetwork, "", err)
	var (
		host        = c.host()
		again       = "Check the network and " + c.baseURLSetting() + ", then try again"
		dial        *net.OpError
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &dial) && dial.Op == "proxyconnect":
		e.What, e.Do = "The proxy on the way to "+host+" cannot be used: "+c.reason(dial.Err), "Check the variables HTTPS_PROXY and HTTP_PROXY"
	case errors.As(err, &dns) && dns.IsNotFound:
		e.What, e.Do, e.Err = "There is no machine with the name "+c.words(dns.Name), again, permanent{err}
	case errors.As(err, &dns):
		e.What, e.Do = "The address of "+c.words(dns.Name)+" cannot be found out", again
	case errors.As(err, &certificate):
		e.What = "The certificate of " + host + " cannot be trusted: " + c.reason(certificate.Err)
		e.Do, e.Err = "Check "+c.baseURLSetting()+", and which certificates this machine trusts", permanent{err}
	case errors.Is(err, http.ErrSchemeMismatch):
		e.What, e.Do, e.Err = host+" speaks http, not https", "Write http:// in "+c.baseURLSetting()+", or another address", permanent{err}
	case errors.As(err, &record):
		e.What, e.Do, e.Err = host+" does not speak https", "Check "+c.baseURLSetting(), permanent{err}
	case strings.Contains(err.Error(), "malformed HTTP"):
		e.What, e.Do, e.Err = host+" does not speak http", "Check "+c.baseURLSetting(), permanent{err}
	case errors.Is(err, syscall.ECONNREFUSED):
		e.What, e.Do = "Nothing answers at "+host+": connection refused", again
		if isLoopback(host) {
			e.Do = "Start the server, or check " + c.baseURLSetting()
		}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.What, e.Do = host+" closed the connection without an answer", "Try again, or see what the server says of it"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.What, e.Do = fmt.Sprintf("Nothing answers at %s: no connection within %s", host, roughly(c.Connect)), again
	default:
		e.What, e.Do = host+" cannot be reached: "+c.reason(err), again
	}
	return e
}

// isAbsent reports whether err tells that nothing listens at an address of this
// machine.
func (c Config) isAbsent(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) && isLoopback(c.host())
}

// reason returns what err comes down to, in words for people.
func (c Config) reason(err error) string {
	var (
		number  syscall.Errno
		unknown x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &unknown):
		return "nobody whom this machine knows has signed it"
	}
	return strings.TrimRight(strings.TrimPrefix(c.words(err.Error()), "x509: "), ". ")
}

// begin returns what is wrong with a reply with status 200 that is none: a web
// page, words, or nothing at all. at is where the request went.
func (c Config) begin(at *url.URL, r *Reply) error {
	if encoding := r.encoding(); encoding != "" {
		return c.refuse(at, "answered in the encoding "+c.words(encoding)+", which was not asked for")
	}
	start, err := Peek(r)
	switch {
	case err == io.EOF:
		return &ikigai.Error{
			Kind: ikigai.ErrorIncomplete,
			What: "The reply of " + c.Name + " is empty, and its status says that all is well",
			Do:   "Try again; if it stays so, check " + c.baseURLSetting(),
		}
	case err != nil:
		return err
	}
	r.unread(start)
	text := strings.TrimSpace(string(start))
	switch {
	case isPage(r.Header, text):
		return c.refuse(at, "answered with a web page, not with a model's reply")
	case mediaType(r.Header) == "text/plain" && !beginsReply(text):
		r.SetIdle(min(r.idle, maxErrorWait))
		words, _ := io.ReadAll(io.LimitReader(r, maxErrorBody)) // the start of them says enough
		e := c.refuse(at, "answered with words, not with a model's reply: "+strings.TrimRight(c.words(string(words)), ". "))
		e.Kind = ikigai.ErrorServer // of something on the way, as a rule
		return e
	}
	return nil
}

// refuse returns the error of an answer that is not what was asked for. how is a
// clause that ends the sentence.
func (c Config) refuse(at *url.URL, how string) *ikigai.Error {
	return &ikigai.Error{Kind: ikigai.ErrorBadRequest, What: c.address(at) + " " + how, Do: c.checkBaseURL(at)}
}

// isPage reports whether an answer that begins with start is a web page.
func isPage(header http.Header, start string) bool {
	if media := mediaType(header); media != "text/html" && media != "application/xhtml+xml" {
		return strings.HasPrefix(start, "<")
	}
	return !beginsReply(start)
}

// mediaType returns what header calls an answer, "" if nothing.
func mediaType(header http.Header) string {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media
}

// beginsReply reports whether start, which may be a single byte, is how JSON or
// a stream of events begins. Some servers call those HTML, or plain text.
func beginsReply(start string) bool {
	for _, begin := range []string{"{", "[", ":", "data:", "event:", "id:", "retry:", "error:"} {
		if strings.HasPrefix(start, begin) || strings.HasPrefix(begin, start) {
			return true
		}
	}
	return false
}

// redirected completes e, the error about an answer that sends the request from
// at to another place.
func (c Config) redirected(e *ikigai.Error, at *url.URL, location string) {
	e.What, e.Do = c.address(at)+" sends requests to another address", c.checkBaseURL(at)
	to, err := at.Parse(location)
	if location == "" || err != nil || to.Host == "" {
		return
	}
	e.What = c.address(at) + " sends requests on to " + c.address(to)
	configured, err := url.Parse(c.BaseURL)
	if err != nil {
		return
	}
	added := strings.TrimPrefix(at.Path, strings.TrimRight(configured.Path, "/"))
	if base, ok := strings.CutSuffix(c.address(to), added); ok {
		e.Do = "Set " + c.baseURLSetting() + " to " + base
	}
}

// host returns the host and, where it is given, the port of the base URL.
func (c Config) host() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" {
		return c.vendor()
	}
	return c.words(u.Host)
}

// address returns u as it may be shown: without a query or a user, which may
// hold a key.
func (c Config) address(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return c.words(shown.String())
}

// baseURLSetting returns the name of the setting that holds the base URL.
func (c Config) baseURLSetting() string { return "vendors." + c.vendor() + ".base_url" }

// checkBaseURL is the advice for a request that went to the wrong place: at.
func (c Config) checkBaseURL(at *url.URL) string {
	advice := "Check " + c.baseURLSetting()
	if !strings.Contains(at.Path, "/v1") { // which /v1beta does
		advice += "; it usually ends in /v1"
	}
	return advice
}

// isLoopback reports whether host, which may have a port, is this machine.
func isLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.Unmap().IsLoopback() || addr.IsUnspecified())
}
