// Package tools holds the built-in tools, a file each, with its description
// for the model beside it.
//
// Results are JSON objects. What a tool found nothing of is no failure; what it
// could not do is {"error", "error_code"}. Relative paths begin at the working
// directory of the call, "~/" at the home directory of the tools' environment.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/schema"
)

// Config is what the tools need to know. Its zero value works, except that
// output which is too long is lost.
type Config struct {
	SpillDir   string   // where whole outputs go when they are cut; made when first needed
	BashResult string   // "combined", the default, or "split"
	MaxOutput  int      // bytes of a result at most, and of a file in memory; 0 for 1 MiB
	Env        []string // environment of commands

	// Known returns the hash, in hexadecimal, of the content of the file at an
	// absolute path as the model read or left it last; false if it did neither.
	// It may be nil.
	Known func(path string) (sha256 string, ok bool)

	// Version is of the program, for the servers that pages are fetched from.
	Version string
	// WebPrivate lets pages be fetched from private addresses: of this machine,
	// of its network.
	WebPrivate bool

	webTimeout  time.Duration // 0 for the usual one
	webResolver *net.Resolver // nil for the system's

	// Jobs are the commands in the background. Whoever sets them closes them;
	// without them there are new ones, which end with the program.
	Jobs *Jobs

	// Leave, when it is closed, ends commands that are being stopped at once.
	// It may be nil.
	Leave <-chan struct{}
}

// Builtin returns the built-in tools, in the order in which models are shown
// them.
func Builtin(cfg Config) []ikigai.Tool {
	if cfg.MaxOutput <= 0 {
		cfg.MaxOutput = 1 << 20
	}
	if cfg.Jobs == nil {
		cfg.Jobs = new(Jobs)
	}
	return []ikigai.Tool{glob(cfg), fileRead(cfg), grep(cfg), fileWrite(cfg), bash(cfg), fileEdit(cfg), jobOutput(cfg), jobStop(cfg), webFetch(cfg)}
}

// Codes of failures that are the tools' own.
const (
	codeFileNotFound  ikigai.ToolCode = "FILE_NOT_FOUND"
	codePermission    ikigai.ToolCode = "PERMISSION_DENIED"
	codeIsDirectory   ikigai.ToolCode = "IS_DIRECTORY"
	codeNotDirectory  ikigai.ToolCode = "NOT_A_DIRECTORY"
	codeNotRegular    ikigai.ToolCode = "NOT_A_FILE" // a device, a pipe, a socket
	codeBinary        ikigai.ToolCode = "BINARY_FILE"
	codeTooLarge      ikigai.ToolCode = "TOO_LARGE"
	codeStaleFile     ikigai.ToolCode = "STALE_FILE"      // it is not what the model has seen
	codeNoMatch       ikigai.ToolCode = "NO_MATCH"        // the text to replace is nowhere
	codeManyMatches   ikigai.ToolCode = "SEVERAL_MATCHES" // it is in several places
	codeNotEncodable  ikigai.ToolCode = "NOT_ENCODABLE"   // a character that the encoding of the file lacks
	codePastEnd       ikigai.ToolCode = "PAST_END"
	codeBadPattern    ikigai.ToolCode = "BAD_PATTERN"
	codeDiskFull      ikigai.ToolCode = "DISK_FULL"
	codeReadOnly      ikigai.ToolCode = "READ_ONLY"
	codeNotKept       ikigai.ToolCode = "NOT_KEPT" // what was there could not be made durable
	codeFileError     ikigai.ToolCode = "FILE_ERROR"
	codeShellNotFound ikigai.ToolCode = "SHELL_NOT_FOUND"
	codeBadURL        ikigai.ToolCode = "BAD_URL"
	codeHTTP          ikigai.ToolCode = "HTTP_ERROR" // the server's answer is an error
	codeNetwork       ikigai.ToolCode = "NETWORK_ERROR"
)

// newTool returns a tool whose input is decoded into an In.
func newTool[In any](spec ikigai.ToolSpec, readOnly bool, run func(context.Context, ikigai.Call, In) ikigai.Result) ikigai.Tool {
	spec.Description = strings.TrimSpace(spec.Description)
	return ikigai.Tool{
		ToolSpec: spec,
		ReadOnly: readOnly,
		Check:    schema.Checker(spec.Schema),
		Run: func(ctx context.Context, call ikigai.Call) ikigai.Result {
			var in In
			if err := json.Unmarshal(call.Args, &in); err != nil {
				return ikigai.Failure(ikigai.CodeInvalidParams, fmt.Sprintf("Invalid arguments: %v", err), "Send one JSON object that fits the parameters")
			}
			if ctx.Err() != nil {
				return cancelled()
			}
			return run(ctx, call, in)
		},
	}
}

func cancelled() ikigai.Result {
	return ikigai.Failure(ikigai.CodeCancelled, "The call was stopped before it was done", "Wait for what the person says")
}

// whole is a whole number, in any form that JSON has for it: 30, 30.0, 3e1.
type whole int

func (n *whole) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return fmt.Errorf("%s is no number", raw)
	}
	const most = 1 << 52
	*n = whole(min(max(f, -most), most))
	return nil
}

// resolve returns the absolute form of a path of a call.
func (cfg Config) resolve(call ikigai.Call, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" {
		if home := cfg.getenv("HOME"); home != "" {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(call.Dir, path)
}

func (cfg Config) getenv(name string) string {
	value := ""
	for _, pair := range cfg.Env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}
