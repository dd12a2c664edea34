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

func isMedia(p ikigai.Part) bool { return p.Type != ikigai.PartText }

// appendParts appends a block for each part, and a comma after it.
func appendParts(b []byte, cfg provider.Config, parts []ikigai.Part) []byte {
	for _, p := range parts {
		words := p.Text
		if isMedia(p) {
			words = inPlaceOf(cfg, p)
		}
		switch {
		case !isMedia(p) || words != "":
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

// inPlaceOf returns the words that stand for an image or a file, "" if it can
// be sent.
func inPlaceOf(cfg provider.Config, p ikigai.Part) string {
	what := strings.TrimSpace(string(p.Type) + " " + p.Name)
	leftOut := func(kind string) string { return "(" + what + " is left out: this model takes no " + kind + ")" }
	switch {
	case len(p.Bytes) == 0:
		return "(no longer available: " + what + ")"
	case p.Type == ikigai.PartImage && cfg.NoImages:
		return leftOut("images")
	case p.Type == ikigai.PartImage && !slices.Contains(imageTypes, p.Media):
		return leftOut("images of the type " + p.Media)
	case p.Type == ikigai.PartFile && cfg.NoFiles:
		return leftOut("files")
	case p.Type == ikigai.PartFile && p.Media != pdf && !isText(p):
		return leftOut("files of the type " + p.Media)
	}
	return ""
}

const pdf = "application/pdf"

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

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
