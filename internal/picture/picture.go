// Package picture draws the screen of a terminal as an SVG, so that documents
// show what the program really printed.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Sizes of a cell and of the frame around the screen, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	bar        = 26 // the window's title bar
)

// SVG draws lines of text with SGR sequences, as a terminal of a number of columns
// would. Nothing else in them is understood.
func SVG(screen, title string, columns int) []byte {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	width, height := 2*margin+float64(columns)*cellWidth, bar+2*margin+len(lines)*cellHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" aria-label="`, width, height, width, height)
	escape(&b, title)
	fmt.Fprintf(&b, `">
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g fill="%s"><circle cx="16" cy="16" r="5"/><circle cx="34" cy="16" r="5"/><circle cx="52" cy="16" r="5"/></g>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="%s" xml:space="preserve">
`, ground, faint, ink)
	how := style{}
	for i, l := range lines {
		how = drawLine(&b, l, bar+margin+(i+1)*cellHeight-5, how)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// drawLine draws a line at a height, and returns the style that it leaves behind.
func drawLine(b *bytes.Buffer, text string, y int, how style) style {
	column := 0
	for text != "" {
		if text[0] == '\x1b' {
			params, rest, ok := sgr(text)
			if ok {
				how.apply(params)
			}
			text = rest
			continue
		}
		run, rest := text, ""
		if i := strings.IndexByte(text, '\x1b'); i >= 0 {
			run, rest = text[:i], text[i:]
		}
		drawRun(b, run, column, y, how)
		column += ansi.StringWidth(run)
		text = rest
	}
	return how
}

// sgr returns the parameters of the SGR sequence that text begins with, and what
// stands behind it, or behind the Escape if it is none.
func sgr(text string) (params, rest string, ok bool) {
	if body, ok := strings.CutPrefix(text, "\x1b["); ok {
		end := len(body) - len(strings.TrimLeft(body, "0123456789;:"))
		if strings.HasPrefix(body[end:], "m") {
			return body[:end], body[end+1:], true
		}
	}
	return "", text[1:], false
}

// drawRun draws text of one style from a column on.
func drawRun(b *bytes.Buffer, text string, column, y int, how style) {
	x, width := margin+float64(column)*cellWidth, float64(ansi.StringWidth(text))*cellWidth
	if color := how.background(); color != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, x, y-cellHeight+5, width, cellHeight, color)
	}
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f"%s>`, x, y, width, how.attributes())
		escape(b, text)
		b.WriteString("</text>\n")
	}
}

func escape(b *bytes.Buffer, text string) {
	_ = xml.EscapeText(b, []byte(text)) // a buffer takes everything
}
