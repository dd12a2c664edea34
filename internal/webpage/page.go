package webpage

import (
	"context"
	"net/url"
	"strings"
)

// Page is what a reader sees of a page.
type Page struct {
	Title    string
	Markdown string
	Cut      bool // it was longer than is written
}

// maxWritten bounds the Markdown of a page, in bytes. A page of 10 MB can ask
// for far more.
const maxWritten = 16 << 20

// Read reads HTML, valid UTF-8, as the page at base. Only its main part is
// returned where the page marks one that holds most of what it says; what
// leads about the site is left out, as is what readers do not see. Links are
// absolute. The error is that of ctx.
func Read(ctx context.Context, markup string, base *url.URL) (Page, error) {
	r := reader{base: base, open: make(map[string]int)}
	z := tokenizer{s: markup}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return Page{}, ctx.Err()
		}
		t := z.next()
		switch t.kind {
		case plainText:
			r.text(t.text)
		case startTag:
			r.start(t)
		case endTag:
			r.end(t.name)
		}
		if t.kind == endOfText || r.written+len(r.buf) > maxWritten {
			r.popTo(0)
			r.flush()
			return Page{Title: r.title, Markdown: join(choose(r.blocks)), Cut: t.kind != endOfText}, nil
		}
	}
}

// block is a paragraph, a heading, an item of a list, a table, a piece of code.
type block struct {
	text string
	item bool // begins an item of a list, but the first
	in   place
}

// place is what of a page a block belongs to.
type place struct {
	nav  bool
	main int // number of the main element, or of the article; 0 outside
	list bool
}

// A part of a page is taken for all of it if it holds this share of what is
// outside navigation; below leastText bytes that says nothing.
const (
	mainShare = 3 // a third
	leastText = 200
)

// choose returns the blocks that a reader came for.
func choose(all []block) []block {
	rest := sift(all, func(b block) bool { return !b.in.nav })
	if size(rest) < leastText && size(all) > 2*size(rest) {
		rest = all // a page of links
	}
	best, of := 0, map[int]int{}
	for _, b := range rest {
		if b.in.main > 0 {
			of[b.in.main] += len(b.text)
			if of[b.in.main] > of[best] {
				best = b.in.main
			}
		}
	}
	if of[best] < leastText || of[best]*mainShare < size(rest) {
		return rest
	}
	return sift(rest, func(b block) bool { return b.in.main == best })
}

func sift(all []block, keep func(block) bool) []block {
	var some []block
	for _, b := range all {
		if keep(b) {
			some = append(some, b)
		}
	}
	return some
}

func size(all []block) int {
	n := 0
	for _, b := range all {
		n += len(b.text)
	}
	return n
}

// join puts blocks below one another, items of a list without an empty line.
func join(all []block) string {
	var b strings.Builder
	for i, bl := range all {
		switch {
		case i == 0:
		case bl.item && all[i-1].in.list:
			b.WriteByte('\n')
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(bl.text)
	}
	return b.String()
}
