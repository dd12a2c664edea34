// Command bench measures ikigai against floor, a program that does the same
// work without log and features, in one run on one machine, and prints the
// ratios. Times are medians; machines are noisy, ratios less so.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ikigai/internal/scriptserver"
)

var (
	runs = flag.Int("n", 7, "runs of each measurement")
	only = flag.String("only", "", "measure only what has this in its name")
)

// bench holds what all measurements need.
type bench struct {
	dir, ikigai, floor string
	rss                string // the program that measures memory
}

func main() {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ikigai-bench-")
	check(err)
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, ikigai: filepath.Join(dir, "ikigai"), floor: filepath.Join(dir, "floor"), rss: filepath.Join(dir, "rss")}
	build(b.ikigai, "./cmd/ikigai")
	build(b.floor, "./bench/floor")
	build(b.rss, "./bench/rss")
	fmt.Printf("%-52s %10s %10s %8s %8s\n", "work", "ikigai", "floor", "ratio", "target")
	for _, m := range b.measurements() {
		if strings.Contains(m.name, *only) {
			m.run(m)
		}
	}
}

type measurement struct {
	name string
	run  func(measurement)
}

func (b *bench) measurements() []measurement {
	return []measurement{
		{"process start to first request", b.start},
		{"tool turn", b.turn},
		{"turn 1000 against turn 10", b.long},
		{"peak memory", b.memory},
		{"file_write of 1 MB in deltas of 20 bytes", b.write},
		{"bash: seq 1 20000000", b.output},
		{"continue a session", b.resume},
	}
}

// server starts a scripted model that answers every statement with the replies.
func server(replies ...scriptserver.Reply) *scriptserver.Server {
	s := &scriptserver.Script{Name: "bench", All: []scriptserver.Statement{{User: "*", Replies: replies}}}
	srv, err := scriptserver.Options{Keep: scriptserver.KeepHeads, Unchecked: true}.Start(s)
	check(err)
	return srv
}

var answer = scriptserver.Reply{Say: "Done."}

func bashCall(command string, times int) scriptserver.Reply {
	args, _ := json.Marshal(map[string]any{"command": command, "timeout": 600})
	return scriptserver.Reply{Repeat: times, Calls: []scriptserver.Call{{Name: "bash", Arguments: string(args)}}}
}

// result is one run of a program.
type result struct {
	began    time.Time
	requests []scriptserver.Request
}

// toFirst is the time from the start of the program to its first request.
func (r result) toFirst() time.Duration { return r.requests[0].Received.Sub(r.began) }

// turn is the time from the end of reply i to the request after it.
func (r result) turn(i int) time.Duration {
	return r.requests[i+1].Received.Sub(r.requests[i].Answered)
}

// turns returns the median of turns from to to-1.
func (r result) turns(from, to int) time.Duration {
	var all []time.Duration
	for i := from; i < to; i++ {
		all = append(all, r.turn(i))
	}
	return median(all)
}

// runIkigai runs one statement in a directory with a database of its own.
func (b *bench) runIkigai(srv *scriptserver.Server, data string, args ...string) result {
	return b.measure(srv, b.ikigaiCommand(srv, data, args...), data)
}

func (b *bench) ikigaiCommand(srv *scriptserver.Server, data string, args ...string) *exec.Cmd {
	args = append([]string{"run", "--max-tool-turns", "10000", "--database", filepath.Join(data, "ikigai.db")}, args...)
	cmd := exec.Command(b.ikigai, args...)
	config := filepath.Join(data, "config.json")
	check(os.WriteFile(config, fmt.Appendf(nil, `{"model":"local/m","objectives":"text","vendors":{"local":{"base_url":%q}}}`, srv.URL), 0o600))
	cmd.Env = append(os.Environ(), "IKIGAI_CONFIG="+config)
	return cmd
}

func (b *bench) runFloor(srv *scriptserver.Server, data string, args ...string) result {
	return b.measure(srv, b.floorCommand(srv, args...), data)
}

func (b *bench) floorCommand(srv *scriptserver.Server, args ...string) *exec.Cmd {
	return exec.Command(b.floor, append([]string{"-url", srv.URL}, args...)...)
}

func (b *bench) measure(srv *scriptserver.Server, cmd *exec.Cmd, dir string) result {
	// A file takes what is shown without waking anybody, unlike a pipe.
	stderr, err := os.CreateTemp(b.dir, "stderr-")
	check(err)
	defer stderr.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stderr, stderr
	before := len(srv.Requests())
	r := result{began: time.Now()}
	if err := cmd.Run(); err != nil {
		told, _ := os.ReadFile(stderr.Name())
		log.Fatalf("%s: %v\n%s", cmd, err, told)
	}
	r.requests = srv.Requests()[before:]
	return r
}

