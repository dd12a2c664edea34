package responses

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// members are what an item has beside what the conversation keeps of it.
type members map[string]json.RawMessage

// membersOf returns the members of a JSON object that say something, less those
// with the given names; nil if there are none.
func membersOf(raw json.RawMessage, less ...string) members {
	var m members
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	maps.DeleteFunc(m, func(name string, value json.RawMessage) bool {
		return slices.Contains(less, name) || !says(value)
	})
	if len(m) == 0 {
		return nil
	}
	return m
}

// append appends the members to an object, sorted.
func (m members) append(b []byte) []byte {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b = wirejson.AppendMember(b, name, m[name])
	}
	return b
}

// textState is what goes with a text of a reply.
type textState struct {
	Item members `json:"item,omitempty"` // of the message that it is a part of
	Part members `json:"part,omitempty"` // of the part itself
	More bool    `json:"more,omitempty"` // the message is that of the text before
}

// appendLayout appends the items of a reply as they came.
func appendLayout(b []byte, layout provider.Layout, group []ikigai.Message) []byte {
	text, calls := "", group
	if group[0].Kind == ikigai.KindAssistant {
		text, calls = group[0].Content, group[1:]
	}
	for i, block := range layout {
		switch {
		case block.Text > 0:
			s := textOf(block)
			if !s.More || i == 0 || layout[i-1].Text == 0 {
				b = append(b, `{"type":"message","role":"assistant"`...)
				b = append(s.Item.append(b), `,"content":[`...)
			} else {
				b = append(b[:len(b)-len("]},")], ',')
			}
			b = append(appendOutput(b, text[:block.Text], s.Part), "]},"...)
			text = text[block.Text:]
		case block.Call > 0:
			var own members
			_ = json.Unmarshal(block.Own, &own) // there may be none
			b = appendCall(b, calls[block.Call-1].Call, own)
		default:
			b = append(wirejson.AppendJSON(b, block.Own), ',')
		}
	}
	return b
}

func textOf(block provider.Block) (s textState) {
	_ = json.Unmarshal(block.Own, &s) // there may be none
	return s
}

// appendOutput appends a part of a message that the model has written.
func appendOutput(b []byte, text string, part members) []byte {
	if string(part["type"]) == `"refusal"` {
		b = append(b, `{"type":"refusal","refusal":`...)
		return append(wirejson.AppendString(b, text), '}')
	}
	b = append(b, `{"type":"output_text","text":`...)
	b = wirejson.AppendString(b, text)
	if part["annotations"] == nil {
		b = append(b, `,"annotations":[]`...)
	}
	return append(part.append(b), '}')
}

// state returns what the vendor wants back of the reply, nil if that is
// nothing, or if its texts came mixed.
//
// Reasoning is refused without the item that it led to, and that item, where it
// is told by its ID, without its reasoning. What cannot be returned takes
// both away.
func (d *decoder) state() ikigai.VendorState {
	if d.mixed {
		return nil
	}
	var kept []*item
	whole := true
	leave := func() { // the reasoning that nothing follows now
		for len(kept) > 0 && kept[len(kept)-1].kind == "reasoning" {
			kept, whole = kept[:len(kept)-1], false
		}
	}
	for _, it := range d.items {
		if d.returnable(it) {
			kept = append(kept, it)
			continue
		}
		whole = false
		leave()
	}
	leave()
	var l provider.Layout
	for _, it := range kept {
		l = append(l, it.blocks(whole)...)
	}
	return l.State(d.cfg.Name)
}

// returnable reports whether an item can be given back: reasoning only with
// what was thought, since nothing is kept at the vendor, and a call of another
// kind than ours only with its output.
func (d *decoder) returnable(it *item) bool {
	switch it.kind {
	case "message":
		return len(it.text) > 0
	case "function_call":
		return true
	case "reasoning":
		return it.done.EncryptedContent != "" || len(it.done.Content.parts) > 0
	}
	if it.raw == nil || it.done.CallID == "" || strings.HasSuffix(it.kind, "_output") {
		return it.raw != nil
	}
	return slices.ContainsFunc(d.items, func(other *item) bool {
		return other.done.CallID == it.done.CallID && strings.HasSuffix(other.kind, "_output")
	})
}

// blocks returns the item as blocks of a layout. Without its ID the vendor
// takes it for new.
func (it *item) blocks(withID bool) provider.Layout {
	var less []string
	if !withID {
		less = []string{"id"}
	}
	switch it.kind {
	case "message":
		return it.textBlocks(membersOf(it.raw, append(less, "type", "role", "content")...))
	case "function_call":
		own := membersOf(it.raw, append(less, "type", "call_id", "name", "arguments")...)
		return provider.Layout{{Call: it.call, Own: own.raw()}}
	case "reasoning":
		own := membersOf(it.raw, append(less, "status")...)
		if own["summary"] == nil {
			own["summary"] = json.RawMessage("[]") // it must be there
		}
		return provider.Layout{{Own: own.raw()}}
	}
	return provider.Layout{{Own: it.raw}}
}

// textBlocks returns the parts of a message, or all its text as one where the
// parts are not what has come piece by piece.
func (it *item) textBlocks(own members) provider.Layout {
	if it.done.text() != string(it.text) {
		return provider.Layout{{Text: len(it.text), Own: textState{Item: own}.raw()}}
	}
	var l provider.Layout
	for i, p := range it.done.Content.parts {
		if p.words() == "" {
			continue
		}
		s := textState{Part: membersOf(it.done.Content.raw[i], "text", "refusal", "logprobs"), More: len(l) > 0}
		if p.Refusal == "" {
			delete(s.Part, "type")
		}
		if !s.More {
			s.Item = own
		}
		l = append(l, provider.Block{Text: len(p.words()), Own: s.raw()})
	}
	return l
}

// raw returns m as JSON, nil if it is empty.
func (m members) raw() json.RawMessage {
	if len(m) == 0 {
		return nil
	}
	return wirejson.Marshal(m)
}

// raw returns s as JSON, nil if it is empty.
func (s textState) raw() json.RawMessage {
	if len(s.Item)+len(s.Part) == 0 && !s.More {
		return nil
	}
	return wirejson.Marshal(s)
}
