package config

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/catalog"
	"ikigai/internal/provider"
)

// Endpoint is all that a client needs to reach a model.
type Endpoint struct {
	Name   string // vendor/model, as the log has it
	Vendor string
	Model  string // as the vendor calls it

	API          string // the protocol: one of the API constants
	BaseURL      string // without a slash at the end
	ToolProtocol string // ToolsNative, ToolsPrompt or ToolsPromptCompact

	Key       string `json:"-"` // "" when there is none
	KeySource string // the variable's name, "key_cmd", or the place of a stored key; "" without a key
	Auth      string // what is done without a key: AuthKey, AuthAWS or AuthGoogle

	Level ikigai.Level  // how much the model is to think; "" leaves it to the vendor
	Known catalog.Model // what is known of the model

	Organization string
	Headers      map[string]string `json:"-"` // applied last: they win over all others
	Quirks       provider.Quirks
	Timeouts     Timeouts
	MaxRetries   int
}

// Format writes the endpoint's name, whatever the verb, so that no key ends up
// in a log or an error.
func (e Endpoint) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, e.Name) }

// Resolve returns the endpoint of the model in force; docs/settings.md has the
// rules. keys are asked for the vendor that was chosen, and, when no model is set
// and no key is in the environment, for which vendor there is one. The error is
// an *ikigai.Error, of kind usage unless ctx ended. From then on Fallback is
// without the model in force, and has no model twice.
func (s *Settings) Resolve(ctx context.Context, keys Keys) (Endpoint, error) {
	named := named{text: s.Model, setting: "model"}
	if s.Model == "" {
		vendor, err := s.chooseVendor(ctx, keys)
		if err != nil {
			return Endpoint{}, err
		}
		named.text = vendor
	}
	e, err := s.resolve(ctx, named, keys)
	if err == nil {
		s.Fallback = s.fallbackBehind(e.Name)
	}
	return e, err
}

// ResolveFallback returns the endpoint of one of the models to go on with.
func (s *Settings) ResolveFallback(ctx context.Context, model string, keys Keys) (Endpoint, error) {
	return s.resolve(ctx, named{text: model, setting: "fallback"}, keys)
}

// ResolveWithKey returns the endpoint of a vendor for a request that needs no
// model, with a key that is at hand.
func (s *Settings) ResolveWithKey(vendor, key string) (Endpoint, error) {
	v := s.Vendors[vendor]
	address, err := s.address(vendor, v)
	if err != nil {
		return Endpoint{}, err
	}
	return s.endpoint(vendor, "", v, address, key), nil
}

// named is a model as a setting names it.
type named struct {
	text    string // vendor, vendor/model, either with a level
	setting string // where it stands
}

func (s *Settings) resolve(ctx context.Context, n named, keys Keys) (Endpoint, error) {
	vendor, model, level, err := s.split(n)
	if err != nil {
		return Endpoint{}, err
	}
	v := s.Vendors[vendor]
	address, err := s.address(vendor, v)
	if err != nil {
		return Endpoint{}, err
	}
	key, source, err := s.key(ctx, vendor, v, keys)
	if err != nil {
		return Endpoint{}, err
	}
	e := s.endpoint(vendor, model, v, address, key)
	e.KeySource, e.Level = source, level
	e.Known, _ = s.Known(e.Name)
	if e.Known.NoTools && s.Origin("tool_protocol") == "default" && v.ToolProtocol == "" {
		e.ToolProtocol = ToolsPrompt
	}
	return e, nil
}

func (s *Settings) endpoint(vendor, model string, v Vendor, address, key string) Endpoint {
	e := Endpoint{
		Name: strings.TrimSuffix(vendor+"/"+model, "/"), Vendor: vendor, Model: model,
		API: v.API, BaseURL: address, ToolProtocol: cmp.Or(v.ToolProtocol, s.ToolProtocol),
		Key: key, Auth: v.Auth, Organization: v.Organization, Headers: maps.Clone(v.Headers), Quirks: v.Quirks,
		Timeouts: s.Timeouts, MaxRetries: s.MaxRetries,
	}
	if e.API != APIChat {
		e.Quirks.MaxOutput = "" // the others have one name each
	}
	return e
}

