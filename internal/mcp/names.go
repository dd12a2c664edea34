package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const maxName = 64 // of a tool, as vendors take it

// toolName returns the name under which models see a tool of a server. It
// depends on these two names alone, so that it never changes with what else is
// offered: where characters had to be replaced, where the name was too long, or
// where another pair of names could give the same one, it ends in a hash of both.
func toolName(server, tool string) string {
	name := "mcp__" + legal(server) + "__" + legal(tool)
	exact := "mcp__" + server + "__" + tool
	ambiguous := strings.Contains(server+"_", "__")
	if name == exact && !ambiguous && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	hash := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(hash))] + hash
}

// legal returns s with "_" for what no name of a tool may hold.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
