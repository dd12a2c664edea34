package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/config"
)

// P41: commands, tools and servers see no key of a model's vendor and no password
// of the database, but what the person's own tools need.
func TestChildEnv(t *testing.T) {
	kept := []string{
		"PATH=/bin", "HOME=/h", "EMPTY=", "AWS_ACCESS_KEY_ID=AKIA1", "AWS_SECRET_ACCESS_KEY=s", "AWS_PROFILE=p",
		"GOOGLE_APPLICATION_CREDENTIALS=/f", "GITHUB_TOKEN=ghp_1", "OPENAI_API_KEYS=not that one", "openai_api_key=nor that",
	}
	secret := []string{
		"OPENAI_API_KEY=sk-1", "ANTHROPIC_API_KEY=sk-2", "GEMINI_API_KEY=3", "GOOGLE_API_KEY=4", "AWS_BEARER_TOKEN_BEDROCK=5",
		"AZURE_OPENAI_API_KEY=6", "OWN_KEY=7", "OTHER_KEY=8",
	}
	for place, want := range map[string][]string{
		filepath.Join(t.TempDir(), "ikigai.db"): {"PGPASSWORD=p", "IKIGAI_DATABASE=/x.db", "IKIGAI_SESSION=s"},
		"postgres://u:secret@h/d":               {"IKIGAI_DATABASE=postgres://u@h/d", "IKIGAI_SESSION=s"},
	} {
		database, err := config.ParseDatabase("database", place, "/", "")
		must(t, err)
		address := "/x.db"
		if database.URL() != "" {
			address = place
		}
		a := &app{settings: &config.Settings{Database: database, Vendors: map[string]config.Vendor{"own": {KeyEnv: "OWN_KEY OTHER_KEY"}}}}
		a.Env = append(append(append(a.Env, kept...), secret...), "PGPASSWORD=p", "IKIGAI_DATABASE="+address)
		if diff := cmp.Diff(append(append([]string{}, kept...), want...), a.childEnv("s")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", place, diff)
		}
		if without := a.childEnv(""); slices.ContainsFunc(without, func(v string) bool { return strings.HasPrefix(v, "IKIGAI_SESSION=") }) {
			t.Errorf("%s: without a session there is %q", place, without)
		}
	}
}
