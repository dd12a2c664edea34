package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"ikigai"
	"ikigai/internal/provider"
)

// channel is what a piece of an item is a piece of.
type channel int

const (
	answers channel = iota + 1
	refusals
	arguments
	summaries
	thoughts
)

// channels are the events that bring pieces.
var channels = map[string]channel{
	"response.output_text.delta":             answers,
	"response.refusal.delta":                 refusals,
	"response.function_call_arguments.delta": arguments,
	"response.reasoning_summary_text.delta":  summaries,
	"response.reasoning_text.delta":          thoughts,
}

// kind returns the type of the items that have such pieces.
func (c channel) kind() string {
	switch c {
	case answers, refusals:
		return "message"
	case arguments:
		return "function_call"
	}
	return "reasoning"
}

// item is one item of the reply as it comes in.
type item struct {
	kind   string // its type
	number int    // among the items, from 1
	index  int    // the number that the vendor gives it, -1 if it gives none
	id     string

	text    []byte  // what was yielded of a message, or of arguments
	thinks  channel // that its thinking comes from
	call    int     // number among the calls, from 1
	shown   bool    // something of the call was yielded
	hasID   bool    // the call's ID was yielded
	hasName bool    // the name of its function was
	isWhole bool    // it has come as a whole, as raw and done
	raw     json.RawMessage
	done    wireItem
}

// place is where a piece of thinking belongs.
type place struct {
	item *item
	part int
}

// find returns the item of a kind that is told by its index or its ID, or is
// the one at work. If there is none it begins.
func (d *decoder) find(kind string, index int, id string) *item {
	if it := d.known(kind, index, id); it != nil {
		return it
	}
	return d.open(kind, index, id)
}

// open begins an item.
func (d *decoder) open(kind string, index int, id string) *item {
	it := &item{kind: kind, number: len(d.items) + 1, index: index, id: id}
	d.items = append(d.items, it)
	if kind == arguments.kind() {
		d.calls++
		it.call = d.calls
	}
	return it
}

// known is find for items that have begun; nil if there is none.
func (d *decoder) known(kind string, index int, id string) *item {
	for i := len(d.items) - 1; i >= 0; i-- {
		if it := d.items[i]; it.kind == kind && it.is(index, id) {
			return it
		}
	}
	return nil
}

// is reports whether an event with the given index and ID is about it. Some
// gateways change IDs on the way, and some servers give no indices.
func (it *item) is(index int, id string) bool {
	switch {
	case index >= 0 && it.index >= 0:
		return index == it.index
	case id != "" && it.id != "":
		return id == it.id
	}
	return !it.isWhole
}

// added takes in an item that begins.
func (d *decoder) added(index int, raw json.RawMessage) error {
	w, ok := readItem(raw)
	if !ok {
		return nil
	}
	it := d.known(w.Type, index, w.ID)
	if it == nil || it.isWhole {
		it = d.open(w.Type, index, w.ID)
	}
	if it.kind != arguments.kind() {
		return nil
	}
	return d.argue(it, w.CallID, w.Name, "")
}

// done takes in an item that is done.
func (d *decoder) done(index int, raw json.RawMessage) error {
	w, ok := readItem(raw)
	if !ok {
		return nil
	}
	return d.whole(d.find(w.Type, index, w.ID), raw, w)
}

// complete takes in the items of a whole reply as far as they have not come as
// wholes: some gateways stream the text alone, and some do not say what is done.
func (d *decoder) complete(output []json.RawMessage) error {
	seen := map[*item]bool{}
	at := 0 // where an item stands that has not begun
	for _, raw := range output {
		w, ok := readItem(raw)
		if !ok {
			continue
		}
		it := d.unseen(&w, seen)
		if it == nil {
			it = d.open(w.Type, -1, w.ID)
			d.move(it, at)
		}
		seen[it], at = true, it.number
		if it.isWhole {
			continue
		}
		if err := d.whole(it, raw, w); err != nil {
			return err
		}
	}
	return nil
}

