package webpage

import (
	"html"
	"net/url"
	"strconv"
	"strings"
)

// reader writes blocks as the markup comes.
type reader struct {
	base    *url.URL
	based   bool // the page has said so
	title   string
	blocks  []block
	written int // bytes in blocks

	stack []element
	open  map[string]int // elements of the stack by name

	hidden, nav int // how many such elements are open
	mains       int // main elements and articles so far
	main        int // the one that is open

	inline         // the block that is being written
	heading int    // its level
	pre     int    // open pre elements
	code    string // language of the pre element
	marker  string // of the item of a list that begins with the next block
	lists   []list
	newList bool // none of its items is written
	quotes  int
	tables  []*table
}

// element is an open element.
type element struct {
	name             string
	hides, nav, main bool // that began with it
}

type list struct {
	ordered bool
	n       int
}

// Deeper elements are not told apart, and deeper lists and quotes not indented
// further.
const (
	maxDepth  = 256
	maxIndent = 6
)

// start opens an element.
func (r *reader) start(t token) {
	r.imply(t.name)
	switch t.name {
	case "title":
		if r.title == "" && r.open["svg"] == 0 {
			r.title = strings.Join(strings.Fields(visible(html.UnescapeString(t.raw))), " ")
		}
		return
	case "base":
		if href := t.attr("href"); !r.based && t.has("href") && len(href) <= maxLink { // the first one counts
			if u, err := r.base.Parse(href); err == nil {
				r.base, r.based = u, true
			}
		}
		return
	case "script", "style", "textarea", "iframe", "noembed", "noframes", "xmp", "meta", "link", "input", "source", "col", "wbr", "area", "embed", "param", "track":
		return
	case "br", "hr", "img":
		r.void(t)
		return
	case "html", "body", "head":
		return
	}
	if t.empty && isHidden(t) || len(r.stack) >= maxDepth {
		return
	}
	inHeading := t.name == "button" && r.heading > 0 // it copies a link, or the like
	e := element{name: t.name, hides: isHidden(t) || inHeading}
	if e.hides {
		r.hidden++
	} else if r.hidden == 0 {
		r.begin(t, &e)
	}
	r.stack = append(r.stack, e)
	r.open[t.name]++
}

// begin does what an element that can be seen begins.
func (r *reader) begin(t token, e *element) {
	if isBlock(t.name) {
		r.flush()
	}
	role := t.attr("role")
	switch {
	case t.name == "nav" || role == "navigation":
		e.nav = true
		r.nav++
	case (t.name == "main" || role == "main" || t.name == "article") && r.main == 0:
		e.main = true
		r.mains++
		r.main = r.mains
	}
	switch t.name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.leaveCells()
		r.heading = int(t.name[1] - '0')
	case "ul", "ol", "menu":
		r.leaveCells()
		n, err := strconv.Atoi(t.attr("start"))
		if err != nil || n < 0 || n > 1e9 {
			n = 1
		}
		r.newList = len(r.lists) == 0
		r.lists = append(r.lists, list{ordered: t.name == "ol", n: n})
	case "li":
		r.item()
	case "dd":
		r.marker = ": "
	case "blockquote":
		r.leaveCells()
		r.quotes++
	case "pre":
		r.leaveCells()
		r.pre++
		r.code = language(t)
	case "code", "samp", "kbd", "tt", "strong", "b", "em", "i", "a":
		if r.pre > 0 {
			if r.code == "" {
				r.code = language(t)
			}
			return
		}
		r.mark(t, r.base)
	case "table", "caption", "tr", "td", "th":
		r.beginTable(t)
	}
}

// item begins an item of a list.
func (r *reader) item() {
	r.marker = "- "
	if len(r.lists) > 0 {
		if l := &r.lists[len(r.lists)-1]; l.ordered {
			r.marker = strconv.Itoa(l.n) + ". "
			l.n++
		}
	}
}

// finish does what the end of an element ends.
func (r *reader) finish(e element) {
	switch {
	case e.hides:
		r.hidden--
		return
	case r.hidden > 0:
		return
	}
	if r.pre > 0 && e.name == "pre" {
		r.fence()
		r.pre--
		r.code = ""
	} else if isBlock(e.name) {
		r.flush()
	}
	switch e.name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.heading = 0
	case "ul", "ol", "menu":
		r.lists = r.lists[:max(0, len(r.lists)-1)]
	case "li", "dd":
		r.marker = ""
	case "blockquote":
		r.quotes--
	case "table", "caption", "tr", "td", "th":
		r.finishTable(e.name)
	default:
		r.close(e.name)
	}
	if e.nav {
		r.nav--
	}
	if e.main {
		r.main = 0
	}
}

