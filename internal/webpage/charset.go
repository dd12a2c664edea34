package webpage

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// metaProbe is how much of a page browsers search for its charset.
const metaProbe = 1024

// UTF8 returns raw as UTF-8. Its charset is told, in this order, by a byte order
// mark, by contentType, by a meta element in the first kilobyte; where none
// does, it is UTF-8 if it can be, and Windows-1252 otherwise. What has no
// meaning in the charset becomes U+FFFD.
func UTF8(raw []byte, contentType string) string {
	for _, mark := range []struct{ bytes, label string }{{"\xef\xbb\xbf", "utf-8"}, {"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"}} {
		if rest, ok := bytes.CutPrefix(raw, []byte(mark.bytes)); ok {
			return decode(rest, charset(mark.label))
		}
	}
	_, params, _ := mime.ParseMediaType(contentType)
	e := charset(params["charset"])
	if e == nil {
		e = declared(raw[:min(len(raw), metaProbe)])
	}
	if e == nil && !validBut(raw) {
		e = charset("windows-1252")
	}
	return decode(raw, e)
}

// validBut reports whether raw is UTF-8, a character that is cut off at its end
// aside.
func validBut(raw []byte) bool {
	for n := 0; n < utf8.UTFMax && n <= len(raw); n++ {
		if body, end := raw[:len(raw)-n], raw[len(raw)-n:]; utf8.Valid(body) {
			return n == 0 || !utf8.FullRune(end)
		}
	}
	return false
}

// charset returns the encoding that the web knows by a label, nil for UTF-8 and
// for labels that it does not know.
func charset(label string) encoding.Encoding {
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	if name, _ := htmlindex.Name(e); name == "utf-8" || name == "replacement" {
		return nil
	}
	return e
}

// declared returns the charset that a meta element at the beginning names.
func declared(head []byte) encoding.Encoding {
	z := tokenizer{s: strings.ToValidUTF8(string(head), "\uFFFD")}
	for {
		t := z.next()
		switch {
		case t.kind == endOfText:
			return nil
		case t.kind != startTag || t.name != "meta":
			continue
		}
		label := t.attr("charset")
		if label == "" && strings.EqualFold(t.attr("http-equiv"), "content-type") {
			_, params, _ := mime.ParseMediaType(t.attr("content"))
			label = params["charset"]
		}
		if e := charset(label); e != nil {
			if name, _ := htmlindex.Name(e); strings.HasPrefix(name, "utf-16") {
				return nil // it could be read, so it is not
			}
			return e
		}
	}
}

func decode(raw []byte, e encoding.Encoding) string {
	if e != nil {
		if text, err := e.NewDecoder().Bytes(raw); err == nil {
			raw = text
		}
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}
