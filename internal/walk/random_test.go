package walk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// maker makes trees and patterns that meet often: of few letters, with
// everything in them that a pattern can hold.
type maker struct{ *rand.Rand }

func pick[T any](m maker, from ...T) T { return from[m.IntN(len(from))] }

func (m maker) name() string {
	return pick(m, "a", "b", "ab", "A", "b.c", ".a", "a b", "a ", "*", "[a]", "!a", "#a", `a\b`, "é", "aab", "-", "]")
}

// tree returns paths, those of directories with a slash at their end.
func (m maker) tree(dir string, depth int) []string {
	var paths []string
	seen := map[string]bool{}
	for range 2 + m.IntN(4) {
		name := m.name()
		if seen[name] {
			continue
		}
		seen[name] = true
		if depth > 0 && m.IntN(2) == 0 {
			paths = append(paths, dir+name+"/")
			paths = append(paths, m.tree(dir+name+"/", depth-1)...)
		} else {
			paths = append(paths, dir+name)
		}
	}
	return paths
}

// atom is a piece of a name in a pattern.
func (m maker) atom() string {
	return pick(m, "a", "b", "ab", ".", "?", "*", "*", "**", "[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[[:alpha:]]", "[a", `\a`, `\*`, `\!`, `\ `, "A", " ", "é", "#", "!", `\`)
}

func (m maker) segment() string {
	if m.IntN(5) == 0 {
		return "**"
	}
	if m.IntN(3) == 0 {
		return m.name()
	}
	var s strings.Builder
	for range 1 + m.IntN(3) {
		s.WriteString(m.atom())
	}
	return s.String()
}

func (m maker) pattern() string {
	segments := make([]string, 1+m.IntN(3))
	for i := range segments {
		segments[i] = m.segment()
	}
	return pick(m, "", "", "", "!", "!", "#") + pick(m, "", "", "/") + strings.Join(segments, "/") + pick(m, "", "", "/", " ", "  ", `\ `, "\r", "\t")
}

func (m maker) rules() string {
	var b strings.Builder
	for range 1 + m.IntN(4) {
		b.WriteString(m.pattern() + "\n")
	}
	return b.String()
}

// Random rules at every depth of random trees ignore what git ignores, files
// and directories: some ten thousand pairs of a rule and a path in every run.
func TestRandomLikeGit(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := maker{rand.New(rand.NewPCG(seed, 0))}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	files := map[string]string{".git/info/exclude": m.rules() + "!/[0-9]*/\n"}
	var all []string
	pairs := 0
	for i := range 200 {
		top := fmt.Sprintf("%03d/", i)
		tree := append([]string{top}, m.tree(top, 3)...)
		for _, path := range tree {
			files[path] = ""
			all = append(all, strings.TrimSuffix(path, "/"))
			if strings.HasSuffix(path, "/") && (path == top || m.IntN(4) == 0) {
				files[path+".gitignore"] = m.rules()
				all = append(all, path+".gitignore")
				for _, other := range tree {
					if strings.HasPrefix(other, path) {
						pairs += strings.Count(files[path+".gitignore"], "\n")
					}
				}
			}
		}
	}
	write(t, dir, files)
	check := exec.Command("git", "check-ignore", "-z", "--stdin")
	check.Dir = dir
	check.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent")
	check.Stdin = strings.NewReader(strings.Join(all, "\x00") + "\x00")
	out, err := check.Output()
	if err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		ignored[path] = true
	}
	want := slices.DeleteFunc(all, func(path string) bool { return ignored[path] })
	slices.Sort(want)
	if diff := cmp.Diff(want, paths(t, dir, Options{Hidden: true, Dirs: true})); diff != "" {
		t.Errorf("seed %d: git against us (-git +us):\n%s", seed, diff)
		for path, text := range files {
			if text != "" && strings.Contains(diff, path[:3]) {
				t.Logf("%s: %q", path, text)
			}
		}
	}
	t.Logf("%d pairs of a rule and a path, %d of %d paths ignored", pairs, len(ignored)-1, len(want)+len(ignored)-1)
	if pairs < 3000 || len(ignored) < 100 || len(want) < 100 {
		t.Errorf("%d pairs, %d paths ignored: too few to tell", pairs, len(ignored))
	}
}
