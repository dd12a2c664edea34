package tools

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/race"
)

// S2.63: UTF-16 is searched as text, what is binary is not, and a mark is no part
// of the first line.
func TestGrepEncodings(t *testing.T) {
	b := newBench(t, Config{})
	wide := func(e encoding, mark, text string) string { return mark + string(e.ascii(text)) }
	b.write("be", wide(utf16BE, bomUTF16BE, "one\nneedle 16\n"), "le", wide(utf16LE, bomUTF16LE, strings.Repeat("x\n", 1<<20)+"needle"), "bom", bomUTF8+"needle", "latin1", "d\xe9j\xe0 needle",
		"nul", "needle\x00", "late", strings.Repeat("text\n", 2000)+"needle\n\x00", "cr", "a\r\nneedle\r\n")
	want := "be:2: needle 16\nbom:1: needle\ncr:2: needle\nlate:2001: needle\nlatin1:1: d\uFFFDj\uFFFD needle\nle:1048577: needle"
	b.want("grep", `{"pattern":"needle"}`, `{"output":`+quoted(want)+`,"count":6}`, "6 matches in 6 files")
	b.want("grep", `{"pattern":"^needle( 16)?$","path":"be"}`, `{"output":"be:2: needle 16","count":1}`, "1 match in 1 file")
	b.want("grep", `{"pattern":"^needle$","path":"bom"}`, `{"output":"bom:1: needle","count":1}`, "1 match in 1 file")
}

// A file of 256 MB that is one line after its first ones takes no memory.
func TestGrepSparse(t *testing.T) {
	b := newBench(t, Config{})
	b.write("huge", strings.Repeat("text\n", 2000), "zero", "needle\n")
	for _, name := range []string{"huge", "zero"} {
		f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("\nneedle\n"), 1<<28/race.Tenth); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.want("grep", `{"pattern":"needle"}`, `{"output":"huge:2002: needle","count":1}`, "1 match in 1 file")
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*longestLine {
		t.Errorf("%d bytes were allocated", grown)
	}
}

// Names that are no text, or more than a line, are quoted.
func TestGrepNames(t *testing.T) {
	b := newBench(t, Config{})
	b.write("new\nline", "x", "esc\x1b[31m", "x", "\xff\xfe", "x", "sp ace:1: ", "x")
	b.want("grep", `{"pattern":"x"}`, `{"output":`+quoted(`"esc\x1b[31m":1: x`+"\n"+`"new\nline":1: x`+"\nsp ace:1: :1: x\n"+`"\xff\xfe":1: x`)+`,"count":4}`, "4 matches in 4 files")
}

// Pipes, devices and links that go round in circles are passed by, also when
// they take the place of a file that was listed.
func TestGrepSpecial(t *testing.T) {
	b := newBench(t, Config{})
	b.write("a/file", "needle")
	for link, target := range map[string]string{"a/up": "..", "self": "self", "a/zero": "/dev/zero", "link": "a/file", "dir": "a", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(b.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.want("grep", `{"pattern":"needle"}`, `{"output":"a/file:1: needle","count":1}`, "1 match in 1 file")
	b.want("grep", `{"pattern":"needle","path":"link"}`, `{"output":"link:1: needle","count":1}`, "1 match in 1 file")
	b.want("grep", `{"pattern":"needle","path":"dir"}`, `{"output":"dir/file:1: needle","count":1}`, "1 match in 1 file")
	b.want("glob", `{"pattern":"**"}`, `{"output":"a/file\na/up\na/zero\ndir\ngone\nlink\npipe\nself","count":8}`, "8 files found")
	if r := b.call("grep", `{"pattern":"needle","path":"pipe"}`); field(t, r, "error_code") != "NOT_A_FILE" {
		t.Error(text(r))
	}
	p, _ := compile("needle", false)
	s := search{pattern: p, root: b.dir, files: []string{"a/file", "pipe", "self"}, limit: time.Minute}
	s.run(context.Background())
	if r := grepResult(Config{MaxOutput: 1 << 20}, &s, ""); text(r) != `{"output":"a/file:1: needle","count":1}` || r.Note != "1 file could not be read." {
		t.Errorf("%s %q", text(r), r.Note)
	}
}

// Files may go while they are searched.
func TestGrepVanishing(t *testing.T) {
	b := newBench(t, Config{})
	for i := range 500 {
		b.write(fmt.Sprintf("d%d/f", i), "needle")
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for i := range 500 {
			_ = os.RemoveAll(filepath.Join(b.dir, fmt.Sprintf("d%d", i)))
		}
	}()
	for range 20 {
		if r := b.call("grep", `{"pattern":"needle"}`); r.Failed {
			t.Error(text(r))
		}
	}
	<-gone
	b.want("grep", `{"pattern":"needle"}`, `{"output":"","count":0}`, "no matches")
}

// The kernel's files have no size; some refuse to be read.
func TestGrepProc(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/ostype"); err != nil {
		t.Log("no /proc here")
		return
	}
	b := newBench(t, Config{})
	b.want("grep", `{"pattern":"^Name:","path":"/proc/self/status"}`, `{"output":`+quoted("/proc/self/status:1: Name:\t"+processName(t))+`,"count":1}`, "1 match in 1 file")
	r := b.call("grep", `{"pattern":"Linux","path":"/proc/sys/kernel"}`)
	if r.Failed || !strings.Contains(field(t, r, "output"), "/proc/sys/kernel/ostype:1: Linux") {
		t.Error(text(r))
	}
}

func processName(t *testing.T) string {
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(name))
}

