package config

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// shelf has keys by vendor, and notes who was asked for.
type shelf struct {
	keys  map[string]string
	err   error
	asked []string
}

func (s *shelf) get(_ context.Context, vendor string) (key, place string, err error) {
	s.asked = append(s.asked, vendor)
	if key := s.keys[vendor]; key != "" {
		return key, "the shelf", nil
	}
	return "", "", s.err
}

// Stored keys come last, and are looked for only where nothing else gives a key
// and one is needed.
func TestStoredKeys(t *testing.T) {
	const gateway = `"vendors": {"w": {"base_url": "https://x", "model": "m", "key_env": "W"}, "c": {"base_url": "https://x", "key_cmd": "c"}, "n": {"base_url": "https://x"}}`
	for _, test := range []struct {
		name, file string
		environ    []string
		source     string
		asked      string
	}{
		{"stored", `{"model": "w/m", ` + gateway + `}`, nil, "the shelf", "w"},
		{"a variable", `{"model": "w/m", ` + gateway + `}`, []string{"W=k"}, "W", ""},
		{"a command", `{"model": "c/m", ` + gateway + `}`, nil, "key_cmd", ""},
		{"no key is known of", `{"model": "n/m", ` + gateway + `}`, nil, "", ""},
		{"a server on this machine", `{"model": "ollama/m"}`, nil, "", ""},
		{"other credentials", `{"model": "bedrock"}`, []string{"AWS_REGION=r"}, "", "bedrock"},
		{"nothing set", `{}`, nil, "the shelf", "openai anthropic anthropic"},
		{"a key at hand", `{}`, []string{"XAI_API_KEY=k"}, "XAI_API_KEY", ""},
		{"the only vendor of one's own", `{"vendors": {"l": {"base_url": "http://localhost:1", "model": "m"}}}`, nil, "", ""},
	} {
		all := &shelf{keys: map[string]string{"w": "k", "c": "k", "n": "k", "ollama": "k", "anthropic": "k"}}
		s := mustParse(t, test.file, test.environ...)
		e, err := s.Resolve(t.Context(), Keys{Stored: all.get, Command: func(context.Context, string) (string, error) { return "k", nil }})
		if asked := strings.Join(all.asked, " "); err != nil || e.KeySource != test.source || asked != test.asked {
			t.Errorf("%s: from %q, asked for %q, %v; want %q, %q", test.name, e.KeySource, asked, err, test.source, test.asked)
		}
	}
}

// A keyring that fails is told of when a key is missing, and is asked once.
func TestStoredKeysFail(t *testing.T) {
	for file, want := range map[string]string{
		`{"model": "xai"}`: "There is no key for xai: the variable XAI_API_KEY is empty, and stored keys cannot be read: it is locked. Export XAI_API_KEY,",
		`{}`:               "No model is chosen and no key of a model vendor is in the environment; stored keys cannot be read: it is locked. Export a key",
	} {
		all := &shelf{err: errors.New("it is locked")}
		_, err := mustParse(t, file).Resolve(t.Context(), Keys{Stored: all.get})
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(all.asked) != 1 {
			t.Errorf("%s: asked for %q, %v", file, all.asked, err)
		}
	}
}

func TestTakesKey(t *testing.T) {
	s := mustParse(t, `{"vendors": {"w": {"base_url": "https://x", "key_env": "W"}}}`)
	for vendor, want := range map[string]string{
		"openai": "", "w": "", "bedrock": "",
		"ollama": "The settings of ollama say that it has no key. Set vendors.ollama.key_env in " + path + " to the variable that may hold one.",
		"grok":   `No vendor is called "grok". Perhaps groq is meant; others are added under vendors in ` + path + ".",
	} {
		if err := s.TakesKey(vendor); want != "" {
			wantUsage(t, err, want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
