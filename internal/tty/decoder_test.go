package tty

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names shows keys as text.
func names(keys []Key) string {
	var all []string
	for _, k := range keys {
		name := fmt.Sprintf("%q", k.Rune)
		switch k.Code {
		case KeyRune:
		case KeyPaste:
			name = fmt.Sprintf("paste(%q)", k.Text)
		default:
			codes := []string{"enter", "tab", "esc", "backspace", "del", "ins", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
				"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}
			name = codes[k.Code-KeyEnter]
		}
		for _, m := range []struct {
			mod  Mods
			name string
		}{{Shift, "s-"}, {Alt, "a-"}, {Ctrl, "c-"}} {
			if k.Mods&m.mod != 0 {
				name = m.name + name
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

var decoded = []struct{ in, want string }{
	{"aZ ~", `'a' 'Z' ' ' '~'`},
	{"ä€😀", `'ä' '€' '😀'`},
	{"\xff\xe4x\xc3\x28\xe0\x80\x80ok", `'x' '(' 'o' 'k'`},
	{"\xc2\x85\xc2\x9b1m", `'1' 'm'`}, // characters that would control
	{"\r\n\t\x7f\x08", `enter c-'j' tab backspace backspace`},
	{"\x01\x1a\x00\x1c\x1f", `c-'a' c-'z' c-' ' c-'\\' c-'_'`},
	{"\x1bx\x1bä\x1b\r\x1b\x7f\x1b\x01", `a-'x' a-'ä' a-enter a-backspace c-a-'a'`},
	{"\x1b[A\x1b[1;5C\x1b[1;2D\x1bOB\x1b[H\x1b[F", `up c-right s-left down home end`},
	{"\x1b[3~\x1b[3;5~\x1b[5~\x1b[6;3~\x1b[2~\x1b[1~\x1b[4~", `del c-del pgup a-pgdown ins home end`},
	{"\x1bOP\x1b[15~\x1b[17~\x1b[24;2~\x1b[1;2R\x1b[[A\x1b[11~", `f1 f5 f6 s-f12 s-f3 f1 f1`},
	{"\x1b[Z\x1b[9;2u", `s-tab s-tab`},
	{"\x1b[13;2u\x1b[27;2;13~\x1b[13u\x1b[27u", `s-enter s-enter enter esc`},
	{"\x1b[97;5u\x1b[97;6u\x1b[104;5u\x1b[105;5u\x1b[99:67;6u", `c-'a' c-'a' backspace tab c-'c'`},
	{"\x1b[97:65;2u\x1b[228;2u\x1b[97;3u\x1b[97;1:3u\x1b[97;1:2u\x1b[97;9u", `'A' 'Ä' a-'a' 'a'`},
	{"\x1b[57400u\x1b[57414u\x1b[57417;5u\x1b[57413u\x1b[57441;2u", `'1' enter c-left '+'`},
	{"\x1bOM\x1bOj\x1bOy\x1bOa\x1b[a\x1b[3^\x1b[3$\x1b[3@", `enter '*' '9' c-up s-up c-del s-del c-s-del`},
	{"\x1b\x1b[A\x1b\x1bOC\x1b\x1bx", `a-up a-right esc a-'x'`},
	{"\x1b[M !!x\x1b[<0;3;4Mx\x1b[I\x1b[Ox", `'x' 'x' 'x'`}, // mouse and focus
	{"\x1b[24;80R\x1b[?1;2c\x1b[0n\x1b[8;24;80t\x1b]11;rgb:0/0/0\x07\x1b]11;x\x1b\\\x1bP1$r0m\x1b\\x", `'x'`},
	{"\x1b[12\x03\x1b[3\x1b[A\x1b]text\x03", `c-'c' up c-'c'`}, // broken off
	{"\x1b[" + strings.Repeat("1;", 99) + "A\x1b[99999999999999999999Ax", `'x'`},
	{"\x1b[200~a\r\nb\rc\x1b[A\x1b[20\x1b[201~d", `paste("a\nb\nc\x1b[A\x1b[20") 'd'`},
	{"\x1b[200~\x1b[201~\x1b[201~x\x1b[200~\xff\xc3\xa4\x1b[201~", `paste("") 'x' paste("�ä")`},
}

// Whatever the pieces, the keys are the same. // S2.45
func TestDecoder(t *testing.T) {
	for _, c := range decoded {
		var whole, bytewise Decoder
		if got := names(whole.Feed([]byte(c.in))); got != c.want {
			t.Errorf("%q is %s, want %s", c.in, got, c.want)
		}
		var keys []Key
		for i := range len(c.in) {
			keys = append(keys, bytewise.Feed([]byte(c.in[i:i+1]))...)
		}
		if got := names(keys); got != c.want {
			t.Errorf("%q, byte by byte, is %s, want %s", c.in, got, c.want)
		}
	}
}

func TestDecoderWaits(t *testing.T) {
	for _, c := range []struct{ in, before, after string }{
		{"\x1b", "", "esc"},
		{"\x1b\x1b", "", "esc esc"},
		{"\x1b[", "", "a-'['"},
		{"\x1bO", "", "a-'O'"},
		{"\x1b]", "", "a-']'"},
		{"\x1b\x1b[", "", "esc a-'['"},
		{"x\x1b[12", "'x'", ""},
		{"\x1b[M!", "", ""},
		{"\x1b[200~open", "", `paste("open")`},
		{"a", "'a'", ""},
		{"\xe2\x82", "", ""},
		{"\x1b\xe2\x82", "", ""},
	} {
		var d Decoder
		before := names(d.Feed([]byte(c.in)))
		waits := d.Wait() > 0
		after := names(d.Flush())
		if before != c.before || after != c.after {
			t.Errorf("%q is %s, and after a while %s; want %s, %s", c.in, before, after, c.before, c.after)
		}
		if incomplete := c.in != "a" && !strings.HasSuffix(c.in, "\x82"); waits != incomplete {
			t.Errorf("%q: waits is %v", c.in, waits)
		}
		if c.in[len(c.in)-1] == 0x82 {
			if got := names(d.Feed([]byte("\xac"))); !strings.HasSuffix(got, "'€'") {
				t.Errorf("%q goes on as %s", c.in, got)
			}
		}
		if got := names(d.Feed([]byte("z"))); got != "'z'" {
			t.Errorf("after %q, z is %s", c.in, got)
		}
	}
}

// A paste takes time in proportion to its length, and is cut at its limit. // P36
func TestDecoderLargePaste(t *testing.T) {
	var d Decoder
	text := strings.Repeat("\x1b[20x", maxPaste/5)
	d.Feed([]byte("\x1b[200~"))
	for rest := text; rest != ""; rest = rest[min(len(rest), 4096):] {
		if keys := d.Feed([]byte(rest[:min(len(rest), 4096)])); keys != nil {
			t.Fatalf("keys in mid-paste: %.100s", names(keys))
		}
	}
	keys := d.Feed([]byte("beyond\x1b[201~x"))
	if len(keys) != 2 || len(keys[0].Text) != maxPaste || keys[0].Text[:len(text)] != text || keys[1].Rune != 'x' {
		t.Errorf("%d keys, %d bytes of paste, want %d", len(keys), len(keys[0].Text), maxPaste)
	}
}

// FuzzDecoder: splitting the bytes changes nothing, and nothing is typed that
// controls.
func FuzzDecoder(f *testing.F) {
	for _, c := range decoded {
		f.Add([]byte(c.in), uint64(0x1234567890abcdef))
	}
	f.Fuzz(func(t *testing.T, in []byte, cuts uint64) {
		var whole, split Decoder
		want := whole.Feed(in)
		var got []Key
		for rest := in; len(rest) > 0; cuts = cuts*6364136223846793005 + 1442695040888963407 {
			n := min(len(rest), int(cuts>>60)+1)
			got = append(got, split.Feed(rest[:n])...)
			rest = rest[n:]
		}
		if diff := cmp.Diff(names(want), names(got)); diff != "" {
			t.Errorf("%q: whole (-) and split (+) differ:\n%s", in, diff)
		}
		if a, b := names(whole.Flush()), names(split.Flush()); a != b {
			t.Errorf("%q: flushed whole %s, split %s", in, a, b)
		}
		for _, k := range want {
			if k.Code == KeyRune && (k.Rune < ' ' || k.Rune >= 0x7f && k.Rune < 0xa0) {
				t.Errorf("%q types %q", in, k.Rune)
			}
		}
		if split.Wait() > 0 {
			t.Errorf("%q is waited for after a flush", in)
		}
	})
}
