//go:build !race

package tools

const scale = 1
