package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// oneEdit returns the input of an edit of the file f.
func oneEdit(old, new string) string {
	return `{"path":"f","edits":[{"old":` + quoted(old) + `,"new":` + quoted(new) + `}]}`
}

const allOf = `,"replace_all":true}]}`

func everyEdit(old, new string) string { return strings.TrimSuffix(oneEdit(old, new), "}]}") + allOf }

func utf16Of(order encoding, mark, text string) string { return mark + string(order.ascii(text)) }

// P15, P17: what an edit makes of a file, byte for byte.
func TestFileEdit(t *testing.T) {
	for name, tc := range map[string]struct{ before, args, after string }{
		"word":            {"one two\n", oneEdit("two", "three"), "one three\n"},
		"delete":          {"one\ntwo\nthree\n", oneEdit("two\n", ""), "one\nthree\n"},
		"insert":          {"one\nthree\n", oneEdit("one\n", "one\ntwo\n"), "one\ntwo\nthree\n"},
		"open end":        {"one\ntwo", oneEdit("two", "three"), "one\nthree"},
		"at the end":      {"one", oneEdit("one", "one\ntwo\n"), "one\ntwo\n"},
		"all":             {"a b a b a", everyEdit("a", "cc"), "cc b cc b cc"},
		"all, shorter":    {"aa.aa.", everyEdit("aa", "b"), "b.b."},
		"all, itself":     {"aaa", everyEdit("a", "aa"), "aaaaaa"},
		"all, overlaps":   {"aaa", everyEdit("aa", "b"), "ba"},
		"line breaks":     {"a\n\n\nb\n", oneEdit("\n\n\n", "\n"), "a\nb\n"},
		"CRLF":            {"a\r\nb\r\nc\r\n", oneEdit("a\nb\n", "a\nx\ny\n"), "a\r\nx\r\ny\r\nc\r\n"},
		"CRLF sent":       {"a\r\nb\r\n", oneEdit("a\r\nb", "x\r\ny"), "x\r\ny\r\n"},
		"CRLF sent to LF": {"a\nb\n", oneEdit("a\r\nb", "x\r\ny"), "x\ny\n"},
		"CRLF, one line":  {"a\r\nb\r\n", oneEdit("b", "x\ny"), "a\r\nx\r\ny\r\n"},
		"CRLF, last line": {"a\r\nb", oneEdit("b", "x\ny"), "a\r\nx\r\ny"},
		"CRLF, only line": {"b\r\n", oneEdit("b", "x\ny"), "x\r\ny\r\n"},
		"CR alone":        {"a\rb\r", oneEdit("b", "x\ny"), "a\rx\ry\r"},
		"mixed":           {"a\r\nb\nc\r\nd\n", oneEdit("a\nb\nc\nd", "a\nB\nc\nd"), "a\r\nB\nc\r\nd\n"},
		"mixed, more":     {"a\r\nb\nc\r\nd\n", oneEdit("a\nb\nc\nd", "a\nb\nx\ny\nc\nd"), "a\r\nb\nx\r\ny\nc\r\nd\n"},
		"mixed, fewer":    {"a\r\nb\nc\r\nd\n", oneEdit("a\nb\nc\nd\n", "a\nd\n"), "a\r\nd\n"},
		"mixed, at break": {"a\r\nb\n", oneEdit("a\n", "x\n"), "x\r\nb\n"},
		"mark":            {"\uFEFFa\nb\n", oneEdit("a", "x"), "\uFEFFx\nb\n"},
		"mark sent":       {"\uFEFFa\nb\n", oneEdit("\uFEFFa", "x"), "\uFEFFx\nb\n"},
		"mark, both":      {"\uFEFFa\nb\n", oneEdit("\uFEFFa\n", "\uFEFFx\n"), "\uFEFFx\nb\n"},
		"UTF-8":           {"äöü€𝄞\n", oneEdit("ü€", "€ü"), "äö€ü𝄞\n"},
		"damaged UTF-8":   {"ä\xffö a é ü\n", oneEdit("a", "è"), "ä\xffö è é ü\n"},
		"Latin-1":         {"caf\xe9 na\xefve x\r\n", oneEdit("café", "thé"), "th\xe9 na\xefve x\r\n"},
		"Windows-1252":    {"\x93a\x94 costs \x80 5\n", oneEdit("“a” costs", "“b” – cost"), "\x93b\x94 \x96 cost \x80 5\n"},
		"unknown octets":  {"\xcf\xf0\xe8\xe2\xe5\xf2 x\n", oneEdit(" x", " y"), "\xcf\xf0\xe8\xe2\xe5\xf2 y\n"},
		"UTF-16LE": {utf16Of(utf16LE, bomUTF16LE, "one\r\ntwo €\r\n"), oneEdit("one\ntwo", "1\n2\n𝄞"),
			utf16Of(utf16LE, bomUTF16LE, "1\r\n2\r\n𝄞 €\r\n")},
		"UTF-16BE": {utf16Of(utf16BE, bomUTF16BE, "one\ntwo"), oneEdit("\uFEFFone", "x"), utf16Of(utf16BE, bomUTF16BE, "x\ntwo")},
		// 0x0161 0x6161: the bytes of U+6101 stand across the first two characters.
		"UTF-16, between":     {utf16Of(utf16BE, bomUTF16BE, "š慡愁"), oneEdit("愁", "x"), utf16Of(utf16BE, bomUTF16BE, "š慡x")},
		"lone surrogate":      {bomUTF16LE + "\x00\xd8a\x00b\x00", oneEdit("a", "x"), bomUTF16LE + "\x00\xd8x\x00b\x00"},
		"one after the other": {"a\nb\n", `{"path":"f","edits":[{"old":"a","new":"b"},{"old":"b\nb","new":"c"},{"old":"c","new":"dd","replace_all":true}]}`, "dd\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Config{})
			b.write("f", tc.before)
			r := b.call("file_edit", tc.args)
			if r.Failed {
				t.Fatal(text(r))
			}
			if diff := cmp.Diff(tc.after, b.read("f")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff([]ikigai.Resource{{URI: filepath.Join(b.dir, "f"), Changed: true, SHA256: hashOf([]byte(tc.after))}}, r.Resources); diff != "" {
				t.Error(diff)
			}
			if r.Note != "" {
				t.Errorf("note %q", r.Note)
			}
		})
	}
}

