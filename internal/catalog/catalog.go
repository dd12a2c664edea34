// Package catalog knows models: how much they take, what they can do and what
// they cost. What it says is as good as the date and the source beside it;
// settings win over it.
package catalog

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ikigai"
)

// Model is what is known of a model. A zero says that nothing is known.
type Model struct {
	Name    string // vendor/model
	Context int    // tokens of a request and its reply
	Output  int    // tokens of a reply at most
	Price   *Price

	NoTools  bool // cannot call tools
	NoImages bool // takes no images
	NoFiles  bool // takes no PDF
	NoFormat bool // cannot be held to a schema of its answer

	// Levels says how the model is told to think. A level that is missing
	// cannot be asked for.
	Levels map[ikigai.Level]ikigai.Thinking

	AsOf   string // YYYY-MM-DD
	Source string // where the figures come from
}

//go:embed models.json
var embedded string

// entry is a model as models.json has it.
type entry struct {
	Name     string `json:"name"`
	Context  int    `json:"context"`
	Output   int    `json:"output"`
	Price    *Price `json:"price"`
	NoTools  bool   `json:"no_tools"`
	NoImages bool   `json:"no_images"`
	NoFiles  bool   `json:"no_files"`
	NoFormat bool   `json:"no_format"`
	Levels   string `json:"levels"` // a name in the file's levels
	AsOf     string `json:"as_of"`
	Source   string `json:"source"`
}

// model returns what an entry says, with the levels that it names.
func (e entry) model(levels map[ikigai.Level]ikigai.Thinking) Model {
	return Model{
		Name: e.Name, Context: e.Context, Output: e.Output, Price: e.Price,
		NoTools: e.NoTools, NoImages: e.NoImages, NoFiles: e.NoFiles, NoFormat: e.NoFormat,
		Levels: levels, AsOf: e.AsOf, Source: e.Source,
	}
}

// All returns the models that are known, by vendor and name.
func All() []Model {
	var file struct {
		Levels map[string]map[ikigai.Level]ikigai.Thinking `json:"levels"`
		Models []entry                                     `json:"models"`
	}
	if err := json.Unmarshal([]byte(embedded), &file); err != nil {
		panic("catalog: models.json: " + err.Error())
	}
	all := make([]Model, len(file.Models))
	for i, e := range file.Models {
		all[i] = e.model(file.Levels[e.Levels])
	}
	slices.SortFunc(all, func(a, b Model) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// find returns the model that the file has under a name. It decodes that one alone:
// every start asks for a model, and the whole file takes thirty times longer.
func find(name string) (Model, bool) {
	var e entry
	decodeBehind("", `{"name": "`+name+`"`, &e)
	if e.Name == "" || e.Name != name {
		return Model{}, false
	}
	var levels map[ikigai.Level]ikigai.Thinking
	decodeBehind(`"`+e.Levels+`": `, "{", &levels)
	return e.model(levels), true
}

// decodeBehind decodes into v the first value of the file that begins as given
// and stands behind a key, and leaves v alone if there is none.
func decodeBehind(key, begin string, v any) {
	at := strings.Index(embedded, key+begin)
	if at < 0 {
		return
	}
	if err := json.NewDecoder(strings.NewReader(embedded[at+len(key):])).Decode(v); err != nil {
		panic("catalog: models.json: " + err.Error())
	}
}

// Lookup returns what is known of name, vendor/model. A model with a date or
// "latest" behind its name is the one without, and what a vendor serves that is
// another's is that other's: azure/gpt-5, vertex/claude-sonnet-4-5@20250929,
// bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0, openrouter/openai/gpt-5.
// The name in the result is the one asked for. What is served for nothing has no
// price here, unless the table has it under that name.
func Lookup(name string) (Model, bool) {
	lower := strings.ToLower(name)
	if m, ok := find(lower); ok {
		m.Name = name
		return m, true
	}
	for _, candidate := range candidates(lower) {
		if m, ok := find(candidate); ok {
			m.Name = name
			if strings.HasSuffix(lower, free) && !strings.HasSuffix(candidate, free) {
				m.Price = nil
			}
			return m, true
		}
	}
	return Model{}, false
}

// candidates returns the names that a model may have in the table beside its own,
// the nearest first.
func candidates(name string) []string {
	vendor, model, _ := strings.Cut(name, "/")
	var names []string
	if p := plain(model); p != model {
		names = append(names, vendor+"/"+p)
	}
	switch vendor {
	case "azure":
		names = append(names, "openai/"+plain(model))
	case "vertex":
		names = append(names, "google/"+plain(model), "anthropic/"+plain(model))
	case "bedrock":
		if _, model, ok := strings.Cut(model, "anthropic."); ok {
			names = append(names, "anthropic/"+plain(model))
		}
		if _, model, ok := strings.Cut(model, "openai."); ok {
			names = append(names, "openai/"+plain(model))
		}
	case "openrouter":
		maker, model, _ := strings.Cut(model, "/")
		if known, ok := makers[maker]; ok {
			maker = known
		}
		names = append(names, maker+"/"+plain(model))
		if maker == "anthropic" {
			names = append(names, maker+"/"+strings.ReplaceAll(plain(model), ".", "-"))
		}
	}
	return names
}

// makers are the names that OpenRouter has for vendors that are called otherwise
// here.
var makers = map[string]string{"x-ai": "xai", "mistralai": "mistral"}

// free ends the names of what OpenRouter serves for nothing.
const free = ":free"

var suffix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([-@](\d{8}|\d{4}-\d{2}-\d{2}|latest|v\d+(:\d+)?)|` + free + `|:nitro)$`)
})

// plain returns model without what only tells one version of it from another.
func plain(model string) string {
	for strings.ContainsAny(model, "-@:") { // else there is nothing to cut off, and no need of the expression

		cut := suffix().ReplaceAllString(model, "")
		if cut == model {
			return model
		}
		model = cut
	}
	return model
}
