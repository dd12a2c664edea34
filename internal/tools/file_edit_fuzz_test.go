package tools

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unit is a character of a random file, as the model sees it and as it lies
// there.
type unit struct{ text, raw string }

// randomFile is a file in some encoding, with line breaks of one form or of both.
type randomFile struct {
	encoding
	mark  string
	units []unit
}

func (f randomFile) bytes(from, to int) string {
	var b strings.Builder
	for _, u := range f.units[from:to] {
		b.WriteString(u.raw)
	}
	return b.String()
}

func (f randomFile) whole() string { return f.mark + f.bytes(0, len(f.units)) }

func (f randomFile) unit(text string) unit {
	raw, _, ok := f.encode(text)
	if !ok {
		panic(text)
	}
	if text == "\r\n" {
		text = "\n"
	}
	return unit{text, string(raw)}
}

func newRandomFile(r *rand.Rand) randomFile {
	f := randomFile{encoding: []encoding{utf8Text, utf8Text, utf16LE, utf16BE, windows1252}[r.IntN(5)]}
	switch {
	case f.encoding == utf16LE:
		f.mark = bomUTF16LE
	case f.encoding == utf16BE:
		f.mark = bomUTF16BE
	case f.encoding == utf8Text && r.IntN(3) == 0:
		f.mark = bomUTF8
	}
	letters := []string{"a", "b", "ab", " ", "\t", "a", "b", "é", "{"}
	if f.encoding != windows1252 {
		letters = append(letters, "𝄞", "慡", "ā")
	} else {
		f.units = []unit{f.unit("é"), f.unit("x")}
	}
	breaks := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}[r.IntN(3)]
	for range r.IntN(60) {
		if r.IntN(4) == 0 {
			f.units = append(f.units, f.unit(breaks[r.IntN(len(breaks))]))
			continue
		}
		for _, c := range letters[r.IntN(len(letters))] {
			f.units = append(f.units, f.unit(string(c)))
			if c == 'é' && f.encoding == windows1252 {
				f.units = append(f.units, f.unit("x")) // such letters stand alone
			}
		}
	}
	if f.encoding == utf16LE && r.IntN(4) == 0 {
		f.units = append(f.units, unit{"\uFFFD", "\x00\xd8"}) // half a character
	}
	return f
}

// places is where text is in the file, in units, found in the simplest way.
func (f randomFile) places(text []string) []int {
	var all []int
	for at := 0; at+len(text) <= len(f.units); at++ {
		same := true
		for i, t := range text {
			same = same && f.units[at+i].text == t
		}
		if same {
			all = append(all, at)
		}
	}
	return all
}

func (f randomFile) randomText(r *rand.Rand, most int) []string {
	var text []string
	for range r.IntN(most) {
		text = append(text, []string{"a", "b", "é", " ", "\t", "\n", "\n", "c"}[r.IntN(8)])
	}
	return text
}

