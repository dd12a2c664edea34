package mcp

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the servers that it starts, and the client that the
// conformance suite drives.
func TestMain(m *testing.M) {
	if mode := os.Getenv("MCP_TEST_SERVER"); mode != "" {
		os.Exit(serveMode(mode))
	}
	if os.Getenv("MCP_TEST_PARENT") != "" {
		beParent()
	}
	if scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); scenario != "" {
		os.Exit(playScenario(scenario, os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_CONTEXT")))
	}
	goleak.VerifyTestMain(m)
}
