package match

import (
	"bytes"
	"slices"
)

// needle is a text to be found, by its rarest byte.
type needle struct {
	text string // in lower case if fold
	fold bool   // the case of ASCII letters does not count
	rare int    // where in text the byte stands
	byte byte   // as it stands in what is searched
}

// needles returns what finds the texts. Without regard to case there are two
// for a text whose rarest byte is a letter.
func needles(texts []string, fold bool) []needle {
	slices.Sort(texts)
	var all []needle
	for _, text := range slices.Compact(texts) {
		n := needle{text: text, fold: fold}
		for i := range len(text) {
			if rarity(text[i]) > rarity(text[n.rare]) {
				n.rare = i
			}
		}
		n.byte = text[n.rare]
		all = append(all, n)
		if fold && 'a' <= n.byte && n.byte <= 'z' {
			n.byte -= 'a' - 'A'
			all = append(all, n)
		}
	}
	return all
}

// index returns where the text stands in b at or after from, a place behind b if
// it does not.
func (n *needle) index(b []byte, from int) int {
	for at := from + n.rare; at < len(b); at++ {
		i := bytes.IndexByte(b[at:], n.byte)
		if i < 0 {
			break
		}
		at += i
		if start := at - n.rare; n.standsAt(b[start:]) {
			return start
		}
	}
	return len(b) + 1
}

func (n *needle) standsAt(b []byte) bool {
	if len(b) < len(n.text) {
		return false
	}
	if !n.fold {
		return string(b[:len(n.text)]) == n.text
	}
	for i := range len(n.text) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != n.text[i] {
			return false
		}
	}
	return true
}

// haystack is a text in which needles are looked for from its beginning on.
type haystack struct {
	needles []needle
	text    []byte
	at      []int // where each stands next, -1 where that is not known
}

func (h *haystack) reset(text []byte) {
	h.text, h.at = text, h.at[:0]
	for range h.needles {
		h.at = append(h.at, -1)
	}
}

// next returns where a needle stands at or after from, a place behind the text
// if there is none.
func (h *haystack) next(from int) int {
	first := len(h.text) + 1
	for i := range h.needles {
		if h.at[i] < from {
			h.at[i] = h.needles[i].index(h.text, from)
		}
		first = min(first, h.at[i])
	}
	return first
}
