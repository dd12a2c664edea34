package safetext_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"ikigai/internal/safetext"
)

const secret = `pa"ss/wörd&<9>+=`

// P41
func TestRedact(t *testing.T) {
	quoted, err := json.Marshal("key: " + secret)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.StdEncoding.EncodeToString
	for name, in := range map[string]string{
		"as it is":      "before " + secret + " after",
		"JSON":          string(quoted),
		"JSON, no HTML": `"pa\"ss/wörd&<9>+="`,
		"JSON, slashes": `"pa\"ss\/wörd&<9>+="`,
		"query":         "https://host/?key=" + url.QueryEscape(secret) + "&x=1",
		"query, lower":  "https://host/?key=" + "pa%22ss%2fw%c3%b6rd%26%3c9%3e%2b%3d",
		"path":          "https://host/" + url.PathEscape(secret) + "/x",
		"base64":        b64([]byte(secret)),
		"base64, 1":     b64([]byte("a" + secret + "z")),
		"base64, 2":     b64([]byte("ab" + secret + "yz")),
		"base64, user":  "Authorization: Basic " + b64([]byte("user:"+secret)),
		"base64, URL":   base64.URLEncoding.EncodeToString([]byte("user:" + secret)),
	} {
		got := safetext.Redact(in, []string{"short", "", secret})
		if !strings.Contains(got, safetext.Redacted) || strings.Contains(got, "ss/w") {
			t.Errorf("%s: Redact(%q) = %q", name, in, got)
		}
	}
}

func TestRedactLeavesTheRest(t *testing.T) {
	for _, c := range []struct {
		in      string
		secrets []string
		want    string
	}{
		{"a word and a wordy thing", []string{"word"}, "a word and a wordy thing"},
		{"nothing here", nil, "nothing here"},
		{"one secret-1 two", []string{"secret-1", "secret-1-longer"}, "one [redacted] two"},
		{"one secret-1-longer two", []string{"secret-1", "secret-1-longer"}, "one [redacted] two"},
		{"secret-1secret-1", []string{" secret-1\n"}, "[redacted][redacted]"},
	} {
		if got := safetext.Redact(c.in, c.secrets); got != c.want {
			t.Errorf("Redact(%q, %q) = %q, want %q", c.in, c.secrets, got, c.want)
		}
	}
}

// P41
func FuzzRedactLeavesNoSecret(f *testing.F) {
	f.Add("12345678", "user:", ":host")
	f.Add(secret, "", "")
	f.Add("\x00\xff\xfe\xfd\xfc\xfb\xfa\xf9", "a", "b")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		secret = strings.TrimSpace(secret)
		if len(secret) < 8 || strings.Contains(safetext.Redacted, secret) {
			return
		}
		text := before + secret + after
		redactor := safetext.NewRedactor([]string{secret})
		if strings.Contains(before+safetext.Redacted+after, secret) {
			return // it is left behind by what stands around it
		}
		if got := redactor.Redact(text); !strings.Contains(got, safetext.Redacted) {
			t.Errorf("Redact(%q) = %q", text, got)
		}
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if got := redactor.Redact(enc.EncodeToString([]byte(text))); !strings.Contains(got, safetext.Redacted) {
				t.Errorf("Redact(base64 of %q) = %q", text, got)
			}
		}
	})
}

// keyCases pairs text with what RedactKeys makes of it. The keys are put
// together here so that no scanner takes this file for a leak.
var keyCases = []struct{ in, want string }{
	{"Incorrect API key: sk" + "-proj-aB3_dEfGhIjKlMnOpQ.", "Incorrect API key: sk-[redacted]."},
	{"sk" + "-ant-api03-0123456789abcdef", "sk-[redacted]"},
	{`{"key":"xai` + `-0123456789abcdefghijkl"}`, `{"key":"xai-[redacted]"}`},
	{"GROQ=gsk" + "_0123456789abcdefghijkl ok", "GROQ=gsk_[redacted] ok"},
	{"?key=AIza" + "SyA0123456789abcdefghijklmnopqrstu&alt=sse", "?key=AIza[redacted]&alt=sse"},
	{"ghp" + "_0123456789abcdefghijklmnopqrstuvwxyz", "ghp_[redacted]"},
	{"Authorization: Bearer ey" + "J0eXAi.OiJKV1Qi/LCJh+bGc=", "Authorization: Bearer [redacted]"},
	{`"env\nsk` + `-0123456789abcdef"`, `"env\nsk-[redacted]"`},
	{"key%3Dsk" + "-0123456789abcdef", "key%3Dsk-[redacted]"},
	{"task-0123456789abcdefghi", "task-0123456789abcdefghi"},
	{"sk-learn-and-its-many-friends", "sk-learn-and-its-many-friends"},
	{"sk-12", "sk-12"},
	{"the bearer of good news", "the bearer of good news"},
	{"", ""},
}

// P41
func TestRedactKeys(t *testing.T) {
	for _, c := range keyCases {
		if got := safetext.RedactKeys(c.in); got != c.want {
			t.Errorf("RedactKeys(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzRedactKeysTwiceIsOnce(f *testing.F) {
	for _, c := range keyCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		once := safetext.RedactKeys(in)
		if twice := safetext.RedactKeys(once); twice != once {
			t.Errorf("RedactKeys(%q) = %q, and of that %q", in, once, twice)
		}
	})
}

func BenchmarkRedactKeys(b *testing.B) {
	s := strings.Repeat("0123456789 plain text of a source file\n", 25_000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		safetext.RedactKeys(s)
	}
}
