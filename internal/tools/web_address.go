package tools

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"ikigai"
)

// parseAddress returns the address that a model asks for, without its fragment.
// One without a scheme is meant to be secure, but for one of this machine.
func parseAddress(text string) (*url.URL, *ikigai.Result) {
	refuse := func(what, do string) (*url.URL, *ikigai.Result) {
		failure := ikigai.Failure(codeBadURL, what, do)
		return nil, &failure
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "~") {
		return refuse("This is a path, not a URL: "+display(text), "Use file_read for files")
	}
	scheme, rest, ok := strings.Cut(text, ":")
	switch {
	case text == "localhost", strings.HasPrefix(text, "localhost:"), strings.HasPrefix(text, "localhost/"):
		text = "http://" + text
	case !ok || strings.ContainsAny(scheme, "./") || isPort(rest):
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return refuse("Invalid URL", "Use one like https://example.org/page")
	}
	u.Fragment, u.RawFragment = "", ""
	switch err := checkAddress(u); {
	case u.Scheme == "file":
		return refuse("A file is not fetched from the web: "+display(u.Path), "Use file_read for files")
	case err != nil:
		return refuse(err.What, err.Do)
	}
	return u, nil
}

// isPort reports whether what stands behind a colon is the port of a host.
func isPort(rest string) bool {
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	return n > 0 && (n == len(rest) || rest[n] == '/' || rest[n] == '?')
}

// checkAddress returns an error for an address that is not fetched, also if a
// redirect leads there. The error does not repeat credentials.
func checkAddress(u *url.URL) *ikigai.Error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return &ikigai.Error{What: fmt.Sprintf("Only http and https are fetched, not %s:", display(u.Scheme)), Do: "Use bash with a program for it"}
	case u.User != nil:
		return &ikigai.Error{What: "The URL of " + display(u.Host) + " holds credentials", Do: "Leave them out; ask the person how to sign in"}
	case u.Hostname() == "":
		return &ikigai.Error{What: "The URL names no host", Do: "Use one like https://example.org/page"}
	}
	return nil
}

// privateError is why no connection was made.
type privateError struct{ host string }

func (e privateError) Error() string { return e.host + " is a private address" }

// refusePrivate is the Control of a dialer: it sees the address that a name has
// come to, right before the connection is made, so that no name can lead
// elsewhere in between.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); err != nil || !isPublic(ip) {
		return privateError{host}
	}
	return nil
}

// namesPrivate reports whether a host names a private address without being
// looked up, or may: a proxy may read 127.1 and 0x7f000001 as addresses.
func namesPrivate(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return !isPublic(ip)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == "localhost" || last == "" || '0' <= last[0] && last[0] <= '9'
}

// notPublic are networks that package netip has no word for.
var notPublic = []string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
}

// embedding are networks whose addresses hold an IPv4 address, with the byte
// at which it begins.
var embedding = []struct {
	network string
	at      int
}{{"64:ff9b::/96", 12}, {"2002::/16", 2}}

// isPublic reports whether an address belongs to the internet.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsPrivate() || ip.IsLoopback() || ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast() {
		return false
	}
	for _, network := range notPublic {
		if netip.MustParsePrefix(network).Contains(ip) {
			return false
		}
	}
	for _, e := range embedding {
		if netip.MustParsePrefix(e.network).Contains(ip) {
			raw := ip.As16()
			return isPublic(netip.AddrFrom4([4]byte(raw[e.at : e.at+4])))
		}
	}
	return true
}
