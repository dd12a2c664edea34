package blob

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ikigai"
)

// text returns size bytes that look like source code, the same for the same
// seed.
func text(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("func return if err nil range string int := == != ( ) { } the value of name path open close read write")
	var b bytes.Buffer
	for b.Len() < size {
		b.WriteByte('\t')
		for range 3 + r.IntN(8) {
			fmt.Fprintf(&b, "%s ", words[r.IntN(len(words))])
		}
		fmt.Fprintf(&b, "x%d\n", r.IntN(500))
	}
	return b.Bytes()[:size]
}

func noise(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// replaced returns b with size bytes at at replaced.
func replaced(b []byte, at, size int, with string) []byte {
	return bytes.Join([][]byte{b[:at], []byte(with), b[at+size:]}, nil)
}

// diffSize checks that a difference gives the target back, and returns its
// length.
func diffSize(t testing.TB, base, target []byte) int {
	t.Helper()
	d := Diff(base, target)
	got, err := Patch(base, d, len(target))
	if err != nil || !bytes.Equal(got, target) {
		t.Fatalf("%d bytes instead of %d: %v", len(got), len(target), err)
	}
	if longer, err := Patch(append(bytes.Clone(base), "more"...), d, len(target)); err != nil || !bytes.Equal(longer, target) {
		t.Fatalf("with a longer base: %v", err)
	}
	return len(d)
}

func TestDiff(t *testing.T) {
	file, large := text(1, 100_000), text(2, 3<<20)
	all := bytes.Repeat([]byte("\x00"), 1<<20)
	tests := []struct {
		name         string
		base, target []byte
		most         int
	}{
		{"nothing of nothing", nil, nil, 10},
		{"nothing is left", file, nil, 10},
		{"the same", file, file, 20},
		{"one line changed", file, replaced(file, 50_000, 30, "a new line, changed by hand\n"), 80},
		{"a line added in front", file, replaced(file, 0, 0, "package main\n"), 60},
		{"the end cut off", file, file[:60_000], 20},
		{"halves exchanged", file, append(bytes.Clone(file[50_000:]), file[:50_000]...), 40},
		{"from far away", large, large[100:1000], 40},
		{"a change in a large file", large, replaced(large, 2<<20, 100, "y"), 60},
		{"one byte again and again", all, append(bytes.Clone(all), all...), 60},
		{"nothing in common", noise(1, 5000), noise(2, 5000), 5100},
		{"shorter than a run", []byte("abc"), []byte("abcd"), 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if n := diffSize(t, test.base, test.target); n > test.most {
				t.Errorf("%d bytes, want at most %d", n, test.most)
			}
		})
	}
}

// A hundred small edits of a file of 100 KB, each kept as the difference from
// the one before.
func TestManySmallEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	file, sum := text(1, 100_000), 0
	for i := range 100 {
		next := replaced(file, r.IntN(len(file)-40), r.IntN(40), fmt.Sprintf("\tedited = line(%d) // %d\n", i, r.IntN(1000)))
		sum += diffSize(t, file, next)
		file = next
	}
	if t.Logf("%d bytes each", sum/100); sum/100 > 120 {
		t.Errorf("%d bytes each", sum/100)
	}
}

// A request's tail consists mostly of pieces of the events that it is made of.
func TestDiffOfPieces(t *testing.T) {
	output := `{\"output\":\"` + strings.ReplaceAll(string(text(1, 2000)), "\n", `\n`) + `\"}`
	events := `bash(command="make test"){"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make test 2>&1 | tail -50\"}"}}` +
		`{"input":1200,"output":30,"stop":"tool_calls"}ok{"tool_call_id":"call_1","name":"bash","output":"` + output + `","success":true,"ms":12}`
	tail := `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make test 2>&1 | tail -50\"}"}}]}` +
		`,{"role":"tool","tool_call_id":"call_1","content":"` + output + `"}]}`
	if n := diffSize(t, []byte(events), []byte(tail)); n > 160 {
		t.Errorf("%d bytes for a tail of %d", n, len(tail))
	}
}

func TestPatchOfOtherForms(t *testing.T) {
	for name, diff := range map[string][]byte{
		"empty":           {},
		"unknown form":    {77, 1, 2},
		"not deflated":    {formEdits, 0xff, 0xff},
		"cut short":       Diff(text(1, 5000), text(1, 4000))[:6],
		"outside":         deflate([]byte{formEdits}, []byte{0, 100, 0}),
		"before":          deflate([]byte{formEdits}, []byte{0, 1, 1}),
		"an empty edit":   deflate([]byte{formEdits}, []byte{0, 0}),
		"no such bytes":   deflate([]byte{formEdits}, []byte{200, 1, 'a'}),
		"an endless text": deflate([]byte{formEdits}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}),
	} {
		if got, err := Patch([]byte("the base"), diff, 1<<20); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	base := noise(1, 100)
	for _, size := range []int{-1, 0, 99, math.MinInt} {
		if _, err := Patch(base, Diff(base, base), size); err == nil {
			t.Errorf("100 bytes where %d are allowed: %v", size, err)
		}
	}
}

