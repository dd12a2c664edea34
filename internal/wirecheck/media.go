package wirecheck

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Media types of images. Gemini takes HEIC and no GIF.
var (
	commonImages = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}
	geminiImages = []string{"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"}
)

// maxImage is the most bytes of an image in base64 that Anthropic takes, the
// least of all: "image exceeds 5 MB maximum" (anthropics/claude-code #2939).
const maxImage = 5 << 20

// decode decodes base64, and reports whether it is any. Padding may be missing.
func decode(s string) ([]byte, bool) {
	s = strings.TrimRight(s, "=")
	raw, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		raw, err = base64.RawURLEncoding.DecodeString(s)
	}
	return raw, err == nil && len(raw) > 0
}

// data demands base64.
func (r *report) data(at string, v *value) (raw []byte) {
	if !r.want(at, v, text) {
		return nil
	}
	raw, ok := decode(v.text)
	if !ok {
		r.refuse(at, "Invalid base64 data.")
	}
	return raw
}

// image demands an image of one of the given types in base64.
func (r *report) image(at, media string, v *value, types []string) {
	if !slices.Contains(types, media) {
		r.refuse(at, "The media type %q is not supported. Supported are %q.", media, types)
		return
	}
	raw := r.data(at, v)
	if len(v.string()) > maxImage {
		r.refuse(at, "image exceeds 5 MB maximum: %d bytes > %d bytes", len(v.text), maxImage)
	}
	// Vendors look into the bytes (vybestack/llxprt-code #2130, 1jehuang/jcode #465).
	if is := http.DetectContentType(raw); raw != nil && slices.Contains(commonImages, is) && is != media {
		r.refuse(at, "The image was specified using the %s media type, but the image appears to be a %s image.", media, is)
	}
}

// dataURL takes a data URL apart.
func dataURL(s string) (media, data string, ok bool) {
	s, ok = strings.CutPrefix(s, "data:")
	media, data, found := strings.Cut(s, ";base64,")
	return media, data, ok && found
}

// imageURL demands the address of an image, or an image in a data URL.
func (r *report) imageURL(at string, v *value) {
	if !r.want(at, v, text) {
		return
	}
	switch media, data, ok := dataURL(v.text); {
	case ok:
		r.image(at, media, &value{kind: text, text: data}, commonImages)
	case !strings.HasPrefix(v.text, "http://") && !strings.HasPrefix(v.text, "https://"):
		r.refuse(at, "Expected a valid URL or a base64 data URL, but got %s.", v)
	}
}
