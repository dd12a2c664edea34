// Package catalog knows models: how much they take, what they can do and what
// they cost. What it says is as good as the date and the source beside it;
// settings win over it.
package catalog

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"ikigai"
)

// Model is what is known of a model. A zero says that nothing is known.
type Model struct {
	Name    string `json:"name"`              // vendor/model
	Context int    `json:"context,omitempty"` // tokens of a request and its reply
	Output  int    `json:"output,omitempty"`  // tokens of a reply at most
	Price   *Price `json:"price,omitempty"`

	NoTools  bool `json:"no_tools,omitempty"`  // cannot call tools
	NoImages bool `json:"no_images,omitempty"` // takes no images
	NoFiles  bool `json:"no_files,omitempty"`  // takes no PDF
	NoFormat bool `json:"no_format,omitempty"` // cannot be held to a schema of its answer

	Levels map[ikigai.Level]ikigai.Thinking `json:"levels,omitempty"`

	AsOf   string `json:"as_of"`  // YYYY-MM-DD
	Source string `json:"source"` // where the figures come from
}

// Price is what tokens cost, in US dollars per million tokens.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"`  // nil: as Input
	CacheWrite *float64 `json:"cache_write,omitempty"` // nil: as Input
}

//go:embed models.json
var embedded []byte

var table = sync.OnceValue(func() map[string]Model {
	var all []Model
	if err := json.Unmarshal(embedded, &all); err != nil {
		panic("catalog: models.json: " + err.Error())
	}
	byName := make(map[string]Model, len(all))
	for _, m := range all {
		byName[m.Name] = m
	}
	return byName
})

// Lookup returns what is known of vendor/model: of the model itself, or of the
// one that its name stands for when a date or a version is taken off its end.
func Lookup(name string) (Model, bool) {
	m, ok := table()[strings.ToLower(name)]
	return m, ok
}