// P17: what is found but for blanks at the ends of lines is changed with the
// indentation of the file, if that is certain.
func TestFileEditBlanks(t *testing.T) {
	for name, tc := range map[string]struct{ before, old, new, after string }{
		"spaces for tabs": {"\tif a {\n\t\tb()\n\t}\n", "    if a {\n        b()\n    }\n", "    if a {\n        c()\n        if d {\n            e()\n        }\n    }\n",
			"\tif a {\n\t\tc()\n\t\tif d {\n\t\t\te()\n\t\t}\n\t}\n"},
		"tabs for spaces":   {"x:\n  a\n  b\n", "\ta\n\tb", "\ta\n\t\tc", "x:\n  a\n    c\n"},
		"indented less":     {"    a {\n      b\n    }\n", "a {\n  b\n}", "a {\n  c {\n    d\n  }\n}", "    a {\n      c {\n        d\n      }\n    }\n"},
		"indented more":     {"a {\n  b\n}\n", "  a {\n    b\n  }", "  a {\n    c\n  }", "a {\n  c\n}\n"},
		"trailing, sent":    {"a\nb\nc\n", "a  \nb\n", "a  \nx\n", "a\nx\nc\n"},
		"trailing, in file": {"a  \nb\t\nc\n", "a\nb\nc", "a\nx\nc", "a  \nx\nc\n"},
		"no final newline":  {"a\n  b", "b\n", "c\nd\n", "a\n  c\n  d"},
		"blank lines":       {"  a\n\n  b\n", "a\n\nb", "a\n\nc\n\n\td", ""},
		"blank lines stay":  {"  a\n \t\n  b\n", "a\n\nb", "a\n\nc", "  a\n \t\n  c\n"},
		"CRLF":              {"\ta\r\n\tb\r\n", "  a\n  b\n", "  a\n  c\n  d\n", "\ta\r\n\tc\r\n\td\r\n"},
		"UTF-16":            {utf16Of(utf16LE, bomUTF16LE, "\ta\r\n\tb\r\n"), "  a \n  b", "  x\n  b", utf16Of(utf16LE, bomUTF16LE, "\tx\r\n\tb\r\n")},
		"two levels or one": {"\t\ta\n", "    a\n", "    a\n    if b {\n        c\n    }\n", ""},
		"two widths":        {"    a\n", "  a \n", "  a\n    b\n", ""},
		"not of one piece":  {"\ta\n  b\n", "  a\n  b\n", "  a\n  c\n", ""},
		"less than nothing": {"a\n  b\n", "  a\n    b\n", "b\n", ""},
		"twice":             {"\ta\n  a\n", "    a\n", "    b\n", ""},
		"blanks alone":      {"a\n\t\nb\n", "  \n", "c\n", ""},
		"blanks inside":     {"a  b\n", "a b\n", "c\n", ""},
		"not a whole line":  {"\ta(b,\n\t\tc)\n", "(b,\n    c)", "(d)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Config{})
			b.write("f", tc.before)
			r := b.call("file_edit", oneEdit(tc.old, tc.new))
			want := tc.after
			if want == "" {
				want = tc.before
			}
			if r.Failed != (tc.after == "") || b.read("f") != want {
				t.Errorf("%q\n%s", b.read("f"), text(r))
			}
			if !r.Failed && !strings.Contains(r.Note, "blanks") {
				t.Errorf("note %q", r.Note)
			}
			if r := b.call("file_edit", everyEdit(tc.old, tc.new)); !r.Failed && name != "trailing, sent" {
				t.Errorf("all: %s", text(r))
			}
		})
	}
}

