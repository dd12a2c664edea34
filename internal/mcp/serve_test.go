package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"

	"ikigai"
)

// An end that is asked for comes, whatever the other agent says or does not say,
// and whatever it has called.
func TestServeEnds(t *testing.T) {
	for _, calling := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		in, theirs := io.Pipe()
		defer theirs.Close()
		answers, out := io.Pipe()
		running, ended := make(chan struct{}), make(chan struct{})
		s := Service{Version: "1", Tools: func() []ikigai.Tool { return []ikigai.Tool{{ToolSpec: ikigai.ToolSpec{Name: "wait"}}} },
			Call: func(ctx context.Context, _ string, _ json.RawMessage, _ func([]byte)) (ikigai.ToolResult, error) {
				close(running)
				<-ctx.Done()
				close(ended)
				return ikigai.ToolResult{}, ctx.Err()
			}}
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, in, out) }()
		lines := bufio.NewReader(answers)
		say := func(line string) {
			if _, err := io.WriteString(theirs, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, lines) }() // what else it says
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if calling {
			say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
			<-running
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if calling {
			<-ended
		}
	}
}
