// Package race tells tests how much less to do where the race detector makes
// everything slow and learns nothing from more of the same: from what one goroutine
// computes, or from how other processes end. Without it the whole is done.
package race
