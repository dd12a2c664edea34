package render

import (
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// trust shows whether what a project brings may act, and what that is.
func (s Style) trust(b transcript.Block) string {
	d, ok := b.Body.(ikigai.TrustData)
	if !ok {
		return s.other(b)
	}
	text := "The project is not trusted. What it brings is left out: "
	if d.Trusted {
		text = "The project is trusted, and what it brings is used: "
	}
	items := make([]string, len(d.Items))
	for i, item := range d.Items {
		items[i] = line(item)
	}
	if len(items) == 0 {
		items = []string{"nothing"}
	}
	return s.prose(s.paint(faint, "trust  "), "       ", plain, text+strings.Join(items, ", "))
}
