package dbschema

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		" \n\t.,;":                       "",
		"One two":                        "one two",
		"file_read(path=\"a/b.go\")":     "file read path a b go",
		"foo.Bar fooBar":                 "foo bar foobar",
		"café CAFE\u0301 naïve Ångström": "cafe cafe naive angstrom",
		"ΣΑΣ σας":                        "σασ σασ",
		"ﬁne ＡＢＣ ½":                      "fine abc 1 2",
		"中文字 русский":                    "中 文 字 русскии",
		"カタカナ ー が":                       "カ タ カ ナ ー か\u3099",
		"हिन्दी":                         "हिन्दी",
		"a\u200db ❤\ufe0f x":             "a b x",
		"v1.2.3 1e5 0x1F":                "v1 2 3 1e5 0x1f",
		"bad\xffbytes":                   "bad bytes",
		strings.Repeat("a", 70) + " b":   strings.Repeat("a", 64) + " b",
		strings.Repeat("é", 70) + "é c":  strings.Repeat("e", 64) + " c",
		strings.Repeat("я", 33):          strings.Repeat("я", 32),
	} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzFold: folded text is clean, made of words as both databases split them,
// and folds to itself.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "Foo_bar", "é\u0301\u0323", "中文", "\u034f\u0591a", "İıſßΣς", "\xff\x00", "0\xf1Ń", strings.Repeat("が", 40), "\u1e9e\u0345"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Fold(s)
		if !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		for i, word := range strings.Split(got, " ") {
			if len(word) > maxWord || word == "" && (i > 0 || got != "") {
				t.Errorf("word %q in %q", word, got)
			}
		}
		if strings.ContainsAny(got, "\x00\"'\\&|!:*()<>ABCXYZ") {
			t.Errorf("a sign in %q", got)
		}
		if again := Fold(got); again != got {
			t.Errorf("%q folds to %q and then to %q", s, got, again)
		}
	})
}