// sent is a text as a model sends it, with breaks of either form.
func sent(r *rand.Rand, text []string) string {
	s := strings.Join(text, "")
	if r.IntN(4) == 0 {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

// A random edit of a random file changes what it names and no other byte: P15,
// P17. What is there once is changed, with breaks as the file has them; what is
// there otherwise is not, or found once but for blanks.
func FuzzFileEdit(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	b := newBench(f, Config{})
	path := filepath.Join(b.dir, "f")
	f.Fuzz(func(t *testing.T, seed uint64) {
		b := &bench{t, b.dir, b.tools}
		r := rand.New(rand.NewPCG(seed, 7))
		file := newRandomFile(r)
		if len(file.units) == 0 || file.encoding != windows1252 && len(file.mark) == 0 && guess([]byte(file.whole())) != utf8Text {
			return
		}
		old := file.randomText(r, 4)
		if r.IntN(5) > 0 {
			from := r.IntN(len(file.units))
			old = nil
			for _, u := range file.units[from:min(from+1+r.IntN(8), len(file.units))] {
				if u.text != "\uFFFD" {
					old = append(old, u.text)
				}
			}
		}
		new := file.randomText(r, 6)
		before := file.whole()
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		all := r.IntN(4) == 0
		args := oneEdit(sent(r, old), sent(r, new))
		if all {
			args = everyEdit(sent(r, old), sent(r, new))
		}
		result := b.call("file_edit", args)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		after := string(raw)
		places := file.places(old)
		fail := func(why string) {
			t.Helper()
			t.Fatalf("%s\nfile  %q (%s)\nafter %q\n%s\n%s, note %q", why, before, file.encoding, after, args, text(result), result.Note)
		}
		switch {
		case len(old) == 0 || strings.Join(old, "") == strings.Join(new, ""), len(places) > 1 && !all:
			if !result.Failed || after != before {
				fail("refused")
			}
		case result.Failed && file.encoding == windows1252 && guess([]byte(before)) != windows1252:
			if after != before {
				fail("changed")
			}
		case len(places) > 0:
			if result.Failed {
				fail("not applied")
			}
			file.checkPlaces(after, old, new, places, fail)
		case result.Failed:
			if after != before {
				fail("changed")
			}
		case all || !strings.Contains(result.Note, "blanks"):
			fail("applied")
		default:
			file.checkBlanks(after, old, fail)
		}
	})
}

// checkPlaces checks that after is the file with new in the places of old, of
// those that overlap the first, and that no other byte is changed.
func (f randomFile) checkPlaces(after string, old, new []string, places []int, fail func(string)) {
	rest, ok := strings.CutPrefix(after, f.mark)
	if !ok {
		fail("the mark is gone")
	}
	at := 0
	for _, p := range places {
		if p < at {
			continue
		}
		if rest, ok = strings.CutPrefix(rest, f.bytes(at, p)); !ok {
			fail("changed before a place")
		}
		if rest, ok = f.cutNew(rest, new); !ok {
			fail("not what was sent")
		}
		at = p + len(old)
	}
	if rest != f.bytes(at, len(f.units)) {
		fail("changed after the last place")
	}
}

// cutNew cuts new off the beginning of rest. Its breaks are those of the file, if
// that has breaks of one form.
func (f randomFile) cutNew(rest string, new []string) (string, bool) {
	lf, crlf := f.unit("\n").raw, f.unit("\r\n").raw
	hasLF, hasCRLF := false, false
	for _, u := range f.units {
		hasLF, hasCRLF = hasLF || u.raw == lf, hasCRLF || u.raw == crlf
	}
	for _, c := range new {
		forms := []string{f.unit(c).raw}
		if c == "\n" {
			forms = nil
			if hasLF || !hasCRLF {
				forms = append(forms, lf)
			}
			if hasCRLF {
				forms = append(forms, crlf)
			}
		}
		found := false
		for _, form := range forms {
			if cut, ok := strings.CutPrefix(rest, form); ok && !found {
				rest, found = cut, true
			}
		}
		if !found {
			return rest, false
		}
	}
	return rest, true
}

// checkBlanks checks that old is in the file but for blanks around lines, in one
// place, and that nothing outside of that is changed.
func (f randomFile) checkBlanks(after string, old []string, fail func(string)) {
	trim := func(s string) string { return strings.Trim(s, " \t\r") }
	wanted := strings.Split(strings.TrimSuffix(strings.Join(old, ""), "\n"), "\n")
	starts := []int{0} // of lines, in units
	for i, u := range f.units {
		if u.text == "\n" {
			starts = append(starts, i+1)
		}
	}
	starts = append(starts, len(f.units)+1)
	line := func(i int) string {
		var b strings.Builder
		for _, u := range f.units[starts[i] : starts[i+1]-1] {
			b.WriteString(u.text)
		}
		return b.String()
	}
	var found []int
	for first := 0; first+len(wanted) < len(starts); first++ {
		same := true
		for i, w := range wanted {
			same = same && trim(line(first+i)) == trim(w)
		}
		if same {
			found = append(found, first)
		}
	}
	if len(found) != 1 {
		fail("not once but for blanks")
	}
	head := f.mark + f.bytes(0, starts[found[0]])
	tail := f.bytes(min(starts[found[0]+len(wanted)], len(f.units)), len(f.units))
	if len(after) < len(head)+len(tail) || !strings.HasPrefix(after, head) || !strings.HasSuffix(after, tail) {
		fail("changed around the lines")
	}
}

// Edits of one call do what they do one by one, or nothing at all.
func FuzzFileEdits(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed)
	}
	b := newBench(f, Config{})
	f.Fuzz(func(t *testing.T, seed uint64) {
		b := &bench{t, b.dir, b.tools}
		r := rand.New(rand.NewPCG(seed, 8))
		file := newRandomFile(r)
		if file.encoding == windows1252 {
			return // it may be taken for another one between two edits
		}
		before := []byte(file.whole())
		var edits []string
		for range 2 + r.IntN(3) {
			one := oneEdit(sent(r, file.randomText(r, 4)), sent(r, file.randomText(r, 5)))
			if r.IntN(3) == 0 {
				one = strings.TrimSuffix(one, "}]}") + allOf
			}
			edits = append(edits, strings.TrimSuffix(strings.TrimPrefix(one, `{"path":"f","edits":[`), "]}"))
		}
		want, failed := before, false
		for _, e := range edits {
			b.write("f", string(want))
			if r := b.call("file_edit", `{"path":"f","edits":[`+e+`]}`); r.Failed {
				want, failed = before, true
				break
			}
			want = []byte(b.read("f"))
		}
		b.write("f", string(before))
		result := b.call("file_edit", `{"path":"f","edits":[`+strings.Join(edits, ",")+`]}`)
		if result.Failed != failed || !bytes.Equal([]byte(b.read("f")), want) {
			t.Errorf("%q, %s: %q, want %q\n%s", before, edits, b.read("f"), want, text(result))
		}
	})
}
