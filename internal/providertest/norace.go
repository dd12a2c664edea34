//go:build !race

package providertest

// Scale is by how much less a test does of what one goroutine computes where
// the race detector makes everything slow. The whole is done without it.
const Scale = 1