// split takes apart what n names. A level at the end of the name counts unless
// the setting thinking stands in a layer above it, or as a flag beside the model's.
func (s *Settings) split(n named) (vendor, model string, level ikigai.Level, err error) {
	text, level := cutLevel(n.text)
	if level == "" {
		if err := s.checkLevel(n); err != nil {
			return "", "", "", err
		}
	}
	set, beside := s.layers["thinking"], s.layers[n.setting]
	if level == "" || set > beside || set == beside && set == flagLayer && n.setting == "model" {
		level = ikigai.Level(s.Thinking)
	}
	vendor, model, _ = strings.Cut(text, "/")
	v, known := s.Vendors[vendor]
	if !known {
		return "", "", "", s.unknownVendor(vendor, n)
	}
	if model == "" {
		model = v.Model
	}
	if model == "" {
		return "", "", "", usage("No model of the vendor "+vendor+" is named",
			`Set `+n.setting+` to "`+vendor+`/NAME", with the name of a model that it serves, or set vendors.`+vendor+".model")
	}
	return vendor, model, level, nil
}

// cutLevel cuts a level off the end of a model's name. Any other colon belongs
// to the name.
func cutLevel(text string) (name string, level ikigai.Level) {
	if i := strings.LastIndexByte(text, ':'); i > 0 && slices.Contains(LevelNames(), text[i+1:]) {
		return text[:i], ikigai.Level(text[i+1:])
	}
	return text, ""
}

// chooseVendor chooses when no model is set: the first preset that has a key at
// hand, else the only vendor whose address the person has set, else the first
// preset whose key is stored.
func (s *Settings) chooseVendor(ctx context.Context, keys Keys) (string, error) {
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
	case 1:
		return own[0], nil
	default:
		return "", usage("No model is chosen, and the settings have several vendors: "+strings.Join(own, ", "),
			`Choose one with --model, or set model in `+s.UserFile)
	}
	for _, p := range presets {
		v := s.Vendors[p.name]
		if v.Model == "" || !needsKey(v) {
			continue
		}
		switch key, _, err := keys.stored(ctx, p.name); {
		case err != nil:
			return "", s.noModel(err) // it will say the same of the next
		case key != "":
			return p.name, nil
		}
	}
	return "", s.noModel(nil)
}

// noModel returns the error that there is nothing to choose. unread tells why
// stored keys could not be looked at.
func (s *Settings) noModel(unread error) error {
	what := "No model is chosen and no key of a model vendor is in the environment"
	if unread != nil {
		what += "; stored keys cannot be read: " + strings.TrimSuffix(unread.Error(), ".")
	}
	return usage(what, "Export a key such as OPENAI_API_KEY, store one with `ikigai login openai`, or name a local server in "+s.UserFile+
		"; `ikigai demo` shows what there is without either")
}

func (s *Settings) unknownVendor(name string, n named) error {
	known := s.VendorNames()
	what := fmt.Sprintf("%s: no vendor is called %q", s.Origin(n.setting), clip(name))
	if strings.Contains(n.text, "/") {
		return usage(what, suggest(name, known)+"; others are added under vendors in "+s.UserFile)
	}
	if full := s.ownerOf(name); full != "" {
		return usage(what, "Write the model as "+full)
	}
	return usage(what, "Write the model as vendor/model, such as openai/gpt-4o. "+suggest(name, known))
}

// VendorNames returns the names of all vendors, sorted.
func (s *Settings) VendorNames() []string { return slices.Sorted(maps.Keys(s.Vendors)) }

// ModelNames returns the names of the models that are known of by vendor/model,
// sorted: those of the catalog, and the default models of all vendors.
func (s *Settings) ModelNames() []string {
	var names []string
	for _, m := range catalog.All() {
		names = append(names, m.Name)
	}
	for name, v := range s.Vendors {
		names = append(names, name+"/"+v.Model)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Near returns the models of the vendor of name, vendor/model, that were most
// likely meant by it; none if it resembles none, or is one itself.
func (s *Settings) Near(name string) []string {
	vendor, _, _ := strings.Cut(name, "/")
	var models []string
	for _, m := range s.ModelNames() {
		if strings.HasPrefix(m, vendor+"/") && m != vendor+"/" {
			models = append(models, m)
		}
	}
	if slices.Contains(models, name) {
		return nil
	}
	near := Nearest(name, models)
	return near[:min(3, len(near))]
}

// ownerOf returns the model, as vendor/model, that somebody means who left the
// vendor out: a vendor's default model before any other. It returns "" where
// there is none.
func (s *Settings) ownerOf(model string) string {
	for _, name := range s.VendorNames() {
		if s.Vendors[name].Model == model {
			return name + "/" + model
		}
	}
	for _, name := range s.ModelNames() {
		if _, known, _ := strings.Cut(name, "/"); known == model {
			return name
		}
	}
	return ""
}

func usage(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do}
}
