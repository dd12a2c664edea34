package ikigai_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The import map in ARCHITECTURE.md is what the code does: every package stands
// in it, with the packages of this module that it imports and no others.
func TestImportMap(t *testing.T) {
	want := mapInDocument(t)
	got := mapInCode(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imports: ARCHITECTURE.md (-) and the code (+) differ:\n%s", diff)
	}
}

// The rules behind the map, which a change of the map must not break.
func TestImportRules(t *testing.T) {
	tier := func(pkg string) string {
		switch first, _, _ := strings.Cut(pkg, "/"); first {
		case "agent", "history", "session":
			return "core"
		case "sqlite", "postgres":
			return "store"
		case "tools", "exttool", "mcp", "undo", "delegate":
			return "tools"
		case "process", "sse", "schema", "walk", "blob", "journal", "trust", "safetext", "catalog", "wirejson", "wirecheck", "media", "secret",
			"preimage", "match", "webpage", "knowledge", "resource", "tty", "markdown", "fuzzy", "picture": // wholefile lies below them
			return "leaf"
		}
		return ""
	}
	for pkg, imports := range mapInCode(t) {
		for _, to := range imports {
			if t1, t2 := tier(pkg), tier(to); t1 != "" && t1 == t2 {
				t.Errorf("%s imports its sibling %s", pkg, to)
			}
			if strings.HasPrefix(to, "provider") && !strings.HasPrefix(pkg, "provider") && pkg != "cli" && pkg != "config" {
				t.Errorf("%s knows a vendor: %s", pkg, to) // S2.2, S2.35
			}
			if pkg == "ikigai" {
				t.Errorf("the root package imports %s", to)
			}
		}
	}
}

// Only cli and config read the environment; main hands it to cli. Programs and
// suites that serve measuring and testing alone may, and toolkit, which is the
// main of other programs.
func TestWhoReadsTheEnvironment(t *testing.T) {
	may := []string{"cli", "config", "cmd/ikigai", "bench", "bench/delegate", "bench/floor", "bench/rss", "bench/store", "bench/terminal", "providertest", "tmuxtest", "pgtest", "killtest/launch", "toolkit"}
	eachFile(t, func(pkg, file string) {
		if slices.Contains(may, pkg) {
			return
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"os.Getenv(", "os.LookupEnv(", "os.Environ(", "os.Args"} {
			if strings.Contains(string(src), call) {
				t.Errorf("%s uses %s", file, call)
			}
		}
	})
}

// S2.2, S2.3, S2.36: outside the package of the vendor and the wiring, no vendor has a name
// in the code of the core.
func TestCoreKnowsNoVendor(t *testing.T) {
	eachFile(t, func(pkg, file string) {
		if pkg != "ikigai" && pkg != "agent" && pkg != "history" && pkg != "session" {
			return
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(src)) {
			code, _, _ := strings.Cut(line, "//")
			for _, name := range []string{"openai", "anthropic", "gemini", "choices", "tool_use"} {
				if strings.Contains(strings.ToLower(code), name) {
					t.Errorf("%s: %s", file, strings.TrimSpace(line))
				}
			}
		}
	})
}

func mapInDocument(t *testing.T) map[string][]string {
	doc, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(doc), "```imports\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no block of imports")
	}
	block, _, _ = strings.Cut(block, "```")
	m := map[string][]string{}
	for line := range strings.Lines(block) {
		pkg, imports, ok := strings.Cut(strings.TrimSpace(line), " ->")
		if !ok {
			t.Fatalf("line %q is not of the form: package -> imports", line)
		}
		m[pkg] = slices.Sorted(slices.Values(strings.Fields(imports)))
	}
	return m
}

func mapInCode(t *testing.T) map[string][]string {
	sets := map[string]map[string]bool{}
	eachFile(t, func(pkg, file string) {
		if sets[pkg] == nil {
			sets[pkg] = map[string]bool{}
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if to, err := strconv.Unquote(spec.Path.Value); err == nil && (to == "ikigai" || strings.HasPrefix(to, "ikigai/")) {
				sets[pkg][short(to)] = true
			}
		}
	})
	m := map[string][]string{}
	for pkg, set := range sets {
		m[pkg] = slices.Sorted(maps.Keys(set))
	}
	return m
}

// eachFile calls f with every Go file of the main module that is no test.
func eachFile(t *testing.T, f func(pkg, file string)) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != "." {
				return fs.SkipDir // a module of its own
			}
			if name := d.Name(); name == "testdata" || len(name) > 1 && name[0] == '.' {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			f(short(path.Join("ikigai", filepath.ToSlash(filepath.Dir(file)))), file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// short is the name of a package in the map.
func short(path string) string {
	path = strings.TrimPrefix(path, "ikigai/")
	return strings.TrimPrefix(path, "internal/")
}
