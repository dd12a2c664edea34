package gemini

import (
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/wirejson"
)

// appendText appends a part of text, and a comma. A part must not be empty.
func appendText(b []byte, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, `{"text":`...)
	b = wirejson.AppendString(b, text)
	return append(b, "},"...)
}

// appendPart appends a part of a message, and a comma.
func (w *wire) appendPart(b []byte, p ikigai.Part) []byte {
	if p.Type == ikigai.PartText {
		return appendText(b, p.Text)
	}
	if words := w.cfg.InPlaceOf(p, isTaken); words != "" {
		return appendText(b, words)
	}
	b = append(b, `{"inlineData":{"mimeType":`...)
	b = wirejson.AppendString(b, mediaType(p))
	b = append(b, `,"data":`...)
	b = wirejson.AppendBase64(b, "", p.Bytes)
	return append(b, "}},"...)
}

// isTaken reports whether the vendor takes the kind of data that p is.
func isTaken(p ikigai.Part) bool {
	media := mediaType(p)
	kind, _, _ := strings.Cut(media, "/")
	return kind == "audio" || kind == "video" || goesInside(media) || media == "image/heic" || media == "image/heif"
}

// goesInside reports whether data of a type may stand inside of a result.
func goesInside(media string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"}, media)
}

// mediaType returns the type of p as the vendor knows it: to it all text is
// plain.
func mediaType(p ikigai.Part) string {
	media, _, _ := strings.Cut(strings.ToLower(p.Media), ";")
	media = strings.TrimSpace(media)
	switch {
	case strings.HasPrefix(media, "text/"):
		return "text/plain"
	case media == "":
		return "application/octet-stream"
	}
	return media
}

// joinText returns text and the texts of parts, a line feed between them.
func joinText(text string, parts []ikigai.Part) string {
	for _, p := range parts {
		if p.Type != ikigai.PartText {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += p.Text
	}
	return text
}
