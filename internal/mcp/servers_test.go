package mcp

func serveMode(mode string) int { return 1 }
