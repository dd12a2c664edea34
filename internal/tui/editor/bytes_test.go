package editor

import (
	"strings"
	"testing"

	"ikigai/internal/tty"
)

// What a terminal sends comes to the text as it was meant.
func TestBytesOfATerminal(t *testing.T) {
	long := strings.Repeat("line\n", 20)
	for _, s := range []struct {
		text, sent, want string
	}{
		{"|", "hello", "hello|"},
		{"|", "漢字 e\u0301", "漢字 e\u0301|"},
		{"one two|", "\x1b[D\x1b[D\x7f", "one |wo"},
		{"one two|", "\x01x\x05y", "xone twoy|"},
		{"one two|", "\x17\x19\x19", "one twotwo|"},
		{"one two|", "\x1bb\x1bd", "one |"},
		{"one two|", "\x1b\x7f", "one |"},
		{"one two|", "\x1b[1;5D\x1b[1;3Dx", "x|one two"},
		{"one two|", "\x1b[H\x1b[3~\x1b[Fx", "ne twox|"},
		{"one|", "\x1b\rtwo", "one\ntwo|"},
		{"one|", "\ntwo", "one\ntwo|"},
		{"one|", "\x1b[13;2utwo", "one\ntwo|"},
		{"one|", "x\x1f", "one|"},
		{"|", "\x1b[200~a\rb\tc\x1b[201~d", "a\nb\tcd|"},
		{"|", "\x1b[200~" + long + "\x1b[201~d", "[paste 1: 20 lines, 100 bytes]d|"},
		{"|", "\x1b[200~'/tmp/a b.png'\x1b[201~ there", "[image 1: a b.png] there|"},
		{"|", "\x1b[200~\x1b[31mred\x1b[201~", "red|"},
		{"one\ntwo|", "\x1b[Ax", "onex|\ntwo"},
		{"one two|", "\x14", "one tow|"},
	} {
		e := New(Config{Image: func(path string) bool { return path == "/tmp/a b.png" }})
		set(e, s.text)
		var d tty.Decoder
		for i := range len(s.sent) { // however it is cut
			for _, k := range d.Feed([]byte{s.sent[i]}) {
				e.Handle(k)
			}
		}
		for _, k := range d.Flush() {
			e.Handle(k)
		}
		if got := shown(e); got != s.want {
			t.Errorf("%q, sent %.60q: %q, want %q", s.text, s.sent, got, s.want)
		}
	}
}

// In vi's keys, Escape and what follows it mean the same whether they come together
// or not.
func TestBytesOfVi(t *testing.T) {
	for _, apart := range []bool{false, true} {
		e := New(Config{Vi: true})
		var d tty.Decoder
		for _, c := range []byte("one two three\x1bbcwfour\x1b0ix\x1b") {
			keys := d.Feed([]byte{c})
			if apart {
				keys = append(keys, d.Flush()...)
			}
			for _, k := range keys {
				e.Handle(k)
			}
		}
		for _, k := range d.Flush() {
			e.Handle(k)
		}
		if got := shown(e); got != "|xone two four" {
			t.Errorf("apart %v: %q", apart, got)
		}
	}
}
