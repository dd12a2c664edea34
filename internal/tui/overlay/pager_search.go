package overlay

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ikigai/internal/tty"
)

// handleSearch takes in a key while a search is typed.
func (p *Pager) handleSearch(k tty.Key) {
	switch {
	case k.Is(tty.KeyEnter, 0):
		p.upwards = p.prompt == '?'
		p.prompt = 0
		if p.field.text != "" {
			p.needle, p.hit = newNeedle(p.field.text), -1
		}
		p.find(p.upwards)
	case k.Is(tty.KeyEscape, 0), k.Ctrl('c'), k.Ctrl('g'), k.Is(tty.KeyBackspace, 0) && p.field.text == "":
		p.prompt = 0
	default:
		p.field.handle(k)
	}
}

// find goes to the next place where the needle stands, or the one before: from the
// last find if that is on the screen, else from the screen's edge. Behind the last
// comes the first.
func (p *Pager) find(upwards bool) {
	if p.needle.text == "" {
		return
	}
	first, end := p.shown()
	from := p.hit
	switch {
	case from >= first && from < end && upwards:
	case from >= first && from < end:
		from++
	case upwards:
		from = end
	default:
		from = first
	}
	at, again := p.search(from, upwards), ""
	if at < 0 && upwards {
		at, again = p.search(len(p.text), true), "from the end again"
	} else if at < 0 {
		at, again = p.search(0, false), "from the beginning again"
	}
	p.hit, p.said = at, again
	if at < 0 {
		p.said = "not found: " + p.needle.text
		return
	}
	if at < first || at >= end {
		p.show(at)
	}
}

// shown returns from which byte to which the screen shows the text.
func (p *Pager) shown() (from, to int) {
	pl := p.first()
	from = pl.start()
	for range p.rows() {
		if !p.down(&pl) {
			return from, len(p.text) + 1
		}
	}
	return from, pl.start()
}

// show scrolls so that byte at stands a third of the screen below its top.
func (p *Pager) show(at int) {
	pl := p.placeOf(at)
	for n := p.rows() / 3; n > 0 && p.up(&pl); n-- {
	}
	p.top, p.atEnd = pl.start(), false
}

// mostSearched is how much is looked at together, in bytes, to learn whether it
// holds the needle at all.
const mostSearched = 256 << 10

// search returns the first byte, from on or the last before it, at which the needle
// stands, or -1.
func (p *Pager) search(from int, upwards bool) int {
	if upwards {
		return p.searchUp(from)
	}
	for at := p.pieceStart(from); ; {
		end := p.pieceEnd(p.pieceStart(min(at+mostSearched, len(p.text))))
		for _, s := range p.findsIn(at, end) {
			if s.from >= from {
				return s.from
			}
		}
		if end == len(p.text) {
			return -1
		}
		at = p.behind(end)
	}
}

func (p *Pager) searchUp(from int) int {
	for end := p.pieceEnd(p.pieceStart(min(from, len(p.text)))); ; {
		at := p.pieceStart(max(0, end-mostSearched))
		for _, s := range slices.Backward(p.findsIn(at, end)) {
			if s.from < from {
				return s.from
			}
		}
		if at == 0 {
			return -1
		}
		end = p.pieceEnd(p.pieceStart(at - 1))
	}
}

// behind returns where the next piece begins behind one that ends there.
func (p *Pager) behind(end int) int {
	if p.text[end] == '\n' {
		return end + 1
	}
	return end
}

// findsIn returns where the needle stands in whole pieces.
func (p *Pager) findsIn(at, to int) []span {
	if !strings.Contains(p.needle.fold(unstyled(p.text[at:to])), p.needle.text) {
		return nil
	}
	var all []span
	for {
		end := p.pieceEnd(at)
		for _, s := range p.needle.in(p.text[at:end]) {
			all = append(all, span{at + s.from, at + s.to})
		}
		if end >= to {
			return all
		}
		at = p.behind(end)
	}
}

// needle is what is searched for. Capitals count only where it has some itself.
type needle struct {
	text  string
	exact bool
}

func newNeedle(text string) needle {
	return needle{text, strings.ContainsFunc(text, unicode.IsUpper)}
}

// fold returns text, of the same length, as it is compared.
func (n needle) fold(text string) string {
	if n.exact {
		return text
	}
	folded := []byte(text)
	for i := 0; i < len(folded); {
		if c := folded[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				folded[i] += 'a' - 'A'
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(folded[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == size {
			utf8.EncodeRune(folded[i:], l)
		}
		i += size
	}
	return string(folded)
}

// in returns where the needle stands in text, styles not counted.
func (n needle) in(text string) []span {
	if n.text == "" || text == "" {
		return nil
	}
	bare := n.fold(unstyled(text))
	var spans []span
	at, seen := 0, 0 // bytes of the text, and of it without styles
	// to returns the byte of the text at byte i of it without styles.
	to := func(i int) int {
		for {
			if size := styleSize(text[at:]); size > 0 {
				at += size
				continue
			}
			if seen == i {
				return at
			}
			at++
			seen++
		}
	}
	for from := 0; ; {
		i := strings.Index(bare[from:], n.text)
		if i < 0 {
			return spans
		}
		first := to(from + i)
		from += i + len(n.text)
		spans = append(spans, span{first, to(from)})
	}
}

// unstyled returns text without its styles.
func unstyled(text string) string {
	i := strings.IndexByte(text, '\x1b')
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i >= 0 {
		b.WriteString(text[:i])
		size := styleSize(text[i:])
		if size == 0 {
			b.WriteByte('\x1b')
			size = 1
		}
		text = text[i+size:]
		i = strings.IndexByte(text, '\x1b')
	}
	b.WriteString(text)
	return b.String()
}
