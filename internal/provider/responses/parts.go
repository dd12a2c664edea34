package responses

import (
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// appendContent appends content: as a string where it is one text, and as a
// list of blocks otherwise.
func appendContent(b []byte, cfg provider.Config, parts []ikigai.Part) []byte {
	if len(parts) == 1 && parts[0].Type == ikigai.PartText {
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

func appendPart(b []byte, cfg provider.Config, p ikigai.Part) []byte {
	text := p.Text
	if p.Type != ikigai.PartText {
		text = inPlaceOf(cfg, p)
	}
	switch {
	case p.Type == ikigai.PartText || text != "":
		b = append(b, `{"type":"input_text","text":`...)
		b = wirejson.AppendString(b, text)
	case p.Type == ikigai.PartImage:
		b = append(b, `{"type":"input_image","image_url":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	default:
		b = append(b, `{"type":"input_file","filename":`...)
		b = wirejson.AppendString(b, p.Name)
		b = append(b, `,"file_data":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	}
	return append(b, '}')
}

// inPlaceOf returns the words that stand for an image or a file that cannot be
// sent, "" if it can be.
func inPlaceOf(cfg provider.Config, p ikigai.Part) string {
	what := strings.TrimSpace(string(p.Type) + " " + p.Name)
	switch {
	case len(p.Bytes) == 0:
		return "(no longer available: " + what + ")"
	case p.Type == ikigai.PartImage && cfg.NoImages:
		return "(" + what + " is left out: this model takes no images)"
	case p.Type == ikigai.PartFile && cfg.NoFiles:
		return "(" + what + " is left out: this model takes no files)"
	}
	return ""
}
