package sqlite

import (
	"strings"
	"testing"

	"ikigai"
)

// FuzzCheckReads: what stands around a statement changes nothing about it, and
// what is not refused is one statement.
func FuzzCheckReads(f *testing.F) {
	for _, s := range []string{
		"select 1", "select ';'", `select "a;b" -- ;`, "select 1 /* ; */ ;", "select [;] ; ;", "with x", "select 1; select 2", "'", "--", "/*", "explain x",
		"select 'it''s; '", "select `;", ";select 1", "SELECT\x00", "delete from events",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := checkReads(s)
		if err != nil && ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("%q: %v", s, err)
		}
		if around := checkReads("/* ; */ -- ;\n " + s); (around == nil) != (err == nil) {
			t.Errorf("%q: %v; with a comment before it %v", s, err, around)
		}
		if err != nil {
			return
		}
		if rest := skipBlank(afterStatement(skipBlank(s))); rest != "" || !strings.Contains(strings.ToLower("select with values explain"), strings.ToLower(leadingWord(skipBlank(s)))) {
			t.Errorf("%q is not refused", s)
		}
	})
}
