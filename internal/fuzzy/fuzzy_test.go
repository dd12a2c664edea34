package fuzzy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ikigai/internal/fuzzy"
)

func ranked(query string, limit int, candidates ...string) (all []string) {
	for _, i := range fuzzy.Rank(query, candidates, limit) {
		all = append(all, candidates[i])
	}
	return all
}

func TestRank(t *testing.T) {
	for _, s := range []struct {
		query string
		from  string // candidates
		want  string
	}{
		{"", "b a", "b a"},
		{"x", "a b", ""},
		{"ba", "ab ba", "ba"},
		{"main", "cmd/ikigai/main.go domain.go maintain.go main.go", "main.go maintain.go cmd/ikigai/main.go domain.go"},
		{"fb", "fob foo_bar", "foo_bar fob"},                 // beginnings of words
		{"fb", "fob foo-bar foo.bar", "foo-bar foo.bar fob"}, //
		{"fb", "fob fooBar", "fooBar fob"},                   // change of case
		{"fb", "fob foo/bar", "foo/bar fob"},                 // part of a path
		{"abc", "axbxc xabcx", "xabcx axbxc"},                // in a row
		{"go", "go/x/y.c x/y/go.c", "x/y/go.c go/x/y.c"},     // the last part
		{"a", "abc ab a", "a ab abc"},                        // the shorter one
		{"ab", "ab/1 ab/2 ab/3", "ab/1 ab/2 ab/3"},           // as they came
		{"tuied", "internal/tui/editor/editor.go tuxedo tuied", "tuied internal/tui/editor/editor.go"},
		{"readme", "README.md docs/readme.txt", "README.md docs/readme.txt"},
		{"README", "docs/readme.txt README.md", "README.md"}, // case counts
		{"edgo", "editor.go edgy", "editor.go"},
		{"strasse", "straße STRASSE", "STRASSE"},
		{"ü", "über Über u", "über Über"},
		{"字", "漢字 漢", "漢字"},
		{"@ma", "@main.go main", "@main.go"},
		{"v2", "v12 api/v2", "api/v2 v12"},
	} {
		got := strings.Join(ranked(s.query, 10, strings.Fields(s.from)...), " ")
		if got != s.want {
			t.Errorf("%q of %s: %s, want %s", s.query, s.from, got, s.want)
		}
	}
}

func TestWordsMatchEachOnItsOwn(t *testing.T) {
	got := ranked("test front", 9, "front_test.go", "tui/front.go", "tests/front/x", "frontier")
	if want := []string{"front_test.go", "tests/front/x"}; !slices.Equal(got, want) {
		t.Errorf("ranked %q, want %q", got, want)
	}
}

func TestLimit(t *testing.T) {
	for limit, want := range map[int]string{-1: "", 0: "", 1: "[a]", 2: "[a ab]", 9: "[a ab abc abcd]"} {
		for _, query := range []string{"a", ""} {
			got := ranked(query, limit, "a", "ab", "abc", "abcd")
			if want == "" && len(got) != 0 || want != "" && fmt.Sprint(got) != want {
				t.Errorf("%d of %q: %v, want %s", limit, query, got, want)
			}
		}
	}
}

// A limit leaves out the worst, whatever the order of the candidates is, and what
// is ranked has the letters of the query in their order.
func FuzzRank(f *testing.F) {
	f.Add("ab", "a b ab xaxb a/b A_B", 3)
	f.Add("Ü", "ü Ü \xff ÜÜ", 1)
	f.Add("i", "İ ı i I K", 2)
	f.Fuzz(func(t *testing.T, query, from string, limit int) {
		candidates := strings.Fields(from)
		all := fuzzy.Rank(query, candidates, len(candidates))
		some := fuzzy.Rank(query, candidates, limit)
		if want := all[:min(max(limit, 0), len(all))]; !slices.Equal(some, want) {
			t.Errorf("Rank(%q, %q, %d) = %v, want %v", query, candidates, limit, some, want)
		}
		for _, i := range all {
			if c := candidates[i]; len(c) < 500 && len(strings.Fields(query)) == 1 && !has(strings.ToLower(c), strings.ToLower(strings.TrimSpace(query))) {
				t.Errorf("Rank(%q) finds %q", query, c)
			}
		}
	})
}

func has(s, letters string) bool {
	rest := []rune(s)
	for _, r := range letters {
		i := slices.Index(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

func TestLongCandidates(t *testing.T) {
	long := strings.Repeat("dir/", 1000) + "name.go"
	if got := ranked("name", 3, long, "x"); len(got) != 1 {
		t.Errorf("the end of a long path is not found: %d", len(got))
	}
}

func BenchmarkRank(b *testing.B) {
	var paths []string
	for i := range 100_000 {
		paths = append(paths, fmt.Sprintf("internal/package%d/part_%d/someFile-%d.go", i%97, i%1009, i))
	}
	for _, query := range []string{"s", "so", "some", "ipsf9", "package7 part_3", "none-of-them", "internal/package1/part_1/someFile-1.go"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fuzzy.Rank(query, paths, 50)
			}
		})
	}
}
