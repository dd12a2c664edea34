package provider

import (
	"encoding/json"

	"ikigai"
	"ikigai/internal/wirejson"
)

// Layout is the order in which a reply's blocks came, with what the vendor wants
// back of them. It is what a vendor's package keeps as vendor state: the
// conversation joins the texts of a reply and keeps nothing that is one vendor's
// own, and with the layout the reply can be written for its vendor as it was.
type Layout []Block

// Block is one block of a reply.
type Block struct {
	Text int `json:"text,omitempty"` // bytes of the reply's text that stand here
	Call int `json:"call,omitempty"` // number of the call that stands here, from 1
	// Own is what the vendor wants back: a block of its own where Text and Call
	// are 0, and otherwise what goes with the text or the call.
	Own json.RawMessage `json:"own,omitempty"`
}

// AddText adds n bytes of text, which join the block before if it is text that
// nothing goes with.
func (l *Layout) AddText(n int) {
	if last := len(*l) - 1; last >= 0 && (*l)[last].Text > 0 && (*l)[last].Own == nil {
		(*l)[last].Text += n
		return
	}
	*l = append(*l, Block{Text: n})
}

// State returns the layout as state of the model with the given name, or nil if
// there is nothing in it but text and then calls, which needs no layout.
func (l Layout) State(name string) ikigai.VendorState {
	calls := 0
	for _, b := range l {
		if b.Own != nil || b.Text > 0 && calls > 0 {
			return ikigai.VendorState{name: wirejson.Marshal(l)}
		}
		calls += b.Call
	}
	return nil
}

// LayoutOf returns the layout that the model with the given name has left with a
// reply, a group of messages. It is nil if there is none, or if it does not fit
// the text and the calls any more: then the reply is written without.
func LayoutOf(name string, group []ikigai.Message) Layout {
	text, calls := 0, 0
	var raw json.RawMessage
	for _, m := range group {
		if m.Call != nil {
			calls++
		} else {
			text += len(m.Content)
		}
		if raw == nil {
			raw = m.Vendor[name]
		}
	}
	var l Layout
	if raw == nil || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	next := 1
	for i, b := range l {
		if b.Text < 0 || b.Text > text || b.Call < 0 || b.Text > 0 && b.Call > 0 {
			return nil
		}
		text -= b.Text
		if string(b.Own) == "null" {
			l[i].Own = nil
		}
		if b.Call > 0 {
			if b.Call != next {
				return nil
			}
			next++
		}
	}
	if text != 0 || next != calls+1 {
		return nil
	}
	return l
}
