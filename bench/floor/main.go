// Command floor is the least that an agent can be: a loop that does the same
// HTTP and the same tools as ikigai, without a log, without checks, without
// features. What ikigai costs is told as a multiple of what this costs.
//
// Usage: floor -url URL [-sync FILE] [-load FILE] PROMPT
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type call struct {
	Index    int    `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chunk struct {
	Choices []struct {
		Delta        message `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// tools is sized like the real list, so that both send the same number of bytes.
var tools = json.RawMessage(`[{"type":"function","function":{"name":"bash","description":"` + strings.Repeat("x", 3000) +
	`","parameters":{"type":"object","properties":{"command":{"type":"string"}}}}},` +
	`{"type":"function","function":{"name":"file_write","description":"x","parameters":{"type":"object"}}}]`)

var (
	url  = flag.String("url", "", "base URL of the vendor")
	sync = flag.String("sync", "", "append 1 KB to this file and sync it, as often as ikigai commits")
	load = flag.String("load", "", "begin with the messages of this file, one in a line")
)

func main() {
	flag.Parse()
	var synced *os.File
	if *sync != "" {
		synced, _ = os.Create(*sync)
	}
	messages := []message{{Role: "system", Content: strings.Repeat("s", 500)}}
	if *load != "" {
		messages = loadMessages(*load)
	}
	messages = append(messages, message{Role: "user", Content: strings.Join(flag.Args(), " ")})
	commit(synced)
	for {
		reply := ask(messages)
		messages = append(messages, reply)
		commit(synced)
		if len(reply.ToolCalls) == 0 {
			return
		}
		for _, c := range reply.ToolCalls {
			messages = append(messages, message{Role: "tool", ToolCallID: c.ID, Content: run(c)})
		}
		commit(synced)
	}
}

func commit(f *os.File) {
	if f != nil {
		_, _ = f.Write(make([]byte, 1024))
		_ = dataSync(f)
	}
}

func loadMessages(path string) []message {
	raw, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var messages []message
	for line := range bytes.Lines(raw) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			log.Fatal(err)
		}
		messages = append(messages, m)
	}
	return messages
}

// ask sends the messages and returns the reply, its text printed as it comes.
func ask(messages []message) message {
	body, err := json.Marshal(map[string]any{
		"model": "floor", "stream": true, "stream_options": map[string]bool{"include_usage": true},
		"tools": tools, "messages": messages,
	})
	if err != nil {
		log.Fatal(err)
	}
	resp, err := http.Post(*url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		text, _ := io.ReadAll(resp.Body)
		log.Fatalf("%s: %s", resp.Status, text)
	}
	reply := message{Role: "assistant"}
	var arguments []*strings.Builder
	var text strings.Builder
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			log.Fatal(err)
		}
		for _, choice := range c.Choices {
			text.WriteString(choice.Delta.Content)
			fmt.Print(choice.Delta.Content)
			for _, d := range choice.Delta.ToolCalls {
				for len(reply.ToolCalls) <= d.Index {
					reply.ToolCalls = append(reply.ToolCalls, call{Type: "function"})
					arguments = append(arguments, new(strings.Builder))
				}
				t := &reply.ToolCalls[d.Index]
				if d.ID != "" {
					t.ID, t.Function.Name = d.ID, d.Function.Name
				}
				arguments[d.Index].WriteString(d.Function.Arguments)
			}
		}
	}
	reply.Content = text.String()
	for i := range reply.ToolCalls {
		reply.ToolCalls[i].Index = 0
		reply.ToolCalls[i].Function.Arguments = arguments[i].String()
	}
	return reply
}

// run runs a tool: bash, its output drained to a ring and a file, or a write.
func run(c call) string {
	var args struct{ Command, Path, Content string }
	if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
		log.Fatal(err)
	}
	if c.Function.Name == "file_write" {
		if err := os.WriteFile(args.Path, []byte(args.Content), 0o644); err != nil {
			log.Fatal(err)
		}
		return fmt.Sprintf(`{"output":"Wrote %d bytes to %s","bytes":%d}`, len(args.Content), args.Path, len(args.Content))
	}
	return bash(args.Command)
}

func bash(command string) string {
	cmd := exec.Command("bash", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	ring, size := make([]byte, 16<<10), 0
	buf := make([]byte, 64<<10)
	var file *os.File
	for {
		n, err := out.Read(buf)
		if n > 0 {
			if size+n > len(ring) && file == nil {
				file, _ = os.CreateTemp("", "floor-*.txt")
				defer os.Remove(file.Name())
				_, _ = file.Write(ring[:min(size, len(ring))])
			}
			if file != nil {
				_, _ = file.Write(buf[:n])
			}
			tail := buf[max(0, n-len(ring)):n]
			at := (size + n - len(tail)) % len(ring)
			k := copy(ring[at:], tail)
			copy(ring, tail[k:])
			size += n
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	kept := ring[:min(size, len(ring))]
	result, _ := json.Marshal(map[string]any{"output": string(kept), "exit_code": cmd.ProcessState.ExitCode()})
	return string(result)
}
