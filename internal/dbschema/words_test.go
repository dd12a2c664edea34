package dbschema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestParseWords(t *testing.T) {
	for text, want := range map[string][]Term{
		"":                      nil,
		" \n ":                  nil,
		"one Two":               {{Words: []string{"one"}}, {Words: []string{"two"}}},
		`"one two" three`:       {{Words: []string{"one", "two"}}, {Words: []string{"three"}}},
		"beg* end":              {{Words: []string{"beg"}, Prefix: true}, {Words: []string{"end"}}},
		`"the beg"*`:            {{Words: []string{"the", "beg"}, Prefix: true}},
		"file_re*":              {{Words: []string{"file", "re"}, Prefix: true}},
		"foo.Bar":               {{Words: []string{"foo", "bar"}}},
		"a*b":                   {{Words: []string{"a", "b"}}},
		"café -- && x":          {{Words: []string{"cafe"}}, {Words: []string{"x"}}},
		`one"two"`:              {{Words: []string{"one"}}, {Words: []string{"two"}}},
		"OR NOT near(a)":        {{Words: []string{"or"}}, {Words: []string{"not"}}, {Words: []string{"near", "a"}}},
		`'; DROP TABLE "x" $1 `: {{Words: []string{"drop"}}, {Words: []string{"table"}}, {Words: []string{"x"}}, {Words: []string{"1"}}},
		"中文":                    {{Words: []string{"中", "文"}}},
		"a\u00a0b":              {{Words: []string{"a"}}, {Words: []string{"b"}}},
	} {
		got, err := ParseWords(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		`"one two`:                  "quotation mark",
		`one "`:                     "quotation mark",
		"*":                         "no word",
		`"" ++`:                     "no word",
		strings.Repeat("a ", 65):    "too many",
		strings.Repeat("a_", 65000): "too many",
	} {
		if _, err := ParseWords(text); ikigai.KindOf(err) != ikigai.ErrorUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// FuzzParseWords: whatever a person types is an error that says so, or terms
// that no database can misread, and the words of a text find that text.
func FuzzParseWords(f *testing.F) {
	for _, s := range []string{"", "one two*", `"a b" c`, `"`, "*", "é OR 中文", "a\x00b", `x"*"y**`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		terms, err := ParseWords(s)
		if err != nil {
			if ikigai.KindOf(err) != ikigai.ErrorUsage {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		text := " " + Fold(s) + " "
		for _, term := range terms {
			phrase := strings.Join(term.Words, " ")
			if phrase == "" || Fold(phrase) != phrase {
				t.Errorf("%q: term %q", s, term.Words)
			}
			if !strings.Contains(text, " "+phrase+" ") {
				t.Errorf("%q: term %q does not occur in %q", s, term.Words, text)
			}
		}
	})
}