func TestPack(t *testing.T) {
	base := text(1, 100_000)
	changed := replaced(base, 500, 10, "changed")
	for _, test := range []struct {
		bytes, base []byte
		encoding    string
	}{
		{nil, nil, Raw}, {noise(1, 100), nil, Raw}, {base, nil, Deflate},
		{changed, base, Delta}, {[]byte("short"), base, Raw}, {text(9, 1000), noise(1, 1000), Deflate},
	} {
		b := ikigai.Blob{Hash: Hash(test.bytes), Bytes: test.bytes, Like: Hash(test.base)}
		row := Pack(b, test.base)
		if row.Encoding != test.encoding || (row.Base != "") != (test.encoding == Delta) {
			t.Errorf("%d bytes are packed as %s from %q, want %s", len(test.bytes), row.Encoding, row.Base, test.encoding)
		}
		got, err := row.Unpack(func(string) ([]byte, error) { return test.base, nil })
		if err != nil || !bytes.Equal(got, test.bytes) {
			t.Errorf("%s: %d bytes instead of %d: %v", row.Encoding, len(got), len(test.bytes), err)
		}
		row.Hash = Hash([]byte("other"))
		if _, err := row.Unpack(func(string) ([]byte, error) { return test.base, nil }); err == nil {
			t.Errorf("%s: bytes with another hash were taken", row.Encoding)
		}
	}
	if _, err := (Row{Encoding: "zstd"}).Unpack(nil); err == nil {
		t.Error("an unknown encoding was taken")
	}
	gone := errors.New("gone")
	if _, err := (Row{Encoding: Delta}).Unpack(func(string) ([]byte, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("without its base: %v", err)
	}
}

// FuzzDiff: Patch is the inverse of Diff.
func FuzzDiff(f *testing.F) {
	base := text(1, 3000)
	f.Add([]byte(""), []byte(""), 0, 0, uint8(0))
	f.Add(base, replaced(base, 1000, 20, "changed"), 7, 200, uint8(3))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), []byte("aaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaa"), 1, 1, uint8(9))
	f.Fuzz(func(t *testing.T, base, target []byte, at, size int, times uint8) {
		diffSize(t, base, target)
		// The fuzzer alone hardly ever finds two texts with much in common.
		at = min(max(at, 0), len(base))
		size = min(max(size, 0), len(base)-at)
		for range times % 5 {
			target = append(append(target, base[at:at+size]...), byte(times))
		}
		diffSize(t, base, target)
	})
}

// FuzzPatch: whatever the difference, Patch ends, and makes no more than it may.
func FuzzPatch(f *testing.F) {
	base := text(1, 1000)
	f.Add(base, []byte{1, 'a', 20, 3, 0, 30, 9}, 500)
	f.Add(base, []byte{0, 20, 0, 0, 20, 0}, 30)
	f.Fuzz(func(t *testing.T, base, edits []byte, size int) {
		size = min(size, 1<<20)
		for _, diff := range [][]byte{edits, deflate([]byte{formEdits}, edits), deflate([]byte{formWhole}, edits)} {
			if got, err := Patch(base, diff, size); err == nil && len(got) > size {
				t.Errorf("%d bytes, %d are allowed", len(got), size)
			}
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	events := text(5, 2000)
	tail := append([]byte(`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function"}]},{"role":"tool","content":"`), events[100:1600]...)
	small, large := text(1, 100_000), text(1, 1<<20)
	for _, bench := range []struct {
		name         string
		base, target []byte
	}{
		{"turn", events, tail},
		{"edit/100KB", small, replaced(small, 50_000, 20, "changed")},
		{"edit/1MB", large, replaced(large, 500_000, 20, "changed")},
		{"other/100KB", text(3, 100_000), small},
		{"other/1MB", text(3, 1<<20), large},
		{"noise/1MB", noise(3, 1<<20), noise(4, 1<<20)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.target)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(Diff(bench.base, bench.target))
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}

func BenchmarkPatch(b *testing.B) {
	large := text(1, 1<<20)
	changed := replaced(large, 500_000, 20, "changed")
	diff := Diff(large, changed)
	b.SetBytes(int64(len(changed)))
	for b.Loop() {
		if _, err := Patch(large, diff, len(changed)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeflate is what a difference is compared with.
func BenchmarkDeflate(b *testing.B) {
	large := text(1, 1<<20)
	b.SetBytes(int64(len(large)))
	for b.Loop() {
		w, _ := flate.NewWriter(&bytes.Buffer{}, flate.DefaultCompression)
		_, _ = w.Write(large)
		_ = w.Close()
	}
}