// A read that hangs does not keep the call, whether it is stopped or runs out of
// time. Then what was found counts, and what is missing is said.
func TestSearchEnds(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "x", "g", "x", "h", "x")
	p, _ := compile("x", false)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		ctx   context.Context
		limit time.Duration
	}{{stopped, time.Hour}, {context.Background(), time.Millisecond}} {
		s := search{pattern: p, root: b.dir, files: []string{"f", "g", "h"}, limit: tc.limit}
		s.searched, s.next = 1, 1
		s.mu.Lock() // no worker gets a file
		s.run(tc.ctx)
		s.mu.Unlock()
		want := fmt.Sprintf("The search was stopped after %v, 2 of 3 files before the end: there may be more. Search a smaller directory, or with a glob.", tc.limit)
		if r := grepResult(Config{MaxOutput: 1 << 20}, &s, ""); r.Failed || r.Note != want {
			t.Errorf("%q", r.Note)
		}
	}
}

// However little of a file is in memory, the same lines match, and their numbers
// and lengths are the same.
func FuzzLittleMemory(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	dir := f.TempDir()
	patterns := []string{"TODO", "^TODO", "TODO$", "^a+TODO", "(?i)todo|é{3}", `\bTODO\b`, "é.*a$", "^", "x*", "^é[^b]*$", "a{20}é", "nowhere", `\xff|^$`}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		var text []byte
		for range random.IntN(20) {
			for size := random.IntN(1 << random.IntN(16)); size > 0; size /= 2 {
				text = append(text, bytes.Repeat([]byte([]string{"a", "é", "ab ", "TODO", "\xff"}[random.IntN(5)]), 1+size/4)...)
			}
			text = append(text, []string{"", "TODO", "aé", "\r"}[random.IntN(4)]+"\n"...)
		}
		text = text[:len(text)-random.IntN(2)*min(1, len(text))]
		if err := os.WriteFile(filepath.Join(dir, "f"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		pattern := patterns[random.IntN(len(patterns))]
		p, failure := compile(pattern, false)
		if failure != nil {
			t.Fatal(failure)
		}
		s := search{pattern: p, root: dir, context: random.IntN(2) * random.IntN(21)}
		matches := func(most int) (all []string) {
			r := blockReader{lines: s.context, most: most, find: p.Lines(nil), buf: make([]byte, 4*shownLine)}
			found, err := s.searchFile(t.Context(), &r, "f", mostMatches)
			if err != nil || found.count != len(found.entries) {
				t.Fatalf("%d of %d entries, %v", len(found.entries), found.count, err)
			}
			for _, e := range found.entries {
				for _, m := range matchLine.FindAllStringSubmatch(e.text, -1) {
					if m[2] == "" { // it is not a long one
						m[1] = m[0]
					}
					all = append(all, m[1]+m[2])
				}
			}
			return all
		}
		if diff := cmp.Diff(matches(1<<20), matches(4*shownLine)); diff != "" {
			t.Errorf("%s, %d lines around it (-much memory +little):\n%.3000s", pattern, s.context, diff)
		}
	})
}

// matchLine is a line that matches: its number and, of a long one, its length.
var matchLine = regexp.MustCompile(`(?m)^f(:\d+: ).*?( \[line of [\d,]+ bytes\])?$`)

// However a text is cut into blocks, its lines and their numbers are the same.
func FuzzBlocks(f *testing.F) {
	f.Add("a\nb\n\nc", 1)
	f.Add(strings.Repeat("line\n", 1000), 3)
	f.Fuzz(func(t *testing.T, text string, context int) {
		if isBinary([]byte(text)) || context < 0 || context > 20 || strings.HasPrefix(text, bomUTF8) || strings.HasPrefix(text, bomUTF16BE) || strings.HasPrefix(text, bomUTF16LE) {
			return
		}
		p, _ := compile("a", false)
		r := blockReader{lines: context, most: longestLine, find: p.Lines(nil), buf: make([]byte, 8)} // it grows
		if err := r.reset(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for {
			more, err := r.advance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
			if line := 1 + strings.Count(text[:got.Len()], "\n"); r.line+bytes.Count(r.data[:r.from], []byte{'\n'}) != line {
				t.Fatalf("a block of line %d begins at %d", line, r.line)
			}
			got.Write(r.data[r.from:r.limit])
		}
		if got.String() != text {
			t.Fatalf("%q is read as %q", text, got.String())
		}
	})
}

// A part of a line that is no UTF-8 is as long as any.
func TestPartOfOddBytes(t *testing.T) {
	line := append(append([]byte("x"), bytes.Repeat([]byte{0x80}, 1<<20)...), "TODO and more"...)
	at := bytes.Index(line, []byte("TODO"))
	part := partOf(line, at, shownLine, false, false)
	if len(part) > shownLine+2*len("…")+utf8.UTFMax || !bytes.Contains(part, []byte("TODO")) {
		t.Errorf("%d bytes, which end with %q", len(part), part[max(0, len(part)-20):])
	}
}
