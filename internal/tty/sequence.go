package tty

import (
	"unicode"
	"unicode/utf8"
)

// ss3 takes a byte behind Escape O: a key of the keypad, or one of the first
// function keys.
func (d *Decoder) ss3(c byte) {
	if c >= '0' && c <= '9' && len(d.seq) == 1 { // modifiers, as old terminals send them
		d.seq = append(d.seq, c)
		return
	}
	if c < ' ' || c >= 0x7f {
		d.again(c)
		return
	}
	mods := d.mods
	if len(d.seq) == 2 {
		mods |= modifiers(int(d.seq[1] - '0'))
	}
	if k, ok := keypad(c); ok {
		k.Mods |= mods
		d.key(k)
	}
	d.reset()
}

// keypad is the key that c stands for behind Escape O.
func keypad(c byte) (Key, bool) {
	switch {
	case c == 'M':
		return Key{Code: KeyEnter}, true
	case c == 'I':
		return Key{Code: KeyTab}, true
	case c == 'X':
		return Key{Rune: '='}, true
	case c >= 'a' && c <= 'd':
		return Key{Code: arrow(c - 'a'), Mods: Ctrl}, true
	case c >= 'j' && c <= 'y':
		return Key{Rune: rune(c) - 'j' + '*'}, true
	}
	return letter(c)
}

// csi takes a byte behind Escape [.
func (d *Decoder) csi(c byte) {
	switch {
	case c < ' ' || c >= 0x7f:
		d.again(c)
	case c == '[' && len(d.seq) == 1: // function keys of the Linux console
		d.seq, d.step = append(d.seq, c), (*Decoder).console
	case c == '$' && len(d.seq) > 1 && d.seq[1] >= '0' && d.seq[1] <= '9': // Shift, as rxvt sends it
		d.sequence(c)
	case c < 0x40:
		d.grow(c)
	default:
		d.sequence(c)
	}
}

// console takes the byte behind Escape [ [.
func (d *Decoder) console(c byte) {
	if c < ' ' || c >= 0x7f {
		d.again(c)
		return
	}
	if c >= 'A' && c <= 'E' {
		d.key(Key{Code: KeyF1 + Code(c-'A'), Mods: d.mods})
	}
	d.reset()
}

// sequence takes in a whole sequence that ends with the byte final.
func (d *Decoder) sequence(final byte) {
	p, ok := parse(d.seq[1:])
	switch {
	case final == 'M' && len(d.seq) == 1: // the mouse, in three bytes
		d.step, d.skip = (*Decoder).swallow, 3
		return
	case !ok || len(d.seq) >= maxSequence:
	case final == 'R' && len(p) == 2 && p.at(1) == 1: // F3 would not tell that there are no modifiers
		d.row = p.at(0)
	case final == '~' && p.at(0) == 200:
		d.step, d.paste = (*Decoder).pasted, []byte{}
		return
	default:
		if k, ok := p.key(final); ok {
			k.Mods |= d.mods
			d.key(k)
		}
	}
	d.reset()
}

// params are the parameters of a sequence: numbers, and those below them after
// colons.
type params [][]int

// parse reads parameters. It reports whether they are ones that keys have.
func parse(b []byte) (params, bool) {
	p := params{{0}}
	for _, c := range b {
		last := &p[len(p)-1]
		n := &(*last)[len(*last)-1]
		switch {
		case c >= '0' && c <= '9' && *n <= utf8.MaxRune:
			*n = *n*10 + int(c-'0')
		case c == ':':
			*last = append(*last, 0)
		case c == ';':
			p = append(p, []int{0})
		default:
			return nil, false
		}
	}
	return p, true
}

// at is the i-th parameter, 0 if it is left out.
func (p params) at(i int) int { return p.sub(i, 0) }

func (p params) sub(i, j int) int {
	if i < len(p) && j < len(p[i]) {
		return p[i][j]
	}
	return 0
}

// key is what the person did that sends these parameters and the byte final.
func (p params) key(final byte) (Key, bool) {
	const release = 3
	if p.sub(1, 1) == release || p.at(1) > 256 || !ours(p.at(1)) {
		return Key{}, false
	}
	mods := modifiers(p.at(1))
	switch final {
	case 'u':
		return character(p.at(0), p.sub(0, 1), mods)
	case '~':
		if p.at(0) == 27 && len(p) == 3 {
			return character(p.at(2), 0, mods)
		}
		return numbered(p.at(0), mods)
	case '^':
		return numbered(p.at(0), Ctrl)
	case '$':
		return numbered(p.at(0), Shift)
	case '@':
		return numbered(p.at(0), Ctrl|Shift)
	case 'Z':
		return Key{Code: KeyTab, Mods: Shift | mods}, true
	case 'a', 'b', 'c', 'd': // with a parameter it is a reply
		return Key{Code: arrow(final - 'a'), Mods: Shift}, len(p) == 1 && p.at(0) == 0
	}
	if len(p) > 2 || len(p) == 2 && p.at(0) != 1 || len(p) == 1 && p.at(0) > 1 {
		return Key{}, false // such as where the cursor is, which ends as F3 does
	}
	k, ok := letter(final)
	k.Mods = mods
	return k, ok
}

