package config

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ikigai"
)

// Endpoint is all that a client needs to reach a model.
type Endpoint struct {
	Name  string // vendor/model, as the log has it
	Model string // as the vendor calls it

	API     string // the protocol: APIChat
	BaseURL string // without a slash at the end

	Key       string `json:"-"` // "" when the vendor needs none
	KeySource string // the variable's name, "key_cmd", or ""

	Organization   string
	Headers        map[string]string `json:"-"` // applied last: they win over all others
	MaxTokensField string
	Replay         []string // members of a reply that the vendor wants back
	CallIDLength   int      // that the vendor demands; 0 for none
	Timeouts       Timeouts
	MaxRetries     int
}

// Format writes the endpoint's name, whatever the verb, so that no key ends up
// in a log or an error.
func (e Endpoint) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, e.Name) }

// KeyCommand runs a command line and returns what it prints.
type KeyCommand func(ctx context.Context, command string) (string, error)

// Resolve returns the endpoint of the model in force; docs/settings.md has the
// rules. run is called at most once, for the vendor that was chosen, and may be
// nil if no key is to be had that way. The error is an *ikigai.Error, of kind
// usage unless ctx ended.
func (s *Settings) Resolve(ctx context.Context, run KeyCommand) (Endpoint, error) {
	name, model, err := s.choose()
	if err != nil {
		return Endpoint{}, err
	}
	v := s.Vendors[name]
	if err := s.checkAddress(name, v); err != nil {
		return Endpoint{}, err
	}
	key, source, err := s.key(ctx, name, v, run)
	if err != nil {
		return Endpoint{}, err
	}
	return Endpoint{
		Name: name + "/" + model, Model: model,
		API: v.API, BaseURL: strings.TrimRight(v.BaseURL, "/"),
		Key: key, KeySource: source,
		Organization: v.Organization, Headers: maps.Clone(v.Headers), MaxTokensField: v.MaxTokensField,
		Replay: v.Replay, CallIDLength: v.CallIDLength, Timeouts: s.Timeouts, MaxRetries: s.MaxRetries,
	}, nil
}

// choose returns the names of the vendor and the model in force.
func (s *Settings) choose() (vendor, model string, err error) {
	vendor, model, _ = strings.Cut(s.Model, "/")
	if s.Model == "" {
		if vendor, err = s.chooseVendor(); err != nil {
			return "", "", err
		}
	}
	v, known := s.Vendors[vendor]
	if !known {
		return "", "", s.unknownVendor(vendor)
	}
	if model == "" {
		model = v.Model
	}
	if model == "" {
		return "", "", usage("No model of the vendor "+vendor+" is named",
			`Set model to "`+vendor+`/NAME", with the name of a model that it serves, or set vendors.`+vendor+".model")
	}
	return vendor, model, nil
}

// chooseVendor chooses when no model is set: the first preset that has a key,
// else the only vendor whose address the person has set.
func (s *Settings) chooseVendor() (string, error) {
	for _, p := range presets {
		if v := s.Vendors[p.name]; v.Model != "" && s.hasKey(v) {
			return p.name, nil
		}
	}
	var own []string
	for _, name := range slices.Sorted(maps.Keys(s.Vendors)) {
		if s.Origin("vendors."+name+".base_url") != "default" {
			own = append(own, name)
		}
	}
	switch len(own) {
	case 0:
		return "", s.noModel()
	case 1:
		return own[0], nil
	}
	return "", usage("No model is chosen, and the settings have several vendors: "+strings.Join(own, ", "),
		`Choose one with --model, or set model in `+s.UserFile)
}

func (s *Settings) noModel() error {
	return usage("No model is chosen and no key of a model vendor is in the environment",
		"Export a key such as OPENAI_API_KEY, or name a local server in "+s.UserFile+
			"; `ikigai demo` shows what there is without either")
}

func (s *Settings) unknownVendor(name string) error {
	known := slices.Sorted(maps.Keys(s.Vendors))
	what := fmt.Sprintf("%s: no vendor is called %q", s.Origin("model"), clip(name))
	if strings.Contains(s.Model, "/") {
		return usage(what, suggest(name, known)+"; others are added under vendors in "+s.UserFile)
	}
	if owner := s.ownerOf(name); owner != "" {
		return usage(what, "Write the model as "+owner+"/"+name)
	}
	return usage(what, "Write the model as vendor/model, such as openai/gpt-4o. "+suggest(name, known))
}

// ownerOf returns the vendor whose default model is called model, or "": it is
// what somebody means who left the vendor out.
func (s *Settings) ownerOf(model string) string {
	for _, name := range slices.Sorted(maps.Keys(s.Vendors)) {
		if s.Vendors[name].Model == model {
			return name
		}
	}
	return ""
}

// checkAddress refuses a vendor without address and plain HTTP to another
// machine that nobody asked for.
func (s *Settings) checkAddress(name string, v Vendor) error {
	key := "vendors." + name
	if v.BaseURL == "" {
		return usage(s.Origin(key)+": "+key+" has no base_url", `Add it, such as "base_url": "http://127.0.0.1:8080/v1"`)
	}
	if strings.HasPrefix(v.BaseURL, "https://") || v.Insecure || isLoopback(v.BaseURL) {
		return nil
	}
	return usage(s.Origin(key+".base_url")+": "+key+" would send the conversation over plain http to another machine",
		`Use https, or add "insecure": true to `+key+" if you trust every machine on the way")
}

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

func usage(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do}
}
