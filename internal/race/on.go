//go:build race

package race

// Sizes and counts are divided by these.
const (
	Enabled = true
	Third   = 3
	Tenth   = 10
)