// peak returns the peak memory of a command in MiB.
func (b *bench) peak(cmd *exec.Cmd, dir string) float64 {
	file := filepath.Join(b.dir, "rss.txt")
	small := exec.Command(b.rss, append([]string{file}, cmd.Args...)...)
	small.Dir, small.Env = dir, cmd.Env
	if out, err := small.CombinedOutput(); err != nil {
		log.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	raw, err := os.ReadFile(file)
	check(err)
	kib, err := strconv.Atoi(string(raw))
	check(err)
	return float64(kib) / 1024
}

// fresh returns a new empty directory.
func (b *bench) fresh() string {
	dir, err := os.MkdirTemp(b.dir, "run-")
	check(err)
	return dir
}

// pairs runs two programs in turn and returns the median figure of each.
func pairs(a, b func() float64) (float64, float64) {
	var as, bs []float64
	for range *runs {
		as, bs = append(as, a()), append(bs, b())
	}
	return median(as), median(bs)
}

func row(name, unit string, a, b float64, target string) {
	fmt.Printf("%-52s %7.2f %-2s %7.2f %-2s %8.2f %8s\n", name, a, unit, b, unit, a/b, target)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (b *bench) start(m measurement) {
	srv := server(answer)
	defer srv.Close()
	data := b.fresh()
	b.runIkigai(srv, data, "hello") // creates the database
	a, f := pairs(
		func() float64 { return ms(b.runIkigai(srv, data, "hello").toFirst()) },
		func() float64 { return ms(b.runFloor(srv, data, "hello").toFirst()) })
	row(m.name, "ms", a, f, "4")
	a, f = pairs(
		func() float64 { return ms(b.runIkigai(srv, b.fresh(), "hello").toFirst()) },
		func() float64 { return ms(b.runFloor(srv, data, "hello").toFirst()) })
	row(m.name+", new database", "ms", a, f, "-")
}

func (b *bench) turn(m measurement) {
	const turns = 40
	srv := server(bashCall("true", turns), answer)
	defer srv.Close()
	data := b.fresh()
	ikigai := func() float64 { return ms(b.runIkigai(srv, data, "go").turns(5, turns)) }
	a, f := pairs(ikigai, func() float64 { return ms(b.runFloor(srv, data, "go").turns(5, turns)) })
	row(m.name+" (true in bash)", "ms", a, f, "2")
	a, f = pairs(ikigai, func() float64 {
		return ms(b.runFloor(srv, data, "-sync", filepath.Join(data, "synced"), "go").turns(5, turns))
	})
	row(m.name+", floor with -sync", "ms", a, f, "1.3")
}

func (b *bench) long(m measurement) {
	const turns = 1000
	srv := server(bashCall("true", turns), answer)
	defer srv.Close()
	var early, late []float64
	for range *runs {
		r := b.runIkigai(srv, b.fresh(), "go")
		early = append(early, ms(r.turns(5, 15)))
		late = append(late, ms(r.turns(turns-10, turns)))
	}
	row(m.name+" (both ikigai)", "ms", median(late), median(early), "1.5")
}

func (b *bench) memory(m measurement) {
	b.memoryOf(m.name+", one answer", "4", answer)
	b.memoryOf(m.name+", 1000 turns", "4", bashCall("true", 1000), answer)
	b.memoryOf(m.name+", seq 1 20000000", "+16 MB", bashCall("seq 1 20000000", 1), answer)
}

func (b *bench) memoryOf(name, target string, replies ...scriptserver.Reply) {
	srv := server(replies...)
	defer srv.Close()
	a, f := pairs(
		func() float64 { dir := b.fresh(); return b.peak(b.ikigaiCommand(srv, dir, "go"), dir) },
		func() float64 { return b.peak(b.floorCommand(srv, "go"), b.fresh()) })
	row(name, "MB", a, f, target)
}

func (b *bench) write(m measurement) {
	content := strings.Repeat("The quick brown fox jumps over it.\n", 1<<20/35)
	args, _ := json.Marshal(map[string]string{"path": "big.txt", "content": content})
	call := scriptserver.Reply{Chunk: 20, Calls: []scriptserver.Call{{Name: "file_write", Arguments: string(args)}}}
	srv := server(call, answer)
	defer srv.Close()
	between := func(r result) float64 { return ms(r.requests[1].Received.Sub(r.requests[0].Received)) }
	a, f := pairs(
		func() float64 { return between(b.runIkigai(srv, b.fresh(), "go")) },
		func() float64 { return between(b.runFloor(srv, b.fresh(), "go")) })
	row(m.name, "ms", a, f, "2")
}

func (b *bench) output(m measurement) {
	srv := server(bashCall("seq 1 20000000", 1), answer)
	defer srv.Close()
	a, f := pairs(
		func() float64 { return ms(b.runIkigai(srv, b.fresh(), "go").turn(0)) },
		func() float64 { return ms(b.runFloor(srv, b.fresh(), "go").turn(0)) })
	row(m.name, "ms", a, f, "1.5")
}

// resume compares the start of a session with a long past with the floor that
// reads the same messages from a file and builds the same body.
func (b *bench) resume(m measurement) {
	for _, turns := range []int{1000, 5000} {
		srv := server(bashCall("true", turns), answer)
		data := b.fresh()
		b.runIkigai(srv, data, "go")
		srv.Close()
		messages := filepath.Join(data, "messages.jsonl")
		writeMessages(messages, turns)
		srv = server(answer)
		a, f := pairs(
			func() float64 { return ms(b.runIkigai(srv, data, "--continue", "go on").toFirst()) },
			func() float64 { return ms(b.runFloor(srv, data, "-load", messages, "go on").toFirst()) })
		srv.Close()
		row(fmt.Sprintf("%s of %d turns", m.name, turns), "ms", a, f, "3")
	}
}

func writeMessages(path string, turns int) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	add := func(v map[string]any) { check(enc.Encode(v)) }
	add(map[string]any{"role": "system", "content": strings.Repeat("s", 500)})
	add(map[string]any{"role": "user", "content": "go"})
	for i := range turns {
		id := fmt.Sprintf("call_%024d", i)
		add(map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": id, "type": "function",
			"function": map[string]string{"name": "bash", "arguments": `{"command":"true","timeout":600}`}}}})
		add(map[string]any{"role": "tool", "tool_call_id": id, "content": `{"output":"","exit_code":0}`})
	}
	add(map[string]any{"role": "assistant", "content": "Done."})
	check(os.WriteFile(path, []byte(out.String()), 0o600))
}

func build(out, pkg string) {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	check(cmd.Run())
}

func median[T int64 | float64 | time.Duration](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
