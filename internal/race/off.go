//go:build !race

package race

// Sizes and counts are divided by these.
const (
	Enabled = false
	Third   = 1
	Tenth   = 1
)
