// Package toolkit makes a tool of a Go function: an executable that any agent
// which speaks version 1 of the tool protocol can run.
//
//	type input struct {
//		City string `json:"city" jsonschema:"Name of the city"`
//		Days int    `json:"days" default:"3" minimum:"1" maximum:"10"`
//	}
//
//	type output struct {
//		Forecast []string `json:"forecast"`
//	}
//
//	func main() {
//		toolkit.Run("weather", "Forecast of the weather of a city.",
//			func(ctx context.Context, in input) (output, error) { … })
//	}
//
// The schema is made of the types. A field of the input is required unless it
// is omitempty, or has a default. The tag jsonschema describes a field; default,
// enum (words with commas between them), minimum and maximum say what it takes.
//
// An error is the answer {"error", "error_code"}: the tool ran, and could not do
// its work. A panic ends the program with exit code 1: the tool itself broke.
package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is an executable that is made of a function.
type Tool struct {
	Name        string
	Description string            // what the tool does; the model chooses by it
	Usage       string            // when to use it
	Limits      []string          // of the output, such as "lines: 100 max"
	ReadOnly    bool              // the tool changes nothing
	Timeout     time.Duration     // of a call; 0 for the usual 30 s
	Stdin       bool              // takes its input from standard input alone
	Examples    []json.RawMessage // inputs that do no harm

	input, output *jsonschema.Schema
	call          func(context.Context, []byte) (any, error)
}

// New returns a tool that calls f. It panics if the types have no schema, as a
// channel has none, or a tag that does not fit its field.
func New[In, Out any](name, description string, f func(context.Context, In) (Out, error)) *Tool {
	t := &Tool{Name: name, Description: description, input: inputSchema[In](), output: outputSchema[Out]()}
	resolved, err := t.input.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		panic("toolkit: schema of the input: " + err.Error())
	}
	t.call = func(ctx context.Context, raw []byte) (any, error) {
		raw, err := t.fit(resolved, raw)
		if err != nil {
			return nil, err
		}
		var in In
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, Failure("INVALID_PARAMS", "The input does not fit: "+err.Error(), "Correct it")
		}
		return f(ctx, in)
	}
	return t
}

// Run is New and Main in one: the whole of a small program.
func Run[In, Out any](name, description string, f func(context.Context, In) (Out, error)) {
	New(name, description, f).Main()
}

// Main answers what the program was started for, and ends it.
func (t *Tool) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := t.Serve(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Serve does what Main does, for a caller that brings its own arguments and
// streams, and returns the exit code.
func (t *Tool) Serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(stderr, "%s broke: %v\n%s", t.Name, v, debug.Stack())
			code = 1
		}
	}()
	if len(args) > 0 && args[0] == "--schema" {
		return write(stdout, stderr, t.schema())
	}
	answer, err := t.answer(ctx, args, stdin)
	if err != nil {
		return write(stdout, stderr, answerOf(err))
	}
	return write(stdout, stderr, answer)
}

// answer calls the function with the input, wherever it comes from.
func (t *Tool) answer(ctx context.Context, args []string, stdin io.Reader) (any, error) {
	if len(args) > 0 {
		return t.call(ctx, []byte(args[0]))
	}
	raw, err := io.ReadAll(stdin)
	if err != nil {
		return nil, Failure("INVALID_PARAMS", "The input cannot be read: "+err.Error(), "Give it as the argument")
	}
	return t.call(ctx, raw)
}

// schema is what the tool says of itself.
func (t *Tool) schema() any {
	input := ""
	if t.Stdin {
		input = "stdin"
	}
	return struct {
		Name        string             `json:"name"`
		Description string             `json:"description"`
		Parameters  *jsonschema.Schema `json:"parameters"`
		Returns     *jsonschema.Schema `json:"returns,omitempty"`
		Limits      []string           `json:"output_limits,omitempty"`
		Usage       string             `json:"usage,omitempty"`
		ReadOnly    bool               `json:"read_only,omitempty"`
		Timeout     float64            `json:"timeout,omitempty"`
		Input       string             `json:"input,omitempty"`
		Examples    []json.RawMessage  `json:"examples,omitempty"`
	}{t.Name, t.Description, t.input, t.output, t.Limits, t.Usage, t.ReadOnly, t.Timeout.Seconds(), input, t.Examples}
}

// write prints one JSON object.
func write(stdout, stderr io.Writer, v any) int {
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// failure is an error with a code that programs tell it by.
type failure struct{ text, code string }

func (f *failure) Error() string { return f.text }

// Failure returns an error that says what failed and what to do, each a
// sentence without its full stop. The code may be "".
func Failure(code, what, do string) error { return &failure{what + ". " + do + ".", code} }

// answerOf returns an error as the answer that it is.
func answerOf(err error) any {
	answer := struct {
		Error string `json:"error"`
		Code  string `json:"error_code,omitempty"`
	}{Error: strings.TrimSpace(err.Error())}
	var f *failure
	if errors.As(err, &f) {
		answer.Code = f.code
	}
	if answer.Error == "" {
		answer.Error = "The tool failed and did not say why. Try another way."
	}
	return answer
}
