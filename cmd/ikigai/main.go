// Command ikigai is an agent for the terminal.
package main

import (
	"context"
	"os"

	"ikigai/internal/cli"
)

func main() {
	hide()
	os.Exit(cli.Run(context.Background(), cli.Process{
		Program: os.Args[0],
		Args:    os.Args[1:],
		Env:     os.Environ(),
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
	}))
}