// unseen returns the item that w is the whole of: by its IDs, or else the first
// of its kind, since some gateways change IDs on the way. It is nil if that has
// not begun.
func (d *decoder) unseen(w *wireItem, seen map[*item]bool) (first *item) {
	for _, it := range d.items {
		switch {
		case it.kind != w.Type || seen[it]:
		case w.ID != "" && w.ID == it.id, w.CallID != "" && w.CallID == it.done.CallID:
			return it
		case first == nil:
			first = it
		}
	}
	return first
}

// move has the last item, which is it, stand at the given place.
func (d *decoder) move(it *item, at int) {
	last := len(d.items) - 1
	d.items = slices.Insert(d.items[:last], at, it)
	for i := range d.items {
		d.items[i].number = i + 1
	}
}

// whole takes in w, read from raw, as the whole of an item, and yields what its
// pieces have left out.
func (d *decoder) whole(it *item, raw json.RawMessage, w wireItem) error {
	it.isWhole, it.raw, it.done = true, bytes.Clone(raw), w
	switch it.kind {
	case answers.kind():
		return d.rest(it)
	case arguments.kind():
		return d.argue(it, first(w.CallID, w.ID), w.Name, it.beyond(string(w.Arguments)))
	case thoughts.kind():
		if text := w.thinking(); it.thinks == 0 && text != "" {
			return d.think(it, summaries, 0, text)
		}
	}
	return nil
}

// readItem reads an item as far as it has the form that is known.
func readItem(raw json.RawMessage) (w wireItem, ok bool) {
	err := json.Unmarshal(raw, &w)
	return w, w.Type != "" && (err == nil || errors.As(err, new(*json.UnmarshalTypeError)))
}

// beyond returns what whole says beyond the pieces that have come; nothing if
// it says something else, since what was shown counts.
func (it *item) beyond(whole string) string {
	if len(whole) < len(it.text) || whole[:len(it.text)] != string(it.text) {
		return ""
	}
	return whole[len(it.text):]
}

// rest yields what a message says beyond its pieces.
func (d *decoder) rest(it *item) error {
	if it.beyond(it.done.text()) == "" {
		return nil
	}
	have := len(it.text)
	for _, p := range it.done.Content.parts {
		words := p.words()
		if have >= len(words) {
			have -= len(words)
			continue
		}
		c := answers
		if p.Refusal != "" {
			c = refusals
		}
		if err := d.say(it, c, words[have:]); err != nil {
			return err
		}
		have = 0
	}
	return nil
}

// piece takes in a piece of an item.
func (d *decoder) piece(c channel, it *item, part int, s string) error {
	switch {
	case s == "":
		return nil
	case c == answers || c == refusals:
		return d.say(it, c, s)
	case c == arguments:
		return d.argue(it, "", "", s)
	}
	return d.think(it, c, part, s)
}

// say yields a piece of a message.
func (d *decoder) say(it *item, c channel, s string) error {
	d.mixed = d.mixed || d.spoke != nil && it.number < d.spoke.number
	d.spoke = it
	it.text = append(it.text, s...)
	out := ikigai.Delta{Text: s}
	if c == refusals {
		out = ikigai.Delta{Refusal: s}
	}
	if !d.send(out) {
		return provider.ErrStopped
	}
	return nil
}

// argue yields what is new of a call.
func (d *decoder) argue(it *item, id, name, more string) error {
	out := ikigai.CallDelta{Index: it.call - 1, Arguments: more}
	if !it.hasID && id != "" {
		out.ID, it.hasID = id, true
	}
	if !it.hasName && name != "" {
		out.Name, it.hasName = name, true
	}
	if it.shown && out == (ikigai.CallDelta{Index: out.Index}) {
		return nil
	}
	it.shown = true
	it.text = append(it.text, more...)
	if !d.send(ikigai.Delta{Call: &out}) {
		return provider.ErrStopped
	}
	return nil
}

// think yields a piece of thinking. Some vendors send the reasoning itself and
// a summary that says the same: what comes first counts.
func (d *decoder) think(it *item, c channel, part int, s string) error {
	if it.thinks == 0 {
		it.thinks = c
	}
	if it.thinks != c {
		return nil
	}
	at := place{it, part}
	if d.thought.item != nil && d.thought != at {
		s = paragraph + s
	}
	d.thought = at
	if !d.send(ikigai.Delta{Thinking: s}) {
		return provider.ErrStopped
	}
	return nil
}
