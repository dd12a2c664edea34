//go:build !race

package export

const scale = 1
