// Command rss runs a program and writes its peak memory in KiB to a file. A
// process counts the memory of the one that started it, up to its exec, as its
// own; this one is small.
//
// Usage: rss FILE PROGRAM ARG...
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		log.Fatal(err)
	}
	rss := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(os.Args[1], fmt.Append(nil, rss), 0o600); err != nil {
		log.Fatal(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
