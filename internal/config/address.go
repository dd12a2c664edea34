package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// placeholder is where an address has the value of a variable of the
// environment, or of the first of several that is set.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{[A-Z0-9_|]+\}`)
})

// address returns where the vendor name is reached. It refuses a vendor without
// address, one with a variable that is not set, and plain HTTP to another machine
// that nobody asked for.
func (s *Settings) address(name string, v Vendor) (string, error) {
	key := "vendors." + name
	if v.BaseURL == "" {
		return "", usage(s.Origin(key)+": "+key+" has no base_url", `Add it, such as "base_url": "http://127.0.0.1:8080/v1"`)
	}
	address := v.BaseURL
	for _, variables := range placeholder().FindAllString(v.BaseURL, -1) {
		value, err := s.part(key, strings.Trim(variables, "{}"), strings.HasPrefix(address, variables))
		if err != nil {
			return "", err
		}
		address = strings.Replace(address, variables, value, 1)
	}
	address = strings.TrimRight(address, "/")
	if strings.HasPrefix(address, "https://") || v.Insecure || isLoopback(address) {
		return address, nil
	}
	return "", usage(s.Origin(key+".base_url")+": "+key+" would send the conversation over plain http to another machine",
		`Use https, or add "insecure": true to `+key+" if you trust every machine on the way")
}

// part returns the value of the first of the variables that is set, which has to
// fit where it stands in the address of the vendor key: as its beginning, or
// inside it. No error repeats the value.
func (s *Settings) part(key, variables string, begins bool) (string, error) {
	names := strings.Split(variables, "|")
	for _, name := range names {
		value := strings.TrimRight(strings.TrimSpace(s.getenv(name)), "/")
		if value == "" {
			continue
		}
		fits := begins && ruleURL.valid(value) || !begins && partOfAddress().MatchString(value)
		if !fits || placeholder().MatchString(value) || slices.Contains(s.VendorKeyVariables(), name) {
			return "", usage("The variable "+name+" is no part of an address, as "+key+".base_url needs it", "Correct it, or write base_url in full")
		}
		return value, nil
	}
	return "", usage("The address of "+strings.TrimPrefix(key, "vendors.")+" needs the variable "+strings.Join(names, " or ")+", which is empty",
		"Export "+names[0]+", or set "+key+".base_url in "+s.UserFile)
}

var partOfAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
})

// isLoopback reports whether baseURL stays on this machine.
func isLoopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsLoopback() || addr.IsUnspecified())
}
