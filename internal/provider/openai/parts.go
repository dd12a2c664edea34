package openai

import (
	"slices"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// fitting returns parts with words in place of what cannot be sent: bytes that
// are gone, and kinds that the model does not take.
func fitting(cfg provider.Config, parts []ikigai.Part) []ikigai.Part {
	fits := func(p ikigai.Part) bool { return cfg.InPlaceOf(p, nil) == "" }
	if !slices.ContainsFunc(parts, func(p ikigai.Part) bool { return !fits(p) }) {
		return parts
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		if !fits(p) {
			parts[i] = ikigai.Part{Type: ikigai.PartText, Text: cfg.InPlaceOf(p, nil)}
		}
	}
	return parts
}

// joinText returns text and the texts of parts, a line feed between them.
func joinText(text string, parts []ikigai.Part) string {
	for _, p := range parts {
		if provider.IsMedia(p) {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += p.Text
	}
	return text
}

// appendParts appends a list of content parts.
func appendParts(b []byte, parts []ikigai.Part) []byte {
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, p)
	}
	return append(b, ']')
}

func appendPart(b []byte, p ikigai.Part) []byte {
	switch p.Type {
	case ikigai.PartText:
		b = append(b, `{"type":"text","text":`...)
		b = wirejson.AppendString(b, p.Text)
		return append(b, '}')
	case ikigai.PartImage:
		b = append(b, `{"type":"image_url","image_url":{"url":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
		return append(b, "}}"...)
	}
	b = append(b, `{"type":"file","file":{"filename":`...)
	b = wirejson.AppendString(b, fileName(p))
	b = append(b, `,"file_data":`...)
	b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	return append(b, "}}"...)
}

// fileName returns the name of a file, which must have one.
func fileName(p ikigai.Part) string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Media == "application/pdf":
		return "file.pdf"
	}
	return "file"
}
