package anthropic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// appendText appends a block of text and a comma. Text without a letter is left
// out: it is refused.
func appendText(b []byte, text string) []byte {
	if isBlank(text) {
		return b
	}
	b = append(b, `{"type":"text","text":`...)
	b = wirejson.AppendString(b, text)
	return append(b, "},"...)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// appendParts appends a block for each part, and a comma after it.
func appendParts(b []byte, cfg provider.Config, parts []ikigai.Part) []byte {
	for _, p := range parts {
		words := p.Text
		if provider.IsMedia(p) {
			words = cfg.InPlaceOf(p, isTaken)
		}
		switch {
		case !provider.IsMedia(p) || words != "":
			b = appendText(b, words)
		case p.Type == ikigai.PartImage:
			b = append(b, `{"type":"image","source":`...)
			b = appendBase64(b, p)
			b = append(b, "},"...)
		default:
			b = appendDocument(b, p)
		}
	}
	return b
}

const pdf = "application/pdf"

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// isTaken reports whether the vendor takes the kind of data that p is.
func isTaken(p ikigai.Part) bool {
	if p.Type == ikigai.PartImage {
		return slices.Contains(imageTypes, p.Media)
	}
	return p.Media == pdf || isText(p)
}

// isText reports whether a file can be sent as text.
func isText(p ikigai.Part) bool {
	return (strings.HasPrefix(p.Media, "text/") || p.Media == "application/json") && utf8.Valid(p.Bytes) && !isBlank(string(p.Bytes))
}

// appendDocument appends a file.
func appendDocument(b []byte, p ikigai.Part) []byte {
	b = append(b, `{"type":"document","source":`...)
	if p.Media == pdf {
		b = appendBase64(b, p)
	} else {
		b = append(b, `{"type":"text","media_type":"text/plain","data":`...)
		b = wirejson.AppendString(b, string(p.Bytes))
		b = append(b, '}')
	}
	if p.Name != "" {
		b = append(b, `,"title":`...)
		b = wirejson.AppendString(b, p.Name)
	}
	return append(b, "},"...)
}

func appendBase64(b []byte, p ikigai.Part) []byte {
	b = append(b, `{"type":"base64","media_type":`...)
	b = wirejson.AppendString(b, p.Media)
	b = append(b, `,"data":`...)
	b = wirejson.AppendBase64(b, "", p.Bytes)
	return append(b, '}')
}
