package tty

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// Decoder turns what a terminal sends into keys. How the bytes are cut into
// pieces makes no difference: a key is out as soon as its last byte is in. Only
// an Escape that may begin a sequence needs time to be told from one; see Wait.
//
// What the terminal reports unasked, such as the mouse or the focus, and whatever
// is no key are swallowed.
type Decoder struct {
	step  func(d *Decoder, c byte) // takes the next byte; nil is ground
	mods  Mods                     // Alt, if an Escape stood before
	seq   []byte                   // parameters of the sequence that is under way, its beginning at least
	rune  []byte                   // of a character that is under way
	skip  int                      // bytes to swallow
	paste []byte
	match int // bytes behind paste that may be its end
	keys  []Key
	row   int // of the cursor, from 1, if the terminal has told it
}

const (
	maxSequence = 64       // bytes of a sequence that are looked at
	maxPaste    = 16 << 20 // bytes of a paste; the rest is dropped
	pasteEnd    = "\x1b[201~"

	escapeWait = 40 * time.Millisecond // terminals, tmux and ssh send a sequence in one piece, or nearly so
	pasteWait  = 5 * time.Second       // a paste comes in many pieces
)

// Feed takes the next bytes and returns the keys that end in them.
func (d *Decoder) Feed(b []byte) []Key {
	for _, c := range b {
		if d.step == nil {
			d.ground(c)
		} else {
			d.step(d, c)
		}
	}
	return d.take()
}

// Wait is how long to wait for more bytes before Flush says what they are without
// them; 0 if nothing is under way.
func (d *Decoder) Wait() time.Duration {
	switch {
	case d.paste != nil:
		return pasteWait
	case d.step != nil && len(d.rune) == 0:
		return escapeWait
	}
	return 0
}

// Flush takes what is under way for all that there is: an Escape is the key, a
// paste has ended, the beginning of anything else is dropped. A character goes on
// to be waited for.
func (d *Decoder) Flush() []Key {
	switch {
	case d.step == nil || len(d.rune) > 0:
		return nil
	case d.paste != nil:
		d.endPaste(d.paste)
		return d.take()
	case d.skip > 0 || len(d.seq) > 1: // no key, as far as one can see
		d.reset()
		return nil
	}
	if d.mods&Alt != 0 {
		d.key(Key{Code: KeyEscape})
	}
	if len(d.seq) == 1 { // what begins a sequence behind Escape was typed with Alt
		d.key(Key{Rune: rune(d.seq[0]), Mods: Alt})
	} else {
		d.key(Key{Code: KeyEscape})
	}
	d.reset()
	return d.take()
}

func (d *Decoder) take() []Key {
	keys := d.keys
	d.keys = nil
	return keys
}

func (d *Decoder) key(k Key) { d.keys = append(d.keys, k) }

// reset goes back to where a key begins.
func (d *Decoder) reset() {
	d.step, d.mods, d.seq, d.skip = nil, 0, d.seq[:0], 0
}

// ground takes a byte that is in no sequence.
func (d *Decoder) ground(c byte) {
	switch {
	case c >= utf8.RuneSelf:
		d.character(c, 0)
	case c == 0x1b:
		d.rune = d.rune[:0]
		d.step = (*Decoder).escape
	default:
		d.rune = d.rune[:0]
		d.key(plain(c))
	}
}

// character takes a byte of a character that is not ASCII. Bytes that are none are
// dropped.
func (d *Decoder) character(c byte, mods Mods) {
	if utf8.RuneStart(c) {
		d.rune = d.rune[:0]
	}
	d.rune = append(d.rune, c)
	if !utf8.FullRune(d.rune) {
		return
	}
	r, n := utf8.DecodeRune(d.rune)
	whole := n == len(d.rune) && (r != utf8.RuneError || n > 1)
	d.rune = d.rune[:0]
	if whole && r >= 0xa0 {
		d.key(Key{Rune: r, Mods: mods})
	}
}

