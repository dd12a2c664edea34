// Command terminal measures the interactive front as a person meets it: the real
// program on a pseudo-terminal, with a scripted model behind it. It prints how
// soon the first prompt stands on the screen, how soon a key does, what it costs
// to do nothing, how memory grows with a session and how much is written for each
// token, and fails if a figure is not what it should be.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ikigai/internal/scriptserver"
)

var (
	given  = flag.String("program", "", "the ikigai that is measured; one is built without")
	idle   = flag.Duration("idle", time.Minute, "how long nothing happens")
	keys   = flag.Int("keys", 300, "keys that are typed for a figure")
	starts = flag.Int("starts", 20, "starts that are looked at")
	rounds = flag.Int("rounds", 2000, "rounds of the long session, of five events each")
)

// script has one delta of four bytes a millisecond, and one in twenty.
const script = `
chunk: 4
user: fast
delay: 0ms 1ms
say: {{fill %d}}

  Fast is over.

user: slow
delay: 0ms 20ms
say: {{fill 2000}}

  Slow is over.

user: few
repeat: 20
call: bash {"command": "true"}
reply:
say: Few are over.

user: many
repeat: %d
call: bash {"command": "true"}
reply:
say: Many are over.
`

const (
	prompt = "›"
	pause  = 30 * time.Millisecond // between keys
)

// bench is what is measured, and what came of it.
type bench struct {
	dir     string // of files of the measurement
	program string
	config  string // file of settings
	failed  bool
}

func main() {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ikigai-terminal-")
	check(err)
	defer os.RemoveAll(dir)
	b := &bench{dir: dir}
	b.build()
	tokens := *keys * int(pause/time.Millisecond)
	b.serve(fmt.Sprintf(script, 8*tokens, *rounds))
	b.first()
	b.session()
	if b.failed {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// build sees to it that there is a program to measure.
func (b *bench) build() {
	if b.program = *given; b.program != "" {
		return
	}
	b.program = filepath.Join(b.dir, "ikigai")
	out, err := exec.Command("go", "build", "-o", b.program, "./cmd/ikigai").CombinedOutput()
	if err != nil {
		fail("build: %v\n%s", err, out)
	}
}

// serve has a model say the script, in this process so that it takes none of the
// memory that is measured.
func (b *bench) serve(text string) {
	parsed, err := scriptserver.Parse("bench", []byte(text))
	check(err)
	srv, err := scriptserver.Options{Keep: scriptserver.KeepNothing, Unchecked: true}.Start(parsed)
	check(err)
	b.config = filepath.Join(b.dir, "config.json")
	check(os.WriteFile(b.config, fmt.Appendf(nil, `{"model":"local/m","objectives":"text","vendors":{"local":{"base_url":%q}}}`, srv.URL), 0o600))
}

// env is the environment of a person who has just come.
func (b *bench) env(home string) []string {
	check(os.MkdirAll(home, 0o700))
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=" + prompt + " ", "IKIGAI_MAX_TOOL_TURNS=10000", "IKIGAI_CONFIG=" + b.config}
}

func (b *bench) command(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.program, args...)
	cmd.Dir, cmd.Env = b.dir, b.env(home)
	return cmd
}

// first measures when a prompt stands on the screen, beside a shell's.
func (b *bench) first() {
	home := filepath.Join(b.dir, "start")
	var ours, shell []time.Duration
	for range *starts {
		ours = append(ours, begun(b.command(home)))
		bash := exec.Command("bash", "--norc", "--noprofile", "-i")
		bash.Env = b.env(home)
		shell = append(shell, begun(bash))
	}
	b.row("first prompt, median", ms(at(ours, 50)), "ms", 50)
	fmt.Printf("%-50s %8.2f ms\n", "first prompt of bash", ms(at(shell, 50)))
}

// begun is how long a program takes until its prompt is on the screen.
func begun(cmd *exec.Cmd) time.Duration {
	began := time.Now()
	t := open(cmd)
	defer t.close()
	t.until(prompt, "")
	return time.Since(began)
}

// session measures one session from its beginning to its end.
func (b *bench) session() {
	t := open(b.command(filepath.Join(b.dir, "home")))
	defer t.close()
	pid := t.cmd.Process.Pid
	t.until(prompt, "")

	b.typed(t, "key to screen in an empty session")
	t.until("Few are over.", "few\r")
	small := resident(pid)

	began, before := time.Now(), t.written()
	t.until("Slow is over.", "slow\r")
	b.row(fmt.Sprintf("written for a token, %.0f tokens/s", 500/time.Since(began).Seconds()), float64(t.written()-before)/500, "bytes", 200)

	b.streaming(t)
	b.idle(t, "idle")

	t.until("Many are over.", "many\r")
	b.row(fmt.Sprintf("memory after %d rounds", *rounds), resident(pid), "MB", 1.5*small)
	fmt.Printf("%-50s %8.2f MB\n", "memory after 20 rounds", small)
	b.typed(t, "key to screen in a long session")
	b.idle(t, "idle in a long session")
}

// streaming measures keys while a reply streams, and what is written for it.
func (b *bench) streaming(t *terminal) {
	_, err := t.file.WriteString("fast\r")
	check(err)
	time.Sleep(500 * time.Millisecond)
	b.typed(t, "key to screen while 1,000 tokens/s stream")
	t.until("Fast is over.", "")
}

// typed measures how long a key takes to be seen.
func (b *bench) typed(t *terminal, name string) {
	var all []time.Duration
	for i := range *keys {
		key := string(rune(0x4e00 + i)) // nothing else on the screen is like it
		all = append(all, t.until(key, key))
		if i%20 == 19 {
			_, err := t.file.WriteString("\x15") // clears the input
			check(err)
		}
		time.Sleep(pause)
	}
	_, err := t.file.WriteString("\x15")
	check(err)
	b.row(name+", p50", ms(at(all, 50)), "ms", 16)
	b.row(name+", p99", ms(at(all, 99)), "ms", 16)
}

// idle measures what it takes to do nothing.
func (b *bench) idle(t *terminal, name string) {
	time.Sleep(2 * time.Second) // until what was to be done afterwards is done
	pid, before, written := t.cmd.Process.Pid, cpu(t.cmd.Process.Pid), t.written()
	time.Sleep(*idle)
	b.row(fmt.Sprintf("%s for %s, processor", name, *idle), ms(cpu(pid)-before), "ms", 50)
	b.row(fmt.Sprintf("%s for %s, written", name, *idle), float64(t.written()-written), "bytes", 0)
}

// row prints a figure, and notes whether it is more than it should be.
func (b *bench) row(name string, figure float64, unit string, most float64) {
	verdict := ""
	if figure > most {
		verdict, b.failed = "  TOO MUCH", true
	}
	fmt.Printf("%-50s %8.2f %-5s at most %.1f%s\n", name, figure, unit, most, verdict)
}

// at is the figure that so many percent of all are not above.
func at(all []time.Duration, percent int) time.Duration {
	slices.Sort(all)
	return all[min(len(all)*percent/100, len(all)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintln(os.Stderr, strings.TrimSpace(fmt.Sprintf(format, args...)))
	os.Exit(1)
}
