package history

import (
	"cmp"
	"strings"

	"ikigai"
)

// isMedia reports whether p is an image or a document.
func isMedia(p ikigai.Part) bool { return p.Type == ikigai.PartImage || p.Type == ikigai.PartFile }

// partsOf returns what goes with the text of m.
func partsOf(m ikigai.Message) []ikigai.Part {
	if m.Result != nil {
		return m.Result.Parts
	}
	return m.Parts
}

// withParts returns m with other parts. What m points to stays as it is.
func withParts(m ikigai.Message, parts []ikigai.Part) ikigai.Message {
	if m.Result == nil {
		m.Parts = parts
		return m
	}
	result := *m.Result
	result.Parts = parts
	m.Result = &result
	return m
}

// cleanParts returns parts as vendors take them: clean text, and none that is
// blank.
func cleanParts(parts []ikigai.Part) []ikigai.Part {
	var clean []ikigai.Part
	for _, p := range parts {
		p.Text, p.Name, p.Media = ikigai.CleanText(p.Text), ikigai.CleanText(p.Name), ikigai.CleanText(p.Media)
		if isMedia(p) || strings.TrimSpace(p.Text) != "" {
			clean = append(clean, p)
		}
	}
	return clean
}

// inPlaceOf returns the text that stands where p was.
func inPlaceOf(p ikigai.Part, why string) ikigai.Part {
	return ikigai.Part{Type: ikigai.PartText, Text: "(" + named(p) + " is left out: " + why + ")"}
}

// named returns what p is, with its name if it has one.
func named(p ikigai.Part) string { return strings.TrimSpace(string(p.Type) + " " + p.Name) }

// sentHash is the name of the bytes that are sent of p.
func sentHash(p ikigai.Part) string { return cmp.Or(p.Fit, p.Blob) }