// plain is the key of a byte of ASCII.
func plain(c byte) Key {
	switch c {
	case '\r':
		return Key{Code: KeyEnter}
	case '\t':
		return Key{Code: KeyTab}
	case 0x08, 0x7f:
		return Key{Code: KeyBackspace}
	case 0x00:
		return Key{Rune: ' ', Mods: Ctrl}
	case 0x1b:
		return Key{Code: KeyEscape}
	}
	switch {
	case c <= 0x1a:
		return Key{Rune: rune(c) + 'a' - 1, Mods: Ctrl}
	case c < ' ':
		return Key{Rune: rune(c) + 0x40, Mods: Ctrl} // \ ] ^ _
	}
	return Key{Rune: rune(c)}
}

// escape takes the byte behind an Escape.
func (d *Decoder) escape(c byte) {
	switch {
	case d.opens(c):
		d.seq = append(d.seq[:0], c)
	case c == 0x1b:
		d.step, d.mods = (*Decoder).escapes, Alt
	case c >= utf8.RuneSelf:
		d.step = (*Decoder).altCharacter
		d.altCharacter(c)
	default:
		k := plain(c)
		k.Mods |= Alt
		d.key(k)
		d.reset()
	}
}

// opens begins the sequence that c opens behind an Escape, if it opens any.
func (d *Decoder) opens(c byte) bool {
	switch c {
	case '[':
		d.step = (*Decoder).csi
	case 'O':
		d.step = (*Decoder).ss3
	case ']', 'P', 'X', '^', '_':
		d.step = (*Decoder).text
	default:
		return false
	}
	return true
}

// escapes takes the byte behind two Escapes: some terminals send Alt so with keys
// that are sequences themselves.
func (d *Decoder) escapes(c byte) {
	if c == '[' || c == 'O' {
		d.opens(c)
		d.seq = append(d.seq[:0], c)
		return
	}
	d.key(Key{Code: KeyEscape})
	d.mods = 0
	d.escape(c)
}

// altCharacter takes a byte of a character typed with Alt.
func (d *Decoder) altCharacter(c byte) {
	if c < utf8.RuneSelf {
		d.rune = d.rune[:0]
		d.again(c)
		return
	}
	if d.character(c, Alt); len(d.rune) == 0 {
		d.reset()
	}
}

// again takes a byte that broke a sequence off.
func (d *Decoder) again(c byte) {
	d.reset()
	d.ground(c)
}

// text takes a byte of a text for the terminal's ears: a reply that nobody asked
// for. It ends with BEL or with Escape and a backslash; other control characters
// break it off.
func (d *Decoder) text(c byte) {
	switch {
	case c == 0x07:
		d.reset()
	case c == 0x1b:
		d.step = (*Decoder).textEnd
	case c < ' ':
		d.again(c)
	default:
		d.grow(c)
	}
}

func (d *Decoder) textEnd(c byte) {
	d.reset()
	if c != '\\' {
		d.step = (*Decoder).escape
		d.escape(c)
	}
}

// grow keeps the beginning of a sequence.
func (d *Decoder) grow(c byte) {
	if len(d.seq) < maxSequence {
		d.seq = append(d.seq, c)
	}
}

// swallow takes a byte that means nothing.
func (d *Decoder) swallow(byte) {
	if d.skip--; d.skip == 0 {
		d.reset()
	}
}

// pasted takes a byte of a paste. What may belong to its end is kept apart by
// counting.
func (d *Decoder) pasted(c byte) {
	matched := d.match
	switch {
	case c == pasteEnd[d.match]:
		d.match++
	case c == pasteEnd[0]:
		d.match = 1
	default:
		d.match = 0
	}
	if d.match == len(pasteEnd) {
		d.endPaste(d.paste)
		return
	}
	if d.match <= matched { // what matched so far is text after all
		d.keep(pasteEnd[:matched])
	}
	if d.match == 0 {
		d.keep(string([]byte{c}))
	}
}

// keep adds to the paste what fits.
func (d *Decoder) keep(text string) {
	d.paste = append(d.paste, text[:min(len(text), max(0, maxPaste-len(d.paste)))]...)
}

func (d *Decoder) endPaste(text []byte) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	d.paste, d.match = nil, 0
	d.key(Key{Code: KeyPaste, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
	d.reset()
}
