package tools

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ikigai"
)

// webDocument is what an address holds, as the model is shown it.
type webDocument struct {
	url   string        // where it was found
	hosts []string      // others than the one asked for that redirects led to
	title string        // "" if it has none
	pages []string      // of text; empty if it is none
	words string        // in place of text: what it is
	parts []ikigai.Part // images and documents
	cut   bool          // it is longer than what was read
}

// count returns the number of pages, at least 1.
func (d *webDocument) count() int { return max(1, len(d.pages)) }

func (d *webDocument) size() int {
	n := len(d.words)
	for _, p := range d.pages {
		n += len(p)
	}
	return n
}

// webCacheMost is the most bytes of text that are kept of pages, for those who
// ask for the next one.
const webCacheMost = 64 << 20

// webCache keeps documents, those that were fetched last.
type webCache struct {
	mu    sync.Mutex
	byURL map[string]*webDocument
	order []string // of the URLs, the oldest first
	size  int
}

// get returns a document, nil if it is not kept.
func (c *webCache) get(url string) *webDocument {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byURL[url]
}

// put keeps a document that has more than one page.
func (c *webCache) put(url string, doc *webDocument) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(url)
	if len(doc.pages) < 2 {
		return
	}
	if c.byURL == nil {
		c.byURL = map[string]*webDocument{}
	}
	c.byURL[url] = doc
	c.order = append(c.order, url)
	for c.size += doc.size(); c.size > webCacheMost; {
		c.drop(c.order[0])
	}
}

func (c *webCache) drop(url string) {
	if old := c.byURL[url]; old != nil {
		c.size -= old.size()
		delete(c.byURL, url)
		c.order = slices.DeleteFunc(c.order, func(u string) bool { return u == url })
	}
}

// paginate cuts text into pages of at most most bytes, where a paragraph ends
// if one does in the last half of the page, else where a line does, and never
// inside a character. Pages joined are the text again.
func paginate(text string, most int) []string {
	var pages []string
	for len(text) > most {
		n := lastEnd(text[:most], "\n\n")
		if n < most/2 {
			n = max(lastEnd(text[:most], "\n"), n)
		}
		if n < most/2 {
			n = most
			for !utf8.RuneStart(text[n]) {
				n--
			}
		}
		pages = append(pages, text[:n])
		text = text[n:]
	}
	if text != "" || len(pages) == 0 {
		pages = append(pages, text)
	}
	return pages
}

// lastEnd returns the index behind the last separator of text, 0 if there is
// none.
func lastEnd(text, separator string) int {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return i + len(separator)
	}
	return 0
}
