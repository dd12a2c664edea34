package overlay

import "strings"

// A pager goes through a text by pieces: its lines, but that a line without end,
// such as a whole file of JSON, is cut, so that what is shown costs the same
// wherever one is. Where the cuts are can be told from what stands around them; so
// nothing of the text needs to be counted or remembered.

// mostPiece is what a line has to go on for, in bytes, before each multiple of it
// at which it is cut.
const mostPiece = 4 << 10

// pieceEnd returns where the piece ends that begins at byte from.
func (p *Pager) pieceEnd(from int) int {
	at := (from+mostPiece-1)/mostPiece*mostPiece + mostPiece
	end := min(at, len(p.text))
	if i := strings.IndexByte(p.text[from:end], '\n'); i >= 0 {
		return from + i
	}
	if end < at {
		return end
	}
	return p.cut(at)
}

// pieceStart returns where the piece begins that byte at belongs to, or the
// newline behind it.
func (p *Pager) pieceStart(at int) int {
	lo := max(0, at-3*mostPiece)
	from := lo + strings.LastIndexByte(p.text[lo:at], '\n') + 1
	if from == lo && lo > 0 && p.text[lo-1] != '\n' {
		from = p.cut(at/mostPiece*mostPiece - mostPiece)
	}
	for {
		end := p.pieceEnd(from)
		if at < end || p.ended(end) {
			return from
		}
		from = end
	}
}

// ended reports whether a piece that ends there is the end of a line.
func (p *Pager) ended(end int) bool { return end == len(p.text) || p.text[end] == '\n' }

// cut returns where a line is cut for byte at: there, or before the character or
// the escape sequence that it is in the middle of.
func (p *Pager) cut(at int) int {
	const longest = 32 // bytes of a sequence
	if i := strings.LastIndexByte(p.text[at-longest:at], '\x1b'); i >= 0 {
		from := at - longest + i
		if n := styleSize(p.text[from:min(from+longest, len(p.text))]); from+n > at {
			return from
		}
	}
	for i := at; i > at-4; i-- {
		if c := p.text[i]; c < 0x80 || c >= 0xC0 {
			return i
		}
	}
	return at
}

// place is a row of the text.
type place struct {
	from, to int // bytes of the piece it is in
	rows     []row
	i        int // of the rows
}

// start returns the byte at which the row begins.
func (pl *place) start() int { return pl.from + pl.rows[pl.i].from }

// placeOf returns the row that byte at stands in.
func (p *Pager) placeOf(at int) place {
	from := p.pieceStart(at)
	pl := p.piece(from)
	for pl.i+1 < len(pl.rows) && from+pl.rows[pl.i+1].from <= at {
		pl.i++
	}
	return pl
}

// piece returns the first row of the piece that begins at byte from.
func (p *Pager) piece(from int) place {
	to := p.pieceEnd(from)
	return place{from: from, to: to, rows: wrap(p.text[from:to], p.width)}
}

// down goes on to the next row. It reports false at the last.
func (p *Pager) down(pl *place) bool {
	switch {
	case pl.i+1 < len(pl.rows):
		pl.i++
	case pl.to == len(p.text):
		return false
	case p.text[pl.to] == '\n':
		*pl = p.piece(pl.to + 1)
	default:
		*pl = p.piece(pl.to)
	}
	return true
}

// up goes back to the row before. It reports false at the first.
func (p *Pager) up(pl *place) bool {
	switch {
	case pl.i > 0:
		pl.i--
	case pl.from == 0:
		return false
	default:
		*pl = p.piece(p.pieceStart(pl.from - 1))
		pl.i = len(pl.rows) - 1
	}
	return true
}
