package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// cpu is what a process has used so far, from /proc.
func cpu(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	return time.Duration(number(fields[user])+number(fields[system])) * tick
}

// resident is how many MB of memory a process has.
func resident(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	check(err)
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	return float64(number(strings.Fields(after)[0])) / 1024
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	check(err)
	return n
}
