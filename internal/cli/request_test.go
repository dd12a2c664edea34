package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/scriptserver"
)

// play runs the program with a scripted model of the test's own and returns
// the bodies of its requests.
func play(t *testing.T, script string, runs ...[]string) (bodies [][]byte, stdout string) {
	t.Helper()
	s, err := scriptserver.Parse("test.script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptserver.Options{Keep: scriptserver.KeepAll}.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	config := filepath.Join(dir, "config.json")
	settings := fmt.Sprintf(`{"model": "local/m", "objectives": "text", "vendors": {"local": {"base_url": %q}}}`, server.URL)
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	for _, args := range runs {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		code := Run(ctx, Process{
			Args: append([]string{"--database", filepath.Join(dir, "ikigai.db")}, args...),
			Env:  []string{"HOME=" + dir, "IKIGAI_CONFIG=" + config, "PATH=" + os.Getenv("PATH")},
			In:   strings.NewReader(""), Out: &out, Err: &errOut,
		})
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut.String())
		}
	}
	if refused := server.Refused(); len(refused) > 0 {
		t.Fatalf("refused: %v", refused)
	}
	for _, r := range server.Requests() {
		bodies = append(bodies, r.Body)
	}
	return bodies, out.String()
}

// P27, S1.22, S2.26, law 4: everything of a request but its last message stands byte for byte
// in the next, from turn to turn, from statement to statement, and after the
// session was restored by another process.
func TestPrefixNeverChanges(t *testing.T) {
	bodies, _ := play(t, `
user: one
say: I look.
call: bash {"command": "echo a"}
call: glob {"pattern": "*"}
reply:
call: file_read {"path": "config.json"}
reply:
say: Done.

user: two
call: bash {"command": "echo b"}
reply:
say: Done again.
`, []string{"run", "one"}, []string{"run", "--continue", "two"})
	if len(bodies) != 5 {
		t.Fatalf("%d requests", len(bodies))
	}
	for i := 1; i < len(bodies); i++ {
		prefix := bytes.TrimSuffix(bodies[i-1], []byte("]}"))
		if !bytes.HasPrefix(bodies[i], prefix) {
			t.Errorf("request %d does not begin with request %d:\n%s\n%s", i+1, i, bodies[i-1], bodies[i])
		}
	}
}

// S0.34, and the limit of 5,000 bytes: what every request carries before anybody has
// said anything. S1.3, S1.4, S2.11, S2.74: the five tools, always, in their
// order, the others behind them by name, with names that vendors take.
func TestWhatEveryRequestCarries(t *testing.T) {
	bodies, _ := play(t, "user: hi\nsay: Hello.\n", []string{"run", "hi"})
	var body struct {
		Tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role, Content string
		} `json:"messages"`
	}
	if err := json.Unmarshal(bodies[0], &body); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range body.Tools {
		names = append(names, tool.Function.Name)
	}
	if got := strings.Join(names, " "); got != "glob file_read grep file_write bash file_edit job_output job_stop web_fetch delegate_tasks" {
		t.Errorf("tools %s", got)
	}
	if body.Messages[0].Role != "system" || body.Messages[1].Content != "hi" {
		t.Errorf("messages %+v", body.Messages)
	}
	if n := len(bodies[0]); n > 5000 {
		t.Errorf("the first request has %d bytes, more than 5,000", n)
	} else {
		t.Logf("the first request has %d bytes", n)
	}
}

// S2.90: memory is authoritative: what another program does to the database
// while a session runs does not change its next request.
func TestMemoryIsAuthoritative(t *testing.T) {
	bodies, _ := play(t, `
user: go
call: bash {"command": ": > ikigai.db"}
reply:
say: Still here.
`, []string{"run", "go"})
	if !strings.Contains(string(bodies[1]), `"content":"go"`) {
		t.Errorf("second request: %s", bodies[1])
	}
}

// The log command and the helps write to standard output without a database.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"completion", "bash"}, {"version"}, {"config", "schema"}} {
		var out, errOut bytes.Buffer
		code := Run(context.Background(), Process{Args: args, Env: []string{"HOME=/nonexistent"}, In: io.LimitReader(nil, 0), Out: &out, Err: &errOut})
		if code != 0 || out.Len() == 0 || errOut.Len() > 0 {
			t.Errorf("%v: exit code %d, %d bytes, error %q", args, code, out.Len(), errOut.String())
		}
	}
}
