package mcp

//lint:file-ignore SA1019 servers of the protocol's forms until 2025 ask for roots and send logs; they are there for years

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// takeLogs keeps the end of what the server logs with what it prints.
func (l *link) takeLogs(options *sdk.ClientOptions) {
	options.LoggingMessageHandler = func(_ context.Context, r *sdk.LoggingMessageRequest) {
		l.beside.line(fmt.Sprintf("%s: %v", r.Params.Level, r.Params.Data))
	}
}

// offerRoots has servers told that they may ask for the session's directory,
// which never changes, and for nothing else.
func offerRoots(options *sdk.ClientOptions) {
	options.Capabilities = &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}}
}

// tellRoot makes dir what servers are told when they ask for the session's
// directory.
func tellRoot(client *sdk.Client, dir string) {
	if dir != "" {
		client.AddRoots(&sdk.Root{URI: (&url.URL{Scheme: "file", Path: dir}).String(), Name: filepath.Base(dir)})
	}
}