// P17: what is not there once is not changed, and the answer says why.
func TestFileEditRefused(t *testing.T) {
	long := strings.Repeat("x = compute(alpha, beta)\n", 3)
	for _, tc := range []struct{ before, args, code, words string }{
		{"a", oneEdit("", "b"), "INVALID_PARAMS", "Old is empty"},
		{"a", oneEdit("a", "a"), "INVALID_PARAMS", "the same"},
		{"a\r\n", oneEdit("a\r\n", "a\n"), "INVALID_PARAMS", "line breaks only"},
		{"a a", oneEdit("a", "b"), "SEVERAL_MATCHES", "2 times: line 1."},
		{"aaaa", oneEdit("aa", "b"), "SEVERAL_MATCHES", "2 times: line 1."},
		{"x\naaa\n", oneEdit("aa", "b"), "SEVERAL_MATCHES", "in places that overlap each other: line 2."},
		{"a\nb\na\r\nb\n", oneEdit("a\nb", "x"), "SEVERAL_MATCHES", "2 times: lines 1, 3"},
		{strings.Repeat("a\n", 50), oneEdit("a\n", "b\n"), "SEVERAL_MATCHES", "50 times: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others"},
		{"", oneEdit("a", "b"), "NO_MATCH", "The file is empty"},
		{"one\ntwo\n", oneEdit("alpha beta", "b"), "NO_MATCH", "Nothing in it is like that"},
		{"one\n\tif x {\n", oneEdit("if  x {", "y"), "NO_MATCH", "at line 2: the file has `\\tif x {`, old has `if  x {` (blanks differ)"},
		{"say “hi”\n", oneEdit(`say "hi"`, "y"), "NO_MATCH", "line 1: the file has `say “hi”`, old has `say \"hi\"` (quotes or dashes"},
		{"a\nName\nb\n", oneEdit("name\n", "y"), "NO_MATCH", "line 2: the file has `Name`, old has `name` (small and capital"},
		{"one\ntwo\nthree\nfour\n", oneEdit("two\ntree\nfour", "y"), "NO_MATCH", "line 3: the file has `three`, old has `tree`"},
		{"\t\ta\n", oneEdit("    a\n", "    a\n        b\n"), "NO_MATCH", "not certain. The nearest place is at line 1: the file has `\\t\\ta`, old has `    a` (tabs and spaces)"},
		{long + "total = compute(alpha, gamma)\n", oneEdit("total = compute(alpha, delta)", "y"), "NO_MATCH", "line 4"},
		{"one\ntwo\n", oneEdit("two\nthree", "y"), "NO_MATCH", "at line 2, but the file has no line for `three`"},
		{"a\n\tb\n", oneEdit(`a\n\tb`, "y"), "NO_MATCH", "at line 1, but old has an escape"},
		{"a\nb\n", oneEdit("1: a\n2: b\n", "y"), "NO_MATCH", "at line 1, but old has line numbers"},
		{"a\x00b", oneEdit("a", "b"), "BINARY_FILE", "f is binary"},
		{"%PDF-1.7\na", oneEdit("a", "b"), "BINARY_FILE", "f is binary"},
		{"\xff\xfe\x00\x00a\x00\x00\x00", oneEdit("a", "b"), "BINARY_FILE", "f is binary"}, // UTF-32
		{"caf\xe9", oneEdit("caf", "→"), "NOT_ENCODABLE", "'→' (U+2192)"},
		{"\xcf\xf0\xe8\xe2\xe5\xf2 x\n", oneEdit("x", "é"), "NOT_ENCODABLE", "an unknown encoding"},
		{"a\nb\n", `{"path":"f","edits":[{"old":"a","new":"c"},{"old":"x","new":"y"}]}`, "NO_MATCH", "Edit 2 of 2: old text not found in f"},
		{"a\n", `{"path":"g","edits":[{"old":"a","new":"c"}]}`, "FILE_NOT_FOUND", "File not found: g"},
	} {
		b := newBench(t, Config{})
		b.write("f", tc.before)
		r := b.callWith(context.Background(), "file_edit", tc.args, ikigai.Call{Intend: func(context.Context, string) error {
			t.Errorf("%s: announced", tc.args)
			return nil
		}})
		if m := field(t, r, "error"); !r.Failed || field(t, r, "error_code") != tc.code || !strings.Contains(m, tc.words) || !twoSentences.MatchString(m) {
			t.Errorf("%s: %s", tc.args, text(r))
		}
		if b.read("f") != tc.before {
			t.Errorf("%s: %q", tc.args, b.read("f"))
		}
		b.onlyFiles("f")
	}
}

