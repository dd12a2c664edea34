//go:build race

package storetest

// Scale is by how much less is done where the race detector makes everything
// slow: fewer processes are killed, of whose ends it learns nothing, and texts
// are shorter. The whole is done without it.
const Scale = 3
