package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/crash"
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

// What breaks on a goroutine of the library, a call or a question to the person, ends
// the program as a panic on any other does.
func TestLibraryGoroutineBreaks(t *testing.T) {
	met := make(chan any, 1)
	defer crash.Handle(func(v any) {
		met <- v
		runtime.Goexit() // the test goes on, which a program does not
	})()
	s := &served{server: sdk.NewServer(&sdk.Implementation{Name: "x"}, nil), life: t.Context(), Service: Service{
		Tools: func() []ikigai.Tool { return nil },
		Call: func(context.Context, string, json.RawMessage, func([]byte)) (ikigai.ToolResult, error) {
			panic("a fault of a call")
		}}}
	l := &link{cfg: &Config{Elicit: func(context.Context, string, string, any) (map[string]any, bool) {
		panic("a fault of a question")
	}}}
	for want, do := range map[string]func(){
		"a fault of a call": func() {
			_, _ = s.run(t.Context(), &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: "break"}})
		},
		"a fault of a question": func() {
			_, _ = l.elicit(t.Context(), &sdk.ElicitRequest{Params: &sdk.ElicitParams{}})
		},
	} {
		go func() {
			defer func() {
				if recover() != nil {
					met <- "nobody has taken it"
				}
			}()
			do()
		}()
		if v := <-met; v != want {
			t.Errorf("the handler was given %v, want %s", v, want)
		}
	}
}

// What is written into a pipe at once is answered, all of it, also where a line in
// between is no message and where a call takes its time.
func TestServeAnswersAll(t *testing.T) {
	asked := make(chan struct{})
	s := Service{Version: "1", Tools: func() []ikigai.Tool { return []ikigai.Tool{{ToolSpec: ikigai.ToolSpec{Name: "wait"}}} },
		Call: func(context.Context, string, json.RawMessage, func([]byte)) (ikigai.ToolResult, error) {
			<-asked // all has been read by then
			return ikigai.ToolResult{Output: "waited", Success: true}, nil
		}}
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
this is no JSON
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
{"no":"message"}
[]
`+strings.Repeat("x", maxMessage+1)+`
[{"jsonrpc":"2.0","id":"two","method":"tools/list"},{"jsonrpc":"2.0","id":3,"method":"ping"}]
{"jsonrpc":"2.0","id":4,"method":"ping"}`), ending(asked))
	var out syncBuffer
	if err := s.Serve(t.Context(), in, &out); err != nil {
		t.Error(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID    any
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[fmt.Sprint(answer.ID, " ", answer.Error.Code)]++
	}
	want := map[string]int{"0 0": 1, "1 0": 1, "two 0": 1, "3 0": 1, "4 0": 1, "<nil> -32700": 1, "<nil> -32600": 3}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// ending is an empty stream that is closed when it is read.
type ending chan struct{}

func (e ending) Read([]byte) (int, error) {
	close(e)
	return 0, io.EOF
}

// syncBuffer is a buffer that nobody closes.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func (b *syncBuffer) Close() error { return nil }
