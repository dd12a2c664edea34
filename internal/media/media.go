// Package media makes images and documents fit to be sent: it knows them by
// their content, and makes versions of images that every vendor takes.
package media

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"ikigai"
)

// What a request holds of images and documents: less than any vendor takes, and
// less than 32 MB once it is in base64, with room for the text.
const (
	MaxCount = 90
	MaxBytes = 20 << 20
)

// MaxAttached is the most bytes of a document, and of all that goes with a
// statement: what tools show of it must have room beside it.
const MaxAttached = 16 << 20

// Attach returns an image or a document as a part with the given name, and the
// blobs that the part names: the bytes as they are and, where vendors would not
// take those, the bytes to send instead. The error, an *ikigai.Error of kind
// usage, says why the bytes can be sent to nobody.
func Attach(name string, raw []byte) (ikigai.Part, []ikigai.Blob, error) {
	kind := Type(raw)
	p := ikigai.Part{Type: ikigai.PartImage, Media: kind, Name: name, Blob: hash(raw), Size: int64(len(raw))}
	blobs := []ikigai.Blob{{Hash: p.Blob, Bytes: raw}}
	if kind == PDF {
		p.Type = ikigai.PartFile
		return p, blobs, checkDocument(name, raw)
	}
	fitted, _, err := Fit(raw)
	if err != nil {
		what, do := "image", "Save it anew as PNG or JPEG, and attach that"
		if kind == "" {
			what = "file"
		}
		if errors.As(err, new(errPixels)) {
			do = "Make it smaller, and attach that"
		}
		return p, nil, &ikigai.Error{Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("%s %v", strings.TrimSpace("The "+what+" "+name), err), Do: do}
	}
	if h := hash(fitted); h != p.Blob {
		p.Fit, p.Size = h, int64(len(fitted))
		blobs = append(blobs, ikigai.Blob{Hash: h, Bytes: fitted})
	}
	return p, blobs, nil
}

func checkDocument(name string, raw []byte) error {
	what, do := "", "Save it anew, and attach that"
	switch err := Damage(raw); {
	case len(raw) > MaxAttached:
		what, do = fmt.Sprintf("is larger than %d MiB, the most that is sent", MaxAttached>>20), "Attach the pages that matter"
	case err != nil:
		what = err.Error()
	default:
		return nil
	}
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: fmt.Sprintf("The document %s %s", name, what), Do: do}
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
