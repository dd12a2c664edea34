package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// maxInit is the most bytes that a package may allocate before main, unless it
// stands in heavy: every linked package pays at every start, used or not. P35
const maxInit = 30 << 10

// itabs is what the runtime takes when its table of types and the interfaces that
// they have becomes too small, which 1536 of them make it: once, in the init of
// whichever package asks for one more. A little more code anywhere moves it.
const itabs = 40 << 10

// maxAllInit is the most bytes that all of them together may allocate. They take
// 320 KiB; floor, which does the same work without features, has a seventh of it.
const maxAllInit = 352<<10 + itabs

// heavy lists the packages that may allocate more, with the reason.
var heavy = map[string]string{
	"github.com/google/jsonschema-go/jsonschema": "a table of types, 0.1 ms; validates the input of tools",
}

func TestStartIsCheap(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "ikigai")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the program is built, also where the race detector wants C
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes`).FindAllStringSubmatch(string(out), -1)
	if len(lines) < 20 {
		t.Fatalf("only %d packages are told of:\n%s", len(lines), out)
	}
	all, grown := 0, false
	for _, line := range lines {
		bytes, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		all += bytes
		switch {
		case bytes <= maxInit || heavy[line[1]] != "":
		case !grown && bytes >= itabs && bytes-itabs <= maxInit:
			grown = true
		default:
			t.Errorf("%s allocates %d bytes at every start", line[1], bytes)
		}
	}
	if all > maxAllInit {
		t.Errorf("the packages allocate %d bytes at every start, %d at most are allowed", all, maxAllInit)
	}
}
