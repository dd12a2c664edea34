// Package demo is what the demo plays with: a small project and a script of
// four statements about it. The answers of the script quote the real output of
// the tools, so they are true on any machine.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ikigai/internal/scriptserver"
)

//go:embed tree
var tree embed.FS

//go:embed demo.script
var script []byte

// Script returns the script of the demo.
func Script() (*scriptserver.Script, error) {
	return scriptserver.Parse("demo.script", script)
}

// WriteTree lays the project out in dir, which is made if it is not there. It
// overwrites nothing: the error then wraps fs.ErrExist.
func WriteTree(dir string) error {
	files, err := fs.Sub(tree, "tree")
	if err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o777); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	if err := os.WriteFile(filepath.Join(logs, "queries.log"), queryLog(), 0o666); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	return nil
}

// queryLog returns the log of a day with 240 queries, always the same one. It
// is more than a tool hands to a model at once.
func queryLog() []byte {
	const (
		queries  = 240
		slowFrom = 900 // milliseconds
	)
	goods := []string{"flour", "rice", "honey", "lentils", "coffee", "paprika", "walnuts"}
	var b strings.Builder
	random := uint32(1)
	next := func(n uint32) uint32 {
		random = random*1664525 + 1013904223
		return random >> 8 % n
	}
	for i := range queries {
		at := i * 150 // seconds after eight o'clock
		millis, mark := 1+next(40), ""
		if next(25) == 0 {
			millis, mark = slowFrom+next(2000), " slow"
		}
		command := "get"
		if next(3) == 0 {
			command = "put"
		}
		good := goods[next(uint32(len(goods)))]
		fmt.Fprintf(&b, "%02d:%02d:%02d %s %s %d ms, client 10.0.%d.%d, shelf %d, trace %06x%s\n",
			8+at/3600, at/60%60, next(60), command, good, millis, next(4), next(250), next(90), next(1<<24), mark)
	}
	return []byte(b.String())
}
