package responses

import (
	"slices"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// appendContent appends content: as a string where it is text alone, and as a
// list of blocks otherwise. An empty block is refused, an empty string is not.
func appendContent(b []byte, cfg provider.Config, parts []ikigai.Part) []byte {
	parts = slices.DeleteFunc(slices.Clone(parts), isEmpty)
	switch {
	case len(parts) == 0:
		return append(b, `""`...)
	case len(parts) == 1 && parts[0].Type == ikigai.PartText:
		return wirejson.AppendString(b, parts[0].Text)
	}
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, cfg, p)
	}
	return append(b, ']')
}

func isEmpty(p ikigai.Part) bool { return p.Type == ikigai.PartText && p.Text == "" }

func appendPart(b []byte, cfg provider.Config, p ikigai.Part) []byte {
	text := p.Text
	if p.Type != ikigai.PartText {
		text = cfg.InPlaceOf(p, nil)
	}
	switch {
	case text != "":
		b = append(b, `{"type":"input_text","text":`...)
		b = wirejson.AppendString(b, text)
	case p.Type == ikigai.PartImage:
		b = append(b, `{"type":"input_image","image_url":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	default:
		b = append(b, `{"type":"input_file","filename":`...)
		b = wirejson.AppendString(b, nameOf(p))
		b = append(b, `,"file_data":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	}
	return append(b, '}')
}

// nameOf returns the name of a file, which it must have.
func nameOf(p ikigai.Part) string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Media == "application/pdf":
		return "file.pdf"
	}
	return "file"
}
