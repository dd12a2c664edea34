// Command delegate measures what it costs to have tasks worked on at once: a model
// that answers after half a second hands over one task alone, and then many, each
// of some rounds of a command, with no setting changed. It prints how much longer
// the many take than the one, and fails if it is more than it should be, or if
// their log is not complete.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ikigai"
)

var (
	many   = flag.Int("tasks", 20, "tasks at once; no more than one call may hand over by default")
	rounds = flag.Int("rounds", 10, "rounds of a command in each")
	most   = flag.Float64("most", 1.3, "how many times as long as one task alone they may take")
)

// script lets the model hand over some tasks.
const script = `
user: work
call: delegate_tasks {"tasks": [%s]}
reply:
say: Done.

side: task
delay: 500ms
repeat: %d
call: bash {"command": "true"}
reply:
delay: 500ms
say: Done.
`

func main() {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ikigai-delegate-")
	check(err)
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "ikigai")
	out, err := exec.Command("go", "build", "-o", program, "./cmd/ikigai").CombinedOutput()
	if err != nil {
		log.Fatalf("build: %v\n%s", err, out)
	}
	alone := measure(program, filepath.Join(dir, "alone"), 1)
	all := measure(program, filepath.Join(dir, "many"), *many)
	ratio := float64(all) / float64(alone)
	fmt.Printf("%d tasks of %d rounds: %.2f s, one alone: %.2f s, ratio %.2f, at most %.2f\n",
		*many, *rounds, all.Seconds(), alone.Seconds(), ratio, *most)
	if ratio > *most {
		os.Exit(1)
	}
}

// measure has n tasks worked on in an empty directory, checks their log, and
// returns how long the call took.
func measure(program, dir string, n int) time.Duration {
	check(os.Mkdir(dir, 0o755))
	var tasks []string
	for i := range n {
		tasks = append(tasks, fmt.Sprintf(`{"title":"Task %d","instructions":"Do it."}`, i+1))
	}
	path := filepath.Join(dir, "s.script")
	check(os.WriteFile(path, fmt.Appendf(nil, script, strings.Join(tasks, ","), *rounds), 0o600))
	ikigai := func(args ...string) []byte {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GOMAXPROCS=2"}
		out, err := cmd.Output()
		check(err)
		return out
	}
	ikigai("run", "--script", path, "work")
	return checked(ikigai("log", "--json"), n)
}

// checked checks that the log holds all of n tasks, in order, and returns how long
// the call that handed them over took.
func checked(lines []byte, n int) time.Duration {
	whole := map[ikigai.Kind]int{
		ikigai.KindInteraction: 1, ikigai.KindSystem: 1, ikigai.KindTools: 1, ikigai.KindUser: 1, ikigai.KindAssistant: 1,
		ikigai.KindRequest: *rounds + 1, ikigai.KindUsage: *rounds + 1,
		ikigai.KindToolCall: *rounds, ikigai.KindToolResult: *rounds, ikigai.KindFeedback: *rounds,
	}
	kinds := map[string]map[ikigai.Kind]int{}
	var began, ended ikigai.Micros
	last := ikigai.Seq(0)
	for line := range strings.Lines(string(lines)) {
		var e ikigai.Event
		check(json.Unmarshal([]byte(line), &e))
		if last++; e.Seq != last {
			log.Fatalf("event %d stands where event %d should", e.Seq, last)
		}
		switch {
		case e.Interaction != ikigai.Main && kinds[e.Interaction] == nil:
			kinds[e.Interaction] = map[ikigai.Kind]int{}
			fallthrough
		case e.Interaction != ikigai.Main:
			kinds[e.Interaction][e.Kind]++
		case e.Kind == ikigai.KindToolCall:
			began = e.Time
		case e.Kind == ikigai.KindToolResult:
			ended = e.Time
		}
	}
	if len(kinds) != n {
		log.Fatalf("the log has %d tasks, not %d", len(kinds), n)
	}
	for interaction, have := range kinds {
		if !maps.Equal(have, whole) {
			log.Fatalf("%s has %v, not %v", interaction, have, whole)
		}
	}
	return ended.Time().Sub(began.Time())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
