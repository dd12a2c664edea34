package provider

import (
	"cmp"
	"strings"

	"ikigai"
)

// IsMedia reports whether p is an image or a file.
func IsMedia(p ikigai.Part) bool { return p.Type != ikigai.PartText }

// InPlaceOf returns the words that stand for an image or a file which cannot be
// sent, "" if it can be, or if p is text. takes reports whether the vendor takes
// the kind of data that p is; nil is any.
func (c Config) InPlaceOf(p ikigai.Part, takes func(ikigai.Part) bool) string {
	what := strings.TrimSpace(string(p.Type) + " " + p.Name)
	leftOut := func(kind string) string { return "(" + what + " is left out: this model takes no " + kind + ")" }
	switch {
	case !IsMedia(p):
		return ""
	case len(p.Bytes) == 0:
		return "(no longer available: " + what + ")"
	case p.Type == ikigai.PartImage && c.NoImages:
		return leftOut("images")
	case p.Type == ikigai.PartFile && c.NoFiles:
		return leftOut("files")
	case takes != nil && !takes(p):
		return leftOut(cmp.Or(p.Media, "files of an unknown type"))
	}
	return ""
}
