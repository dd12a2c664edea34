package tools

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// encoding is how a file holds its text.
type encoding uint8

const (
	utf8Text encoding = iota
	utf16LE
	utf16BE
	windows1252   // and Latin-1, which it contains
	unknownOctets // bytes above 127 mean something that is not known
)

const (
	bomUTF8    = "\xEF\xBB\xBF"
	bomUTF16LE = "\xFF\xFE"
	bomUTF16BE = "\xFE\xFF"
)

func (e encoding) String() string {
	return [...]string{"UTF-8", "UTF-16LE", "UTF-16BE", "Windows-1252", "an unknown encoding"}[e]
}

// width is the bytes of the smallest unit.
func (e encoding) width() int {
	if e == utf16LE || e == utf16BE {
		return 2
	}
	return 1
}

// marked returns the encoding that the first bytes of a file say, and their
// number; UTF-8 if they say nothing.
func marked(head []byte) (encoding, int) {
	switch {
	case bytes.HasPrefix(head, []byte(bomUTF8)):
		return utf8Text, len(bomUTF8)
	case bytes.HasPrefix(head, []byte(bomUTF16LE)):
		return utf16LE, len(bomUTF16LE)
	case bytes.HasPrefix(head, []byte(bomUTF16BE)):
		return utf16BE, len(bomUTF16BE)
	}
	return utf8Text, 0
}

// guess returns the encoding of a text without a mark, by its bytes above 127.
// In a Western text of one byte each they stand alone or in pairs, in others
// they make words.
func guess(text []byte) encoding {
	if utf8.Valid(text) {
		return utf8Text
	}
	sound, few, many := 0, 0, 0 // characters of UTF-8, short runs of other bytes, long ones
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		if _, n := utf8.DecodeRune(text[i:]); n > 1 {
			sound++
			i += n
			continue
		}
		end := i
		for end < len(text) && text[end] >= utf8.RuneSelf {
			if strings.IndexByte("\x81\x8d\x8f\x90\x9d", text[end]) >= 0 {
				many++ // no character of Windows-1252
			}
			end++
		}
		if end-i <= 2 {
			few++
		} else {
			many++
		}
		i = end
	}
	switch {
	case sound >= few+many:
		return utf8Text // with some damage
	case many >= few:
		return unknownOctets
	}
	return windows1252
}

// encode returns text in the encoding e, or the first character that it cannot
// hold and false.
func (e encoding) encode(text string) ([]byte, rune, bool) {
	if e == utf8Text {
		return []byte(text), 0, true
	}
	out := make([]byte, 0, len(text)*e.width())
	for _, r := range text {
		switch {
		case e == utf16LE || e == utf16BE:
			var units [2]uint16
			for _, u := range utf16.AppendRune(units[:0], r) {
				out = e.appendUnit(out, u)
			}
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case e == unknownOctets:
			return nil, r, false
		default:
			b, ok := charmap.Windows1252.EncodeRune(r)
			if !ok {
				return nil, r, false
			}
			out = append(out, b)
		}
	}
	return out, 0, true
}

func (e encoding) appendUnit(out []byte, u uint16) []byte {
	if e == utf16LE {
		return append(out, byte(u), byte(u>>8))
	}
	return append(out, byte(u>>8), byte(u))
}

// decode returns raw as UTF-8. What has no meaning becomes U+FFFD.
func (e encoding) decode(raw []byte) string {
	switch e {
	case utf16LE, utf16BE:
		units := make([]uint16, len(raw)/2)
		for i := range units {
			lo, hi := raw[2*i], raw[2*i+1]
			if e == utf16BE {
				lo, hi = hi, lo
			}
			units[i] = uint16(hi)<<8 | uint16(lo)
		}
		return string(utf16.Decode(units))
	case windows1252:
		var b strings.Builder
		b.Grow(len(raw))
		for _, c := range raw {
			b.WriteRune(charmap.Windows1252.DecodeByte(c))
		}
		return b.String()
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// reader returns what r holds as UTF-8 if e is UTF-16; otherwise r.
func (e encoding) reader(r io.Reader) io.Reader {
	switch e {
	case utf16LE:
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case utf16BE:
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	}
	return r
}

// index returns the place of the first sep in raw at or after from, between
// units, or -1.
func (e encoding) index(raw, sep []byte, from int) int {
	for from <= len(raw) {
		i := bytes.Index(raw[from:], sep)
		if i < 0 {
			return -1
		}
		if from += i; from%e.width() == 0 {
			return from
		}
		from++
	}
	return -1
}

// lastIndex returns the place of the last sep in raw, between units, or -1.
func (e encoding) lastIndex(raw, sep []byte) int {
	for end := len(raw); ; {
		i := bytes.LastIndex(raw[:end], sep)
		if i < 0 || i%e.width() == 0 {
			return i
		}
		end = i + len(sep) - 1
	}
}

// count returns how often sep stands in raw, between units.
func (e encoding) count(raw, sep []byte) int {
	if e.width() == 1 {
		return bytes.Count(raw, sep)
	}
	n := 0
	for at := e.index(raw, sep, 0); at >= 0; at = e.index(raw, sep, at+len(sep)) {
		n++
	}
	return n
}

// ascii returns s, plain ASCII, in the encoding.
func (e encoding) ascii(s string) []byte {
	raw, _, _ := e.encode(s)
	return raw
}
