package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMode is the server that a test asks for by MCP_TEST_SERVER, and returns
// its exit code.
func serveMode(mode string) int {
	switch mode {
	case "dead":
		fmt.Fprintln(os.Stderr, "config.json is missing")
		return 3
	case "silent": // reads and says nothing
		fmt.Fprintln(os.Stderr, "reading")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "deaf": // does not even read
		fmt.Fprintln(os.Stderr, "not reading")
		forever()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, os.Getpid())
		_ = runServer(os.Stdout) // the end of its input does not end it
		forever()
	case "newest": // knows no other form of the protocol
		server := newServer()
		server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				if method == "initialize" {
					return nil, errors.New("this form is not known")
				}
				return next(ctx, method, r)
			}
		})
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: os.Stdin, Writer: unclosed{os.Stdout}})
	case "greedy": // offers more than anybody can use
		server := newServer()
		run := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return nil, errors.New("no") }
		server.AddTool(&sdk.Tool{Name: "a_huge", InputSchema: map[string]any{"type": "object", "title": strings.Repeat("x", maxTool)}}, run)
		for i := range 60 {
			server.AddTool(&sdk.Tool{Name: fmt.Sprintf("big_%02d", i), InputSchema: map[string]any{"type": "object", "title": strings.Repeat("x", maxTool-100)}}, run)
		}
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: os.Stdin, Writer: unclosed{os.Stdout}})
	case "restless": // its offer changes whenever it is asked for
		server := newServer()
		server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				if method == "tools/list" {
					_, _ = io.WriteString(os.Stdout, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n")
				}
				return next(ctx, method, r)
			}
		})
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: os.Stdin, Writer: unclosed{os.Stdout}})
	case "garbage":
		fmt.Print("Starting…\n[INFO] {\"ready\":true}\n{\"level\":\"info\"}\n\x1b[31mred\x1b[0m\nnull\n\n")
		_ = runServer(chatty{os.Stdout})
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		for range 20 << 10 {
			_, _ = io.WriteString(os.Stderr, line)
		}
		_ = runServer(os.Stdout)
	default:
		_ = runServer(os.Stdout)
	}
	return 0
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// chatty prints a line that is no message before each that is one.
type chatty struct{ io.Writer }

func (c chatty) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, "DEBUG sending "+strconv.Itoa(len(p))+"\n"); err != nil {
		return 0, err
	}
	return c.Writer.Write(p)
}

func (chatty) Close() error { return nil }

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func runServer(out io.Writer) error {
	return newServer().Run(context.Background(), &sdk.IOTransport{Reader: os.Stdin, Writer: unclosed{out}})
}

// newServer returns a server with a tool for each thing that a test needs.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, run func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Does " + name + ".", InputSchema: map[string]any{"type": "object"},
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: name == "echo"}}, run)
	}
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("got " + string(r.Params.Arguments)), nil
	})
	add("env", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		dir, err := os.Getwd()
		return text(dir + "\n" + strings.Join(os.Environ(), "\n")), err
	})
	add("steps", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 3 {
			err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "step\x00"})
			if err != nil {
				return nil, err
			}
		}
		var in struct{ Until string }
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		eventually(ctx, func() bool { _, err := os.Stat(in.Until); return err == nil })
		return text("done"), nil
	})
	add("wait", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "cancelled")
		return nil, ctx.Err()
	})
	add("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
	add("die", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "panic: out of luck")
		os.Exit(7)
		return nil, nil
	})
	add("huge", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		w := bufio.NewWriter(os.Stdout)
		_, _ = w.WriteString(`{"jsonrpc":"2.0","id":1,"result":"`)
		piece := strings.Repeat("x", 1<<20)
		for range 100 {
			if _, err := w.WriteString(piece); err != nil {
				return nil, err
			}
		}
		_, _ = w.WriteString("\"}\n")
		return text("sent"), w.Flush()
	})
	add("child", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		cmd := exec.Command("/bin/sleep", "1000")
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return text(strconv.Itoa(cmd.Process.Pid)), nil
	})
	add("refuse", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such city"}}}, nil
	})
	s.AddResource(&sdk.Resource{URI: "test://poem", Name: "poem"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://poem", Text: "roses"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"]}}}}, nil
		})
	return s
}

// beParent starts a server, says which, and goes on for ever.
func beParent() {
	c := New(Config{Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Servers: map[string]Server{
		"test": {Command: os.Args[0], Env: map[string]string{"MCP_TEST_SERVER": "stubborn"}}}})
	c.Start(context.Background())
	c.await(context.Background(), time.Hour)
	_, _ = os.Stdout.WriteString(strconv.Itoa(c.links[0].conn.child.pid) + "\n")
	forever()
}

// eventually waits until a condition holds.
func eventually(ctx context.Context, holds func() bool) bool {
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
	return true
}
