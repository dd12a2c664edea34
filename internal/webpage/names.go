package webpage

import (
	"net/url"
	"strings"
)

// isBlock reports whether an element begins and ends a line.
func isBlock(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset",
		"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol",
		"p", "pre", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul":
		return true
	}
	return false
}

// ofTable reports whether an end tag may end cells of a table.
func ofTable(name string) bool {
	switch name {
	case "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption":
		return true
	}
	return false
}

// isHidden reports whether readers do not see an element, or cannot read it.
func isHidden(t token) bool {
	switch t.name {
	case "svg", "canvas", "object", "audio", "video", "template", "select", "datalist", "map":
		return true
	case "dialog":
		return !t.has("open")
	}
	if t.has("hidden") || t.attr("aria-hidden") == "true" {
		return true
	}
	style := strings.ReplaceAll(t.attr("style"), " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// language returns the language of code that an element names in its class.
func language(t token) string {
	for class := range strings.FieldsSeq(t.attr("class")) {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
			if name, ok := strings.CutPrefix(class, prefix); ok && len(name) <= 20 && !strings.Contains(name, "`") {
				return visible(name)
			}
		}
	}
	return ""
}

// inLink escapes what would end the target of a link in Markdown.
var inLink = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20")

// maxLink is the most bytes of the target of a link.
const maxLink = 2048

// absolute returns the target of a link, "" for one that leads nowhere: into
// the page itself, into a script, or to bytes that stand in the link.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(visible(href))
	if href == "" || href[0] == '#' || len(href) > maxLink {
		return ""
	}
	u, err := base.Parse(strings.ReplaceAll(href, "\n", ""))
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto", "ftp", "tel":
		if link := inLink.Replace(u.String()); len(link) <= 2*maxLink { // what it is relative to may be long
			return link
		}
	}
	return ""
}

// visible returns s without what cannot be seen: controls, and the characters
// that hide text from readers or reorder it.
func visible(s string) string {
	clean := true
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return '\n'
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0, r == 0xad, r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d,
			r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
			return -1
		case r == 0xa0:
			return ' '
		}
		return r
	}, s)
}
