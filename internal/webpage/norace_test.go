//go:build !race

package webpage

const scale = 1