// end closes an element, and those that it left open. An end without a
// beginning says nothing.
func (r *reader) end(name string) {
	if name == "p" && r.open["p"] == 0 || name == "br" {
		r.flush()
	}
	if r.open[name] == 0 {
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		at := r.stack[i].name
		if at == name {
			r.popTo(i)
			return
		}
		if (at == "td" || at == "th" || at == "table") && !ofTable(name) {
			return // the end of something around the table
		}
	}
}

// popTo closes all but the first n elements.
func (r *reader) popTo(n int) {
	for len(r.stack) > n {
		e := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		r.open[e.name]--
		r.finish(e)
	}
}

// maxImplied is how far up an element is looked for that another one ends.
const maxImplied = 16

// imply closes what a start tag ends: an item ends the item before it, a
// paragraph the paragraph.
func (r *reader) imply(name string) {
	ends, within := "", ""
	switch {
	case name == "li":
		ends, within = "li", "ul ol menu"
	case name == "dt" || name == "dd":
		ends, within = "dt dd", "dl"
	case name == "td" || name == "th":
		ends, within = "td th", "tr table"
	case name == "tr":
		ends, within = "tr", "table"
	case name == "option":
		ends, within = "option", "select"
	case isBlock(name) && r.open["p"] > 0:
		ends, within = "p", "div td th li table blockquote section article"
	default:
		return
	}
	for i := len(r.stack) - 1; i >= max(0, len(r.stack)-maxImplied); i-- {
		switch at := r.stack[i].name; {
		case isOneOf(ends, at):
			r.popTo(i)
			return
		case isOneOf(within, at):
			return
		}
	}
}

// isOneOf reports whether name is among names, which blanks part.
func isOneOf(names, name string) bool {
	for len(names) >= len(name) {
		first, rest, _ := strings.Cut(names, " ")
		if first == name {
			return true
		}
		names = rest
	}
	return false
}

// void shows an element without content.
func (r *reader) void(t token) {
	switch {
	case r.hidden > 0 || isHidden(t):
	case t.name == "br":
		r.lineBreak(r.pre > 0, r.heading > 0 || r.inCell())
	case t.name == "hr":
		r.leaveCells()
		r.flush()
		r.add("---")
	default:
		r.image(t)
	}
}

// image shows what stands for an image.
func (r *reader) image(t token) {
	alt := strings.Join(strings.Fields(visible(t.attr("alt"))), " ")
	if alt == "" || r.pre > 0 {
		return
	}
	if target := absolute(r.base, t.attr("src")); target != "" {
		r.words("![" + alt + "](" + target + ")")
	} else {
		r.words("[image: " + alt + "]")
	}
}

func (r *reader) text(s string) {
	switch {
	case r.hidden > 0:
	case r.pre > 0:
		r.verbatim(visible(s))
	default:
		r.words(visible(s))
	}
}

// flush ends the block that is being written. In a cell of a table it parts
// words only.
func (r *reader) flush() {
	if r.pre > 0 {
		return
	}
	if r.inCell() {
		r.space = true
		return
	}
	text := r.take()
	if text == "" {
		return
	}
	if r.heading > 0 {
		text = strings.Repeat("#", r.heading) + " " + text
	}
	r.add(text)
}

// fence ends a piece of code.
func (r *reader) fence() {
	text := strings.Trim(r.takeVerbatim(), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 16 {
		fence += "`"
	}
	r.add(fence + r.code + "\n" + text + "\n" + fence)
}

// add adds a block where the page has come to.
func (r *reader) add(text string) {
	first, rest := r.indent()
	text = first + strings.ReplaceAll(text, "\n", "\n"+rest)
	r.blocks = append(r.blocks, block{text: text, item: r.marker != "" && !r.newList, in: place{nav: r.nav > 0, main: r.main, list: len(r.lists) > 0}})
	r.written += len(text)
	r.marker, r.newList = "", false
}

// indent returns what stands before the first line of a block, and before the
// others.
func (r *reader) indent() (first, rest string) {
	quotes := strings.Repeat("> ", min(r.quotes, maxIndent))
	for i, l := range r.lists {
		if i == len(r.lists)-1 || i == maxIndent {
			break
		}
		quotes += indentOf(l)
	}
	switch {
	case r.marker != "":
		return quotes + r.marker, quotes + strings.Repeat(" ", len(r.marker))
	case len(r.lists) > 0:
		quotes += indentOf(r.lists[len(r.lists)-1])
	}
	return quotes, quotes
}

func indentOf(l list) string {
	if l.ordered {
		return "   "
	}
	return "  "
}
