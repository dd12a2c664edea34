//go:build race

package tools

// scale is by how much less is done where the race detector makes everything
// slow. The whole is done without it.
const scale = 10