// What the model is told stays short, and has the right lines after all edits.
func TestFileEditOutput(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	b.want("file_edit", `{"path":"f","edits":[{"old":"7","new":"seven"},{"old":"2\n","new":"2a\n2b\n"}]}`,
		`{"output":"Edited f, lines 2-3, 8:\n1: 1\n2: 2a\n3: 2b\n4: 3\n7: 6\n8: seven\n9: 8","replacements":2}`,
		"Edited f, lines 2-3, 8\n@@ -4,6 +4,6 @@\n 4\n 5\n 6\n-7\n+seven\n 8\n 9\n@@ -1,5 +1,6 @@\n 1\n-2\n+2a\n+2b\n 3\n 4\n 5\n")
	b.want("file_edit", oneEdit("seven\n8\n9", "end"), `{"output":"Edited f, line 8:\n7: 6\n8: end","replacements":1}`,
		"Edited f, line 8\n@@ -5,6 +5,4 @@\n 4\n 5\n 6\n-seven\n-8\n-9\n+end\n")
	b.write("f", strings.Repeat("a "+strings.Repeat("b", 500)+"\n", 1000))
	r := b.call("file_edit", everyEdit("a", "c"))
	if got := field(t, r, "output"); got != "Edited f, lines 1-10 and 990 more:\n1: c "+strings.Repeat("b", 158)+"…\n"+got[strings.Index(got, "2: "):] || len(got) > 3000 {
		t.Error(got)
	}
	if len(r.Report) > 4*mostDiffed || !strings.Contains(r.Report, "places further on)") {
		t.Errorf("%d bytes, …%s", len(r.Report), r.Report[len(r.Report)-100:])
	}
	b.write("f", "x"+strings.Repeat("y", 100_000)+"\n")
	if r := b.call("file_edit", oneEdit("x", strings.Repeat("z\n", 100_000))); len(text(r)) > 500 || len(r.Report) > 500 {
		t.Errorf("%d and %d bytes: %s", len(text(r)), len(r.Report), r.Report)
	}
}

