package config

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/catalog"
)

// override is what is known of a model, once the person has had their say.
type override struct {
	catalog.Model
	input, output, cacheRead, cacheWrite *float64 // US dollars per million tokens; nil: not set
}

// Known returns what is known of a model, vendor/model: what the catalog says,
// and over it what the person has set.
func (s *Settings) Known(name string) (m catalog.Model, known bool) {
	if o, set := s.models[name]; set {
		return o.Model, true
	}
	vendor, model, _ := strings.Cut(name, "/")
	if v := s.Vendors[vendor]; v.Catalog != "" {
		vendor = v.Catalog
	}
	m, known = catalog.Lookup(vendor + "/" + model)
	m.Name = name
	return m, known
}

// model takes over a member of the object models.
func (f *file) model(m member) error {
	if vendor, model, _ := strings.Cut(m.name, "/"); vendor == "" || model == "" || !ruleModel.valid(m.name) {
		return f.fault(m.at, quoteKey(m.key)+" names no model", `Write it as "vendor/model", such as "openai/gpt-5"`)
	}
	o, before := f.s.models[m.name]
	if !before {
		o.Model, _ = f.s.Known(m.name)
		o.Levels = maps.Clone(o.Levels) // they are the catalog's
	}
	f.place(m.key, m.at)
	err := f.members(m.key, m.value, func(m member) error { return assign(f, modelTable, nil, &o, m.name, m) })
	if err == nil {
		err = f.price(m, &o)
	}
	if f.s.models == nil {
		f.s.models = map[string]override{}
	}
	if o.Source == "" {
		o.Source = "settings"
	}
	f.s.models[m.name] = o
	return err
}

// price puts the amounts of o together. A price that is set replaces all of the
// catalog's.
func (f *file) price(m member, o *override) error {
	if o.input == nil && o.output == nil && o.cacheRead == nil && o.cacheWrite == nil {
		return nil
	}
	if o.input == nil || o.output == nil {
		return f.fault(m.at, quoteKey(m.key)+" has no price for input or for output", "Give both, in US dollars per million tokens")
	}
	o.Price = &catalog.Price{Input: *o.input, Output: *o.output, CacheRead: o.cacheRead, CacheWrite: o.cacheWrite}
	return nil
}

// modelTable lists the settings of one model. Their defaults are what the
// catalog says.
var modelTable = []field[override]{
	{name: "context",
		doc: "Tokens that a request and its reply may have together.",
		of:  func(o *override) value { return &integer{&o.Context, 0, 100_000_000} }},
	{name: "output",
		doc: "Tokens of a reply at most.",
		of:  func(o *override) value { return &integer{&o.Output, 0, 10_000_000} }},
	{name: "price.input",
		doc: "What a million tokens of the request cost, in US dollars.",
		of:  func(o *override) value { return &amount{&o.input} }},
	{name: "price.output",
		doc: "What a million tokens of the reply cost, reasoning included.",
		of:  func(o *override) value { return &amount{&o.output} }},
	{name: "price.cache_read",
		doc: "What a million tokens cost that the vendor has in its cache. Left out, as `input`.",
		of:  func(o *override) value { return &amount{&o.cacheRead} }},
	{name: "price.cache_write",
		doc: "What a million tokens cost that the vendor puts into its cache. Left out, as `input`.",
		of:  func(o *override) value { return &amount{&o.cacheWrite} }},
	levelField(ikigai.LevelNone), levelField(ikigai.LevelMin), levelField(ikigai.LevelLow),
	levelField(ikigai.LevelMed), levelField(ikigai.LevelHigh),
	{name: "no_tools",
		doc: "The model cannot call tools.",
		of:  func(o *override) value { return &boolean{&o.NoTools} }},
	{name: "no_images",
		doc: "The model takes no images: a word stands for each.",
		of:  func(o *override) value { return &boolean{&o.NoImages} }},
	{name: "no_files",
		doc: "The model takes no other files, such as PDF.",
		of:  func(o *override) value { return &boolean{&o.NoFiles} }},
	{name: "no_format",
		doc: "The model cannot be held to a schema of its answer.",
		of:  func(o *override) value { return &boolean{&o.NoFormat} }},
}

func levelField(level ikigai.Level) field[override] {
	return field[override]{
		name: "levels." + string(level),
		doc:  "How the model is told to think at the level `" + string(level) + "`: the vendor's word, such as `\"high\"`, a number of tokens, or `\"off\"`.",
		of:   func(o *override) value { return &thinking{&o.Levels, level} },
	}
}

// amount is a price in US dollars, up to a million of them.
type amount struct{ p **float64 }

func (v *amount) set(text string) bool {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return false
	}
	dollars, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Signbit(dollars) || dollars > 1e6 {
		return false
	}
	*v.p = &dollars
	return true
}

// String returns "" for an amount that nobody gave.
func (v *amount) String() string {
	if *v.p == nil {
		return ""
	}
	return strconv.FormatFloat(**v.p, 'f', -1, 64)
}

func (v *amount) accepts() string {
	return "US dollars per million tokens, from 0 to 1000000, such as 1.25"
}

func (v *amount) schema() map[string]any {
	return map[string]any{"type": "number", "minimum": 0, "maximum": 1_000_000}
}

// thinking is how one level of a model is put in its vendor's terms.
type thinking struct {
	p     *map[ikigai.Level]ikigai.Thinking
	level ikigai.Level
}

// maxBudget bounds the tokens of reasoning.
const maxBudget = 10_000_000

func (v *thinking) set(text string) bool {
	t := ikigai.Thinking{Effort: text}
	if budget, err := strconv.Atoi(text); err == nil {
		t = ikigai.Thinking{Budget: budget}
	}
	if text == "off" {
		t = ikigai.Thinking{Off: true}
	}
	if t.Budget < 0 || t.Budget > maxBudget || t == (ikigai.Thinking{}) || !isToolName(text) {
		return false
	}
	if *v.p == nil {
		*v.p = map[ikigai.Level]ikigai.Thinking{}
	}
	(*v.p)[v.level] = t
	return true
}

// String returns "" for a level that the model does not have.
func (v *thinking) String() string {
	switch t := (*v.p)[v.level]; {
	case t.Off:
		return "off"
	case t.Budget > 0:
		return strconv.Itoa(t.Budget)
	default:
		return t.Effort
	}
}

func (v *thinking) accepts() string {
	return `a word of the vendor's such as "high", a number of tokens such as 8192, or "off"`
}

func (v *thinking) schema() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": "^[A-Za-z0-9_-]{1,64}$", "minimum": 1, "maximum": maxBudget}
}
