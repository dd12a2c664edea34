//go:build race

package cli

// raceEnabled tells that tests run with the race detector.
const raceEnabled = true