// P18: what the model does not know any more is changed only where that is safe.
func TestStale(t *testing.T) {
	now := hashOf([]byte("one\n  two\n"))
	for _, tc := range []struct {
		name, args, known, code, note string
	}{
		{"file_edit", oneEdit("one", "1"), "", "", ""},
		{"file_edit", oneEdit("one", "1"), now, "", ""},
		{"file_edit", oneEdit("one", "1"), "other", "", "changed since you read it"},
		{"file_edit", oneEdit("two\n", "2\n"), "other", "", "changed since you read it"},
		{"file_edit", everyEdit("o", "0"), now, "", ""},
		{"file_edit", everyEdit("o", "0"), "other", "STALE_FILE", ""},
		{"file_edit", oneEdit("\ttwo\n", "\t2\n"), now, "", "blanks"},
		{"file_edit", oneEdit("\ttwo\n", "\t2\n"), "other", "STALE_FILE", ""},
		{"file_edit", oneEdit("three", "3"), "other", "NO_MATCH", ""},
		{"file_edit", oneEdit("o", "0"), "other", "SEVERAL_MATCHES", ""},
		{"file_write", `{"path":"f","content":"new"}`, "", "", ""},
		{"file_write", `{"path":"f","content":"new"}`, now, "", ""},
		{"file_write", `{"path":"f","content":"new"}`, "other", "STALE_FILE", ""},
		{"file_write", `{"path":"g","content":"new"}`, "other", "", ""}, // it is gone
	} {
		b := newBench(t, Config{Known: func(path string) (string, bool) { return tc.known, tc.known != "" }})
		b.write("f", "one\n  two\n")
		r := b.call(tc.name, tc.args)
		if r.Failed != (tc.code != "") || tc.code != "" && field(t, r, "error_code") != tc.code || !strings.Contains(r.Note, tc.note) || tc.note == "" && r.Note != "" {
			t.Errorf("%s %s, known %q: %s, note %q", tc.name, tc.args, tc.known, text(r), r.Note)
		}
		if tc.code != "" && (b.read("f") != "one\n  two\n" || !twoSentences.MatchString(field(t, r, "error"))) {
			t.Errorf("%s: %s, %q", tc.args, text(r), b.read("f"))
		}
		if tc.known == "other" && tc.code == "NO_MATCH" && !strings.Contains(text(r), "Read the file again") {
			t.Error(text(r))
		}
	}
}

// P18: between what is read and what is written, and in what reading says.
func TestChangedMeanwhile(t *testing.T) {
	b := newBench(t, Config{})
	for name, args := range map[string]string{"file_edit": oneEdit("one", "two"), "file_write": `{"path":"f","content":"mine"}`} {
		for who, meanwhile := range map[string]func(){
			"longer":  func() { b.write("f", "one, and more") },
			"another": func() { b.write("g", "one"); _ = os.Rename(filepath.Join(b.dir, "g"), filepath.Join(b.dir, "f")) },
			"gone":    func() { _ = os.Remove(filepath.Join(b.dir, "f")) },
		} {
			b.write("f", "one")
			theirs := ""
			r := b.callWith(context.Background(), name, args, ikigai.Call{Intend: func(context.Context, string) error {
				meanwhile()
				raw, _ := os.ReadFile(filepath.Join(b.dir, "f"))
				theirs = string(raw)
				return nil
			}})
			raw, _ := os.ReadFile(filepath.Join(b.dir, "f"))
			if !r.Failed || string(raw) != theirs {
				t.Errorf("%s, %s: %s, %q", name, who, text(r), raw)
			}
			_ = os.Remove(filepath.Join(b.dir, "f"))
			b.onlyFiles()
		}
	}
	// A file that somebody else makes at this moment is not written over.
	r := b.callWith(context.Background(), "file_write", `{"path":"f","content":"mine"}`, ikigai.Call{Intend: func(context.Context, string) error {
		b.write("f", "theirs")
		return nil
	}})
	if field(t, r, "error_code") != "STALE_FILE" || b.read("f") != "theirs" {
		t.Error(text(r))
	}
	// What was read is what is known.
	b.write("f", "a\nb\n", "g", "caf\xe9 \xe0 la\n", "h", utf16Of(utf16LE, bomUTF16LE, "a\n"))
	for _, name := range []string{"f", "g", "h"} {
		r := b.call("file_read", `{"path":"`+name+`","limit":1}`)
		if r.Resources[0].SHA256 != hashOf([]byte(b.read(name))) {
			t.Errorf("%s: %+v", name, r.Resources)
		}
	}
}