// modifiers are those that the parameter n tells of.
func modifiers(n int) (m Mods) {
	if n--; n <= 0 {
		return 0
	}
	if n&1 != 0 {
		m |= Shift
	}
	if n&(2|32) != 0 {
		m |= Alt
	}
	if n&4 != 0 {
		m |= Ctrl
	}
	return m
}

// ours reports whether the parameter n tells of no modifier that is the window
// manager's: Super, Hyper.
func ours(n int) bool { return n == 0 || (n-1)&(8|16) == 0 }

// arrow is the i-th arrow in the order that terminals have.
func arrow(i byte) Code { return [...]Code{KeyUp, KeyDown, KeyRight, KeyLeft}[i] }

// letter is the key of a sequence that ends with this letter.
func letter(c byte) (Key, bool) {
	switch c {
	case 'A', 'B', 'C', 'D':
		return Key{Code: arrow(c - 'A')}, true
	case 'H':
		return Key{Code: KeyHome}, true
	case 'F':
		return Key{Code: KeyEnd}, true
	case 'P', 'Q', 'R', 'S':
		return Key{Code: KeyF1 + Code(c-'P')}, true
	}
	return Key{}, false
}

// numbered is the key with this number.
func numbered(n int, mods Mods) (Key, bool) {
	k := Key{Mods: mods}
	switch {
	case n == 1 || n == 7:
		k.Code = KeyHome
	case n == 4 || n == 8:
		k.Code = KeyEnd
	case n == 2:
		k.Code = KeyInsert
	case n == 3:
		k.Code = KeyDelete
	case n == 5:
		k.Code = KeyPageUp
	case n == 6:
		k.Code = KeyPageDown
	case n >= 11 && n <= 15:
		k.Code = KeyF1 + Code(n-11)
	case n >= 17 && n <= 21:
		k.Code = KeyF6 + Code(n-17)
	case n == 23 || n == 24:
		k.Code = KeyF11 + Code(n-23)
	default:
		return Key{}, false
	}
	return k, true
}

// character is the key that types the character code, as terminals tell it that
// tell all modifiers; shifted is what it types with Shift, if that is told.
func character(code, shifted int, mods Mods) (Key, bool) {
	if code >= 57344 && code <= 63743 {
		return functional(code, mods)
	}
	if code == 0 || !utf8.ValidRune(rune(code)) || code >= 0x7f && code < 0xa0 && code != 0x7f {
		return Key{}, false
	}
	if code < ' ' || code == 0x7f {
		k := plain(byte(code))
		k.Mods |= mods
		return k, true
	}
	r := rune(code)
	if mods&Ctrl != 0 {
		return control(unicode.ToLower(r), mods), true
	}
	if mods&Shift != 0 {
		if r = unicode.ToUpper(r); shifted >= ' ' && utf8.ValidRune(rune(shifted)) {
			r = rune(shifted)
		}
	}
	return Key{Rune: r, Mods: mods &^ Shift}, true
}

// control is the key of a character with Ctrl: the same whichever way the terminal
// tells it.
func control(r rune, mods Mods) Key {
	mods &^= Shift
	switch r {
	case 'h':
		return Key{Code: KeyBackspace, Mods: mods &^ Ctrl}
	case 'i':
		return Key{Code: KeyTab, Mods: mods &^ Ctrl}
	case 'm':
		return Key{Code: KeyEnter, Mods: mods &^ Ctrl}
	case '[':
		return Key{Code: KeyEscape, Mods: mods &^ Ctrl}
	}
	return Key{Rune: r, Mods: mods}
}

// functional is the key of the keypad that kitty numbers so.
func functional(code int, mods Mods) (Key, bool) {
	const zero, enter, left = 57399, 57414, 57417
	switch {
	case code >= zero && code < zero+10:
		return Key{Rune: rune('0' + code - zero), Mods: mods &^ Shift}, true
	case code == enter:
		return Key{Code: KeyEnter, Mods: mods}, true
	case code > zero && code < left:
		return Key{Rune: rune("./*-+\n=,"[code-zero-10]), Mods: mods &^ Shift}, true
	case code >= left && code < left+10:
		keys := [...]Code{KeyLeft, KeyRight, KeyUp, KeyDown, KeyPageUp, KeyPageDown, KeyHome, KeyEnd, KeyInsert, KeyDelete}
		return Key{Code: keys[code-left], Mods: mods}, true
	}
	return Key{}, false
}
