package media

import (
	"bytes"
	"errors"
)

// pdfEnd is the most bytes at the end of a document in which its mark of the end
// is looked for, as readers do.
const pdfEnd = 1024

// Damage returns what is wrong with an image or a document of a type that can be
// read, nil if it is whole: vendors refuse a request that holds a damaged one,
// and with it every later request of the session. An image is decoded for it.
// The error continues a sentence that begins with the name.
func Damage(raw []byte) error {
	kind := Type(raw)
	if kind == PDF {
		return pdfDamage(raw)
	}
	c, ok := codecOf(kind)
	if !ok {
		return errors.New("is of a type that cannot be read")
	}
	_, _, err := c.read(raw)
	return err
}

// pdfDamage looks for what every document has: an object, and the mark of its end.
func pdfDamage(raw []byte) error {
	end := bytes.TrimRight(raw, "\x00")
	switch end = end[max(0, len(end)-pdfEnd):]; {
	case !bytes.Contains(raw, []byte(" obj")):
		return errors.New("is damaged: it holds nothing")
	case !bytes.Contains(end, []byte("%%EOF")):
		return errors.New("is damaged: its end is missing")
	}
	return nil
}
