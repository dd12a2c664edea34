package knowledge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFrontmatter(t *testing.T) {
	for _, c := range []struct {
		text, name, description string
		err                     string
	}{
		{text: "name: a\ndescription: Does b.", name: "a", description: "Does b."},
		{text: "name: 'it''s'\ndescription: \"a\\\"b\\u00e9\\n: c\"", name: "it's", description: "a\"bé\n: c"},
		{text: "name: a # b\n# c\n\ndescription: x#y", name: "a", description: "x#y"},
		{text: "description: |\n  a:\n    b\n\n  c\nname: a", name: "a", description: "a:\n  b\n\nc"},
		{text: "description: >-\n  a\n  b\n\n  c\nname: a", name: "a", description: "a b\nc"},
		{text: "description:\n  a\n  b", description: "a b"},
		{text: "description: a\n  b\n\n  c", description: "a b\nc"},
		{text: "description: \"a\n  b\"", description: "a b"},
		{text: "description: a\nallowed-tools: [x, y]\nmetadata:\n  a: b\n  c:\n  - d\ntags:\n- x\n- y\nname: b", name: "b", description: "a"},
		{text: "\"name\": a\r\ndescription : b\r", name: "a", description: "b"},
		{text: "name:\ndescription: ''"},
		{text: "other: &x *y !z", name: ""},

		{text: "name: [a]", err: "name in line 2 is no plain text; put it in quotes"},
		{text: "a: b\nname: *a", err: "name in line 3 is no plain text; put it in quotes"},
		{text: "name:\n- a", err: "name in line 2 is no plain text; put it in quotes"},
		{text: "description: Use when: always", err: "description in line 2 holds a colon; put it in quotes"},
		{text: "description:\n  a: b", err: "description in line 2 holds a colon; put it in quotes"},
		{text: "name: \"a", err: "name in line 2 has no quote at its end"},
		{text: "name: 'a' b", err: "name in line 2 goes on behind its quote"},
		{text: `name: "a\d"`, err: "name in line 2 holds a backslash that means nothing; double it"},
		{text: "name: |x\n  a", err: "name in line 2 begins with |x, which begins no block; put it in quotes"},
		{text: "name: |\n   a\n  b", err: "name in line 2 has a line that stands too far left"},
		{text: "name: a\nname: b", err: "line 3 names name a second time"},
		{text: "  name: a", err: "line 2 stands in no property"},
		{text: "name", err: "line 2 is not of the form name: value"},
		{text: "name:a", err: "line 2 is not of the form name: value"},
	} {
		got, err := frontmatter("---\n"+c.text+"\n---\nBody\n", "name", "description")
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: error %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff([]string{c.name, c.description}, []string{got["name"], got["description"]}); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
	for _, text := range []string{"", "a", "---", "---\nname: a\n", "--- a\n---\n", " ---\n---\n"} {
		if _, err := frontmatter(text, "name"); err != errNoHead {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// FuzzFrontmatter: whatever stands there is read or refused, as valid text; and what
// is written in double quotes is read as it was.
func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"name: a\ndescription: Does b.", "a:\n- b\n- c: d", "description: >-\n  a\n\n  b", "description: |\n   a\n  b", `name: "a\u00e9\\"`, "name: 'it''s'\n  b", "a\r\nb",
		"name: \"\\", "name: |+2 # x\n\n  \ta",
	} {
		f.Add(s)
	}
	escapes := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	f.Fuzz(func(t *testing.T, s string) {
		found, err := frontmatter("---\n"+s+"\n---\n", "name", "description")
		if err == nil && utf8.ValidString(s) {
			for name, text := range found {
				if !utf8.ValidString(text) {
					t.Errorf("%s is %q", name, text)
				}
			}
		}
		found, err = frontmatter("---\nname: \""+escapes.Replace(s)+"\" # x\n---\n"+s, "name")
		if err != nil || found["name"] != s {
			t.Errorf("%q became %q, %v", s, found["name"], err)
		}
	})
}
