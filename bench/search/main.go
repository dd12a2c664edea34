// Command search tells what the tools grep and glob cost beside ripgrep, which
// must be on PATH. Both search the sources of Go, or the directory -dir.
//
// Of a tool the time is from call to result, which is what an agent waits for:
// the list of files, the search, sorting and the encoded result. Of ripgrep it is
// the whole command with its output read and sorted, as threads of its own it has
// only where order does not matter. The two take turns; of -n times the least
// counts. Beside the ratio of times stands that of the processors' time, in which
// a busy machine shows less; what sorting takes is not in ripgrep's.
//
// What the two find differs by intent in this: ripgrep gives up on a file at a NUL
// anywhere, grep looks at the first 8 KB; \b \w \d \s are for Unicode in
// ripgrep, for ASCII in grep (RE2); $ stands before a carriage return in grep;
// ripgrep reads .ignore files and, in a repository alone, .gitignore; its --glob finds hidden files, the tool those whose
// dot the pattern names.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/tools"
)

// question is asked of both.
type question struct {
	tool    string
	pattern string
	literal bool // every match contains one of few texts
}

var questions = []question{
	{"grep", `func \(.*\) ServeHTTP`, true},
	{"grep", `TODO`, true},
	{"grep", `(?i)deadlock`, true},
	{"grep", `[A-Z][a-z]+Error\b`, true},
	{"grep", `\b(read|write)_[a-z]+\(`, true},
	{"grep", `[a-z]+[0-9]{3}[a-z]`, false},
	{"grep", `^\s*[a-z]+ := [^a-z]+$`, true},
	{"grep", `no such text anywhere`, true},
	{"glob", `**/*.go`, true},
	{"glob", `**/*_test.go`, true},
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "", "directory to search instead")
	rounds := flag.Int("n", 9, "times that each is run")
	flag.Parse()
	if *dir == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			log.Fatal("go env GOROOT: ", err)
		}
		*dir = filepath.Join(strings.TrimSpace(string(out)), "src")
	}
	for _, q := range questions {
		ask(q, *dir) // what is asked for is in memory from here on
	}
	fmt.Printf("most memory held by ikigai: %d MB\n\n", held())
	fmt.Printf("%-34s %10s %10s %6s %6s %6s  %s\n", *dir, "ikigai", "rg", "ratio", "limit", "cpu", "found")
	for _, q := range questions {
		compare(q, *dir, *rounds)
	}
}

// cost is what an answer took.
type cost struct{ time, cpu time.Duration }

func (c *cost) least(other cost) { c.time, c.cpu = min(c.time, other.time), min(c.cpu, other.cpu) }

func compare(q question, dir string, rounds int) {
	ours, theirs := cost{time.Hour, time.Hour}, cost{time.Hour, time.Hour}
	var result output
	var lines []string
	for range rounds {
		start, before := time.Now(), processor()
		result = ask(q, dir)
		ours.least(cost{time.Since(start), processor() - before})
		start = time.Now()
		found, cpu := ripgrep(q, dir)
		theirs.least(cost{time.Since(start), cpu})
		lines = found
	}
	limit := 1.5
	if !q.literal {
		limit = 3
	}
	fmt.Printf("%-34s %10s %10s %6.2f %6.1f %6.2f  %d\n", q.tool+" "+q.pattern, ours.time.Round(time.Millisecond/10), theirs.time.Round(time.Millisecond/10),
		float64(ours.time)/float64(theirs.time), limit, float64(ours.cpu)/float64(theirs.cpu), result.Count)
	differ(result, lines)
}

// output is what a tool has found.
type output struct {
	Output string
	Count  int
}

func ask(q question, dir string) output {
	for _, tool := range tools.Builtin(tools.Config{MaxOutput: 64 << 20}) {
		if tool.Name != q.tool {
			continue
		}
		raw, err := json.Marshal(map[string]string{"pattern": q.pattern})
		if err != nil {
			log.Fatal(err)
		}
		args, err := tool.Check(raw)
		if err != nil {
			log.Fatal(err)
		}
		var out output
		r := tool.Run(context.Background(), ikigai.Call{Dir: dir, Args: args})
		if err := json.Unmarshal([]byte(r.Output[0].Text), &out); r.Failed || err != nil {
			log.Fatal(r, err)
		}
		return out
	}
	panic("no tool " + q.tool)
}

// ripgrep returns the lines that rg prints, sorted, and its time on processors.
func ripgrep(q question, dir string) ([]string, time.Duration) {
	args := []string{"--no-config", "--no-ignore-global", "--no-ignore-dot", "--color=never"}
	if q.tool == "glob" {
		args = append(args, "--files", "--glob", q.pattern)
	} else {
		args = append(args, "--no-heading", "--with-filename", "--line-number", "-e", q.pattern)
	}
	cmd := exec.Command("rg", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: nothing was found
		log.Fatal("rg: ", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(out) == 0 {
		lines = nil
	}
	slices.Sort(lines)
	return lines, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// differ prints in what the two differ: in number, and in the places among
// those that the tool shows, which are the first.
func differ(ours output, theirs []string) {
	if ours.Count != len(theirs) {
		fmt.Printf("  rg found %d\n", len(theirs))
	}
	has := map[string]bool{}
	for _, line := range theirs {
		has[place(line)] = true
	}
	shown, _, _ := strings.Cut(ours.Output, "\n\n[OUTPUT TRUNCATED")
	for line := range strings.Lines(shown) {
		if !has[place(line)] {
			fmt.Printf("  rg has not found %s", line)
		}
	}
}

// place returns the path and the number of a line.
func place(line string) string {
	path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
	number, _, _ := strings.Cut(rest, ":")
	return path + ":" + number
}

// held returns the most megabytes that this process has held.
func held() int64 { return usage().Maxrss >> 10 }

// processor returns the time that this process has spent on processors.
func processor() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return u
}
