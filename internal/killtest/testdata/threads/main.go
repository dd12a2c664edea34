// Threads is a program that ends while its first thread changes something.
package main

import (
	"os"
	"runtime"
)

func init() { runtime.LockOSThread() } // main keeps the first thread

func main() {
	go func() {
		write(20)
		os.Exit(3)
	}()
	write(1 << 30)
}

func write(times int) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		os.Exit(1)
	}
	for range times {
		if _, err := null.WriteString("x"); err != nil {
			os.Exit(1)
		}
	}
}
