// Package tty is the terminal that a person sits at: keys as they are typed,
// and a short live region that is redrawn below text that is printed once.
//
// It knows nothing of what is shown. Text that is painted may hold SGR
// sequences, and no other control character; what others wrote must have been
// cleaned before.
package tty

// Key is one thing that a person has done at the keyboard.
type Key struct {
	Code Code
	Rune rune   // of KeyRune, as typed: "A" is Rune 'A' without Shift
	Mods Mods   // held down; of a KeyRune only Ctrl and Alt, with Rune in lower case for Ctrl
	Text string // of KeyPaste: what was pasted, as it came, lines ended by \n
}

// Code says which key it is.
type Code int

// Codes of keys. Ctrl-A to Ctrl-Z are KeyRune with Ctrl, but for those that are
// keys of their own: Tab, Enter (also Ctrl-M), Escape and Backspace (also
// Ctrl-H).
const (
	KeyRune Code = iota
	KeyPaste
	KeyEnter
	KeyTab
	KeyEscape
	KeyBackspace
	KeyDelete
	KeyInsert
	KeyUp
	KeyDown
	KeyLeft
	KeyRight
	KeyHome
	KeyEnd
	KeyPageUp
	KeyPageDown
	KeyF1 // to KeyF12 in order
	KeyF2
	KeyF3
	KeyF4
	KeyF5
	KeyF6
	KeyF7
	KeyF8
	KeyF9
	KeyF10
	KeyF11
	KeyF12
)

// Mods are the modifiers that are held down.
type Mods uint8

// Modifiers.
const (
	Ctrl Mods = 1 << iota
	Alt
	Shift
)

// Is reports whether k is the key of that code with exactly these modifiers.
func (k Key) Is(c Code, m Mods) bool { return k.Code == c && k.Mods == m }

// Ctrl reports whether k is Ctrl with that letter, in lower case, and nothing else.
func (k Key) Ctrl(r rune) bool { return k.Code == KeyRune && k.Rune == r && k.Mods == Ctrl }

// Alt reports whether k is Alt with that character and nothing else.
func (k Key) Alt(r rune) bool { return k.Code == KeyRune && k.Rune == r && k.Mods == Alt }

// Printable reports whether k types its Rune.
func (k Key) Printable() bool {
	return k.Code == KeyRune && k.Mods == 0 && k.Rune >= ' ' && k.Rune != 0x7f
}
