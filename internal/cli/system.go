package cli

import (
	_ "embed"
	"runtime"
	"strings"
)

//go:embed system.md
var systemTemplate string

// systemPrompt returns the system prompt of a session in dir. It holds nothing
// that changes while the session lives.
func systemPrompt(dir string) string {
	return strings.NewReplacer("{{dir}}", dir, "{{os}}", runtime.GOOS).Replace(strings.TrimSpace(systemTemplate))
}