// P16: mode, owner, symbolic and hard links stay.
func TestFileEditKeeps(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "old\n", "twin", "old, and some more\n")
	target, twin := filepath.Join(b.dir, "f"), filepath.Join(b.dir, "twin")
	for _, err := range []error{os.Chmod(target, 0o750), os.Symlink("f", filepath.Join(b.dir, "link")), os.Link(twin, filepath.Join(b.dir, "other"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		if err := os.Chown(target, 12, 34); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.Stat(target)
	var announced []string
	call := ikigai.Call{Intend: func(_ context.Context, path string) error {
		announced = append(announced, path)
		return nil
	}}
	r := b.callWith(context.Background(), "file_edit", `{"path":"link","edits":[{"old":"old","new":"new"}]}`, call)
	after, _ := os.Stat(target)
	if r.Failed || b.read("f") != "new\n" || after.Mode() != before.Mode() || after.Sys().(*syscall.Stat_t).Uid != before.Sys().(*syscall.Stat_t).Uid {
		t.Errorf("%s, %v, %v", text(r), before, after)
	}
	if to, err := os.Readlink(filepath.Join(b.dir, "link")); to != "f" || err != nil {
		t.Errorf("link to %q, %v", to, err)
	}
	for _, content := range []string{"old, and some", "new, and some more than there was"} {
		old, _, _ := strings.Cut(b.read("other"), ",")
		r = b.callWith(context.Background(), "file_edit", `{"path":"other","edits":[{"old":`+quoted(b.read("other"))+`,"new":`+quoted(content)+`}]}`, call)
		if r.Failed || b.read("twin") != content || !strings.Contains(r.Note, "2 names") {
			t.Errorf("%s: %s, note %q, twin %q", old, text(r), r.Note, b.read("twin"))
		}
	}
	if diff := cmp.Diff([]string{target, filepath.Join(b.dir, "other"), filepath.Join(b.dir, "other")}, announced); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	b.onlyFiles("f", "link", "other", "twin")
}

// What was there cannot be kept, or the person stops the turn: then nothing is
// changed.
func TestFileEditNotKept(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "old")
	r := b.callWith(context.Background(), "file_edit", oneEdit("old", "new"), ikigai.Call{Intend: func(context.Context, string) error { return errors.New("no room") }})
	if field(t, r, "error_code") != "NOT_KEPT" || b.read("f") != "old" {
		t.Error(text(r))
	}
	ctx, cancel := context.WithCancel(context.Background())
	r = b.callWith(ctx, "file_edit", oneEdit("old", "new"), ikigai.Call{Intend: func(context.Context, string) error { cancel(); return nil }})
	if field(t, r, "error_code") != "CANCELLED" || b.read("f") != "old" {
		t.Error(text(r))
	}
	if err := os.Chmod(filepath.Join(b.dir, "f"), 0o444); err != nil {
		t.Fatal(err)
	}
	if r := b.call("file_edit", oneEdit("old", "new")); field(t, r, "error_code") != "PERMISSION_DENIED" || b.read("f") != "old" {
		t.Error(text(r))
	}
	b.onlyFiles("f")
}

// The schema takes the form that models are told, and says what is wrong.
func TestFileEditInput(t *testing.T) {
	tool := newBench(t, Config{}).tools["file_edit"]
	for args, want := range map[string]string{
		`{"path":"f","edits":[]}`:                           "edits",
		`{"path":"f","edits":[{"old":"a"}]}`:                "new",
		`{"path":"f","old":"a","new":"b"}`:                  "edits",
		`{"path":"f","edits":[{"old":"a","news":"b"}]}`:     "news",
		`{"path":"f","edits":[{"old":"a","new":"b"}]}`:      "",
		`{"path":"f","edits":[{"old":"a","new":"b"` + allOf: "",
	} {
		_, err := tool.Check(json.RawMessage(args))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if !tool.Announces || tool.ReadOnly {
		t.Error("it does not announce its changes")
	}
}
