//go:build race

package providertest

// Scale is by how much less a test does of what one goroutine computes where
// the race detector makes everything slow: it finds nothing there that it did
// not find in a part. The whole is done without it.
const Scale = 10
