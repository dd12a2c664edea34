package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"ikigai/internal/scriptserver"
)

// message is a message of a request or of a reply.
type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	CallID    string `json:"tool_call_id,omitempty"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls,omitempty"`
}

// player is an agent in small: one tool, no stream.
type player struct {
	t        *testing.T
	url, dir string
	result   func(output []byte, exit int, truncated bool) any
	messages []message
}

// say states text and returns all that the model says until it calls nothing.
func (p *player) say(text string) []string {
	p.t.Helper()
	p.messages = append(p.messages, message{Role: "user", Content: text})
	var said []string
	for {
		reply := p.ask()
		p.messages = append(p.messages, reply)
		said = append(said, reply.Content)
		if len(reply.ToolCalls) == 0 {
			return said
		}
		for _, c := range reply.ToolCalls {
			p.messages = append(p.messages, message{Role: "tool", CallID: c.ID, Content: p.bash(c.Function.Arguments)})
		}
	}
}

func (p *player) ask() message {
	p.t.Helper()
	type object = map[string]any
	body, err := json.Marshal(object{"model": "m", "messages": p.messages, "tools": []any{
		object{"type": "function", "function": object{"name": "bash"}}}})
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.Post(p.url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct{ Message message }
		Error   any
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Choices) != 1 {
		p.t.Fatalf("%v, %+v", err, answer)
	}
	return answer.Choices[0].Message
}

// bash runs a command and cuts its output as the tool does.
func (p *player) bash(arguments string) string {
	p.t.Helper()
	const most = 10 << 10
	var args struct{ Command string }
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", args.Command)
	cmd.Dir = p.dir
	out, _ := cmd.CombinedOutput() // the exit code is in ProcessState
	truncated := len(out) > most
	if truncated {
		out = append(out[:most:most], "\n[OUTPUT TRUNCATED - exceeded 10KB limit]"...)
	}
	raw, err := json.Marshal(p.result(out, cmd.ProcessState.ExitCode(), truncated))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// sh returns what a command prints in the tree, without the last line end.
func (p *player) sh(format string, args ...any) string {
	p.t.Helper()
	cmd := exec.Command("bash", "-c", fmt.Sprintf(format, args...))
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// TestPlay plays the four statements with a real bash in each form that its
// results have, and holds the answers against what the machine says.
func TestPlay(t *testing.T) {
	for name, result := range map[string]func([]byte, int, bool) any{
		"combined": func(out []byte, exit int, truncated bool) any {
			return struct {
				Output    string `json:"output"`
				ExitCode  int    `json:"exit_code"`
				Truncated bool   `json:"truncated,omitempty"`
			}{string(out), exit, truncated}
		},
		"split": func(out []byte, exit int, truncated bool) any {
			stdout, stderr := string(out), ""
			if exit != 0 {
				stdout, stderr = "", stdout
			}
			return struct {
				Stdout    string `json:"stdout"`
				Stderr    string `json:"stderr"`
				ExitCode  int    `json:"exit_code"`
				Truncated bool   `json:"truncated"`
			}{stdout, stderr, exit, truncated}
		},
	} {
		t.Run(name, func(t *testing.T) { play(t, result) })
	}
}

func play(t *testing.T, result func([]byte, int, bool) any) {
	s, err := Script()
	if err != nil {
		t.Fatal(err)
	}
	srv, err := scriptserver.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	defer http.DefaultClient.CloseIdleConnections()
	p := &player{t: t, url: srv.URL, dir: t.TempDir(), result: result}
	if err := WriteTree(p.dir); err != nil {
		t.Fatal(err)
	}
	last := func(said []string) string { return said[len(said)-1] }
	holds := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("answer:\n%s\nwant in it:\n%s", text, want)
		}
	}
	statements := s.Statements()

	said := p.say(statements[0])
	if strings.Count(last(said), "\n- ") != 4 {
		t.Errorf("not 4 files:\n%s", last(said))
	}
	for _, file := range []string{"main.c", "db.c", "repl.c", "util.c"} {
		holds(last(said), fmt.Sprintf("- %s (%s bytes)", file, p.sh("wc -c < src/%s", file)))
	}

	said = p.say(statements[1])
	holds(last(said), "code 1:")
	holds(last(said), p.sh("cat config.json 2>&1 || true"))

	said = p.say(statements[2])
	if len(said) != 3 {
		t.Errorf("%d replies, want one for each of two steps and the answer: %q", len(said), said)
	}
	holds(last(said), "There are 3 TODO comments")
	for _, todo := range []string{"- src/main.c: Add error handling", "- src/db.c: Implement connection pooling", "- src/db.c: Add retry logic"} {
		holds(last(said), todo)
	}

	said = p.say(statements[3])
	if len(said) != 3 {
		t.Errorf("%d replies, want the try, the other way and the answer: %q", len(said), said)
	}
	holds(last(said), p.sh("grep -c ' slow$' logs/queries.log")+" of the queries are marked as slow")
	holds(last(said), strings.ReplaceAll("- "+p.sh("grep ' slow$' logs/queries.log | sort -k 4,4nr | head -n 3 | sed 's/ \\([0-9]*\\) ms,.*/, \\1 ms/'"), "\n", "\n- "))

	if refused := srv.Refused(); len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
}
