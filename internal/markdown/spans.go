package markdown

import "strings"

// spans writes the text of a line with what is emphasised, linked and code in it.
func (w *writer) spans(text string, base Role) {
	if !strings.ContainsAny(text, special) {
		w.put(text, base)
		return
	}
	s := scanner{text: text, safe: w.style.Safe}
	s.scan()
	match(s.spans)
	w.write(s.spans, base)
}

// effect is a style that lies over spans. They can lie over one another.
type effect int

const (
	strong effect = iota
	emphasis
	strike
	link
	effects
)

// span is a piece of a line.
type span struct {
	text   string
	role   Role // Plain, Code or URL
	sign   byte // of a run of * _ or ~, whose text is what no emphasis takes; 0 for any other span
	opens  bool // emphasis may begin with the run
	closes bool // likewise, end
	size   int  // of the run as it was written

	begin, end [effects]int32 // begin after it, and end before it
}

// write writes the spans.
func (w *writer) write(spans []span, base Role) {
	roles := [effects]Role{Strong, Emphasis, Strike, Link}
	var under [effects]int32
	buffer := make([]Role, 0, effects+2)
	for _, s := range spans {
		in := append(buffer, base)
		for e := range effects {
			under[e] -= s.end[e]
			if under[e] > 0 && s.role != URL && !(roles[e] == base) {
				in = append(in, roles[e])
			}
			under[e] += s.begin[e]
		}
		if s.role != Plain {
			in = append(in, s.role)
		}
		w.put(s.text, in...)
	}
}
