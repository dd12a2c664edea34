package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/catalog"
)

// What the person says of a model comes before what the catalog says, value by
// value; a price as a whole.
func TestKnown(t *testing.T) {
	s := mustParse(t, `{"models": {
		"openai/gpt-5": {"context": 7, "levels": {"low": 2048, "none": "off"}},
		"a/m": {"price": {"input": 1.25, "output": 10, "cache_read": 0.125}, "no_images": true},
		"anthropic/claude-sonnet-4-5": {"price": {"input": 1, "output": 2}}},
		"vendors": {"work": {"base_url": "https://x", "catalog": "openai"}, "a": {"base_url": "https://a"}}}`)
	before, _ := catalog.Lookup("openai/gpt-5")
	m, _ := s.Known("openai/gpt-5")
	if m.Context != 7 || m.Output != before.Output || !cmp.Equal(m.Price, before.Price) {
		t.Errorf("gpt-5 is %+v", m)
	}
	if m.Levels[ikigai.LevelLow] != (ikigai.Thinking{Budget: 2048}) || !m.Levels[ikigai.LevelNone].Off || m.Levels[ikigai.LevelHigh].Effort != "high" {
		t.Errorf("its levels are %v", m.Levels)
	}
	if after, _ := catalog.Lookup("openai/gpt-5"); after.Levels[ikigai.LevelLow].Budget != 0 {
		t.Error("the catalog is changed")
	}
	m, known := s.Known("a/m")
	cached := 0.125
	if diff := cmp.Diff(catalog.Model{Name: "a/m", Source: "settings", Price: &catalog.Price{Input: 1.25, Output: 10, CacheRead: &cached}, NoImages: true}, m); diff != "" || !known {
		t.Errorf("a/m (-want +got):\n%s", diff)
	}
	if m, _ := s.Known("anthropic/claude-sonnet-4-5"); *m.Price != (catalog.Price{Input: 1, Output: 2}) {
		t.Errorf("the price is %+v", m.Price)
	}
	if m, _ := s.Known("work/gpt-5"); m.Name != "work/gpt-5" || m.Context != before.Context {
		t.Errorf("a gateway's model is %+v", m)
	}
	if m, known := s.Known("nobody/nothing"); known || m.Price != nil {
		t.Errorf("nothing is known as %+v", m)
	}
}

// Where the level of thinking comes from: the name of the model, unless the
// setting stands in a layer above it or both are flags.
func TestLevels(t *testing.T) {
	for _, test := range []struct {
		name, file     string
		environ, flags map[string]string
		want           ikigai.Level
	}{
		{"neither", `{"model": "ollama/m"}`, nil, nil, ""},
		{"the name", `{"model": "ollama/m:low"}`, nil, nil, ikigai.LevelLow},
		{"the setting", `{"model": "ollama/m", "thinking": "high"}`, nil, nil, ikigai.LevelHigh},
		{"the name before the setting beside it", `{"thinking": "high", "model": "ollama/m:low"}`, nil, nil, ikigai.LevelLow},
		{"a flag before the name", `{"model": "ollama/m:low"}`, nil, map[string]string{"thinking": "med"}, ikigai.LevelMed},
		{"a name before a setting below it", `{"thinking": "high"}`, nil, map[string]string{"model": "ollama/m:none"}, ikigai.LevelNone},
		{"a name without a level leaves the setting", `{"thinking": "high"}`, nil, map[string]string{"model": "ollama/m:8b"}, ikigai.LevelHigh},
		{"a flag before the name in a flag", `{}`, nil, map[string]string{"model": "ollama/m:high", "thinking": "low"}, ikigai.LevelLow},
		{"a flag can take it back", `{"model": "ollama/m:low"}`, nil, map[string]string{"thinking": ""}, ""},
		{"a variable before the name", `{"model": "ollama/m:low"}`, map[string]string{"IKIGAI_THINKING": "min"}, nil, ikigai.LevelMin},
	} {
		tr := newTree(t)
		tr.write(tr.userPath(), test.file)
		tr.Flags = test.flags
		for name, value := range test.environ {
			tr.Environ = append(tr.Environ, name+"="+value)
		}
		e, err := tr.load().Resolve(t.Context(), Keys{})
		if err != nil || e.Level != test.want {
			t.Errorf("%s: level %q, %v; want %q", test.name, e.Level, err, test.want)
		}
	}
}

// A model that cannot call tools gets them in words, unless somebody says how.
func TestToolProtocol(t *testing.T) {
	const models = `"models": {"ollama/m": {"no_tools": true}}`
	for file, want := range map[string]string{
		`{"model": "ollama/x", ` + models + `}`:                                                                ToolsNative,
		`{"model": "ollama/m", ` + models + `}`:                                                                ToolsPrompt,
		`{"model": "ollama/m", "tool_protocol": "native", ` + models + `}`:                                     ToolsNative,
		`{"model": "ollama/m", "vendors": {"ollama": {"tool_protocol": "prompt_compact"}}, ` + models + `}`:    ToolsPromptCompact,
		`{"model": "ollama/x", "tool_protocol": "prompt", "vendors": {"ollama": {"tool_protocol": "native"}}}`: ToolsNative,
	} {
		e, err := mustParse(t, file).Resolve(t.Context(), Keys{})
		if err != nil || e.ToolProtocol != want {
			t.Errorf("%s: %s, %v; want %s", file, e.ToolProtocol, err, want)
		}
	}
}

func TestNear(t *testing.T) {
	s := mustParse(t, `{}`)
	for name, want := range map[string]string{
		"openai/gpt-5-mni":        "openai/gpt-5-mini",
		"openai/gpt-5":            "",
		"openai/whatever":         "",
		"google/gemini-2.5-falsh": "google/gemini-2.5-flash",
		"anthropic/gpt-5-mni":     "",
	} {
		if got := s.Near(name); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) || len(got) > 3 {
			t.Errorf("%s is near %q, want %q", name, got, want)
		}
	}
}
